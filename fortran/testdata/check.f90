! check has the procedures that the test programs share. A failed check prints a message and ends
! the program with exit code 1.
module check
  use drx
  implicit none
  integer :: stat = 0
  character(300) :: message = ''

contains

  ! must ends the program if a condition is false.
  subroutine must(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    print '(5a)', 'failed: ', what, ' (last error: ', trim(message), ')'
    error stop 1
  end subroutine must

  ! wants checks that the last call has failed with a code and a message of one line that contains a
  ! text.
  subroutine wants(code, text)
    integer, intent(in) :: code
    character(*), intent(in) :: text

    call must(stat == code, 'the code is ' // drx_code_name(stat) // ', want ' // drx_code_name(code) // ', ' // text)
    call must(message /= '' .and. index(message, achar(10)) == 0, 'a message of one line')
    call must(index(message, text) > 0, 'the message has: ' // text)
    message = ''
    stat = -1
  end subroutine wants

  ! good checks that the last call has succeeded and has not changed the message.
  subroutine good(what)
    character(*), intent(in) :: what

    call must(stat == 0 .and. message == '', what)
    stat = -1
  end subroutine good
end module check
