
! drx_arrays has arrays, except for the procedures that transfer their elements.
module drx_arrays
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_funloc, c_funptr, c_int, c_int64_t, c_loc, c_null_funptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use drx_c
  use drx_sections
  use drx_support
  use drx_attributes
  implicit none
  private
  public :: report, progress_function, c_flag

  ! A drx_untyped is an open array, without the procedures that depend on the type of elements,
  ! which drx_array has. Copies of the variable refer to the same open array. It is not closed
  ! automatically.
  type, extends(drx_attributed), public :: drx_untyped
    logical :: owned = .false.        ! opened by this module, not by a dataset

    ! The rule of indices, which a program may change: base is the first index of a new array. If
    ! reversed is set, dimension 1 is the last one in the file, so that dimension 1 varies fastest
    ! in a variable of the same shape, as in the file.
    integer :: base = 1
    logical :: reversed = .true.
  contains
    procedure :: open => open_array
    procedure :: create_untyped
    procedure :: close => close_array
    procedure :: discard
    procedure :: sync
    procedure :: is_open
    procedure :: open_already
    procedure :: describe

    procedure :: rank => rank_of
    procedure :: dtype => dtype_of
    procedure :: mode => mode_of
    procedure :: bounds
    procedure :: lbound => lower_bound
    procedure :: ubound => upper_bound
    procedure :: shape => shape_of
    procedure :: size => size_of
    procedure :: chunk
    procedure :: dim => dim_of
    procedure :: dim_name
    procedure :: info
    procedure :: history
    procedure :: snapshot
    procedure :: labels
    procedure :: set_labels
    procedure :: select => select_indices

    procedure :: grow
    procedure :: add_dim
    procedure :: rename_dim
    procedure :: compact
    procedure :: recompress
    procedure :: relayout
    procedure :: stats
    procedure :: verify
    procedure :: walk
    procedure :: refresh
    procedure :: poll
    procedure :: follow

    procedure :: has_dim
    procedure :: resolve
    procedure :: finish_section
    procedure :: turned
    procedure :: to_file
    procedure :: section_of
  end type drx_untyped

  ! The operations of grow.
  integer, parameter, public :: op_extend = 1, op_reserve = 2, op_shrink = 3

  ! A report is a procedure for progress that C cannot call: on_progress calls it for C.
  type :: report
    procedure(drx_progress), pointer, nopass :: f => null()
  end type report

  type :: follower
    procedure(drx_on_change), pointer, nopass :: f => null()
  end type follower

  type :: visitor
    procedure(drx_on_part), pointer, nopass :: f => null()
    type(drx_untyped) :: array  ! without a handle, only for its rule of indices
  end type visitor

contains

  ! ---- Opening and closing
  ! -------------------------------------------------------------------------------------------

  ! open_array opens an array. mode is drx_read (the default), drx_write or drx_shared; the options
  ! are described in drx.h.
  subroutine open_array(self, name, mode, options, stat, errmsg)
    class(drx_untyped), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in), optional :: mode
    character(*), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: how

    if (self%open_already(stat, errmsg)) return
    how = drx_read
    if (present(mode)) how = mode
    call finish(drxc_open(c_text(name), int(how, c_int), c_text(options), self%handle), stat, errmsg)
    self%owned = self%handle /= 0
  end subroutine open_array

  ! open_already reports an error if the variable has an open array, which could no longer be closed
  ! otherwise.
  logical function open_already(self, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    open_already = .false.
    if (.not. self%owned) return
    open_already = self%is_open()
    if (open_already) call self%fail(drx_einval, 'is open already in this variable: close it first', stat, errmsg)
  end function open_already

  ! create_untyped creates an array and opens it for writing. lower, chunk and dims are in Fortran's
  ! order of dimensions.
  subroutine create_untyped(self, name, dtype, shape, lower, chunk, dims, options, stat, errmsg)
    class(drx_untyped), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: dims(:), options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: members
    integer(c_int) :: code

    if (self%open_already(stat, errmsg)) return
    call self%describe(lower, chunk, dims, members)
    code = drxc_create(c_text(name), int(dtype, c_int), size(shape, kind=c_int), self%turned(shape), &
      c_options(options, members), self%handle)
    self%owned = self%handle /= 0
    call finish(code, stat, errmsg)
  end subroutine create_untyped

  ! describe returns the options that describe an array, as members of a JSON object.
  subroutine describe(self, lower, chunk, dims, members)
    class(drx_untyped), intent(in) :: self
    integer(int64), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: dims(:)
    character(:), allocatable, intent(out) :: members

    members = ''
    if (present(lower)) call add_numbers(members, 'lo', self%to_file(lower))
    if (present(chunk)) call add_numbers(members, 'chunk', self%turned(chunk))
    if (.not. present(dims)) return
    if (self%reversed) then
      call add_texts(members, 'dims', dims(size(dims):1:-1))
    else
      call add_texts(members, 'dims', dims)
    end if
  end subroutine describe

  ! close_array commits all changes and closes the array.
  subroutine close_array(self, stat, errmsg)
    class(drx_untyped), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_close(self%handle), stat, errmsg)
  end subroutine close_array

  ! discard closes the array without a commit: the changes since the last one are lost.
  subroutine discard(self, stat, errmsg)
    class(drx_untyped), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_discard(self%handle), stat, errmsg)
  end subroutine discard

  ! sync commits all changes: they are durable, and others see them.
  subroutine sync(self, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_sync(self%handle), stat, errmsg)
  end subroutine sync

  ! is_open reports whether the array is open.
  logical function is_open(self)
    class(drx_untyped), intent(in) :: self
    integer(c_int) :: rank

    is_open = drxc_rank(self%handle, rank) == drx_ok
  end function is_open

  ! ---- What an array is
  ! ----------------------------------------------------------------------------------------------

  ! rank_of returns the number of dimensions.
  integer function rank_of(self, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: rank

    rank = 0
    call finish(drxc_rank(self%handle, rank), stat, errmsg)
    rank_of = rank
  end function rank_of

  ! dtype_of returns the type of the elements: drx_int16 and so on.
  integer function dtype_of(self, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: dtype

    dtype = drx_raw
    call finish(drxc_dtype(self%handle, dtype), stat, errmsg)
    dtype_of = dtype
  end function dtype_of

  ! mode_of returns the mode of the open array: drx_read, drx_write or drx_shared.
  integer function mode_of(self, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: mode

    mode = drx_read
    call finish(drxc_mode(self%handle, mode), stat, errmsg)
    mode_of = mode
  end function mode_of

  ! bounds returns the lowest and the highest index of each dimension. For an extent of 0, lower is
  ! upper + 1.
  subroutine bounds(self, lower, upper, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer(int64), allocatable, intent(out) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: lo(:), hi(:)
    integer(c_int) :: code
    type(drx_section) :: section

    allocate (lower(0), upper(0))
    call file_bounds(self, lo, hi, code)
    if (code == drx_ok) then
      section = self%section_of(lo, hi)
      lower = section%lower
      upper = section%upper
    end if
    call finish(code, stat, errmsg)
  end subroutine bounds

  ! file_bounds returns the bounds in the order and counting of the file.
  subroutine file_bounds(self, lo, hi, code)
    class(drx_untyped), intent(in) :: self
    integer(c_int64_t), allocatable, intent(out) :: lo(:), hi(:)
    integer(c_int), intent(out) :: code
    integer(c_int) :: rank

    rank = 0
    code = drxc_rank(self%handle, rank)
    allocate (lo(rank), hi(rank))
    if (code == drx_ok) code = drxc_bounds(self%handle, rank, lo, hi)
  end subroutine file_bounds

  ! lower_bound returns the lowest index of a dimension.
  integer(int64) function lower_bound(self, dim, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower(:), upper(:)

    lower_bound = self%base
    call self%bounds(lower, upper, stat, errmsg)
    if (failed(stat)) return
    if (self%has_dim(dim, size(lower), stat, errmsg)) lower_bound = lower(dim)
  end function lower_bound

  ! upper_bound returns the highest index of a dimension.
  integer(int64) function upper_bound(self, dim, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower(:), upper(:)

    upper_bound = self%base - 1
    call self%bounds(lower, upper, stat, errmsg)
    if (failed(stat)) return
    if (self%has_dim(dim, size(upper), stat, errmsg)) upper_bound = upper(dim)
  end function upper_bound

  ! has_dim reports whether an array of this rank has a dimension; it is an error if not.
  logical function has_dim(self, dim, rank, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim, rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    has_dim = dim >= 1 .and. dim <= rank
    if (.not. has_dim) call self%fail(drx_erank, 'dimension ' // decimal(int(dim, int64)) // &
      ': the array has dimensions 1 to ' // decimal(int(rank, int64)), stat, errmsg)
  end function has_dim

  ! shape_of returns the extents.
  function shape_of(self, stat, errmsg) result(shape)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:), lower(:), upper(:)

    call self%bounds(lower, upper, stat, errmsg)
    shape = upper - lower + 1
  end function shape_of

  ! size_of returns the number of elements.
  function size_of(self, stat, errmsg) result(n)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n

    n = product(self%shape(stat, errmsg))
    if (failed(stat)) n = 0
  end function size_of

  ! chunk returns the extents of a chunk, in elements.
  function chunk(self, stat, errmsg) result(extents)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: extents(:)
    integer(c_int) :: rank

    allocate (extents(0))
    rank = int(self%rank(stat, errmsg), c_int)
    if (failed(stat)) return
    deallocate (extents)
    allocate (extents(rank))
    call finish(drxc_chunk(self%handle, rank, extents), stat, errmsg)
    extents = self%turned(extents)
  end function chunk

  ! dim_of returns the number of the dimension with a name.
  integer function dim_of(self, name, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: dim

    dim_of = 0
    call finish(drxc_dim(self%handle, c_text(name), dim), stat, errmsg)
    if (failed(stat)) return
    dim_of = turned_dim(self, int(dim) + 1, self%rank(stat, errmsg))
  end function dim_of

  ! turned_dim converts the number of a dimension, counted from 1, from one order of dimensions to
  ! the other.
  integer function turned_dim(self, dim, rank)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim, rank

    turned_dim = dim
    if (self%reversed) turned_dim = rank + 1 - dim
  end function turned_dim

  ! file_dim returns the number of a dimension in the file, -1 after an error.
  integer(c_int) function file_dim(self, dim, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: rank

    file_dim = -1
    rank = self%rank(stat, errmsg)
    if (failed(stat)) return
    if (self%has_dim(dim, rank, stat, errmsg)) file_dim = int(turned_dim(self, dim, rank) - 1, c_int)
  end function file_dim

  ! dim_name returns the name of a dimension, '' if it has none.
  function dim_name(self, dim, stat, errmsg) result(name)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: name
    integer(c_int) :: d
    type(c_string) :: text

    name = ''
    d = file_dim(self, dim, stat, errmsg)
    if (d < 0) return
    call finish(drxc_dim_name(self%handle, d, text%p), stat, errmsg)
    call receive(text, name)
  end function dim_name

  ! info returns the output of `drx info --json`.
  function info(self, stat, errmsg) result(json)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_info(self%handle, text%p), stat, errmsg)
    call receive(text, json)
  end function info

  ! history returns the committed changes, as `drx log --json` prints them.
  function history(self, stat, errmsg) result(json)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_history(self%handle, text%p), stat, errmsg)
    call receive(text, json)
  end function history

  ! snapshot returns the commit that the array shows, for "commit" of the options of open, in any
  ! process.
  function snapshot(self, stat, errmsg) result(commit)
    class(drx_untyped), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: commit
    type(c_string) :: text

    call finish(drxc_snapshot(self%handle, text%p), stat, errmsg)
    call receive(text, commit)
  end function snapshot

  ! labels returns the labels of a dimension: {"first": index of the first label in the file,
  ! "labels": [...]}.
  function labels(self, dim, stat, errmsg) result(json)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    integer(c_int) :: d
    type(c_string) :: text

    json = ''
    d = file_dim(self, dim, stat, errmsg)
    if (d < 0) return
    call finish(drxc_labels(self%handle, d, text%p), stat, errmsg)
    call receive(text, json)
  end function labels

  ! set_labels replaces the labels of a dimension by those of a JSON list, beginning at the lower
  ! bound.
  subroutine set_labels(self, dim, json, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    character(*), intent(in) :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: d

    d = file_dim(self, dim, stat, errmsg)
    if (d < 0) return
    call finish(drxc_set_labels(self%handle, d, c_text(json)), stat, errmsg)
  end subroutine set_labels

  ! select_indices returns the indices that conditions such as 'time=2013-01..2013-02,lat=50.2'
  ! select, in JSON and counted as in the file. With exact = .true. numbers must occur in the
  ! coordinate; otherwise the nearest ones are selected. A date selects all times of the day, month
  ! or year.
  function select_indices(self, conditions, exact, stat, errmsg) result(json)
    class(drx_untyped), intent(in) :: self
    character(*), intent(in) :: conditions
    logical, intent(in), optional :: exact
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_select(self%handle, c_text(conditions), c_flag(exact), text%p), stat, errmsg)
    call receive(text, json)
  end function select_indices

  ! c_flag returns an optional logical for C, where absent is false.
  integer(c_int) function c_flag(flag)
    logical, intent(in), optional :: flag

    c_flag = 0
    if (.not. present(flag)) return
    if (flag) c_flag = 1
  end function c_flag

  ! ---- Indices
  ! -------------------------------------------------------------------------------------------------------

  ! turned converts a list with a number per dimension from the order of Fortran to that of the
  ! file, or back.
  pure function turned(self, list)
    class(drx_untyped), intent(in) :: self
    integer(int64), intent(in) :: list(:)
    integer(int64) :: turned(size(list))

    turned = list
    if (self%reversed) turned = list(size(list):1:-1)
  end function turned

  ! to_file converts the index of an element to the counting of the file.
  pure function to_file(self, index)
    class(drx_untyped), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int64) :: to_file(size(index))

    to_file = self%turned(index) - self%base
  end function to_file

  ! section_of converts a section [lo, hi) of the file to a section of this module.
  function section_of(self, lo, hi) result(section)
    class(drx_untyped), intent(in) :: self
    integer(c_int64_t), intent(in) :: lo(:), hi(:)
    type(drx_section) :: section

    allocate (section%lower, source=self%turned(lo) + self%base)
    allocate (section%upper, source=self%turned(hi) + self%base - 1)
  end function section_of

  ! resolve converts a section for the functions of C, and returns its extents in Fortran's order.
  ! After an error ok is .false.
  subroutine resolve(self, section, lo, hi, step, shape, ok, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_section), intent(in), optional :: section
    integer(c_int64_t), allocatable, intent(out) :: lo(:), hi(:), step(:), shape(:)
    logical, intent(out) :: ok
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_section) :: s
    integer(c_int) :: code

    ok = .false.
    if (present(section)) s = section
    if (.not. (allocated(s%lower) .and. allocated(s%upper))) then
      call file_bounds(self, lo, hi, code)
      if (code /= drx_ok) then
        call finish(code, stat, errmsg)
        return
      end if
      if (.not. allocated(s%lower)) s%lower = self%turned(lo) + self%base
      if (.not. allocated(s%upper)) s%upper = self%turned(hi) + self%base - 1
    end if
    if (.not. allocated(s%step)) allocate (s%step(size(s%lower)), source=1_int64)
    if (size(s%lower) /= size(s%upper) .or. size(s%lower) /= size(s%step)) then
      call self%fail(drx_erank, 'section: lower, upper and step have ' // decimal(size(s%lower, kind=int64)) // ', ' // &
        decimal(size(s%upper, kind=int64)) // ' and ' // decimal(size(s%step, kind=int64)) // &
        ' numbers: give one per dimension', stat, errmsg)
      return
    end if
    if (any(s%step < 1)) then
      call self%fail(drx_ebounds, 'section: step ' // decimal(minval(s%step)) // &
        ': steps are at least 1; to go backwards mirror the variable, as in x(n:1:-1)', stat, errmsg)
      return
    end if
    lo = self%to_file(s%lower)
    hi = max(lo, self%to_file(s%upper) + 1)
    step = self%turned(s%step)
    shape = s%shape()
    ok = .true.
  end subroutine resolve

  ! finish_section is finish for a call with a section: it reports an index that is out of bounds as
  ! the program counts it.
  subroutine finish_section(self, code, verb, lo, hi, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: verb
    integer(c_int64_t), intent(in) :: lo(:), hi(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: low(:), high(:)
    integer(c_int) :: ignored
    integer :: d

    if (code == drx_ebounds) then
      call file_bounds(self, low, high, ignored)
      do d = 1, merge(size(lo), 0, size(low) == size(lo))
        if (lo(d) >= low(d) .and. hi(d) <= high(d)) cycle
        call self%fail(code, verb // ': dimension ' // decimal(int(turned_dim(self, d, size(lo)), int64)) // &
          ': indices ' // decimal(lo(d) + self%base) // ':' // decimal(hi(d) + self%base - 1) // ' reach outside ' // &
          decimal(low(d) + self%base) // ':' // decimal(high(d) + self%base - 1), stat, errmsg)
        return
      end do
    end if
    call finish(code, stat, errmsg)
  end subroutine finish_section

  ! ---- Growing
  ! -------------------------------------------------------------------------------------------------------

  ! grow implements extend, reserve and shrink of drx_array. added is the section of the new
  ! indices.
  subroutine grow(self, operation, dim, by, side, added, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: operation, dim
    integer(int64), intent(in) :: by
    integer, intent(in) :: side
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: lo(:), hi(:)
    integer(c_int) :: d, code

    d = file_dim(self, dim, stat, errmsg)
    if (d < 0) return
    call file_bounds(self, lo, hi, code)
    if (code /= drx_ok) then
      call finish(code, stat, errmsg)
      return
    end if
    if (by < 1 .or. operation == op_shrink .and. by > hi(d + 1) - lo(d + 1)) then
      call self%fail(drx_ebounds, 'dimension ' // decimal(int(dim, int64)) // ' of extent ' // &
        decimal(hi(d + 1) - lo(d + 1)) // ': it cannot ' // trim(merge('shrink', 'grow  ', operation == op_shrink)) // &
        ' by ' // decimal(by), stat, errmsg)
      return
    end if
    select case (operation)
    case (op_extend)
      code = drxc_extend(self%handle, d, by, int(side, c_int), size(lo, kind=c_int), lo, hi)
    case (op_reserve)
      code = drxc_reserve(self%handle, d, by, int(side, c_int), size(lo, kind=c_int), lo, hi)
    case default
      code = drxc_shrink(self%handle, d, by, int(side, c_int))
    end select
    if (code == drx_ok .and. present(added)) added = self%section_of(lo, hi)
    call finish(code, stat, errmsg)
  end subroutine grow

  ! add_dim adds a dimension of extent 1, which is the last one in the file. So it becomes dimension
  ! 1, and the numbers of all others increase by one, unless self%reversed is .false.
  subroutine add_dim(self, name, dim, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: dim, stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: d, code

    d = 0
    code = drxc_add_dim(self%handle, c_text(name), d)
    if (present(dim)) dim = turned_dim(self, int(d) + 1, int(d) + 1)
    call finish(code, stat, errmsg)
  end subroutine add_dim

  ! rename_dim gives a dimension another name, '' for none.
  subroutine rename_dim(self, dim, name, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer, intent(in) :: dim
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: d

    d = file_dim(self, dim, stat, errmsg)
    if (d >= 0) call finish(drxc_rename_dim(self%handle, d, c_text(name)), stat, errmsg)
  end subroutine rename_dim

  ! ---- Long calls
  ! ----------------------------------------------------------------------------------------------------

  ! progress_function returns the function that C calls to report progress, NULL if there is none.
  function progress_function(progress) result(f)
    procedure(drx_progress), optional :: progress
    type(c_funptr) :: f

    f = c_null_funptr
    if (present(progress)) f = c_funloc(on_progress)
  end function progress_function

  ! on_progress calls the report to which user points.
  recursive function on_progress(user, done, total) bind(C) result(code)
    type(c_ptr), value :: user
    integer(c_int64_t), value :: done, total
    integer(c_int) :: code
    type(report), pointer :: r
    logical :: enough

    call c_f_pointer(user, r)
    enough = .false.
    call r%f(int(done, int64), int(total, int64), enough)
    code = merge(1_c_int, 0_c_int, enough)
  end function on_progress

  ! compact commits and rewrites the files as if the array had been created with its present bounds.
  ! The unit of progress is chunks.
  subroutine compact(self, progress, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    procedure(drx_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r

    if (present(progress)) r%f => progress
    call finish(drxc_compact(self%handle, progress_function(progress), c_loc(r)), stat, errmsg)
  end subroutine compact

  ! recompress commits, and stores the chunks again in the same files, compressed by another codec,
  ! 'none' for none. If progress or an error has ended it, the array is valid, and the same call
  ! continues. The unit of progress is chunks.
  subroutine recompress(self, codec, progress, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    character(*), intent(in) :: codec
    procedure(drx_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r

    if (present(progress)) r%f => progress
    call finish(drxc_recompress(self%handle, c_text(codec), progress_function(progress), c_loc(r)), stat, errmsg)
  end subroutine recompress

  ! verify compares every written chunk with its checksum: drx_ecorrupt if one is damaged. json is
  ! the output of `drx verify --json`, and is set in that case as well. The unit of progress is
  ! written chunks.
  subroutine verify(self, json, progress, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    character(:), allocatable, intent(out), optional :: json
    procedure(drx_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: taken
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_verify(self%handle, progress_function(progress), c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine verify

  ! relayout copies the array src, or a section of it, into this one, in bounded memory, and
  ! commits. Dimension d of this array is dimension order(d) of src. drx.h has the options. The unit
  ! of progress is bytes; json reports time and memory.
  subroutine relayout(self, src, section, order, options, progress, json, stat, errmsg)
    class(drx_untyped), intent(in) :: self, src
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: order(:)
    character(*), intent(in), optional :: options
    procedure(drx_progress), optional :: progress
    character(:), allocatable, intent(out), optional :: json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    character(:), allocatable :: members, taken
    integer(c_int64_t), allocatable :: lo(:), hi(:), step(:), shape(:)
    integer(c_int) :: code
    logical :: ok

    allocate (members, source='')
    if (present(section)) then
      call src%resolve(section, lo, hi, step, shape, ok, stat, errmsg)
      if (.not. ok) return
      if (any(step /= 1)) then
        call self%fail(drx_einval, 'relayout: the section has a step: copy without one', stat, errmsg)
        return
      end if
      call add_numbers(members, 'lo', lo)
      call add_numbers(members, 'hi', hi)
    end if
    if (present(order)) call add_numbers(members, 'order', file_order(self, src, order))
    if (present(progress)) r%f => progress
    code = drxc_relayout(self%handle, src%handle, c_options(options, members), progress_function(progress), &
      c_loc(r), text%p)
    call receive(text, taken)
    if (present(json)) json = taken
    call finish(code, stat, errmsg)
  end subroutine relayout

  ! stats computes statistics like drx_stats; drx.h describes the options and json. Dimensions are
  ! those of the file. The unit of progress is elements.
  subroutine stats(self, options, json, progress, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    character(*), intent(in) :: options
    character(:), allocatable, intent(out) :: json
    procedure(drx_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(report), target :: r
    type(c_string) :: text
    integer(c_int) :: code

    if (present(progress)) r%f => progress
    code = drxc_stats(self%handle, c_text(options), progress_function(progress), c_loc(r), text%p)
    call receive(text, json)
    call finish(code, stat, errmsg)
  end subroutine stats

  ! file_order returns, per dimension of self in the file, the dimension of src in the file, both
  ! counted from 0.
  function file_order(self, src, order) result(list)
    class(drx_untyped), intent(in) :: self, src
    integer, intent(in) :: order(:)
    integer(int64) :: list(size(order))
    integer :: d

    do d = 1, size(order)
      list(turned_dim(self, d, size(order))) = turned_dim(src, order(d), size(order)) - 1
    end do
  end function file_order

  ! walk calls f for each part of a section, by default of the whole array. The parts are chunks, in
  ! the order of the file, or, with tile, tiles of these extents, where 0 is the whole dimension.
  ! With written = .true. it skips parts in which no chunk was ever written.
  subroutine walk(self, f, section, tile, written, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    procedure(drx_on_part) :: f
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: tile(:)
    logical, intent(in), optional :: written
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(visitor), target :: v
    integer(c_int64_t), allocatable :: lo(:), hi(:), step(:), shape(:), extents(:)
    integer(c_int) :: code
    logical :: ok

    call self%resolve(section, lo, hi, step, shape, ok, stat, errmsg)
    if (.not. ok) return
    if (any(step /= 1)) then
      call self%fail(drx_einval, 'walk: the section has a step: walk without one', stat, errmsg)
      return
    end if
    if (present(tile)) then
      if (size(tile) /= size(lo)) then
        call self%fail(drx_erank, 'walk: tile has ' // decimal(size(tile, kind=int64)) // &
          ' extents: give one per dimension, ' // &
          decimal(size(lo, kind=int64)), stat, errmsg)
        return
      end if
      allocate (extents, source=self%turned(int(tile, int64)))
    end if
    v%f => f
    v%array%base = self%base
    v%array%reversed = self%reversed
    code = drxc_walk(self%handle, size(lo, kind=c_int), lo, hi, extents, c_flag(written), c_funloc(on_part), c_loc(v))
    if (code == drx_ecancelled) code = drx_ok
    call self%finish_section(code, 'walk', lo, hi, stat, errmsg)
  end subroutine walk

  ! on_part calls the visitor to which user points.
  recursive function on_part(user, rank, lo, hi, number) bind(C) result(code)
    type(c_ptr), value :: user
    integer(c_int), value :: rank
    integer(c_int64_t), intent(in) :: lo(rank), hi(rank)
    integer(c_int64_t), value :: number
    integer(c_int) :: code
    type(visitor), pointer :: v
    logical :: enough

    call c_f_pointer(user, v)
    enough = .false.
    call v%f(v%array%section_of(lo, hi), int(number, int64), enough)
    code = merge(1_c_int, 0_c_int, enough)
  end function on_part

  ! ---- Reading what others write
  ! -------------------------------------------------------------------------------------

  ! refresh shows commits of writers in an array that is open for reading. changed reports whether
  ! bounds or attributes have changed.
  subroutine refresh(self, changed, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    logical, intent(out), optional :: changed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: flag, code

    flag = 0
    code = drxc_refresh(self%handle, flag)
    if (present(changed)) changed = flag /= 0
    call finish(code, stat, errmsg)
  end subroutine refresh

  ! poll waits until a writer has committed changes, at most timeout seconds (0: do not wait;
  ! negative: no limit), and refreshes the array. changes is the JSON list of the changes, [] if
  ! there are none.
  subroutine poll(self, timeout, changes, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    real(real64), intent(in) :: timeout
    character(:), allocatable, intent(out) :: changes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_string) :: text
    integer(c_int) :: code

    code = drxc_poll(self%handle, timeout, text%p)
    call receive(text, changes)
    call finish(code, stat, errmsg)
  end subroutine poll

  ! follow calls f for every change that a writer commits, until f sets enough or timeout seconds
  ! have passed (negative: no limit). The array is refreshed before each call.
  subroutine follow(self, f, timeout, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    procedure(drx_on_change) :: f
    real(real64), intent(in) :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(follower), target :: w
    integer(c_int) :: code

    w%f => f
    code = drxc_follow(self%handle, timeout, c_funloc(on_change), c_loc(w))
    if (code == drx_ecancelled) code = drx_ok
    call finish(code, stat, errmsg)
  end subroutine follow

  ! on_change calls the follower to which user points.
  recursive function on_change(user, change) bind(C) result(code)
    type(c_ptr), value :: user, change
    integer(c_int) :: code
    type(follower), pointer :: w
    character(:), allocatable :: text
    logical :: enough

    call c_f_pointer(user, w)
    call copy_text(change, text)
    enough = .false.
    call w%f(text, enough)
    code = merge(1_c_int, 0_c_int, enough)
  end function on_change
end module drx_arrays
