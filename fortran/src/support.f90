
! drx_support has the code that all other modules share: errors, texts of C, and as much JSON as
! options need.
!
! No function that the modules call has a result of the form character(:), allocatable: gfortran
! keeps its length in static memory, one variable per call in the source, which threads would share.
! Instead, subroutines set such texts, functions have results of a given length, and texts for C are
! arrays of characters.
module drx_support
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use drx_c
  implicit none
  private
  public :: finish, fail, failed, copy_text, receive, c_text, c_options, add_numbers, add_texts, decimal, digits_of

  ! A c_string is a text that the library allocates for its caller.
  type, public :: c_string
    type(c_ptr) :: p = c_null_ptr
  end type c_string

  interface
    function c_strlen(s) bind(C, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: s
      integer(c_size_t) :: c_strlen
    end function c_strlen
  end interface

contains

  ! finish ends a procedure that has called a function of C, with the code that it returned. After
  ! an error it does what fail does.
  subroutine finish(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: message

    if (code /= drx_ok) then
      call copy_text(drxc_error(), message)
      call fail(code, message, stat, errmsg)
    else if (present(stat)) then
      stat = 0
    end if
  end subroutine finish

  ! fail reports an error like the statements of the language: stat gets the code and errmsg the
  ! message. Without stat the program ends with the message on error_unit and the exit code 1.
  subroutine fail(code, message, stat, errmsg)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. present(stat)) then
      write (error_unit, '(a)') 'drx: ' // message
      flush (error_unit)
      error stop 1, quiet=.true.
    end if
    stat = code
    if (present(errmsg)) errmsg = message
  end subroutine fail

  ! failed reports whether the previous call has failed, if the caller has passed stat. Without
  ! stat, a failure has ended the program.
  logical function failed(stat)
    integer, intent(in), optional :: stat

    failed = .false.
    if (present(stat)) failed = stat /= drx_ok
  end function failed

  ! copy_text copies a text of C, '' for NULL.
  subroutine copy_text(p, text)
    type(c_ptr), intent(in) :: p
    character(:), allocatable, intent(out) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    if (.not. c_associated(p)) then
      text = ''
      return
    end if
    call c_f_pointer(p, characters, [c_strlen(p)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end subroutine copy_text

  ! receive copies a text of the library, and frees it. text is not optional, since gfortran 12
  ! loses the length of an optional text that a procedure passes on: callers copy it once more.
  subroutine receive(string, text)
    type(c_string), intent(in) :: string
    character(:), allocatable, intent(out) :: text

    call copy_text(string%p, text)
    call drxc_free(string%p)
  end subroutine receive

  ! c_text converts a name for C: it removes the blanks at the end, as open(file=...) does, and
  ! returns '' if it is absent.
  pure function c_text(text) result(c)
    character(*), intent(in), optional :: text
    character(kind=c_char), allocatable :: c(:)
    integer :: i, n

    n = 0
    if (present(text)) n = len_trim(text)
    allocate (c(n + 1), source=c_null_char)
    do i = 1, n
      c(i) = text(i:i)
    end do
  end function c_text

  ! c_options converts options, a JSON object or nothing, for C, and inserts members at the
  ! beginning. The library reports options that are not an object.
  pure function c_options(options, members) result(c)
    character(*), intent(in), optional :: options
    character(*), intent(in) :: members
    character(kind=c_char), allocatable :: c(:)
    character(:), allocatable :: json, rest

    json = ''
    if (present(options)) json = trim(adjustl(options))
    if (json == '') json = '{}'
    if (members /= '' .and. json(1:1) == '{') then
      rest = adjustl(json(2:))
      if (index(rest, '}') /= 1) rest = ',' // rest
      json = '{' // members // rest
    end if
    c = c_text(json)
  end function c_options

  ! add_numbers adds "name":[1,2] to the members of a JSON object.
  pure subroutine add_numbers(members, name, list)
    character(:), allocatable, intent(inout) :: members
    character(*), intent(in) :: name
    integer(int64), intent(in) :: list(:)
    integer :: i

    call add_name(members, name)
    do i = 1, size(list)
      if (i > 1) members = members // ','
      members = members // decimal(list(i))
    end do
    members = members // ']'
  end subroutine add_numbers

  ! add_texts adds "name":["x","y"] to the members of a JSON object, without blanks at the ends of
  ! the texts.
  pure subroutine add_texts(members, name, list)
    character(:), allocatable, intent(inout) :: members
    character(*), intent(in) :: name, list(:)
    integer :: i

    call add_name(members, name)
    do i = 1, size(list)
      if (i > 1) members = members // ','
      call add_text(members, trim(list(i)))
    end do
    members = members // ']'
  end subroutine add_texts

  ! add_name adds the name of a list and its opening bracket.
  pure subroutine add_name(members, name)
    character(:), allocatable, intent(inout) :: members
    character(*), intent(in) :: name

    if (members /= '') members = members // ','
    members = members // '"' // name // '":['
  end subroutine add_name

  ! add_text adds a text in quotes, with escapes.
  pure subroutine add_text(json, text)
    character(:), allocatable, intent(inout) :: json
    character(*), intent(in) :: text
    character, parameter :: backslash = achar(92)
    character(6) :: escape
    integer :: i

    json = json // '"'
    do i = 1, len(text)
      if (text(i:i) == '"' .or. text(i:i) == backslash) then
        json = json // backslash // text(i:i)
      else if (iachar(text(i:i)) < 32) then
        write (escape, '(a,z4.4)') backslash // 'u', iachar(text(i:i))
        json = json // escape
      else
        json = json // text(i:i)
      end if
    end do
    json = json // '"'
  end subroutine add_text

  ! decimal returns a number as text.
  pure function decimal(n) result(text)
    integer(int64), intent(in) :: n
    character(digits_of(n)) :: text

    write (text, '(i0)') n
  end function decimal

  ! digits_of returns the length of the result of decimal.
  elemental integer function digits_of(n)
    integer(int64), intent(in) :: n
    character(20) :: text

    write (text, '(i0)') n
    digits_of = len_trim(text)
  end function digits_of
end module drx_support
