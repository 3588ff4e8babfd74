! Code generated from include/drx.abi by go generate ./fortran; DO NOT EDIT.

! drx_constants has the constants of drx.h.
module drx_constants
  implicit none
  public

  integer, parameter :: drx_bfloat16 = 11
  integer, parameter :: drx_bool = 1
  integer, parameter :: drx_complex128 = 15
  integer, parameter :: drx_complex64 = 14
  integer, parameter :: drx_ebounds = 5
  integer, parameter :: drx_ebusy = 25
  integer, parameter :: drx_ecancelled = 24
  integer, parameter :: drx_eclosed = 2
  integer, parameter :: drx_ecorrupt = 12
  integer, parameter :: drx_edataset = 22
  integer, parameter :: drx_edtype = 7
  integer, parameter :: drx_eexist = 15
  integer, parameter :: drx_efenced = 29
  integer, parameter :: drx_efork = 26
  integer, parameter :: drx_egone = 30
  integer, parameter :: drx_ehandle = 1
  integer, parameter :: drx_eincomplete = 13
  integer, parameter :: drx_einternal = 27
  integer, parameter :: drx_einval = 3
  integer, parameter :: drx_eio = 18
  integer, parameter :: drx_elocked = 10
  integer, parameter :: drx_ememory = 20
  integer, parameter :: drx_emismatch = 21
  integer, parameter :: drx_enoattr = 19
  integer, parameter :: drx_enospc = 17
  integer, parameter :: drx_enotexist = 14
  integer, parameter :: drx_eoverflow = 6
  integer, parameter :: drx_eperm = 16
  integer, parameter :: drx_erank = 4
  integer, parameter :: drx_ereadonly = 9
  integer, parameter :: drx_esize = 8
  integer, parameter :: drx_estale = 28
  integer, parameter :: drx_evalue = 23
  integer, parameter :: drx_eversion = 11
  integer, parameter :: drx_float16 = 10
  integer, parameter :: drx_float32 = 12
  integer, parameter :: drx_float64 = 13
  integer, parameter :: drx_high = 0
  integer, parameter :: drx_int16 = 3
  integer, parameter :: drx_int32 = 4
  integer, parameter :: drx_int64 = 5
  integer, parameter :: drx_int8 = 2
  integer, parameter :: drx_low = 1
  integer, parameter :: drx_ok = 0
  integer, parameter :: drx_raw = 0
  integer, parameter :: drx_read = 0
  integer, parameter :: drx_shared = 2
  integer, parameter :: drx_uint16 = 7
  integer, parameter :: drx_uint32 = 8
  integer, parameter :: drx_uint64 = 9
  integer, parameter :: drx_uint8 = 6
  integer, parameter :: drx_write = 1

  integer, parameter :: drx_max_rank = 64  ! the largest number of dimensions
end module drx_constants

! drx_c has the functions of drx.h, with names that begin with drxc_ instead of drx_, because in
! Fortran functions and constants share one name space: drx_read is a constant. An argument that is
! optional here may be NULL in C.
module drx_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  use drx_constants
  implicit none
  public

  interface
    function drxc_code_name(code) bind(C, name='drx_code_name')
      import :: c_int, c_ptr
      integer(c_int), value :: code
      type(c_ptr) :: drxc_code_name
    end function drxc_code_name

    function drxc_dtype_name(dtype) bind(C, name='drx_dtype_name')
      import :: c_int, c_ptr
      integer(c_int), value :: dtype
      type(c_ptr) :: drxc_dtype_name
    end function drxc_dtype_name

    function drxc_error() bind(C, name='drx_error')
      import :: c_ptr
      type(c_ptr) :: drxc_error
    end function drxc_error

    function drxc_version() bind(C, name='drx_version')
      import :: c_ptr
      type(c_ptr) :: drxc_version
    end function drxc_version

    function drxc_abi() bind(C, name='drx_abi')
      import :: c_int
      integer(c_int) :: drxc_abi
    end function drxc_abi

    function drxc_accept_loss(name) bind(C, name='drx_accept_loss')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_accept_loss
    end function drxc_accept_loss

    function drxc_add_dim(a, name, dim) bind(C, name='drx_add_dim')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out), optional :: dim
      integer(c_int) :: drxc_add_dim
    end function drxc_add_dim

    function drxc_attr(a, name, json) bind(C, name='drx_attr')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_attr
    end function drxc_attr

    function drxc_attr_double(a, name, value) bind(C, name='drx_attr_double')
      import :: c_char, c_double, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(out), optional :: value
      integer(c_int) :: drxc_attr_double
    end function drxc_attr_double

    function drxc_attr_int(a, name, value) bind(C, name='drx_attr_int')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out), optional :: value
      integer(c_int) :: drxc_attr_int
    end function drxc_attr_int

    function drxc_attr_text(a, name, value) bind(C, name='drx_attr_text')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: value
      integer(c_int) :: drxc_attr_text
    end function drxc_attr_text

    function drxc_attrs(a, json) bind(C, name='drx_attrs')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_attrs
    end function drxc_attrs

    function drxc_bounds(a, rank, lo, hi) bind(C, name='drx_bounds')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out), optional :: lo(*)
      integer(c_int64_t), intent(out), optional :: hi(*)
      integer(c_int) :: drxc_bounds
    end function drxc_bounds

    function drxc_chunk(a, rank, chunk) bind(C, name='drx_chunk')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out), optional :: chunk(*)
      integer(c_int) :: drxc_chunk
    end function drxc_chunk

    function drxc_close(a) bind(C, name='drx_close')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int) :: drxc_close
    end function drxc_close

    function drxc_coarsen(src, dst, options, progress, user, json) bind(C, name='drx_coarsen')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: src(*)
      character(kind=c_char), intent(in) :: dst(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_coarsen
    end function drxc_coarsen

    function drxc_compact(a, progress, user) bind(C, name='drx_compact')
      import :: c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      integer(c_int) :: drxc_compact
    end function drxc_compact

    function drxc_copy_files(old_name, new_name, progress, user) bind(C, name='drx_copy_files')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: old_name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      integer(c_int) :: drxc_copy_files
    end function drxc_copy_files

    function drxc_create(name, dtype, rank, shape, options, a) bind(C, name='drx_create')
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dtype
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: shape(*)
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), intent(out) :: a
      integer(c_int) :: drxc_create
    end function drxc_create

    function drxc_cut(src, dst, options, progress, user, json) bind(C, name='drx_cut')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: src(*)
      character(kind=c_char), intent(in) :: dst(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_cut
    end function drxc_cut

    function drxc_dataset_attrs(d, group, json) bind(C, name='drx_dataset_attrs')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: group(*)
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_dataset_attrs
    end function drxc_dataset_attrs

    function drxc_dataset_close(d) bind(C, name='drx_dataset_close')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_close
    end function drxc_dataset_close

    function drxc_dataset_coordinate(d, dim, lo, hi, values) bind(C, name='drx_dataset_coordinate')
      import :: c_char, c_double, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: dim(*)
      integer(c_int64_t), value :: lo
      integer(c_int64_t), value :: hi
      real(c_double), intent(out), optional :: values(*)
      integer(c_int) :: drxc_dataset_coordinate
    end function drxc_dataset_coordinate

    function drxc_dataset_coordinate_text(d, dim, lo, hi, json) bind(C, name='drx_dataset_coordinate_text')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: dim(*)
      integer(c_int64_t), value :: lo
      integer(c_int64_t), value :: hi
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_dataset_coordinate_text
    end function drxc_dataset_coordinate_text

    function drxc_dataset_create(folder, options, d) bind(C, name='drx_dataset_create')
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: folder(*)
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), intent(out) :: d
      integer(c_int) :: drxc_dataset_create
    end function drxc_dataset_create

    function drxc_dataset_create_group(d, group) bind(C, name='drx_dataset_create_group')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: group(*)
      integer(c_int) :: drxc_dataset_create_group
    end function drxc_dataset_create_group

    function drxc_dataset_create_variable(d, name, dtype, rank, shape, options, a) bind(C, &
      name='drx_dataset_create_variable')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dtype
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: shape(*)
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), intent(out) :: a
      integer(c_int) :: drxc_dataset_create_variable
    end function drxc_dataset_create_variable

    function drxc_dataset_delete_attr(d, group, name) bind(C, name='drx_dataset_delete_attr')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: group(*)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_dataset_delete_attr
    end function drxc_dataset_delete_attr

    function drxc_dataset_dim(d, dim, lo, hi) bind(C, name='drx_dataset_dim')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: dim(*)
      integer(c_int64_t), intent(out), optional :: lo
      integer(c_int64_t), intent(out), optional :: hi
      integer(c_int) :: drxc_dataset_dim
    end function drxc_dataset_dim

    function drxc_dataset_discard(d) bind(C, name='drx_dataset_discard')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_discard
    end function drxc_dataset_discard

    function drxc_dataset_extend(d, dim, by, side, lo, hi) bind(C, name='drx_dataset_extend')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: dim(*)
      integer(c_int64_t), value :: by
      integer(c_int), value :: side
      integer(c_int64_t), intent(out), optional :: lo
      integer(c_int64_t), intent(out), optional :: hi
      integer(c_int) :: drxc_dataset_extend
    end function drxc_dataset_extend

    function drxc_dataset_info(d, json) bind(C, name='drx_dataset_info')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: d
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_dataset_info
    end function drxc_dataset_info

    function drxc_dataset_open(folder, mode, options, d) bind(C, name='drx_dataset_open')
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: folder(*)
      integer(c_int), value :: mode
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), intent(out) :: d
      integer(c_int) :: drxc_dataset_open
    end function drxc_dataset_open

    function drxc_dataset_prepare(d) bind(C, name='drx_dataset_prepare')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_prepare
    end function drxc_dataset_prepare

    function drxc_dataset_refresh(d) bind(C, name='drx_dataset_refresh')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_refresh
    end function drxc_dataset_refresh

    function drxc_dataset_release(d) bind(C, name='drx_dataset_release')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_release
    end function drxc_dataset_release

    function drxc_dataset_rename(d, name, new_name) bind(C, name='drx_dataset_rename')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      integer(c_int) :: drxc_dataset_rename
    end function drxc_dataset_rename

    function drxc_dataset_set_attr(d, group, name, json) bind(C, name='drx_dataset_set_attr')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: group(*)
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: json(*)
      integer(c_int) :: drxc_dataset_set_attr
    end function drxc_dataset_set_attr

    function drxc_dataset_sync(d) bind(C, name='drx_dataset_sync')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: d
      integer(c_int) :: drxc_dataset_sync
    end function drxc_dataset_sync

    function drxc_dataset_variable(d, name, a) bind(C, name='drx_dataset_variable')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: d
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out) :: a
      integer(c_int) :: drxc_dataset_variable
    end function drxc_dataset_variable

    function drxc_delete_attr(a, name) bind(C, name='drx_delete_attr')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_delete_attr
    end function drxc_delete_attr

    function drxc_diff(first, second, options, progress, user, json) bind(C, name='drx_diff')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: first(*)
      character(kind=c_char), intent(in) :: second(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_diff
    end function drxc_diff

    function drxc_dim(a, name, dim) bind(C, name='drx_dim')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out), optional :: dim
      integer(c_int) :: drxc_dim
    end function drxc_dim

    function drxc_dim_name(a, dim, name) bind(C, name='drx_dim_name')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: name
      integer(c_int) :: drxc_dim_name
    end function drxc_dim_name

    function drxc_discard(a) bind(C, name='drx_discard')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int) :: drxc_discard
    end function drxc_discard

    function drxc_dtype(a, dtype) bind(C, name='drx_dtype')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), intent(out), optional :: dtype
      integer(c_int) :: drxc_dtype
    end function drxc_dtype

    function drxc_dtype_parse(name) bind(C, name='drx_dtype_parse')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_dtype_parse
    end function drxc_dtype_parse

    function drxc_exists(name, exists) bind(C, name='drx_exists')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out), optional :: exists
      integer(c_int) :: drxc_exists
    end function drxc_exists

    function drxc_export(src, dst, options, progress, user, json) bind(C, name='drx_export')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: src(*)
      character(kind=c_char), intent(in) :: dst(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_export
    end function drxc_export

    function drxc_extend(a, dim, by, side, rank, lo, hi) bind(C, name='drx_extend')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      integer(c_int64_t), value :: by
      integer(c_int), value :: side
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out), optional :: lo(*)
      integer(c_int64_t), intent(out), optional :: hi(*)
      integer(c_int) :: drxc_extend
    end function drxc_extend

    function drxc_fill(a, rank, lo, hi, step, dtype, value) bind(C, name='drx_fill')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: lo(*)
      integer(c_int64_t), intent(in), optional :: hi(*)
      integer(c_int64_t), intent(in), optional :: step(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: value
      integer(c_int) :: drxc_fill
    end function drxc_fill

    function drxc_fill_value(a, dtype, value) bind(C, name='drx_fill_value')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: dtype
      type(c_ptr), value :: value
      integer(c_int) :: drxc_fill_value
    end function drxc_fill_value

    function drxc_follow(a, timeout, f, user) bind(C, name='drx_follow')
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      real(c_double), value :: timeout
      type(c_funptr), value :: f
      type(c_ptr), value :: user
      integer(c_int) :: drxc_follow
    end function drxc_follow

    function drxc_gather(a, rank, n, indices, dtype, buf) bind(C, name='drx_gather')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: buf
      integer(c_int) :: drxc_gather
    end function drxc_gather

    function drxc_get(a, rank, index, dtype, value) bind(C, name='drx_get')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: index(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: value
      integer(c_int) :: drxc_get
    end function drxc_get

    function drxc_history(a, json) bind(C, name='drx_history')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_history
    end function drxc_history

    function drxc_import(dst, n, files, options, progress, user, json) bind(C, name='drx_import')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: dst(*)
      integer(c_int), value :: n
      type(c_ptr), intent(in) :: files(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_import
    end function drxc_import

    function drxc_info(a, json) bind(C, name='drx_info')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_info
    end function drxc_info

    function drxc_labels(a, dim, json) bind(C, name='drx_labels')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_labels
    end function drxc_labels

    function drxc_list(folder, json) bind(C, name='drx_list')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: folder(*)
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_list
    end function drxc_list

    function drxc_meaning_compare(from, to, options, json) bind(C, name='drx_meaning_compare')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: from(*)
      character(kind=c_char), intent(in) :: to(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_meaning_compare
    end function drxc_meaning_compare

    function drxc_meaning_convert(from, to, options, n, elements, converted) bind(C, name='drx_meaning_convert')
      import :: c_char, c_int, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: from(*)
      character(kind=c_char), intent(in) :: to(*)
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), value :: n
      type(c_ptr), value :: elements
      type(c_ptr), value :: converted
      integer(c_int) :: drxc_meaning_convert
    end function drxc_meaning_convert

    function drxc_mode(a, mode) bind(C, name='drx_mode')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), intent(out), optional :: mode
      integer(c_int) :: drxc_mode
    end function drxc_mode

    function drxc_name(a, name) bind(C, name='drx_name')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_ptr), intent(inout) :: name
      integer(c_int) :: drxc_name
    end function drxc_name

    function drxc_open(name, mode, options, a) bind(C, name='drx_open')
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: mode
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int64_t), intent(out) :: a
      integer(c_int) :: drxc_open
    end function drxc_open

    function drxc_poll(a, timeout, json) bind(C, name='drx_poll')
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_poll
    end function drxc_poll

    function drxc_rank(a, rank) bind(C, name='drx_rank')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), intent(out), optional :: rank
      integer(c_int) :: drxc_rank
    end function drxc_rank

    function drxc_read(a, rank, lo, hi, step, dtype, buf, size, strides) bind(C, name='drx_read')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: lo(*)
      integer(c_int64_t), intent(in), optional :: hi(*)
      integer(c_int64_t), intent(in), optional :: step(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: buf
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(in), optional :: strides(*)
      integer(c_int) :: drxc_read
    end function drxc_read

    function drxc_recompress(a, codec, progress, user) bind(C, name='drx_recompress')
      import :: c_char, c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: codec(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      integer(c_int) :: drxc_recompress
    end function drxc_recompress

    function drxc_recover(name, new_name, unchecked, progress, user, report) bind(C, name='drx_recover')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      integer(c_int), value :: unchecked
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: report
      integer(c_int) :: drxc_recover
    end function drxc_recover

    function drxc_refresh(a, changed) bind(C, name='drx_refresh')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), intent(out), optional :: changed
      integer(c_int) :: drxc_refresh
    end function drxc_refresh

    function drxc_regrid(src, dst, options, progress, user, json) bind(C, name='drx_regrid')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: src(*)
      character(kind=c_char), intent(in) :: dst(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_regrid
    end function drxc_regrid

    function drxc_relayout(dst, src, options, progress, user, stats) bind(C, name='drx_relayout')
      import :: c_char, c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: dst
      integer(c_int64_t), value :: src
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: stats
      integer(c_int) :: drxc_relayout
    end function drxc_relayout

    function drxc_remove(name) bind(C, name='drx_remove')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_remove
    end function drxc_remove

    function drxc_rename(old_name, new_name) bind(C, name='drx_rename')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: old_name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      integer(c_int) :: drxc_rename
    end function drxc_rename

    function drxc_rename_dim(a, dim, name) bind(C, name='drx_rename_dim')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: drxc_rename_dim
    end function drxc_rename_dim

    function drxc_reserve(a, dim, by, side, rank, lo, hi) bind(C, name='drx_reserve')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      integer(c_int64_t), value :: by
      integer(c_int), value :: side
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out), optional :: lo(*)
      integer(c_int64_t), intent(out), optional :: hi(*)
      integer(c_int) :: drxc_reserve
    end function drxc_reserve

    function drxc_reserve_key(a, key, dim, by, side, rank, lo, hi) bind(C, name='drx_reserve_key')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int), value :: dim
      integer(c_int64_t), value :: by
      integer(c_int), value :: side
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out), optional :: lo(*)
      integer(c_int64_t), intent(out), optional :: hi(*)
      integer(c_int) :: drxc_reserve_key
    end function drxc_reserve_key

    function drxc_scatter(a, rank, n, indices, dtype, buf) bind(C, name='drx_scatter')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: buf
      integer(c_int) :: drxc_scatter
    end function drxc_scatter

    function drxc_select(a, conditions, exact, json) bind(C, name='drx_select')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: conditions(*)
      integer(c_int), value :: exact
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_select
    end function drxc_select

    function drxc_select_points(a, conditions, exact, json) bind(C, name='drx_select_points')
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: conditions(*)
      integer(c_int), value :: exact
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_select_points
    end function drxc_select_points

    function drxc_set(a, rank, index, dtype, value) bind(C, name='drx_set')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: index(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: value
      integer(c_int) :: drxc_set
    end function drxc_set

    function drxc_set_attr(a, name, json) bind(C, name='drx_set_attr')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: json(*)
      integer(c_int) :: drxc_set_attr
    end function drxc_set_attr

    function drxc_set_attr_double(a, name, value) bind(C, name='drx_set_attr_double')
      import :: c_char, c_double, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: drxc_set_attr_double
    end function drxc_set_attr_double

    function drxc_set_attr_int(a, name, value) bind(C, name='drx_set_attr_int')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
      integer(c_int) :: drxc_set_attr_int
    end function drxc_set_attr_int

    function drxc_set_attr_text(a, name, value) bind(C, name='drx_set_attr_text')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: value(*)
      integer(c_int) :: drxc_set_attr_text
    end function drxc_set_attr_text

    function drxc_set_labels(a, dim, json) bind(C, name='drx_set_labels')
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      character(kind=c_char), intent(in) :: json(*)
      integer(c_int) :: drxc_set_labels
    end function drxc_set_labels

    function drxc_set_locks(kind) bind(C, name='drx_set_locks')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: kind(*)
      integer(c_int) :: drxc_set_locks
    end function drxc_set_locks

    function drxc_set_memory(bytes, before) bind(C, name='drx_set_memory')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: bytes
      integer(c_int64_t), intent(out), optional :: before
      integer(c_int) :: drxc_set_memory
    end function drxc_set_memory

    function drxc_shrink(a, dim, by, side) bind(C, name='drx_shrink')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int), value :: dim
      integer(c_int64_t), value :: by
      integer(c_int), value :: side
      integer(c_int) :: drxc_shrink
    end function drxc_shrink

    function drxc_signals() bind(C, name='drx_signals')
      import :: c_int
      integer(c_int) :: drxc_signals
    end function drxc_signals

    function drxc_snapshot(a, text) bind(C, name='drx_snapshot')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: drxc_snapshot
    end function drxc_snapshot

    function drxc_sort(src, dst, by, options, progress, user, json) bind(C, name='drx_sort')
      import :: c_char, c_funptr, c_int, c_ptr
      character(kind=c_char), intent(in) :: src(*)
      character(kind=c_char), intent(in) :: dst(*)
      character(kind=c_char), intent(in) :: by(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_sort
    end function drxc_sort

    function drxc_stats(a, options, progress, user, json) bind(C, name='drx_stats')
      import :: c_char, c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      character(kind=c_char), intent(in) :: options(*)
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: drxc_stats
    end function drxc_stats

    function drxc_strides(dtype, rank, shape, order, strides) bind(C, name='drx_strides')
      import :: c_int, c_int64_t
      integer(c_int), value :: dtype
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: shape(*)
      integer(c_int), intent(in), optional :: order(*)
      integer(c_int64_t), intent(out), optional :: strides(*)
      integer(c_int) :: drxc_strides
    end function drxc_strides

    function drxc_sync(a) bind(C, name='drx_sync')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: a
      integer(c_int) :: drxc_sync
    end function drxc_sync

    function drxc_verify(a, progress, user, report) bind(C, name='drx_verify')
      import :: c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: report
      integer(c_int) :: drxc_verify
    end function drxc_verify

    function drxc_walk(a, rank, lo, hi, tile, written, f, user) bind(C, name='drx_walk')
      import :: c_funptr, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: lo(*)
      integer(c_int64_t), intent(in), optional :: hi(*)
      integer(c_int64_t), intent(in), optional :: tile(*)
      integer(c_int), value :: written
      type(c_funptr), value :: f
      type(c_ptr), value :: user
      integer(c_int) :: drxc_walk
    end function drxc_walk

    function drxc_write(a, rank, lo, hi, step, dtype, buf, size, strides) bind(C, name='drx_write')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: a
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in), optional :: lo(*)
      integer(c_int64_t), intent(in), optional :: hi(*)
      integer(c_int64_t), intent(in), optional :: step(*)
      integer(c_int), value :: dtype
      type(c_ptr), value :: buf
      integer(c_int64_t), value :: size
      integer(c_int64_t), intent(in), optional :: strides(*)
      integer(c_int) :: drxc_write
    end function drxc_write

    function drxc_dtype_size(dtype) bind(C, name='drx_dtype_size')
      import :: c_int, c_size_t
      integer(c_int), value :: dtype
      integer(c_size_t) :: drxc_dtype_size
    end function drxc_dtype_size

    subroutine drxc_free(text) bind(C, name='drx_free')
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine drxc_free

  end interface
end module drx_c
