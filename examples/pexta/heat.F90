! heat.F90 - a plate that is heated at one edge and grows at the other, kept by PEXTA while it
! grows.
!
!   mpif90.openmpi -fdefault-integer-8 -fallow-argument-mismatch -I../../bin -o heat heat.F90 ../../bin/libpexta.a \
!       -lga-openmpi -lscalapack-openmpi -llapack -lblas -larmci-openmpi -lm -lquadmath -lpthread
!   mpirun.openmpi -n 4 ./heat && drx view plate -o plate.png
!
! Fortran's first dimension is the last one of drx: the plate here is columns x rows, and grows in
! its columns.
      program heat
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "pexta.fh"
      integer, parameter :: rows = 64, more = 16, growths = 6, steps = 300
      integer :: columns = 32, dims(2), chunk(2) = -1, reqdims(2) = 16, order(2) = (/ 1, 0 /), g, next, disk, request, growth, step
      integer(kind=4) :: ierr
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 1048576, 1048576)) call ga_error('ma_init', 0)
      call check(pexta_init(-1, -1d0, -1d0, -1d0), 'pexta_init')
      dims = (/ columns, rows /)
      if (.not. nga_create(MT_DBL, 2, dims, 'plate', chunk, g)) call ga_error('nga_create', 0)
      call ga_zero(g)
      call check(pexta_create(MT_DBL, 2, dims, 'plate', 'plate', PEXTA_RW, reqdims, g, disk), 'pexta_create')
      do growth = 1, growths
        call check(pexta_extend(disk, (/ more, 0 /), order, request), 'pexta_extend')
        call check(pexta_wait(request), 'pexta_extend')
        call check(pexta_iread(g, disk, request), 'pexta_iread') ! g grows, too
        call check(pexta_wait(request), 'pexta_iread')
        columns = columns + more
        if (.not. ga_duplicate(g, next, 'next')) call ga_error('ga_duplicate', 0)
        do step = 1, steps, 2
          call warm(g, next, columns, rows)
          call warm(next, g, columns, rows)
        end do
        call ga_sync()
        if (.not. ga_destroy(next)) call ga_error('ga_destroy', 0)
        call check(pexta_write(g, disk, request), 'pexta_write')
        call check(pexta_wait(request), 'pexta_write') ! now it survives a crash
      end do
      call check(pexta_close(disk), 'pexta_close')
      call check(pexta_terminate(), 'pexta_terminate')
      call ga_terminate()
      call mpi_finalize(ierr)
      end program

      subroutine check(code, what)
      implicit none
      integer code
      character*(*) what
      if (code .ne. 0) call ga_error(what, code) ! PEXTA has printed why
      end subroutine

      ! one step: each element becomes the mean of its neighbours; the edge before column 1 is kept
      ! at 1
      subroutine warm(from, to, columns, rows)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer from, to, columns, rows, lo(2), hi(2), near_lo(2), near_hi(2), ld(1), c, r
      double precision, allocatable :: near(:, :), new(:, :)
      call nga_distribution(to, ga_nodeid(), lo, hi)
      call ga_sync()
      if (hi(1) .lt. lo(1)) return ! nothing of the plate is here
      near_lo = max(lo - 1, 1)
      near_hi = min(hi + 1, (/ columns, rows /))
      allocate(near(lo(1) - 1:hi(1) + 1, near_lo(2):near_hi(2)), new(lo(1):hi(1), lo(2):hi(2)))
      near = 1
      ld = hi(1) - lo(1) + 3
      call nga_get(from, near_lo, near_hi, near(near_lo(1), near_lo(2)), ld)
      do r = lo(2), hi(2)
        do c = lo(1), hi(1)
          new(c, r) = (near(c, max(r - 1, 1)) + near(c, min(r + 1, rows)) + near(c - 1, r) + near(min(c + 1, columns), r)) / 4
        end do
      end do
      ld = hi(1) - lo(1) + 1
      call nga_put(to, lo, hi, new, ld)
      end subroutine
