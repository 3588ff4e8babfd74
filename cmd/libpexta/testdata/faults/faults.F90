! faults within the library are errors in a Fortran program too, whose runtime has handlers of its own: faults FILE
      program faults
      use iso_c_binding
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      interface
        function fault(kind) bind(c, name='pextago_fault')
          import c_int
          integer(c_int), value :: kind
          integer(c_int) :: fault
        end function
        function fault_later(kind, array) bind(c, name='pextago_fault_later')
          import c_int
          integer(c_int), value :: kind, array
          integer(c_int) :: fault_later
        end function
        subroutine enter() bind(c, name='pextac_enter')
        end subroutine
        subroutine leave() bind(c, name='pextac_leave')
        end subroutine
        function usleep(microseconds) bind(c)
          import c_int
          integer(c_int), value :: microseconds
          integer(c_int) :: usleep
        end function
      end interface
      integer(c_int) :: kind, ierr
      integer :: array, request
      character*512 file
      call mpi_init(ierr)
      call ga_initialize()
      call get_command_argument(1, file)
      if (pexta_init(20, 1d9, 1d10, -1d0) .ne. 0) stop 1
      if (pexta_create(MT_DBL, 1, (/ 10 /), 'faults', file, PEXTA_RW, (/ -1 /), -1, array) .ne. 0) stop 2
      do kind = 0, 2
        call enter()
        if (fault(kind) .ne. -1) stop 3
        call leave()
        if (pexta_close(array) .ne. -1 .or. array .ne. 0) stop 7 ! after that there is no more to it
        if (pexta_open(file, PEXTA_RW, array) .ne. 0) stop 8
        call enter()
        request = fault_later(kind, int(array, c_int))
        call leave()
        ierr = usleep(300000_c_int) ! meanwhile it fails
        if (pexta_wait(request) .ne. -1) stop 4
      end do
      if (pexta_delete(array) .ne. 0) stop 5
      if (pexta_terminate() .ne. 0) stop 6
      if (ga_nodeid() .eq. 0) print '(a)', 'good'
      call ga_terminate()
      call mpi_finalize(ierr)
      end program
