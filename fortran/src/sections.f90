
! drx_sections has sections of arrays, and the interfaces of procedures that the library calls.
module drx_sections
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  private
  public :: drx_progress, drx_on_change, drx_on_part

  ! A drx_section has, per dimension, the indices lower, lower+step, ... up to upper, which is
  ! included, as in a(lower:upper:step). If lower or upper is not allocated, it begins or ends at
  ! the array's bounds; without step it has all indices.
  type, public :: drx_section
    integer(int64), allocatable :: lower(:), upper(:), step(:)
  contains
    procedure :: shape => section_shape
    procedure :: size => section_size
  end type drx_section

  ! drx_section(lower, upper [, step]) returns a section from integers of 32 or 64 bits.
  interface drx_section
    module procedure section_int32, section_int64
  end interface drx_section

  abstract interface
    ! A drx_progress receives the progress of a long call: done and total, in the unit of the
    ! procedure; total is -1 if it is unknown. If it sets enough = .true. the call fails with
    ! drx_ecancelled.
    subroutine drx_progress(done, total, enough)
      import :: int64
      integer(int64), intent(in) :: done, total
      logical, intent(inout) :: enough
    end subroutine drx_progress

    ! A drx_on_change receives a committed change, a JSON object as in the output of `drx log
    ! --json`. If it sets enough = .true. it is not called again.
    subroutine drx_on_change(change, enough)
      character(*), intent(in) :: change
      logical, intent(inout) :: enough
    end subroutine drx_on_change

    ! A drx_on_part receives a part of an array, and the number of its chunk: -1 for a tile that is
    ! not a chunk. If it sets enough = .true. it is not called again.
    subroutine drx_on_part(section, number, enough)
      import :: drx_section, int64
      type(drx_section), intent(in) :: section
      integer(int64), intent(in) :: number
      logical, intent(inout) :: enough
    end subroutine drx_on_part
  end interface

contains

  ! The components are allocated, not assigned, because gfortran treats an assignment as a use of
  ! their previous values, and warns.

  function section_int32(lower, upper, step) result(section)
    integer(int32), intent(in) :: lower(:), upper(:)
    integer(int32), intent(in), optional :: step(:)
    type(drx_section) :: section

    allocate (section%lower, source=int(lower, int64))
    allocate (section%upper, source=int(upper, int64))
    if (present(step)) allocate (section%step, source=int(step, int64))
  end function section_int32

  function section_int64(lower, upper, step) result(section)
    integer(int64), intent(in) :: lower(:), upper(:)
    integer(int64), intent(in), optional :: step(:)
    type(drx_section) :: section

    allocate (section%lower, source=lower)
    allocate (section%upper, source=upper)
    if (present(step)) allocate (section%step, source=step)
  end function section_int64

  ! section_shape returns the extents of a section that has lower and upper.
  pure function section_shape(self) result(shape)
    class(drx_section), intent(in) :: self
    integer(int64), allocatable :: shape(:)

    shape = max(0_int64, self%upper - self%lower + 1)
    if (allocated(self%step)) shape = (shape + self%step - 1) / self%step
  end function section_shape

  ! section_size returns the number of elements of a section that has lower and upper.
  pure function section_size(self) result(n)
    class(drx_section), intent(in) :: self
    integer(int64) :: n

    n = product(self%shape())
  end function section_size
end module drx_sections
