
! drx_datasets has datasets: folders of arrays that share dimensions.
module drx_datasets
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use drx_c
  use drx_support
  use drx_arrays
  use drx_elements
  implicit none
  private

  ! A drx_dataset is an open dataset. The arrays of its variables are closed with it.
  type, public :: drx_dataset
    integer(c_int64_t) :: handle = 0  ! the drx_dataset of drx.h
    integer :: base = 1               ! the index here of index 0 in the files
  contains
    procedure :: create => create_dataset
    procedure :: open => open_dataset
    procedure :: sync
    procedure :: close => close_dataset
    procedure :: discard
    procedure :: refresh
    procedure :: release
    procedure :: prepare
    procedure :: rename => rename_variable
    procedure :: info
    procedure :: variable
    procedure :: create_group
    procedure, private :: create_variable_int32, create_variable_int64, create_variable_of_dims
    generic :: create_variable => create_variable_int32, create_variable_int64, create_variable_of_dims
    procedure, private :: extend_int32, extend_int64, extend_low_int32, extend_low_int64, grow
    generic :: extend => extend_int32, extend_int64
    generic :: extend_low => extend_low_int32, extend_low_int64
    procedure :: bounds
    procedure :: coordinate
    procedure :: coordinate_text
    procedure :: attrs
    procedure :: set_attr_json
    procedure :: delete_attr
  end type drx_dataset

contains

  ! create_dataset creates an empty dataset and opens it for writing. The options are those for
  ! opening an array, and apply to its variables.
  subroutine create_dataset(self, folder, options, stat, errmsg)
    class(drx_dataset), intent(inout) :: self
    character(*), intent(in) :: folder
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (open_already(self, stat, errmsg)) return
    call finish(drxc_dataset_create(c_text(folder), c_text(options), self%handle), stat, errmsg)
  end subroutine create_dataset

  ! open_dataset opens a dataset, or any folder of arrays. mode is drx_read (the default) or
  ! drx_write.
  subroutine open_dataset(self, folder, mode, options, stat, errmsg)
    class(drx_dataset), intent(inout) :: self
    character(*), intent(in) :: folder
    integer, intent(in), optional :: mode
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: how

    if (open_already(self, stat, errmsg)) return
    how = drx_read
    if (present(mode)) how = mode
    call finish(drxc_dataset_open(c_text(folder), int(how, c_int), c_text(options), self%handle), stat, errmsg)
  end subroutine open_dataset

  ! open_already reports an error if the variable has an open dataset, which could no longer be
  ! closed otherwise.
  logical function open_already(self, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_string) :: json
    integer(c_int) :: code

    open_already = .false.
    if (self%handle == 0) return
    code = drxc_dataset_attrs(self%handle, c_text(), json%p)
    open_already = code == drx_ok
    if (.not. open_already) return
    call drxc_free(json%p)
    call fail(drx_einval, 'dataset: is open already in this variable: close it first', stat, errmsg)
  end function open_already

  ! sync commits all changes of all variables. Readers see the extension of a dimension all at once.
  subroutine sync(self, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_sync(self%handle), stat, errmsg)
  end subroutine sync

  ! close_dataset commits and closes the dataset with its variables.
  subroutine close_dataset(self, stat, errmsg)
    class(drx_dataset), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_close(self%handle), stat, errmsg)
  end subroutine close_dataset

  ! discard closes the dataset without a commit.
  subroutine discard(self, stat, errmsg)
    class(drx_dataset), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_discard(self%handle), stat, errmsg)
  end subroutine discard

  ! refresh shows commits of writers in a dataset that is open for reading.
  subroutine refresh(self, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_refresh(self%handle), stat, errmsg)
  end subroutine refresh

  ! rename gives a variable, a dimension, or a coordinate with its dimension another name, in one
  ! commit, and closes the arrays of all variables as release does.
  subroutine rename_variable(self, name, new_name, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name, new_name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_rename(self%handle, c_text(name), c_text(new_name)), stat, errmsg)
  end subroutine rename_variable

  ! release commits and closes the arrays of all variables, for programs that use many of them in
  ! turn; variable opens them again.
  subroutine release(self, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_release(self%handle), stat, errmsg)
  end subroutine release

  ! prepare makes all changes durable, but not visible, and closes the arrays of all variables. Then
  ! other processes can open them with drx_shared and write to the new elements; sync and close make
  ! everything visible.
  subroutine prepare(self, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_prepare(self%handle), stat, errmsg)
  end subroutine prepare

  ! info returns the output of `drx info FOLDER --json`.
  function info(self, stat, errmsg) result(json)
    class(drx_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_dataset_info(self%handle, text%p), stat, errmsg)
    call receive(text, json)
  end function info

  ! variable returns the array of a variable. It belongs to the dataset: its elements and attributes
  ! may be changed, but its bounds only by extend, and it is closed with the dataset.
  subroutine variable(self, name, array, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    type(drx_array), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (array%open_already(stat, errmsg)) return
    array%owned = .false.
    call finish(drxc_dataset_variable(self%handle, c_text(name), array%handle), stat, errmsg)
  end subroutine variable

  ! create_variable creates a variable, durably, and returns its array. With a shape it creates
  ! those of its dimensions that do not exist. Without a shape, dims names existing dimensions,
  ! which determine rank, extents and low bounds.
  subroutine create_variable_int64(self, name, dtype, shape, dims, lower, chunk, options, array, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    integer(int64), intent(in) :: shape(:)
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: options
    type(drx_array), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call make_variable(self, name, dtype, dims, shape, lower, chunk, options, array, stat, errmsg)
  end subroutine create_variable_int64

  subroutine create_variable_int32(self, name, dtype, shape, dims, lower, chunk, options, array, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    integer(int32), intent(in) :: shape(:)
    character(*), intent(in) :: dims(:)
    integer(int32), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: options
    type(drx_array), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower64(:), chunk64(:)

    if (present(lower)) allocate (lower64, source=int(lower, int64))
    if (present(chunk)) allocate (chunk64, source=int(chunk, int64))
    call make_variable(self, name, dtype, dims, int(shape, int64), lower64, chunk64, options, array, stat, errmsg)
  end subroutine create_variable_int32

  subroutine create_variable_of_dims(self, name, dtype, dims, options, array, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    character(*), intent(in) :: dims(:)
    character(*), intent(in), optional :: options
    type(drx_array), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call make_variable(self, name, dtype, dims, options=options, array=array, stat=stat, errmsg=errmsg)
  end subroutine create_variable_of_dims

  subroutine make_variable(self, name, dtype, dims, shape, lower, chunk, options, array, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in), optional :: shape(:), lower(:), chunk(:)
    character(*), intent(in), optional :: options
    type(drx_array), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_array) :: a
    integer(int64), allocatable :: extents(:)
    character(:), allocatable :: members
    integer(c_int) :: code

    a%base = self%base
    if (present(array)) then
      if (array%open_already(stat, errmsg)) return
      a = array
      a%owned = .false.
    end if
    if (present(shape)) allocate (extents, source=a%turned(shape))
    call a%describe(lower, chunk, dims, members)
    code = drxc_dataset_create_variable(self%handle, c_text(name), int(dtype, c_int), size(dims, kind=c_int), extents, &
      c_options(options, members), a%handle)
    if (present(array)) array = a
    call finish(code, stat, errmsg)
  end subroutine make_variable

  ! create_group creates a group of variables, durably.
  subroutine create_group(self, group, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_create_group(self%handle, c_text(group)), stat, errmsg)
  end subroutine create_group

  ! extend extends the named dimension in all variables that have it. lower and upper are the new
  ! indices.
  subroutine extend_int32(self, dim, by, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int32), intent(in) :: by
    integer(int64), intent(out), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(dim, int(by, int64), drx_high, lower, upper, stat, errmsg)
  end subroutine extend_int32

  subroutine extend_int64(self, dim, by, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int64), intent(in) :: by
    integer(int64), intent(out), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(dim, by, drx_high, lower, upper, stat, errmsg)
  end subroutine extend_int64

  ! extend_low is extend below the lowest index.
  subroutine extend_low_int32(self, dim, by, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int32), intent(in) :: by
    integer(int64), intent(out), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(dim, int(by, int64), drx_low, lower, upper, stat, errmsg)
  end subroutine extend_low_int32

  subroutine extend_low_int64(self, dim, by, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int64), intent(in) :: by
    integer(int64), intent(out), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(dim, by, drx_low, lower, upper, stat, errmsg)
  end subroutine extend_low_int64

  subroutine grow(self, dim, by, side, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int64), intent(in) :: by
    integer, intent(in) :: side
    integer(int64), intent(out), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: lo, hi
    integer(c_int) :: code

    lo = 0
    hi = 0
    code = drxc_dataset_extend(self%handle, c_text(dim), by, int(side, c_int), lo, hi)
    if (present(lower)) lower = lo + self%base
    if (present(upper)) upper = hi + self%base - 1
    call finish(code, stat, errmsg)
  end subroutine grow

  ! bounds returns the lowest and the highest index of a dimension, as readers see them.
  subroutine bounds(self, dim, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int64), intent(out) :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: lo, hi
    integer(c_int) :: code

    lo = 0
    hi = 0
    code = drxc_dataset_dim(self%handle, c_text(dim), lo, hi)
    lower = lo + self%base
    upper = hi + self%base - 1
    call finish(code, stat, errmsg)
  end subroutine bounds

  ! coordinate returns the values of a dimension's coordinate for the indices lower to upper, by
  ! default all: numbers, scaled according to its attributes, or times in the coordinate's units. An
  ! index without a value has NaN.
  subroutine coordinate(self, dim, values, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    real(real64), allocatable, intent(out) :: values(:)
    integer(int64), intent(in), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: lo, hi
    logical :: ok

    allocate (values(0))
    call range(self, dim, lower, upper, lo, hi, ok, stat, errmsg)
    if (.not. ok) return
    deallocate (values)
    allocate (values(hi - lo))
    call finish(drxc_dataset_coordinate(self%handle, c_text(dim), lo, hi, values), stat, errmsg)
  end subroutine coordinate

  ! coordinate_text is coordinate with the values as text, a JSON list, in the form that select
  ! accepts.
  subroutine coordinate_text(self, dim, json, lower, upper, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    character(:), allocatable, intent(out) :: json
    integer(int64), intent(in), optional :: lower, upper
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: lo, hi
    integer(c_int) :: code
    type(c_string) :: text
    logical :: ok

    json = ''
    call range(self, dim, lower, upper, lo, hi, ok, stat, errmsg)
    if (.not. ok) return
    code = drxc_dataset_coordinate_text(self%handle, c_text(dim), lo, hi, text%p)
    call receive(text, json)
    call finish(code, stat, errmsg)
  end subroutine coordinate_text

  ! range converts the indices lower to upper, by default all indices of the dimension, to the
  ! counting of the file.
  subroutine range(self, dim, lower, upper, lo, hi, ok, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: dim
    integer(int64), intent(in), optional :: lower, upper
    integer(c_int64_t), intent(out) :: lo, hi
    logical, intent(out) :: ok
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    lo = 0
    hi = 0
    code = drxc_dataset_dim(self%handle, c_text(dim), lo, hi)
    if (present(lower)) lo = lower - self%base
    if (present(upper)) hi = upper - self%base + 1
    ok = code == drx_ok
    call finish(code, stat, errmsg)
    if (.not. ok .or. hi >= lo) return
    ok = .false.
    call fail(drx_ebounds, trim(dim) // ': no indices from ' // decimal(lo + self%base) // ' to ' // &
      decimal(hi + self%base - 1) // ': give lower <= upper + 1', stat, errmsg)
  end subroutine range

  ! attrs returns the attributes of the dataset, or of a group, as a JSON object.
  function attrs(self, group, stat, errmsg) result(json)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in), optional :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_dataset_attrs(self%handle, c_text(group), text%p), stat, errmsg)
    call receive(text, json)
  end function attrs

  ! set_attr_json sets an attribute of the dataset, or of a group, to a JSON value.
  subroutine set_attr_json(self, name, json, group, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name, json
    character(*), intent(in), optional :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_set_attr(self%handle, c_text(group), c_text(name), c_text(json)), stat, errmsg)
  end subroutine set_attr_json

  ! delete_attr removes an attribute of the dataset, or of a group, if it exists.
  subroutine delete_attr(self, name, group, stat, errmsg)
    class(drx_dataset), intent(in) :: self
    character(*), intent(in) :: name
    character(*), intent(in), optional :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_dataset_delete_attr(self%handle, c_text(group), c_text(name)), stat, errmsg)
  end subroutine delete_attr
end module drx_datasets
