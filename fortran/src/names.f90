
! drx_names has what is done with the files of arrays, and what the library says about itself.
module drx_names
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_loc, c_null_char, c_ptr
  use drx_c
  use drx_sections
  use drx_support
  use drx_arrays
  implicit none
  private
  public :: drx_exists, drx_remove, drx_rename, drx_copy_files, drx_list, drx_recover, drx_accept_loss, drx_import, drx_export
  public :: drx_cut, drx_sort, drx_coarsen, drx_regrid, drx_diff, drx_set_locks
  public :: drx_meaning_compare
  public :: drx_version, drx_abi, drx_code_name, drx_dtype_name, drx_dtype_size, drx_dtype_parse, drx_signals, drx_set_memory

contains

  ! drx_exists is whether there is an array with a name. Here and below a name may have one of the
  ! extensions of the array's files.
  logical function drx_exists(name, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: exists

    exists = 0
    call finish(drxc_exists(c_text(name), exists), stat, errmsg)
    drx_exists = exists /= 0
  end function drx_exists

  ! drx_remove removes an array with all its files.
  subroutine drx_remove(name, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_remove(c_text(name)), stat, errmsg)
  end subroutine drx_remove

  ! drx_rename gives an array another name in the same file system.
  subroutine drx_rename(old_name, new_name, stat, errmsg)
    character(*), intent(in) :: old_name, new_name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_rename(c_text(old_name), c_text(new_name)), stat, errmsg)
  end subroutine drx_rename

  ! drx_copy_files copies the files of an array to another name, as they are. progress counts bytes.
  subroutine drx_copy_files(old_name, new_name, progress, stat, errmsg)
    character(*), intent(in) :: old_name, new_name
    procedure(drx_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r

    if (present(progress)) r%f => progress
    call finish(drxc_copy_files(c_text(old_name), c_text(new_name), progress_function(progress), c_loc(r)), stat, errmsg)
  end subroutine drx_copy_files

  ! drx_list returns {"arrays": [...], "folders": [...]}: the names in a folder, sorted.
  function drx_list(folder, stat, errmsg) result(json)
    character(*), intent(in) :: folder
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_list(c_text(folder), text%p), stat, errmsg)
    call receive(text, json)
  end function drx_list

  ! drx_meaning_compare returns whether elements can be stored as those of another variable, and
  ! how, as JSON. from and to describe both, as {"dtype": "int16", "attrs": {"units": "degC"}};
  ! drx.h has the options. stat is drx_edtype if they cannot.
  function drx_meaning_compare(from, to, options, stat, errmsg) result(json)
    character(*), intent(in) :: from, to
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_meaning_compare(c_text(from), c_text(to), c_text(options), text%p), stat, errmsg)
    call receive(text, json)
  end function drx_meaning_compare

  ! drx_import imports files of other formats into dst, a new array or dataset or one that grows.
  ! The options are the flags of `drx import` as JSON; drx.h has them. progress counts bytes; json
  ! is what `drx import --json` prints.
  subroutine drx_import(dst, files, options, progress, json, stat, errmsg)
    character(*), intent(in) :: dst, files(:)
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(len(files) + 1, c_char), target :: names(size(files))
    type(c_ptr) :: addresses(size(files))
    character(:), allocatable :: taken
    integer(c_int) :: code
    integer :: i

    do i = 1, size(files)
      names(i) = trim(files(i)) // c_null_char
      addresses(i) = c_loc(names(i))
    end do
    if (present(progress)) r%f => progress
    code = drxc_import(c_text(dst), size(files, kind=c_int), addresses, c_text(options), &
      progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_import

  ! drx_export writes an array or a dataset, as it was committed, to a new file of another format.
  ! The options are the flags of `drx export` as JSON; drx.h has them. progress counts bytes; json
  ! is what `drx export --json` prints.
  subroutine drx_export(src, file, options, progress, json, stat, errmsg)
    character(*), intent(in) :: src, file
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_export(c_text(src), c_text(file), c_text(options), progress_function(progress), &
      c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_export

  ! drx_cut copies an array or a dataset without some indices of one dimension, which the options
  ! select, as JSON; drx.h has them. They count as the file does. json is what `drx cut --json`
  ! prints. progress counts bytes.
  subroutine drx_cut(src, dst, options, progress, json, stat, errmsg)
    character(*), intent(in) :: src, dst
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_cut(c_text(src), c_text(dst), c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_cut

  ! drx_sort copies an array or a dataset with the indices in the order of the coordinate of
  ! dimension by, or of its labels. The options and json are as for drx_cut.
  subroutine drx_sort(src, dst, by, options, progress, json, stat, errmsg)
    character(*), intent(in) :: src, dst, by
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_sort(c_text(src), c_text(dst), c_text(by), c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_sort

  ! drx_coarsen makes the dataset dst of src, in which each window of consecutive indices has become
  ! one. The options say which and how, as JSON; drx.h has them. json is what `drx coarsen --json`
  ! prints. progress counts elements.
  subroutine drx_coarsen(src, dst, options, progress, json, stat, errmsg)
    character(*), intent(in) :: src, dst
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_coarsen(c_text(src), c_text(dst), c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_coarsen

  ! drx_regrid makes the dataset dst with the values of src at other coordinates, which the options
  ! have, as JSON. progress and json are as for drx_coarsen.
  subroutine drx_regrid(src, dst, options, progress, json, stat, errmsg)
    character(*), intent(in) :: src, dst
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_regrid(c_text(src), c_text(dst), c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_regrid

  ! drx_diff compares two arrays, datasets or files by what their elements mean. json, which is what
  ! `drx diff --json` prints, has "same": false if they differ, which is no error.
  subroutine drx_diff(first, second, options, progress, json, stat, errmsg)
    character(*), intent(in) :: first, second
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_diff(c_text(first), c_text(second), c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_diff

  ! drx_recover copies what is intact of a damaged array to a new one; json is the report of `drx
  ! recover --json`. With unchecked = .true. it also copies chunks that cannot be checked. progress
  ! counts chunks.
  subroutine drx_recover(name, new_name, unchecked, progress, json, stat, errmsg)
    character(*), intent(in) :: name, new_name
    logical, intent(in), optional :: unchecked
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_recover(c_text(name), c_text(new_name), c_flag(unchecked), progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine drx_recover

  ! drx_accept_loss makes a damaged array writable again by giving up what it has lost.
  subroutine drx_accept_loss(name, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_accept_loss(c_text(name)), stat, errmsg)
  end subroutine drx_accept_loss

  ! drx_set_memory limits the memory of arrays that are opened without cache, all together, in
  ! bytes. before gets the limit of until then.
  subroutine drx_set_memory(bytes, before, stat, errmsg)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int64_t), intent(out), optional :: before
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: was

    was = 0
    call finish(drxc_set_memory(bytes, was), stat, errmsg)
    if (present(before)) before = was
  end subroutine drx_set_memory

  ! drx_set_locks chooses how writers keep each other out, for arrays that are opened from now on:
  ! 'auto', 'system' or 'file'.
  subroutine drx_set_locks(kind, stat, errmsg)
    character(*), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_locks(c_text(kind)), stat, errmsg)
  end subroutine drx_set_locks

  ! drx_version returns the version of the library, as 'v1.2.0'.
  function drx_version() result(version)
    character(:), allocatable :: version

    call copy_text(drxc_version(), version)
  end function drx_version

  ! drx_abi returns the number of the library's interface.
  integer function drx_abi()
    drx_abi = drxc_abi()
  end function drx_abi

  ! drx_code_name returns the name of a code, as 'DRX_EBOUNDS'.
  function drx_code_name(code) result(name)
    integer, intent(in) :: code
    character(:), allocatable :: name

    call copy_text(drxc_code_name(int(code, c_int)), name)
  end function drx_code_name

  ! drx_dtype_name returns the name of a type of elements, as 'int16'; '' if there is no such type.
  function drx_dtype_name(dtype) result(name)
    integer, intent(in) :: dtype
    character(:), allocatable :: name

    call copy_text(drxc_dtype_name(int(dtype, c_int)), name)
  end function drx_dtype_name

  ! drx_dtype_size returns the bytes of an element; 0 if there is no such type.
  integer function drx_dtype_size(dtype)
    integer, intent(in) :: dtype

    drx_dtype_size = int(drxc_dtype_size(int(dtype, c_int)))
  end function drx_dtype_size

  ! drx_dtype_parse returns the type with a name; drx_raw if there is none.
  integer function drx_dtype_parse(name)
    character(*), intent(in) :: name

    drx_dtype_parse = drxc_dtype_parse(c_text(name))
  end function drx_dtype_parse

  ! drx_signals is for programs that install handlers of signals after their start; see drx.h.
  subroutine drx_signals(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_signals(), stat, errmsg)
  end subroutine drx_signals
end module drx_names
