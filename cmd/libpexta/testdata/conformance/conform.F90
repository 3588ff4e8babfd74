! Conformance of a library with DRA's Fortran names: 2-D and n-D, types, layouts, sections,
! transposed, requests, inquire, groups. Run by mpirun with any number of processes; the folder for
! files is the environment variable CONFORM_DIR. With the arguments "read N" it reads the arrays of
! two dimensions that conform.c has left there, of jobs of 1 to N processes. Prints "ok NAME" or
! "FAILED NAME: why" and stops with 1 if a case failed.
#define MAXDIM 7

      program conform
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer failures
      common /counts/ failures
      integer ierr, writers
      character*20 what, limit
      failures = 0
      call get_command_argument(1, what)
      call get_command_argument(2, limit)
      call mpi_init_default()
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 4194304, 4194304)) call ga_error('ma_init', 0)
      if (dra_init(20, 1d9, 1d10, -1d0) .ne. 0) call ga_error('dra_init', 0)
      if (what .eq. 'read') then
        read(limit, *) writers
        call check_jobs(writers)
        ierr = dra_terminate()
      else
        call check_types()
        call check_ranks()
        call check_layouts()
        call check_groups()
        call check_sections()
        call check_requests()
        call check_handles()
        call check_config()
        call check_prints()
        ierr = dra_terminate()
        call report('terminate', ierr .eq. 0, 'dra_terminate failed')
      end if
      call ga_terminate()
      call mpi_finalize_default()
      if (failures .gt. 0) stop 1
      end program

      subroutine check_types()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer types(5), t, g, h, d, req, n, m
      integer gi(40, 30), hi(40, 30), i, j
      real gr(40, 30), hr(40, 30)
      double precision gd(40, 30), hd(40, 30)
      double complex gz(40, 30), hz(40, 30)
      complex gc(40, 30), hc(40, 30)
      character*20 names(5)
      character*512 file
      logical good
      data names /'integer', 'real', 'double precision', 'double complex', 'complex'/
      types(1) = MT_INT
      types(2) = MT_REAL
      types(3) = MT_DBL
      types(4) = MT_DCPL
      types(5) = MT_SCPL
      n = 40
      m = 30
      call path('types', file)
      do j = 1, m
        do i = 1, n
          gi(i, j) = i * 100 + j
          gr(i, j) = gi(i, j) / 4.0
          gd(i, j) = gi(i, j) / 8d0
          gz(i, j) = dcmplx(gi(i, j), -i)
          gc(i, j) = cmplx(gi(i, j), -i)
        end do
      end do
      do t = 1, 5
        good = ga_create(types(t), n, m, 'g', -1, -1, g)
        good = good .and. ga_create(types(t), n, m, 'h', -1, -1, h)
        call ga_zero(h)
        if (ga_nodeid() .eq. 0) then
          if (t .eq. 1) call ga_put(g, 1, n, 1, m, gi, n)
          if (t .eq. 2) call ga_put(g, 1, n, 1, m, gr, n)
          if (t .eq. 3) call ga_put(g, 1, n, 1, m, gd, n)
          if (t .eq. 4) call ga_put(g, 1, n, 1, m, gz, n)
          if (t .eq. 5) call ga_put(g, 1, n, 1, m, gc, n)
        end if
        call ga_sync()
        good = good .and. dra_create(types(t), n, m, 'types', file, DRA_RW, -1, -1, d) .eq. 0
        good = good .and. dra_write(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. dra_close(d) .eq. 0
        good = good .and. dra_open(file, DRA_R, d) .eq. 0
        good = good .and. dra_read(h, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. dra_delete(d) .eq. 0
        if (t .eq. 1) then
          call ga_get(h, 1, n, 1, m, hi, n)
          good = good .and. all(hi .eq. gi)
        else if (t .eq. 2) then
          call ga_get(h, 1, n, 1, m, hr, n)
          good = good .and. all(hr .eq. gr)
        else if (t .eq. 3) then
          call ga_get(h, 1, n, 1, m, hd, n)
          good = good .and. all(hd .eq. gd)
        else if (t .eq. 4) then
          call ga_get(h, 1, n, 1, m, hz, n)
          good = good .and. all(hz .eq. gz)
        else
          call ga_get(h, 1, n, 1, m, hc, n)
          good = good .and. all(hc .eq. gc)
        end if
        call report('types/'//trim(names(t)), good, 'a call failed or a value is wrong')
        good = ga_destroy(g)
        good = ga_destroy(h)
      end do
      end subroutine

      ! ndra_ names, rank 1 to 7
      subroutine check_ranks()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer dims(MAXDIM), chunk(MAXDIM), lo(MAXDIM), hi(MAXDIM), ld(MAXDIM), req7(MAXDIM), got(MAXDIM)
      integer n, g, h, d, req, total, i, type, rank
      double precision a(20000), b(20000)
      character*512 file
      character*64 name, array, from*512
      logical good
      data dims /9, 6, 5, 4, 3, 2, 3/
      chunk = -1
      req7 = -1
      lo = 1
      call path('ranks', file)
      do n = 1, MAXDIM
        write(name, '(a,i1)') 'ranks/', n
        total = product(dims(1:n))
        hi = dims
        ld = dims
        do i = 1, total
          a(i) = i / 4d0 + n
        end do
        b = 0
        good = nga_create(MT_DBL, n, dims, 'g', chunk, g)
        good = good .and. nga_create(MT_DBL, n, dims, 'h', chunk, h)
        call ga_zero(h)
        if (ga_nodeid() .eq. 0) call nga_put(g, lo, hi, a, ld)
        call ga_sync()
        good = good .and. ndra_create(MT_DBL, n, dims, 'ranks', file, DRA_RW, req7, d) .eq. 0
        good = good .and. ndra_inquire(d, type, rank, got, array, from) .eq. 0
        good = good .and. type .eq. MT_DBL .and. rank .eq. n .and. all(got(1:n) .eq. dims(1:n))
        good = good .and. ndra_write(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. ndra_read(h, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        call nga_get(h, lo, hi, b, ld)
        good = good .and. all(a(1:total) .eq. b(1:total))
        call ga_sync()
        call ga_zero(h)
        good = good .and. ndra_read_section(.false., h, lo, hi, d, lo, hi, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        call nga_get(h, lo, hi, b, ld)
        good = good .and. all(a(1:total) .eq. b(1:total))
        call ga_sync()
        good = good .and. ndra_write_section(.false., h, lo, hi, d, lo, hi, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. dra_delete(d) .eq. 0
        call report(trim(name), good, 'a call failed or a value is wrong')
        good = ga_destroy(g)
        good = ga_destroy(h)
      end do
      end subroutine

      ! a layout of 40 x 30 doubles, made as kind says
      integer function layout(kind)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      character*(*) kind
      integer g, p, procs, dims(2), width(2), blocks(2), chunk(2), map1(64), map2(1), list(64)
      logical good
      dims = (/ 40, 30 /)
      width = (/ 2, 1 /)
      chunk = -1
      procs = ga_nnodes()
      do p = 1, procs
        map1(p) = max(1, 2 * p - 2) ! blocks of 1, 2, 2, ... rows, and what is left
        list(p) = 2 * p - 2
      end do
      map2(1) = 1
      good = .true.
      if (kind .eq. 'ghosts') then
        good = nga_create_ghosts(MT_DBL, 2, dims, width, 'g', chunk, g)
      else if (kind .eq. 'irregular') then
        good = ga_create_irreg(MT_DBL, 40, 30, 'g', map1, procs, map2, 1, g)
      else
        g = ga_create_handle()
        call ga_set_data(g, 2, dims, MT_DBL)
        blocks = (/ 7, 4 /)
        if (kind .eq. 'block-cyclic') call ga_set_block_cyclic(g, blocks)
        blocks = (/ procs, 1 /)
        if (kind .eq. 'block-cyclic grid') call ga_set_block_cyclic_proc_grid(g, width, blocks)
        if (kind .eq. 'restricted') call ga_set_restricted(g, list, (procs + 1) / 2)
        good = ga_allocate(g)
      end if
      if (.not. good) call ga_error('no global array', 0)
      layout = g
      end function

      subroutine check_layouts()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      character*20 kinds(5)
      integer k, g, h, d, req, layout
      character*512 file
      logical good, has
      external has, layout
      data kinds /'ghosts', 'irregular', 'block-cyclic', 'block-cyclic grid', 'restricted'/
      call path('layouts', file)
      do k = 1, 5
        g = layout(trim(kinds(k)))
        h = layout(trim(kinds(k)))
        call fill(g, 40, 30, k)
        call ga_zero(h)
        good = dra_create(MT_DBL, 40, 30, 'layouts', file, DRA_RW, -1, -1, d) .eq. 0
        good = good .and. dra_write(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. dra_read(h, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. has(h, 1, 1, 40, 30, 1, 1, k)
        good = good .and. dra_delete(d) .eq. 0
        call report('layouts/'//trim(kinds(k)), good, 'a call failed or a value is wrong')
        good = ga_destroy(g)
        good = ga_destroy(h)
      end do
      end subroutine

      ! the first half of the processes writes, all read
      subroutine check_groups()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer list(64), half, group, world, g, d, req, p
      character*512 file
      logical good, has
      external has
      call path('group', file)
      half = max(1, ga_nnodes() / 2)
      do p = 1, half
        list(p) = p - 1
      end do
      group = ga_pgroup_create(list, half)
      world = ga_pgroup_get_world()
      good = .true.
      if (ga_nodeid() .lt. half) then
        call ga_pgroup_set_default(group)
        good = ga_create(MT_DBL, 21, 17, 'g', -1, -1, g)
        call fill(g, 21, 17, 6)
        good = good .and. dra_create(MT_DBL, 21, 17, 'group', file, DRA_RW, -1, -1, d) .eq. 0
        good = good .and. dra_write(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. dra_close(d) .eq. 0
        good = ga_destroy(g) .and. good
        call ga_pgroup_set_default(world)
      end if
      call ga_sync()
      good = ga_create(MT_DBL, 21, 17, 'h', -1, -1, g) .and. good
      call ga_zero(g)
      good = good .and. dra_open(file, DRA_R, d) .eq. 0
      good = good .and. dra_read(g, d, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      good = good .and. has(g, 1, 1, 21, 17, 1, 1, 6)
      good = good .and. dra_delete(d) .eq. 0
      call report('groups', good, 'a call failed or a value is wrong')
      good = ga_destroy(g)
      end subroutine

      ! arrays of 500 x 900 doubles in C, by jobs of so many processes
      subroutine check_jobs(writers)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer writers, w, g, d, req, i, j, n
      double precision a(900, 500)
      character*512 file
      character*8 name
      logical good
      good = ga_create(MT_DBL, 900, 500, 'g', -1, -1, g)
      do w = 1, writers
        write(name, '(a,i1,a)') 'job', w, '-2'
        call path(name, file)
        call ga_zero(g)
        good = dra_open(file, DRA_R, d) .eq. 0
        good = good .and. dra_read(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        call ga_sync()
        call ga_get(g, 1, 900, 1, 500, a, 900)
        n = 0
        do j = 1, 500
          do i = 1, 900
            if (a(i, j) .ne. mod(n * 7 + (11 + w) * 1009, 1000003) / 4d0) good = .false.
            n = n + 1
          end do
        end do
        good = good .and. dra_close(d) .eq. 0
        call report('jobs/read', good, 'a call failed or a value is wrong')
      end do
      good = ga_destroy(g)
      end subroutine

      subroutine check_sections()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer g, h, k, d, req
      character*512 file
      logical good, has, has_transpose
      external has, has_transpose
      call path('sections', file)
      good = ga_create(MT_DBL, 50, 40, 'g', -1, -1, g)
      good = good .and. ga_create(MT_DBL, 12, 9, 'h', -1, -1, h)
      good = good .and. ga_create(MT_DBL, 9, 12, 'k', -1, -1, k)
      call fill(g, 50, 40, 5)
      call ga_zero(h)
      call ga_zero(k)
      good = good .and. dra_create(MT_DBL, 60, 60, 'sections', file, DRA_RW, 20, 20, d) .eq. 0
      good = good .and. dra_write_section(.false., g, 11, 22, 7, 15, d, 31, 42, 41, 49, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      good = good .and. dra_read_section(.false., h, 1, 12, 1, 9, d, 31, 42, 41, 49, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      good = good .and. has(h, 1, 1, 12, 9, 11, 7, 5)
      call report('sections/2-D', good, 'a call failed or a value is wrong')
      good = dra_read_section(.true., k, 1, 9, 1, 12, d, 31, 42, 41, 49, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      good = good .and. has_transpose(k, 12, 9, 11, 7, 5)
      call report('sections/transposed read', good, 'a call failed or a value is wrong')
      good = dra_write_section(.true., k, 1, 9, 1, 12, d, 1, 12, 1, 9, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      call ga_zero(h)
      good = good .and. dra_read_section(.false., h, 1, 12, 1, 9, d, 1, 12, 1, 9, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      good = good .and. has(h, 1, 1, 12, 9, 11, 7, 5)
      good = good .and. dra_delete(d) .eq. 0
      call report('sections/transposed write', good, 'a call failed or a value is wrong')
      good = ga_destroy(g)
      good = ga_destroy(h)
      good = ga_destroy(k)
      end subroutine

      subroutine check_requests()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer g, d(3), req(3), i, status, ierr
      character*512 file
      character*8 name
      logical good, has
      external has
      good = ga_create(MT_DBL, 33, 29, 'g', -1, -1, g)
      call fill(g, 33, 29, 8)
      do i = 1, 3
        write(name, '(a,i1)') 'request', i
        call path(name, file)
        good = good .and. dra_create(MT_DBL, 33, 29, name, file, DRA_RW, -1, -1, d(i)) .eq. 0
        good = good .and. dra_write(g, d(i), req(i)) .eq. 0
      end do
      do i = 3, 1, -1
        status = 0
        do while (status .eq. 0 .and. good)
          good = dra_probe(req(i), status) .eq. 0
        end do
        good = good .and. dra_wait(req(i)) .eq. 0
      end do
      call dra_flick()
      call ga_zero(g)
      good = good .and. dra_read(g, d(2), req(2)) .eq. 0
      good = good .and. dra_wait(req(2)) .eq. 0
      good = good .and. has(g, 1, 1, 33, 29, 1, 1, 8)
      do i = 1, 3
        ierr = dra_delete(d(i))
        good = good .and. ierr .eq. 0
      end do
      good = good .and. dra_wait(DRA_REQ_INVALID) .eq. 0
      call report('requests', good, 'a call failed or a value is wrong')
      good = ga_destroy(g)
      end subroutine

      subroutine check_handles()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer d, type, n, m
      character*512 file, from
      character*64 name
      logical good
      call path('handle', file)
      good = dra_create(MT_DBL, 17, 13, 'a matrix', file, DRA_RW, -1, -1, d) .eq. 0
      good = good .and. dra_inquire(d, type, n, m, name, from) .eq. 0
      good = good .and. type .eq. MT_DBL .and. n .eq. 17 .and. m .eq. 13
      call report('handles/inquire', good, 'a call failed or an extent is wrong')
      good = name(1:8) .eq. 'a matrix' .and. from(1:len_trim(file)) .eq. trim(file)
      call report('handles/names', good, 'a name is wrong')
      good = dra_close(d) .eq. 0 .and. d .eq. 0
      call report('handles/closed is 0', good, 'a call failed or the handle is not 0')
      good = dra_open(file, DRA_RW, d) .eq. 0
      good = good .and. dra_delete(d) .eq. 0 .and. d .eq. 0
      call report('handles/deleted is 0', good, 'a call failed or the handle is not 0')
      call path('missing', file)
      good = dra_open(file, DRA_R, d) .ne. 0
      call report('handles/missing file', good, 'a missing file was opened')
      end subroutine

      ! numbers of files and of processes that use them, and modes of file systems, which are DRA's
      ! own affair
      subroutine check_config()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer g, d, req, dims(2), reqdims(2), i, ierr
      character*512 file
      character*8 name
      logical good, has
      external has
      dims = (/ 31, 23 /)
      reqdims = -1
      call dra_set_mode(0)
      call dra_set_default_config(1, 1)
      good = ga_create(MT_DBL, 31, 23, 'g', -1, -1, g)
      do i = 1, 2
        write(name, '(a,i1)') 'config', i
        call path(name, file)
        call fill(g, 31, 23, i)
        if (i .eq. 1) ierr = dra_create(MT_DBL, 31, 23, name, file, DRA_RW, -1, -1, d)
        if (i .eq. 2) ierr = ndra_create_config(MT_DBL, 2, dims, name, file, DRA_RW, reqdims, 1, 1, d)
        good = good .and. ierr .eq. 0
        good = good .and. dra_write(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        call ga_zero(g)
        good = good .and. dra_read(g, d, req) .eq. 0
        good = good .and. dra_wait(req) .eq. 0
        good = good .and. has(g, 1, 1, 31, 23, 1, 1, i)
        good = good .and. dra_delete(d) .eq. 0
        call report(name, good, 'a call failed or a value is wrong')
      end do
      call dra_set_default_config(-1, -1)
      good = ga_destroy(g)
      end subroutine

      ! one read that is printed, and one description of an array; the test looks for them
      subroutine check_prints()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer g, d, req, ierr
      character*512 file
      logical good, has
      external has
      call path('prints', file)
      good = ga_create(MT_DBL, 31, 23, 'g', -1, -1, g)
      call fill(g, 31, 23, 4)
      good = good .and. dra_create(MT_DBL, 31, 23, 'prints', file, DRA_RW, -1, -1, d) .eq. 0
      good = good .and. dra_write(g, d, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      call ga_zero(g)
      ierr = dra_set_debug(.true.)
      good = good .and. dra_read(g, d, req) .eq. 0
      good = good .and. dra_wait(req) .eq. 0
      ierr = dra_set_debug(.false.)
      call dra_print_internals(d)
      good = good .and. has(g, 1, 1, 31, 23, 1, 1, 4)
      good = good .and. dra_delete(d) .eq. 0
      call report('prints', good, 'a call failed or a value is wrong')
      good = ga_destroy(g)
      end subroutine

#include "shared.fh"
