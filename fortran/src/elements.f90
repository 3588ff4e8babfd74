
! Code generated from generate/elements.f90.tmpl by go generate ./fortran; DO NOT EDIT.

! drx_elements has arrays with the procedures that transfer elements: one for every type of elements,
! and for indices of 32 and 64 bits. docs/FORTRAN.md describes them.
module drx_elements
  use, intrinsic :: iso_c_binding, only: c_bool, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use drx_c
  use drx_sections
  use drx_support
  use drx_arrays
  use drx_transfers
  implicit none
  private

  ! A drx_array is an open array.
  type, extends(drx_untyped), public :: drx_array
  contains
    procedure, private :: &
      read_int8, read_int16, read_int32, read_int64, read_real32, read_real64, read_complex32, read_complex64, &
      read_logical8
    generic :: read => &
      read_int8, read_int16, read_int32, read_int64, read_real32, read_real64, read_complex32, read_complex64, &
      read_logical8
    procedure, private :: &
      write_int8, write_int16, write_int32, write_int64, write_real32, write_real64, write_complex32, &
      write_complex64, write_logical8
    generic :: write => &
      write_int8, write_int16, write_int32, write_int64, write_real32, write_real64, write_complex32, &
      write_complex64, write_logical8
    procedure, private :: &
      append_int8, append_int16, append_int32, append_int64, append_real32, append_real64, append_complex32, &
      append_complex64, append_logical8
    generic :: append => &
      append_int8, append_int16, append_int32, append_int64, append_real32, append_real64, append_complex32, &
      append_complex64, append_logical8
    procedure, private :: &
      fill_int8, fill_int16, fill_int32, fill_int64, fill_real32, fill_real64, fill_complex32, fill_complex64, &
      fill_logical8
    generic :: fill => &
      fill_int8, fill_int16, fill_int32, fill_int64, fill_real32, fill_real64, fill_complex32, fill_complex64, &
      fill_logical8
    procedure, private :: &
      fill_value_int8, fill_value_int16, fill_value_int32, fill_value_int64, fill_value_real32, fill_value_real64, &
      fill_value_complex32, fill_value_complex64, fill_value_logical8
    generic :: fill_value => &
      fill_value_int8, fill_value_int16, fill_value_int32, fill_value_int64, fill_value_real32, fill_value_real64, &
      fill_value_complex32, fill_value_complex64, fill_value_logical8
    procedure, private :: &
      get_int8_int32, get_int8_int64, get_int16_int32, get_int16_int64, get_int32_int32, get_int32_int64, &
      get_int64_int32, get_int64_int64, get_real32_int32, get_real32_int64, get_real64_int32, get_real64_int64, &
      get_complex32_int32, get_complex32_int64, get_complex64_int32, get_complex64_int64, get_logical8_int32, &
      get_logical8_int64
    generic :: get => &
      get_int8_int32, get_int8_int64, get_int16_int32, get_int16_int64, get_int32_int32, get_int32_int64, &
      get_int64_int32, get_int64_int64, get_real32_int32, get_real32_int64, get_real64_int32, get_real64_int64, &
      get_complex32_int32, get_complex32_int64, get_complex64_int32, get_complex64_int64, get_logical8_int32, &
      get_logical8_int64
    procedure, private :: &
      set_int8_int32, set_int8_int64, set_int16_int32, set_int16_int64, set_int32_int32, set_int32_int64, &
      set_int64_int32, set_int64_int64, set_real32_int32, set_real32_int64, set_real64_int32, set_real64_int64, &
      set_complex32_int32, set_complex32_int64, set_complex64_int32, set_complex64_int64, set_logical8_int32, &
      set_logical8_int64
    generic :: set => &
      set_int8_int32, set_int8_int64, set_int16_int32, set_int16_int64, set_int32_int32, set_int32_int64, &
      set_int64_int32, set_int64_int64, set_real32_int32, set_real32_int64, set_real64_int32, set_real64_int64, &
      set_complex32_int32, set_complex32_int64, set_complex64_int32, set_complex64_int64, set_logical8_int32, &
      set_logical8_int64
    procedure, private :: &
      gather_int8_int32, gather_int8_int64, gather_int16_int32, gather_int16_int64, gather_int32_int32, &
      gather_int32_int64, gather_int64_int32, gather_int64_int64, gather_real32_int32, gather_real32_int64, &
      gather_real64_int32, gather_real64_int64, gather_complex32_int32, gather_complex32_int64, &
      gather_complex64_int32, gather_complex64_int64, gather_logical8_int32, gather_logical8_int64
    generic :: gather => &
      gather_int8_int32, gather_int8_int64, gather_int16_int32, gather_int16_int64, gather_int32_int32, &
      gather_int32_int64, gather_int64_int32, gather_int64_int64, gather_real32_int32, gather_real32_int64, &
      gather_real64_int32, gather_real64_int64, gather_complex32_int32, gather_complex32_int64, &
      gather_complex64_int32, gather_complex64_int64, gather_logical8_int32, gather_logical8_int64
    procedure, private :: &
      scatter_int8_int32, scatter_int8_int64, scatter_int16_int32, scatter_int16_int64, scatter_int32_int32, &
      scatter_int32_int64, scatter_int64_int32, scatter_int64_int64, scatter_real32_int32, scatter_real32_int64, &
      scatter_real64_int32, scatter_real64_int64, scatter_complex32_int32, scatter_complex32_int64, &
      scatter_complex64_int32, scatter_complex64_int64, scatter_logical8_int32, scatter_logical8_int64
    generic :: scatter => &
      scatter_int8_int32, scatter_int8_int64, scatter_int16_int32, scatter_int16_int64, scatter_int32_int32, &
      scatter_int32_int64, scatter_int64_int32, scatter_int64_int64, scatter_real32_int32, scatter_real32_int64, &
      scatter_real64_int32, scatter_real64_int64, scatter_complex32_int32, scatter_complex32_int64, &
      scatter_complex64_int32, scatter_complex64_int64, scatter_logical8_int32, scatter_logical8_int64
    procedure, private :: create_int32, create_int64
    generic :: create => create_int32, create_int64
    procedure, private :: extend_int32, extend_int64
    generic :: extend => extend_int32, extend_int64
    procedure, private :: extend_low_int32, extend_low_int64
    generic :: extend_low => extend_low_int32, extend_low_int64
    procedure, private :: reserve_int32, reserve_int64
    generic :: reserve => reserve_int32, reserve_int64
    procedure, private :: reserve_low_int32, reserve_low_int64
    generic :: reserve_low => reserve_low_int32, reserve_low_int64
    procedure, private :: shrink_int32, shrink_int64
    generic :: shrink => shrink_int32, shrink_int64
    procedure, private :: shrink_low_int32, shrink_low_int64
    generic :: shrink_low => shrink_low_int32, shrink_low_int64
  end type drx_array

  ! variable describes the memory of a variable of any rank.
  interface variable
    module procedure &
      variable_int8, variable_int16, variable_int32, variable_int64, variable_real32, variable_real64, &
      variable_complex32, variable_complex64, variable_logical8
  end interface variable

contains

  ! create creates an array and opens it for writing. lower has the lowest indices, by default those
  ! of a variable, chunk the extents of a chunk, dims the names of the dimensions. drx.h describes the
  ! options.
  subroutine create_int32(self, name, dtype, shape, lower, chunk, dims, options, stat, errmsg)
    class(drx_array), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    integer(int32), intent(in) :: shape(:)
    integer(int32), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: dims(:), options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower64(:), chunk64(:)

    if (present(lower)) allocate (lower64, source=int(lower, int64))
    if (present(chunk)) allocate (chunk64, source=int(chunk, int64))
    call self%create_untyped(name, dtype, int(shape, int64), lower64, chunk64, dims, options, stat, errmsg)
  end subroutine create_int32

  ! create creates an array and opens it for writing. lower has the lowest indices, by default those
  ! of a variable, chunk the extents of a chunk, dims the names of the dimensions. drx.h describes the
  ! options.
  subroutine create_int64(self, name, dtype, shape, lower, chunk, dims, options, stat, errmsg)
    class(drx_array), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: dtype
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: lower(:), chunk(:)
    character(*), intent(in), optional :: dims(:), options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lower64(:), chunk64(:)

    if (present(lower)) allocate (lower64, source=int(lower, int64))
    if (present(chunk)) allocate (chunk64, source=int(chunk, int64))
    call self%create_untyped(name, dtype, int(shape, int64), lower64, chunk64, dims, options, stat, errmsg)
  end subroutine create_int64

  ! extend extends a dimension above its highest index; added is the section of the new indices.
  subroutine extend_int32(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_extend, dim, int(by, int64), drx_high, added, stat=stat, errmsg=errmsg)
  end subroutine extend_int32

  ! extend extends a dimension above its highest index; added is the section of the new indices.
  subroutine extend_int64(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_extend, dim, int(by, int64), drx_high, added, stat=stat, errmsg=errmsg)
  end subroutine extend_int64

  ! extend_low extends a dimension below its lowest index.
  subroutine extend_low_int32(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_extend, dim, int(by, int64), drx_low, added, stat=stat, errmsg=errmsg)
  end subroutine extend_low_int32

  ! extend_low extends a dimension below its lowest index.
  subroutine extend_low_int64(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_extend, dim, int(by, int64), drx_low, added, stat=stat, errmsg=errmsg)
  end subroutine extend_low_int64

  ! reserve is extend for an array that is open with drx_shared; the section is committed at once.
  subroutine reserve_int32(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_reserve, dim, int(by, int64), drx_high, added, stat=stat, errmsg=errmsg)
  end subroutine reserve_int32

  ! reserve is extend for an array that is open with drx_shared; the section is committed at once.
  subroutine reserve_int64(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_reserve, dim, int(by, int64), drx_high, added, stat=stat, errmsg=errmsg)
  end subroutine reserve_int64

  ! reserve_low is extend_low for an array that is open with drx_shared.
  subroutine reserve_low_int32(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_reserve, dim, int(by, int64), drx_low, added, stat=stat, errmsg=errmsg)
  end subroutine reserve_low_int32

  ! reserve_low is extend_low for an array that is open with drx_shared.
  subroutine reserve_low_int64(self, dim, by, added, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    type(drx_section), intent(out), optional :: added
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_reserve, dim, int(by, int64), drx_low, added, stat=stat, errmsg=errmsg)
  end subroutine reserve_low_int64

  ! shrink removes the highest indices of a dimension.
  subroutine shrink_int32(self, dim, by, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_shrink, dim, int(by, int64), drx_high, stat=stat, errmsg=errmsg)
  end subroutine shrink_int32

  ! shrink removes the highest indices of a dimension.
  subroutine shrink_int64(self, dim, by, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_shrink, dim, int(by, int64), drx_high, stat=stat, errmsg=errmsg)
  end subroutine shrink_int64

  ! shrink_low removes the lowest indices of a dimension.
  subroutine shrink_low_int32(self, dim, by, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int32), intent(in) :: by
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_shrink, dim, int(by, int64), drx_low, stat=stat, errmsg=errmsg)
  end subroutine shrink_low_int32

  ! shrink_low removes the lowest indices of a dimension.
  subroutine shrink_low_int64(self, dim, by, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer, intent(in) :: dim
    integer(int64), intent(in) :: by
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%grow(op_shrink, dim, int(by, int64), drx_low, stat=stat, errmsg=errmsg)
  end subroutine shrink_low_int64

  ! ---- integer(int8) ---------------------------------------------------------------------------------------------------

  function variable_int8(x) result(v)
    integer(int8), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_int8, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_int8, shape(x, int64), p(0:rank(x)))
  end function variable_int8

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_int8(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int8), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_int8

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_int8(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int8), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_int8

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_int8(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int8), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_int8

  ! fill sets all elements of a section to one value.
  subroutine fill_int8(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int8), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_int8

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_int8(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int8), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_int8

  ! get reads the element at an index.
  subroutine get_int8_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int8), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int8_int32

  ! set changes the element at an index.
  subroutine set_int8_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int8), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int8_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int8_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int8), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int8_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int8_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int8), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int8_int32

  ! get reads the element at an index.
  subroutine get_int8_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int8), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int8_int64

  ! set changes the element at an index.
  subroutine set_int8_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int8), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int8_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int8_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int8), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int8_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int8_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int8), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int8_int64

  ! ---- integer(int16) --------------------------------------------------------------------------------------------------

  function variable_int16(x) result(v)
    integer(int16), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_int16, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_int16, shape(x, int64), p(0:rank(x)))
  end function variable_int16

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_int16(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int16), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_int16

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_int16(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int16), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_int16

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_int16(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int16), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_int16

  ! fill sets all elements of a section to one value.
  subroutine fill_int16(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int16), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_int16

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_int16(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int16), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_int16

  ! get reads the element at an index.
  subroutine get_int16_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int16), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int16_int32

  ! set changes the element at an index.
  subroutine set_int16_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int16), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int16_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int16_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int16), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int16_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int16_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int16), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int16_int32

  ! get reads the element at an index.
  subroutine get_int16_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int16), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int16_int64

  ! set changes the element at an index.
  subroutine set_int16_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int16), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int16_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int16_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int16), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int16_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int16_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int16), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int16_int64

  ! ---- integer(int32) --------------------------------------------------------------------------------------------------

  function variable_int32(x) result(v)
    integer(int32), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_int32, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_int32, shape(x, int64), p(0:rank(x)))
  end function variable_int32

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_int32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_int32

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_int32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_int32

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_int32(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_int32

  ! fill sets all elements of a section to one value.
  subroutine fill_int32(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_int32

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_int32(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_int32

  ! get reads the element at an index.
  subroutine get_int32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int32_int32

  ! set changes the element at an index.
  subroutine set_int32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int32_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int32_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int32_int32

  ! get reads the element at an index.
  subroutine get_int32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int32_int64

  ! set changes the element at an index.
  subroutine set_int32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int32_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int32_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int32_int64

  ! ---- integer(int64) --------------------------------------------------------------------------------------------------

  function variable_int64(x) result(v)
    integer(int64), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_int64, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_int64, shape(x, int64), p(0:rank(x)))
  end function variable_int64

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_int64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_int64

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_int64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_int64

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_int64(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_int64

  ! fill sets all elements of a section to one value.
  subroutine fill_int64(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_int64

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_int64(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_int64

  ! get reads the element at an index.
  subroutine get_int64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int64_int32

  ! set changes the element at an index.
  subroutine set_int64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int64_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int64_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    integer(int64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int64_int32

  ! get reads the element at an index.
  subroutine get_int64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_int64_int64

  ! set changes the element at an index.
  subroutine set_int64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_int64_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_int64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_int64_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_int64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    integer(int64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_int64_int64

  ! ---- real(real32) ----------------------------------------------------------------------------------------------------

  function variable_real32(x) result(v)
    real(real32), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_float32, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_float32, shape(x, int64), p(0:rank(x)))
  end function variable_real32

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_real32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real32), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_real32

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_real32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real32), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_real32

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_real32(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real32), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_real32

  ! fill sets all elements of a section to one value.
  subroutine fill_real32(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real32), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_real32

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_real32(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_real32

  ! get reads the element at an index.
  subroutine get_real32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    real(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_real32_int32

  ! set changes the element at an index.
  subroutine set_real32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    real(real32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_real32_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_real32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    real(real32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_real32_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_real32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    real(real32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_real32_int32

  ! get reads the element at an index.
  subroutine get_real32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    real(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_real32_int64

  ! set changes the element at an index.
  subroutine set_real32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    real(real32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_real32_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_real32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    real(real32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_real32_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_real32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    real(real32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_real32_int64

  ! ---- real(real64) ----------------------------------------------------------------------------------------------------

  function variable_real64(x) result(v)
    real(real64), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_float64, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_float64, shape(x, int64), p(0:rank(x)))
  end function variable_real64

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_real64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real64), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_real64

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_real64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real64), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_real64

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_real64(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real64), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_real64

  ! fill sets all elements of a section to one value.
  subroutine fill_real64(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real64), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_real64

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_real64(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    real(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_real64

  ! get reads the element at an index.
  subroutine get_real64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    real(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_real64_int32

  ! set changes the element at an index.
  subroutine set_real64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    real(real64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_real64_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_real64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    real(real64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_real64_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_real64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    real(real64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_real64_int32

  ! get reads the element at an index.
  subroutine get_real64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    real(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_real64_int64

  ! set changes the element at an index.
  subroutine set_real64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    real(real64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_real64_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_real64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    real(real64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_real64_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_real64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    real(real64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_real64_int64

  ! ---- complex(real32) -------------------------------------------------------------------------------------------------

  function variable_complex32(x) result(v)
    complex(real32), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_complex64, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_complex64, shape(x, int64), p(0:rank(x)))
  end function variable_complex32

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_complex32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real32), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_complex32

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_complex32(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real32), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_complex32

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_complex32(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real32), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_complex32

  ! fill sets all elements of a section to one value.
  subroutine fill_complex32(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real32), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_complex32

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_complex32(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_complex32

  ! get reads the element at an index.
  subroutine get_complex32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    complex(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_complex32_int32

  ! set changes the element at an index.
  subroutine set_complex32_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    complex(real32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_complex32_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_complex32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    complex(real32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_complex32_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_complex32_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    complex(real32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_complex32_int32

  ! get reads the element at an index.
  subroutine get_complex32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    complex(real32), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_complex32_int64

  ! set changes the element at an index.
  subroutine set_complex32_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    complex(real32), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_complex32_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_complex32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    complex(real32), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_complex32_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_complex32_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    complex(real32), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_complex32_int64

  ! ---- complex(real64) -------------------------------------------------------------------------------------------------

  function variable_complex64(x) result(v)
    complex(real64), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_complex128, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_complex128, shape(x, int64), p(0:rank(x)))
  end function variable_complex64

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_complex64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real64), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_complex64

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_complex64(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real64), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_complex64

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_complex64(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real64), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_complex64

  ! fill sets all elements of a section to one value.
  subroutine fill_complex64(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real64), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_complex64

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_complex64(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    complex(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_complex64

  ! get reads the element at an index.
  subroutine get_complex64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    complex(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_complex64_int32

  ! set changes the element at an index.
  subroutine set_complex64_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    complex(real64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_complex64_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_complex64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    complex(real64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_complex64_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_complex64_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    complex(real64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_complex64_int32

  ! get reads the element at an index.
  subroutine get_complex64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    complex(real64), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_complex64_int64

  ! set changes the element at an index.
  subroutine set_complex64_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    complex(real64), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_complex64_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_complex64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    complex(real64), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_complex64_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_complex64_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    complex(real64), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_complex64_int64

  ! ---- logical(c_bool) -------------------------------------------------------------------------------------------------

  function variable_logical8(x) result(v)
    logical(c_bool), intent(in), target :: x(..)
    type(drx_variable) :: v
    type(c_ptr) :: p(0:15)
    integer :: l(15), m(15), more(15)

    if (size(x, kind=int64) == 0) then
      v = span(drx_bool, shape(x, int64))
      return
    end if
    ! l are the lower bounds. According to the language they are 1, but gfortran 12 has 0 here for a
    ! temporary variable, as for an expression.
    more(:rank(x)) = min(shape(x), 2) - 1
    select rank (x)
    rank (0)
      p(0) = c_loc(x)
    rank (1)
      l(:1) = lbound(x)
      m(:1) = l(:1) + more(:1)
      p(0:1) = [ &
        c_loc(x(l(1))), c_loc(x(m(1)))]
    rank (2)
      l(:2) = lbound(x)
      m(:2) = l(:2) + more(:2)
      p(0:2) = [ &
        c_loc(x(l(1),l(2))), c_loc(x(m(1),l(2))), c_loc(x(l(1),m(2)))]
    rank (3)
      l(:3) = lbound(x)
      m(:3) = l(:3) + more(:3)
      p(0:3) = [ &
        c_loc(x(l(1),l(2),l(3))), c_loc(x(m(1),l(2),l(3))), c_loc(x(l(1),m(2),l(3))), c_loc(x(l(1),l(2),m(3)))]
    rank (4)
      l(:4) = lbound(x)
      m(:4) = l(:4) + more(:4)
      p(0:4) = [ &
        c_loc(x(l(1),l(2),l(3),l(4))), c_loc(x(m(1),l(2),l(3),l(4))), c_loc(x(l(1),m(2),l(3),l(4))), &
        c_loc(x(l(1),l(2),m(3),l(4))), c_loc(x(l(1),l(2),l(3),m(4)))]
    rank (5)
      l(:5) = lbound(x)
      m(:5) = l(:5) + more(:5)
      p(0:5) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5))), c_loc(x(m(1),l(2),l(3),l(4),l(5))), c_loc(x(l(1),m(2),l(3),l(4),l(5))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5))), c_loc(x(l(1),l(2),l(3),m(4),l(5))), c_loc(x(l(1),l(2),l(3),l(4),m(5)))]
    rank (6)
      l(:6) = lbound(x)
      m(:6) = l(:6) + more(:6)
      p(0:6) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6)))]
    rank (7)
      l(:7) = lbound(x)
      m(:7) = l(:7) + more(:7)
      p(0:7) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7)))]
    rank (8)
      l(:8) = lbound(x)
      m(:8) = l(:8) + more(:8)
      p(0:8) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8)))]
    rank (9)
      l(:9) = lbound(x)
      m(:9) = l(:9) + more(:9)
      p(0:9) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9))), c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9)))]
    rank (10)
      l(:10) = lbound(x)
      m(:10) = l(:10) + more(:10)
      p(0:10) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10)))]
    rank (11)
      l(:11) = lbound(x)
      m(:11) = l(:11) + more(:11)
      p(0:11) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11)))]
    rank (12)
      l(:12) = lbound(x)
      m(:12) = l(:12) + more(:12)
      p(0:12) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12)))]
    rank (13)
      l(:13) = lbound(x)
      m(:13) = l(:13) + more(:13)
      p(0:13) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13)))]
    rank (14)
      l(:14) = lbound(x)
      m(:14) = l(:14) + more(:14)
      p(0:14) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14)))]
    rank (15)
      l(:15) = lbound(x)
      m(:15) = l(:15) + more(:15)
      p(0:15) = [ &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(m(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),m(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),m(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),m(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),m(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),m(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),m(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),m(8),l(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),m(9),l(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),m(10),l(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),m(11),l(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),m(12),l(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),m(13),l(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),m(14),l(15))), &
        c_loc(x(l(1),l(2),l(3),l(4),l(5),l(6),l(7),l(8),l(9),l(10),l(11),l(12),l(13),l(14),m(15)))]
    end select
    v = span(drx_bool, shape(x, int64), p(0:rank(x)))
  end function variable_logical8

  ! read reads a section into a variable of the same shape; the variable may lack dimensions of extent 1.
  subroutine read_logical8(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    logical(c_bool), intent(inout), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .false., v, section, dtype, stat, errmsg)
  end subroutine read_logical8

  ! write writes a section from a variable, which may lack dimensions of extent 1.
  subroutine write_logical8(self, x, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    logical(c_bool), intent(in), target :: x(..)
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call move(self, .true., v, section, dtype, stat, errmsg)
  end subroutine write_logical8

  ! append extends the array by the extent of a variable and writes the variable there.
  subroutine append_logical8(self, x, dim, added, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    logical(c_bool), intent(in), target :: x(..)
    integer, intent(in), optional :: dim
    type(drx_section), intent(out), optional :: added
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(x)
    call append_variable(self, v, dim, added, dtype, stat, errmsg)
  end subroutine append_logical8

  ! fill sets all elements of a section to one value.
  subroutine fill_logical8(self, value, section, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    logical(c_bool), intent(in), target :: value
    type(drx_section), intent(in), optional :: section
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call fill_section(self, v, section, dtype, stat, errmsg)
  end subroutine fill_logical8

  ! fill_value returns the value of elements that were never written.
  subroutine fill_value_logical8(self, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    logical(c_bool), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call get_fill_value(self, v, dtype, stat, errmsg)
  end subroutine fill_value_logical8

  ! get reads the element at an index.
  subroutine get_logical8_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    logical(c_bool), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_logical8_int32

  ! set changes the element at an index.
  subroutine set_logical8_int32(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    logical(c_bool), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_logical8_int32

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_logical8_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    logical(c_bool), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_logical8_int32

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_logical8_int32(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int32), intent(in) :: indices(:, :)
    logical(c_bool), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, narrow=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_logical8_int32

  ! get reads the element at an index.
  subroutine get_logical8_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    logical(c_bool), intent(inout), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .false., v, int(index, int64), dtype, stat, errmsg)
  end subroutine get_logical8_int64

  ! set changes the element at an index.
  subroutine set_logical8_int64(self, index, value, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    logical(c_bool), intent(in), target :: value
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(value)
    call move_element(self, .true., v, int(index, int64), dtype, stat, errmsg)
  end subroutine set_logical8_int64

  ! gather reads single elements: values(i) is the one at the index indices(:, i).
  subroutine gather_logical8_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    logical(c_bool), intent(inout), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .false., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine gather_logical8_int64

  ! scatter changes single elements; of several values for one index the last one is stored.
  subroutine scatter_logical8_int64(self, indices, values, dtype, stat, errmsg)
    class(drx_array), intent(in) :: self
    integer(int64), intent(in) :: indices(:, :)
    logical(c_bool), intent(in), target, contiguous :: values(:)
    integer, intent(in), optional :: dtype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(drx_variable) :: v

    v = variable(values)
    call move_elements(self, .true., v, wide=indices, dtype=dtype, stat=stat, errmsg=errmsg)
  end subroutine scatter_logical8_int64
end module drx_elements
