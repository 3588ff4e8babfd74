
! drx_transfers moves elements between arrays and variables of any type and rank. drx_elements
! determines the addresses of variables.
module drx_transfers
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use drx_c
  use drx_sections
  use drx_support
  use drx_arrays
  implicit none
  private
  public :: span, move, append_variable, fill_section, move_element, move_elements, get_fill_value

  integer, parameter :: max_rank = 15  ! of a variable, in the language

  ! A drx_variable describes the memory of a variable: element (1+p1, 1+p2, ...) is strides(1)*p1 +
  ! strides(2)*p2 + ... bytes behind the first one.
  type, public :: drx_variable
    integer :: dtype = drx_raw
    type(c_ptr) :: first = c_null_ptr
    integer :: rank = 0
    integer(c_int64_t) :: shape(max_rank) = 0, strides(max_rank) = 0  ! of dimensions 1 to rank
  end type drx_variable

  ! batch is the number of elements that gather and scatter move with one call.
  integer, parameter :: batch = 4096

contains

  ! span describes a variable. corners are the addresses of the first element and of the next one in
  ! each dimension; a variable without elements has no corners.
  function span(dtype, shape, corners) result(v)
    integer, intent(in) :: dtype
    integer(int64), intent(in) :: shape(:)
    type(c_ptr), intent(in), optional :: corners(0:)
    type(drx_variable) :: v
    integer :: d

    v%dtype = dtype
    v%rank = size(shape)
    v%shape(:v%rank) = shape
    if (.not. present(corners)) return
    v%first = corners(0)
    do d = 1, size(shape)
      v%strides(d) = address(corners(d)) - address(corners(0))
    end do
  end function span

  ! address returns a pointer as an integer.
  pure function address(p)
    type(c_ptr), intent(in) :: p
    integer(c_intptr_t) :: address

    address = transfer(p, address)
  end function address

  ! use_dtype gives a variable another type of elements of the same size.
  subroutine use_dtype(self, v, dtype, ok, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_variable), intent(inout) :: v
    integer, intent(in), optional :: dtype
    logical, intent(out) :: ok
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    ok = .true.
    if (.not. present(dtype)) return
    ok = drxc_dtype_size(int(dtype, c_int)) == drxc_dtype_size(int(v%dtype, c_int))
    if (ok) then
      v%dtype = dtype
    else
      call self%fail(drx_edtype, 'dtype ' // decimal(int(dtype, int64)) // ': no type of elements of ' // &
        decimal(int(drxc_dtype_size(int(v%dtype, c_int)), int64)) // ' bytes, as the variable has', stat, errmsg)
    end if
  end subroutine use_dtype

  ! move reads a section of an array into a variable, or writes it.
  subroutine move(self, writing, v, section, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    logical, intent(in) :: writing
    type(drx_variable), intent(inout) :: v
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: lo(:), hi(:), step(:), shape(:), strides(:)
    integer(c_int64_t) :: bytes
    integer(c_int) :: code, rank
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (.not. ok) return
    call self%resolve(section, lo, hi, step, shape, ok, stat, errmsg)
    if (.not. ok) return
    call fit(v, shape, strides, ok)
    if (.not. ok) then
      call self%fail(drx_esize, trim(merge('write', 'read ', writing)) // ': a section of ' // extents(shape) // &
        ' elements and a variable of ' // extents(v%shape(:v%rank)) // &
        ': their shapes must be equal, without extents of 1 in the section', stat, errmsg)
      return
    end if
    bytes = 0
    if (all(v%shape(:v%rank) > 0)) bytes = sum(abs(v%strides(:v%rank)) * (v%shape(:v%rank) - 1)) + &
      int(drxc_dtype_size(int(v%dtype, c_int)), c_int64_t)
    rank = size(lo, kind=c_int)
    if (writing) then
      code = drxc_write(self%handle, rank, lo, hi, step, int(v%dtype, c_int), v%first, bytes, self%turned(strides))
    else
      code = drxc_read(self%handle, rank, lo, hi, step, int(v%dtype, c_int), v%first, bytes, self%turned(strides))
    end if
    call self%finish_section(code, trim(merge('write', 'read ', writing)), lo, hi, stat, errmsg)
  end subroutine move

  ! fit computes the strides of a variable for a section of this shape. The variable may lack
  ! dimensions of extent 1.
  pure subroutine fit(v, shape, strides, ok)
    type(drx_variable), intent(in) :: v
    integer(c_int64_t), intent(in) :: shape(:)
    integer(c_int64_t), allocatable, intent(out) :: strides(:)
    logical, intent(out) :: ok
    integer :: d, n

    allocate (strides(size(shape)), source=0_c_int64_t)
    n = 0
    do d = 1, size(shape)
      ok = .false.
      if (n < v%rank) ok = v%shape(n + 1) == shape(d)
      if (ok) then
        n = n + 1
        strides(d) = v%strides(n)
      else if (shape(d) /= 1) then
        return
      end if
    end do
    ok = n == v%rank
  end subroutine fit

  ! extents formats a shape: 2 x 3; 1 for a scalar.
  pure function extents(shape) result(text)
    integer(int64), intent(in) :: shape(:)
    character(max(1, sum(digits_of(shape)) + 3 * (size(shape) - 1))) :: text

    text = '1'
    if (size(shape) > 0) write (text, '(*(i0, :, " x "))') shape
  end function extents

  ! append_variable extends a dimension at its upper end by the extent of the variable, or by one if
  ! the variable lacks the dimension, and writes the variable there. If writing fails, it shrinks
  ! the dimension again.
  subroutine append_variable(self, v, dim, added, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_variable), intent(inout) :: v
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_section) :: s
    integer(int64) :: by
    integer :: d, mode, ignored
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (.not. ok) return
    mode = self%mode(stat, errmsg)
    if (failed(stat)) return
    call find_dimension(self, v, dim, s, d, by, ok, stat, errmsg)
    if (.not. ok) return
    if (by > 0) then
      call self%grow(merge(op_reserve, op_extend, mode == drx_shared), d, by, drx_high, s, stat, errmsg)
      if (failed(stat)) return
    end if
    call move(self, .true., v, s, stat=stat, errmsg=errmsg)
    if (failed(stat)) then
      if (mode /= drx_shared .and. by > 0) call self%grow(op_shrink, d, by, drx_high, stat=ignored)
      return
    end if
    if (present(added)) added = s
  end subroutine append_variable

  ! find_dimension determines the dimension d in which a variable is to be appended, by default the
  ! one that varies slowest in the file, and by how much it grows. s is the section to write if by
  ! is 0. ok is .false. if the variable does not fit the array.
  subroutine find_dimension(self, v, dim, s, d, by, ok, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_variable), intent(in) :: v
    integer, intent(in), optional :: dim
    type(drx_section), intent(out) :: s
    integer, intent(out) :: d
    integer(int64), intent(out) :: by
    logical, intent(out) :: ok
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower(:), upper(:), shape(:), strides(:)

    ok = .false.
    by = 0
    d = 0
    call self%bounds(lower, upper, stat, errmsg)
    if (failed(stat)) return
    d = merge(size(lower), 1, self%reversed)
    if (present(dim)) d = dim
    if (.not. self%has_dim(d, size(lower), stat, errmsg)) return
    shape = upper - lower + 1
    by = 1
    if (size(shape) == v%rank) by = v%shape(d)
    shape(d) = by
    call fit(v, shape, strides, ok)
    if (.not. ok) call self%fail(drx_esize, 'append: ' // extents(shape) // ' elements are wanted, the variable has ' // &
      extents(v%shape(:v%rank)) // ': only dimension ' // decimal(int(d, int64)) // ' may differ', stat, errmsg)
    lower(d) = upper(d) + 1
    s%lower = lower
    s%upper = upper
  end subroutine find_dimension

  ! fill_section sets all elements of a section to the value of a scalar.
  subroutine fill_section(self, v, section, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_variable), intent(inout) :: v
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: lo(:), hi(:), step(:), shape(:)
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (.not. ok) return
    call self%resolve(section, lo, hi, step, shape, ok, stat, errmsg)
    if (.not. ok) return
    call self%finish_section(drxc_fill(self%handle, size(lo, kind=c_int), lo, hi, step, int(v%dtype, c_int), v%first), 'fill', &
      lo, hi, stat, errmsg)
  end subroutine fill_section

  ! get_fill_value stores the value of elements that were never written in a scalar.
  subroutine get_fill_value(self, v, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    type(drx_variable), intent(inout) :: v
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (ok) call finish(drxc_fill_value(self%handle, int(v%dtype, c_int), v%first), stat, errmsg)
  end subroutine get_fill_value

  ! move_element reads one element into a scalar, or writes it.
  subroutine move_element(self, writing, v, at, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    logical, intent(in) :: writing
    type(drx_variable), intent(inout) :: v
    integer(int64), intent(in) :: at(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: index(size(at))
    integer(c_int) :: code, rank
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (.not. ok) return
    index = self%to_file(at)
    rank = size(at, kind=c_int)
    if (writing) then
      code = drxc_set(self%handle, rank, index, int(v%dtype, c_int), v%first)
    else
      code = drxc_get(self%handle, rank, index, int(v%dtype, c_int), v%first)
    end if
    call self%finish_section(code, trim(merge('set', 'get', writing)), index, index + 1, stat, errmsg)
  end subroutine move_element

  ! move_elements gathers or scatters the elements of a dense variable of rank 1. Element i has the
  ! index narrow(:, i) or wide(:, i), whichever is present.
  subroutine move_elements(self, writing, v, narrow, wide, dtype, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    logical, intent(in) :: writing
    type(drx_variable), intent(inout) :: v
    integer(int32), intent(in), optional :: narrow(:, :)
    integer(int64), intent(in), optional :: wide(:, :)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: indices(:, :)
    integer(c_int64_t) :: from, n, i, have
    integer :: rank
    integer(c_int) :: code
    logical :: ok

    call use_dtype(self, v, dtype, ok, stat, errmsg)
    if (.not. ok) return
    if (present(narrow)) then
      rank = size(narrow, 1)
      have = size(narrow, 2, int64)
    else
      rank = size(wide, 1)
      have = size(wide, 2, int64)
    end if
    if (have /= v%shape(1)) then
      call self%fail(drx_esize, trim(merge('scatter', 'gather ', writing)) // ': ' // decimal(have) // ' indices for ' // &
        decimal(v%shape(1)) // ' elements: give indices(:, i) for each element i', stat, errmsg)
      return
    end if
    allocate (indices(rank, min(have, int(batch, int64))))
    code = drx_ok
    do from = 0, max(have - 1, 0_int64), batch ! for no elements, too: it checks arguments
      n = min(have - from, int(batch, int64))
      do i = 1, n
        if (present(narrow)) then
          indices(:, i) = self%to_file(int(narrow(:, from + i), int64))
        else
          indices(:, i) = self%to_file(wide(:, from + i))
        end if
      end do
      if (writing) then
        code = drxc_scatter(self%handle, int(rank, c_int), n, indices, int(v%dtype, c_int), element(v, from))
      else
        code = drxc_gather(self%handle, int(rank, c_int), n, indices, int(v%dtype, c_int), element(v, from))
      end if
      if (code /= drx_ok) exit
    end do
    call finish_elements(self, code, writing, indices, stat, errmsg)
  end subroutine move_elements

  ! finish_elements is finish for a call with single elements: it finds the index that is out of
  ! bounds.
  subroutine finish_elements(self, code, writing, indices, stat, errmsg)
    class(drx_untyped), intent(in) :: self
    integer(c_int), intent(in) :: code
    logical, intent(in) :: writing
    integer(c_int64_t), intent(in) :: indices(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower(:), upper(:)
    integer(c_int64_t) :: low(size(indices, 1)), high(size(indices, 1))
    integer :: i, ignored

    i = 0
    if (code == drx_ebounds) then
      call self%bounds(lower, upper, ignored)
      low = self%to_file(lower)
      high = self%to_file(upper)
      do i = size(indices, 2), 1, -1
        if (any(indices(:, i) < low .or. indices(:, i) > high)) exit
      end do
    end if
    if (i > 0) then
      call self%finish_section(code, trim(merge('scatter', 'gather ', writing)), indices(:, i), indices(:, i) + 1, stat, errmsg)
    else
      call finish(code, stat, errmsg)
    end if
  end subroutine finish_elements

  ! element returns the address of an element of a dense variable, counted from 0.
  function element(v, number) result(p)
    type(drx_variable), intent(in) :: v
    integer(c_int64_t), intent(in) :: number
    type(c_ptr) :: p

    p = transfer(address(v%first) + number * int(drxc_dtype_size(int(v%dtype, c_int)), c_int64_t), p)
  end function element
end module drx_transfers
