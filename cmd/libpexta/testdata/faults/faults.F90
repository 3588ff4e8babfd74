! faults within the library, and files that are cut short, are errors in a Fortran program too,
! whose runtime has handlers of its own: faults FILE
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
      call cut_short(file)
      if (pexta_terminate() .ne. 0) stop 6
      if (ga_nodeid() .eq. 0) print '(a)', 'good'
      call ga_terminate()
      call mpi_finalize(ierr)
      end program

      ! cut_short reads a file that another program cuts short while it is open, and one that was
      ! cut before it is opened: an error of all processes, and the program goes on
      subroutine cut_short(file)
      use iso_c_binding
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      interface
        function truncate(path, length) bind(c)
          import c_int, c_long, c_char
          character(kind=c_char) :: path(*)
          integer(c_long), value :: length
          integer(c_int) :: truncate
        end function
      end interface
      character*512 file
      integer g, array, request, opened, i
      double precision value
      logical good
      good = ga_create(MT_DBL, 700, 600, 'g', -1, -1, g)
      if (.not. good) stop 20
      do i = 1, 2
        value = 0.5d0 + i
        call ga_fill(g, value)
        if (pexta_create(MT_DBL, 2, (/ 700, 600 /), 'cut', file, PEXTA_RW, (/ -1, -1 /), g, array) .ne. 0) stop 21
        if (pexta_write(g, array, request) .ne. 0) stop 22
        if (pexta_wait(request) .ne. 0) stop 23
        if (pexta_close(array) .ne. 0) stop 24
        if (pexta_open(file, PEXTA_R, array) .ne. 0) stop 25
        if (pexta_read(g, array, request) .ne. 0) stop 26
        if (pexta_wait(request) .ne. 0) stop 27 ! now it is mapped
        if (i .eq. 1) then
          if (pexta_close(array) .ne. 0) stop 28
        end if
        call ga_sync()
        if (ga_nodeid() .eq. 0) then
          if (truncate(trim(file)//'.xta'//c_null_char, 100000_c_long) .ne. 0) stop 29
        end if
        call ga_sync()
        opened = 0
        if (i .eq. 1) opened = pexta_open(file, PEXTA_R, array)
        if (opened .eq. 0) then
          if (pexta_read(g, array, request) .eq. 0) then
            if (pexta_wait(request) .ne. -1) stop 30
          end if
          if (pexta_close(array) .ne. 0) stop 31
        end if
      end do
      ! the program goes on with another array of that name
      value = 7
      call ga_fill(g, value)
      if (pexta_create(MT_DBL, 2, (/ 700, 600 /), 'cut', file, PEXTA_RW, (/ -1, -1 /), g, array) .ne. 0) stop 32
      if (pexta_write(g, array, request) .ne. 0) stop 33
      if (pexta_wait(request) .ne. 0) stop 34
      if (pexta_delete(array) .ne. 0) stop 35
      good = ga_destroy(g)
      if (.not. good) stop 36
      end subroutine
