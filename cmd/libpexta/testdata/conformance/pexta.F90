! Every name of PEXTA in Fortran, and what it does. Run by mpirun with any number of processes; the
! folder for files is the environment variable CONFORM_DIR. Prints what conform.F90 does, and what
! pexta_set_debug and pexta_print_internals print.
      program names
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer failures, g, h, p
      common /counts/ failures
      character*512 file
      logical good
      failures = 0
      call mpi_init_default()
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 4194304, 4194304)) call ga_error('ma_init', 0)
      good = ga_create(MT_DBL, 40, 30, 'g', -1, -1, g)
      good = good .and. ga_create(MT_DBL, 40, 30, 'h', -1, -1, h)
      call fill(g, 40, 30, 3)
      call path('names', file)
      good = good .and. pexta_init(1, -1d0, -1d0, -1d0) .eq. 0
      call report('init', good, 'pexta_init failed')
      call check_create(g, p, file)
      call check_requests(g, h, p)
      call check_sections(g, p)
      call check_growth(h, p)
      call check_modes(p, file)
      call check_prints(h, p)
      call check_delete(p, file)
      good = pexta_terminate() .eq. 0
      good = good .and. pexta_wait(1) .ne. 0
      call report('terminate', good, 'the library is still in use')
      call ga_terminate()
      call mpi_finalize_default()
      if (failures .gt. 0) stop 1
      end program

      ! an array is what it was made as, whatever numbers of files and processes were set
      subroutine check_create(g, p, file)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer g, p, q, dims(2), reqdims(2), got(7), type, rank
      character*512 file, from
      character*72 name
      logical good
      dims = (/ 40, 30 /)
      reqdims = (/ 16, -1 /)
      call pexta_set_default_config(3, 2)
      good = pexta_create(MT_DBL, 2, dims, 'a plate', file, PEXTA_RW, reqdims, g, p) .eq. 0
      good = good .and. pexta_inquire(p, type, rank, got, name, from) .eq. 0
      good = good .and. type .eq. MT_DBL .and. rank .eq. 2 .and. all(got(1:2) .eq. dims) .and. name .eq. 'a plate' .and. from .eq. file
      call report('create', good, 'a call failed, or it is another array')
      good = pexta_create(MT_DBL, 2, dims, 'another', trim(file)//'2', PEXTA_RW, reqdims, -1, q) .ne. 0
      call report('create/limit', good, 'there are two arrays, where pexta_init was told of one')
      end subroutine

      subroutine check_requests(g, h, p)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer g, h, p, request, status
      logical good, has
      external has
      good = pexta_write(g, p, request) .eq. 0
      call ended(request, good)
      call report('write', good, 'a call failed')
      call ga_zero(h)
      good = pexta_read(h, p, request) .eq. 0
      call ended(request, good)
      good = good .and. has(h, 1, 1, 40, 30, 1, 1, 3)
      call report('read', good, 'a call failed or a value is wrong')
      good = pexta_wait(request) .eq. 0
      good = good .and. pexta_wait(PEXTA_REQ_INVALID) .eq. 0
      good = good .and. pexta_probe(request, status) .eq. 0
      good = good .and. status .eq. -1
      call report('wait', good, 'a request that is over is not done')
      end subroutine

      ! ended lets a request go on until pexta_probe says that it is done
      subroutine ended(request, good)
      implicit none
#include "pexta.fh"
      integer request, status
      logical good
      status = 0
      do while (status .eq. 0 .and. good)
        call pexta_flick()
        good = pexta_probe(request, status) .eq. 0
        good = good .and. (status .eq. 0 .or. status .eq. -1)
      end do
      end subroutine

      ! a box of 12 x 9 elements is written to 9 x 12, and read as it is there, and as it was
      subroutine check_sections(g, p)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer g, p, there, back, request
      integer, parameter :: glo(2) = (/ 11, 7 /), ghi(2) = (/ 22, 15 /), plo(2) = (/ 2, 3 /), phi(2) = (/ 10, 14 /), one(2) = 1
      integer, parameter :: reversed(2) = (/ 9, 12 /), shape(2) = (/ 12, 9 /)
      logical good, has, has_transpose
      external has, has_transpose
      good = ga_create(MT_DBL, 9, 12, 'there', -1, -1, there)
      good = good .and. ga_create(MT_DBL, 12, 9, 'back', -1, -1, back)
      good = good .and. pexta_write_section(.true., g, glo, ghi, p, plo, phi, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. pexta_read_section(.false., there, one, reversed, p, plo, phi, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. has_transpose(there, 12, 9, 11, 7, 3)
      call report('write section', good, 'a call failed or a value is wrong')
      good = pexta_read_section(.true., back, one, shape, p, plo, phi, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. has(back, 1, 1, 12, 9, 11, 7, 3)
      call report('read section', good, 'a call failed or a value is wrong')
      good = ga_destroy(there)
      good = ga_destroy(back)
      end subroutine

      ! both dimensions are extended, and then the first one alone; h grows as well
      subroutine check_growth(h, p)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer h, p, request, type, rank, dims(2), got(7)
      double precision new(12, 40)
      character*512 from
      character*72 name
      logical good, has
      external has
      good = pexta_extend(p, (/ 5, 10 /), (/ 2, 1 /), request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. pexta_extend(p, (/ 7, 3 /), (/ 1, 0 /), request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. pexta_inquire(p, type, rank, got, name, from) .eq. 0
      good = good .and. got(1) .eq. 52 .and. got(2) .eq. 40
      call report('extend', good, 'a call failed or an extent is wrong')
      good = pexta_iread(h, p, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      call nga_inquire(h, type, rank, dims)
      good = good .and. all(dims .eq. (/ 52, 40 /))
      good = good .and. has(h, 11, 1, 30, 30, 11, 1, 3) ! below what check_sections has written
      call ga_get(h, 41, 52, 1, 40, new, 12)
      good = good .and. all(new .eq. 0)
      call report('iread', good, 'a call failed or a value is wrong')
      end subroutine

      ! a closed array has no handle, and is opened for what its mode says
      subroutine check_modes(p, file)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer p, request, modes(3), i
      character*512 file
      logical good
      good = pexta_close(p) .eq. 0
      good = good .and. p .eq. 0
      call report('close', good, 'the call failed or the handle is not 0')
      modes = (/ PEXTA_R, PEXTA_W, PEXTA_RW /)
      do i = 1, 3
        good = pexta_open(file, modes(i), p) .eq. 0
        good = good .and. pexta_extend(p, (/ 0, 0 /), (/ 1, 2 /), request) .eq. merge(-1, 0, modes(i) .eq. PEXTA_R)
        good = good .and. pexta_wait(request) .eq. 0
        if (i .lt. 3) good = good .and. pexta_close(p) .eq. 0
        call report('open', good, 'a call failed, or the mode is not kept')
      end do
      end subroutine

      ! one read between the two calls of pexta_set_debug is printed, and one description
      subroutine check_prints(h, p)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer h, p, request
      logical good
      good = pexta_set_debug(.true.) .eq. 0
      good = good .and. pexta_read(h, p, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      good = good .and. pexta_set_debug(.false.) .eq. 0
      good = good .and. pexta_read(h, p, request) .eq. 0
      good = good .and. pexta_wait(request) .eq. 0
      call pexta_print_internals(p)
      call report('debug', good, 'a call failed')
      end subroutine

      subroutine check_delete(p, file)
      implicit none
#include "pexta.fh"
      integer p
      character*512 file
      logical good
      good = pexta_delete(p) .eq. 0
      good = good .and. p .eq. 0
      good = good .and. pexta_open(file, PEXTA_RW, p) .ne. 0
      call report('delete', good, 'the call failed, the handle is not 0, or the array is still there')
      end subroutine

#include "shared.fh"
