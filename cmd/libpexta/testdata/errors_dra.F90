! wrong arguments to the names of DRA in Fortran: every call is an error on all processes, and the
! program goes on: errors_dra FOLDER
      program errors_dra
      use iso_c_binding
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
      integer failures
      common /counts/ failures
      integer g, h, g3, d, d3, d1, r, type, n, m, status, dims(3), req(3), got(7), lo(3), hi(3), few(2)
      integer(kind=4) ierr
      character*512 folder, from
      character*72 name
      logical good
      failures = 0
      dims = (/ 5, 6, 7 /)
      req = -1
      lo = 1
      hi = dims
      few = (/ 10, 12 /)
      call mpi_init(ierr)
      call ga_initialize()
      if (.not. ma_init(MT_DBL, 1048576, 1048576)) call ga_error('ma_init', 0)
      call get_command_argument(1, folder)
      good = ga_create(MT_DBL, 10, 12, 'g', -1, -1, g)
      good = ga_create(MT_DBL, 10, 13, 'h', -1, -1, h)
      good = nga_create(MT_DBL, 3, dims, 'g3', req, g3)
      call fails('dra_terminate', dra_terminate())
      call works(dra_init(3, 1d9, 1d10, -1d0))
      call fails('dra_init', dra_init(3, 1d9, 1d10, -1d0))
      call fails('dra_create', dra_create(4711, 10, 12, 'a', trim(folder)//'/a', DRA_RW, -1, -1, d))
      call fails('dra_create', dra_create(MT_DBL, 10, 0, 'a', trim(folder)//'/a', DRA_RW, -1, -1, d))
      call fails('ndra_create', ndra_create(MT_DBL, 8, dims, 'a', trim(folder)//'/a', DRA_RW, req, d))
      call fails('ndra_create_config', ndra_create_config(MT_DBL, 3, dims, 'a', trim(folder)//'/a', DRA_R, req, 1, 1, d))
      call fails('dra_open', dra_open(trim(folder)//'/none', DRA_R, d))
      call works(dra_create(MT_DBL, 10, 12, 'a', trim(folder)//'/a', DRA_RW, -1, -1, d))
      call works(ndra_create(MT_DBL, 3, dims, 'b', trim(folder)//'/b', DRA_RW, req, d3))
      call works(ndra_create(MT_DBL, 1, dims, 'c', trim(folder)//'/c', DRA_RW, req, d1))

      ! names for two dimensions, and arrays with more
      call fails('dra_inquire', dra_inquire(d3, type, n, m, name, from))
      call fails('dra_write_section', dra_write_section(.false., g3, 1, 5, 1, 6, d3, 1, 5, 1, 6, r))
      if (r .ne. DRA_REQ_INVALID) failures = failures + 1
      call fails('dra_read_section', dra_read_section(.true., g, 1, 5, 1, 6, d3, 1, 5, 1, 6, r))
      call fails('dra_read_section', dra_read_section(.false., g3, 1, 5, 1, 6, d, 1, 5, 1, 6, r))
      call works(dra_inquire(d1, type, n, m, name, from)) ! a column
      if (n .ne. 5 .or. m .ne. 1) failures = failures + 1
      if (ga_nodeid() .eq. 0) then ! it is local
        call works(dra_inquire(d, type, n, m, name, from))
        if (n .ne. 10 .or. m .ne. 12) failures = failures + 1
        call works(ndra_inquire(d3, type, n, got, name, from))
        if (n .ne. 3 .or. any(got(1:3) .ne. dims)) failures = failures + 1
        call fails('ndra_inquire', ndra_inquire(4711, type, n, got, name, from))
      end if

      call fails('dra_write', dra_write(h, d, r))
      call fails('ndra_write', ndra_write(g, d3, r))
      call fails('dra_read', dra_read(4711, d, r))
      call fails('ndra_read', ndra_read(g, 4711, r))
      call fails('dra_write_section', dra_write_section(.false., g, 1, 11, 1, 12, d, 1, 10, 1, 12, r))
      call fails('dra_read_section', dra_read_section(.false., g, 1, 10, 1, 12, d, 1, 10, 1, 13, r))
      call fails('ndra_write_section', ndra_write_section(.true., g3, lo, hi, d3, lo, hi, r))
      call fails('ndra_read_section', ndra_read_section(.false., g3, hi, lo, d3, lo, hi, r))
      call fails('dra_wait', dra_wait(4711))
      call fails('dra_probe', dra_probe(4711, status))
      n = 4711
      call fails('dra_close', dra_close(n))
      if (n .ne. 0) failures = failures + 1

      ! the others close d while the last process closes another one: it stays open, and keeps its
      ! handle
      if (ga_nnodes() .gt. 1) then
        n = d
        if (ga_nodeid() .eq. ga_nnodes() - 1) n = d3
        m = n
        call fails('dra_close', dra_close(n))
        if (n .ne. m) failures = failures + 1
      end if
      call works(dra_write(g, d, r))
      call works(dra_wait(r))
      call works(dra_delete(d))
      call works(dra_delete(d1))
      call works(dra_terminate())
      call fails('dra_wait', dra_wait(1))
      call ga_igop(4711, failures, 1, '+')
      if (ga_nodeid() .eq. 0) print '(a)', trim(merge('good', 'bad ', failures .eq. 0))
      call ga_terminate()
      call mpi_finalize(ierr)
      end program

      ! fails says that an error of a call was printed, as the calls of this process are in order
      subroutine fails(call, code)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      character*(*) call
      integer code, failures
      common /counts/ failures
      if (ga_nodeid() .eq. 0) write(0, '(2a)') 'an error of ', call
      flush(0)
      if (code .ne. -1) failures = failures + 1
      end subroutine

      subroutine works(code)
      implicit none
      integer code, failures
      common /counts/ failures
      if (code .ne. 0) then
        failures = failures + 1
        print '(a)', 'a call has failed'
      end if
      end subroutine
