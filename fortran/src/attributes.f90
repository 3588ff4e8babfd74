
! drx_attributes has the attributes of arrays.
module drx_attributes
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_char
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use drx_c
  use drx_support
  implicit none
  private

  ! A drx_attributed has a name and attributes: it is the part of an array that the other modules
  ! extend.
  type, public :: drx_attributed
    integer(c_int64_t) :: handle = 0  ! the drx_array of drx.h
  contains
    procedure :: name => name_of
    procedure :: fail => fail_named
    procedure :: attrs
    procedure :: attr
    procedure :: set_attr_json
    procedure :: delete_attr
    procedure, private :: get_attr_text, get_attr_int32, get_attr_int64, get_attr_real32, get_attr_real64, get_attr_logical
    procedure, private :: set_attr_text, set_attr_int32, set_attr_int64, set_attr_real32, set_attr_real64, set_attr_logical
    generic :: get_attr => get_attr_text, get_attr_int32, get_attr_int64, get_attr_real32, get_attr_real64, get_attr_logical
    generic :: set_attr => set_attr_text, set_attr_int32, set_attr_int64, set_attr_real32, set_attr_real64, set_attr_logical
  end type drx_attributed

contains

  ! name_of returns the name by which the array was opened.
  function name_of(self, stat, errmsg) result(name)
    class(drx_attributed), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: name
    type(c_string) :: text

    call finish(drxc_name(self%handle, text%p), stat, errmsg)
    call receive(text, name)
  end function name_of

  ! fail_named is fail with the name of the array before the message.
  subroutine fail_named(self, code, message, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: name
    type(c_string) :: text

    allocate (name, source='array')
    if (drxc_name(self%handle, text%p) == drx_ok) call receive(text, name)
    call fail(code, name // ': ' // message, stat, errmsg)
  end subroutine fail_named

  ! attrs returns all attributes as a JSON object.
  function attrs(self, stat, errmsg) result(json)
    class(drx_attributed), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_attrs(self%handle, text%p), stat, errmsg)
    call receive(text, json)
  end function attrs

  ! attr returns an attribute as JSON; the error is drx_enoattr if there is none.
  function attr(self, name, stat, errmsg) result(json)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_attr(self%handle, c_text(name), text%p), stat, errmsg)
    call receive(text, json)
  end function attr

  ! set_attr_json sets an attribute to a JSON value.
  subroutine set_attr_json(self, name, json, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name, json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr(self%handle, c_text(name), c_text(json)), stat, errmsg)
  end subroutine set_attr_json

  ! delete_attr removes an attribute, if it exists.
  subroutine delete_attr(self, name, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_delete_attr(self%handle, c_text(name)), stat, errmsg)
  end subroutine delete_attr

  ! get_attr returns an attribute of the type of value; the error is drx_edtype if it has another
  ! type, or if a number does not fit.
  subroutine get_attr_text(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    character(:), allocatable, intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_string) :: text
    integer(c_int) :: code

    code = drxc_attr_text(self%handle, c_text(name), text%p)
    call receive(text, value)
    call finish(code, stat, errmsg)
  end subroutine get_attr_text

  subroutine get_attr_int64(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    value = 0
    call finish(drxc_attr_int(self%handle, c_text(name), value), stat, errmsg)
  end subroutine get_attr_int64

  subroutine get_attr_int32(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: wide

    value = 0
    call self%get_attr_int64(name, wide, stat, errmsg)
    if (failed(stat)) return
    if (abs(wide) > huge(value)) then
      call self%fail(drx_edtype, 'attribute ' // trim(name) // ': ' // decimal(wide) // &
        ' does not fit an integer of 32 bits', stat, errmsg)
    else
      value = int(wide, int32)
    end if
  end subroutine get_attr_int32

  subroutine get_attr_real64(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    value = 0
    call finish(drxc_attr_double(self%handle, c_text(name), value), stat, errmsg)
  end subroutine get_attr_real64

  ! A number is rounded to the nearest one of 32 bits.
  subroutine get_attr_real32(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    real(real32), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: wide

    call self%get_attr_real64(name, wide, stat, errmsg)
    value = real(wide, real32)
  end subroutine get_attr_real32

  subroutine get_attr_logical(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    logical, intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    type(c_string) :: text

    call finish(drxc_attr(self%handle, c_text(name), text%p), stat, errmsg)
    call receive(text, json)
    value = json == 'true'
    if (failed(stat) .or. value .or. json == 'false') return
    call self%fail(drx_edtype, 'attribute ' // trim(name) // ': not true or false', stat, errmsg)
  end subroutine get_attr_logical

  ! set_attr sets an attribute. Blanks at the end of a text are stored.
  subroutine set_attr_text(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr_text(self%handle, c_text(name), value // c_null_char), stat, errmsg)
  end subroutine set_attr_text

  subroutine set_attr_int64(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr_int(self%handle, c_text(name), value), stat, errmsg)
  end subroutine set_attr_int64

  subroutine set_attr_int32(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr_int(self%handle, c_text(name), int(value, c_int64_t)), stat, errmsg)
  end subroutine set_attr_int32

  subroutine set_attr_real64(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr_double(self%handle, c_text(name), value), stat, errmsg)
  end subroutine set_attr_real64

  subroutine set_attr_real32(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    real(real32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call finish(drxc_set_attr_double(self%handle, c_text(name), real(value, real64)), stat, errmsg)
  end subroutine set_attr_real32

  subroutine set_attr_logical(self, name, value, stat, errmsg)
    class(drx_attributed), intent(in) :: self
    character(*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (value) then
      call self%set_attr_json(name, 'true', stat, errmsg)
    else
      call self%set_attr_json(name, 'false', stat, errmsg)
    end if
  end subroutine set_attr_logical
end module drx_attributes
