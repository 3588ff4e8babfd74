! histories - random histories of an array, compared with a plain Fortran array.
!
!     histories SEED COUNT     runs the histories SEED, SEED+1, ...; a failure prints its history and step
module model
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use drx
  use check
  implicit none
  integer, parameter :: low = -9, high = 10, fill = 7, room = 45

  ! Dimension 1 is added last; before that, its index is 1.
  type :: plain
    integer :: rank = 2
    integer :: lower(3) = 1, upper(3) = 1
    integer(int32) :: cells(low:high, low:high, low:high) = fill
  end type plain

  type(plain) :: now, committed
  type(drx_array) :: a, reader
  integer(int32) :: buffer(room, room, room)
  integer(int64) :: state
  integer :: history, step

contains

  ! below returns a random number from 0 to n-1.
  integer function below(n)
    integer, intent(in) :: n

    state = mod(state * 48271_int64, 2147483647_int64)
    below = int(mod(state / 7, int(n, int64)))
  end function below

  integer function between(lower, upper)
    integer, intent(in) :: lower, upper

    between = lower + below(upper - lower + 1)
  end function between

  subroutine so(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (.not. condition) print '(2(a,i0))', 'history ', history, ', step ', step
    call must(condition, what)
  end subroutine so

  ! A selection is a random section of the array, and the section of the buffer for its elements.
  subroutine selection(l, u, s, f, t, b, found)
    integer, intent(out) :: l(3), u(3), s(3), f(3), t(3), b(3)
    logical, intent(out) :: found
    integer :: d, n

    l = 1
    u = 1
    s = 1
    found = all(now%lower <= now%upper)
    if (.not. found) return
    do d = 4 - now%rank, 3
      l(d) = between(now%lower(d), now%upper(d))
      u(d) = between(l(d), now%upper(d))
      if (below(3) == 0) s(d) = 1 + below(3)
    end do
    do d = 1, 3
      n = (u(d) - l(d)) / s(d) ! one less than the extent
      b(d) = 1 + below(2)
      f(d) = between(1, room - b(d) * n)
      t(d) = f(d) + b(d) * n
      if (below(3) > 0) cycle
      f(d) = t(d)
      t(d) = f(d) - b(d) * n
      b(d) = -b(d)
    end do
  end subroutine selection

  ! of returns the section with these indices of an array of the present rank.
  function of(l, u, s) result(section)
    integer, intent(in) :: l(3), u(3), s(3)
    type(drx_section) :: section

    section = drx_section(l(4 - now%rank:), u(4 - now%rank:), s(4 - now%rank:))
  end function of

  subroutine write_section()
    integer :: l(3), u(3), s(3), f(3), t(3), b(3), i, j, k
    logical :: found

    call selection(l, u, s, f, t, b, found)
    if (.not. found) return
    do k = f(3), t(3), b(3)
      do j = f(2), t(2), b(2)
        do i = f(1), t(1), b(1)
          buffer(i, j, k) = below(100000)
        end do
      end do
    end do
    now%cells(l(1):u(1):s(1), l(2):u(2):s(2), l(3):u(3):s(3)) = buffer(f(1):t(1):b(1), f(2):t(2):b(2), f(3):t(3):b(3))
    if (now%rank == 3) then
      call a%write(buffer(f(1):t(1):b(1), f(2):t(2):b(2), f(3):t(3):b(3)), of(l, u, s))
    else
      call a%write(buffer(f(1), f(2):t(2):b(2), f(3):t(3):b(3)), of(l, u, s))
    end if
  end subroutine write_section

  subroutine read_section()
    integer :: l(3), u(3), s(3), f(3), t(3), b(3)
    logical :: found

    call selection(l, u, s, f, t, b, found)
    if (.not. found) return
    if (now%rank == 3) then
      call a%read(buffer(f(1):t(1):b(1), f(2):t(2):b(2), f(3):t(3):b(3)), of(l, u, s))
    else
      call a%read(buffer(f(1), f(2):t(2):b(2), f(3):t(3):b(3)), of(l, u, s))
    end if
    call so(all(buffer(f(1):t(1):b(1), f(2):t(2):b(2), f(3):t(3):b(3)) == &
      now%cells(l(1):u(1):s(1), l(2):u(2):s(2), l(3):u(3):s(3))), 'the elements of a section')
  end subroutine read_section

  ! compare compares the whole array with a model.
  subroutine compare(x, m)
    type(drx_array), intent(in) :: x
    type(plain), intent(in) :: m
    integer(int64), allocatable :: lower(:), upper(:)
    integer(int32), allocatable :: cells(:, :, :)

    call x%bounds(lower, upper)
    call so(size(lower) == m%rank, 'the rank')
    call so(all(lower == m%lower(4 - m%rank:)) .and. all(upper == m%upper(4 - m%rank:)), 'the bounds')
    allocate (cells(m%lower(1):m%upper(1), m%lower(2):m%upper(2), m%lower(3):m%upper(3)))
    if (m%rank == 3) then
      call x%read(cells)
    else
      call x%read(cells(1, :, :))
    end if
    call so(all(cells == m%cells(m%lower(1):m%upper(1), m%lower(2):m%upper(2), m%lower(3):m%upper(3))), 'all elements')
  end subroutine compare

  subroutine extend()
    integer :: d, by
    type(drx_section) :: added

    d = between(4 - now%rank, 3)
    by = 1 + below(4)
    if (below(2) == 0) then
      if (now%lower(d) - by < low) return
      call a%extend_low(d - 3 + now%rank, by, added)
      now%lower(d) = now%lower(d) - by
      call so(added%upper(d - 3 + now%rank) == now%lower(d) + by - 1, 'the new section below')
    else
      if (now%upper(d) + by > high) return
      call a%extend(d - 3 + now%rank, by, added)
      now%upper(d) = now%upper(d) + by
      call so(added%lower(d - 3 + now%rank) == now%upper(d) - by + 1, 'the new section above')
    end if
    call so(added%size() == product(int(now%upper - now%lower + 1, int64)) / max(1, now%upper(d) - now%lower(d) + 1) * by, &
      'the size of the new section')
  end subroutine extend

  subroutine append()
    integer :: d, n(3)

    d = between(4 - now%rank, 3)
    n = now%upper - now%lower + 1
    n(d) = below(3)
    if (now%upper(d) + n(d) > high) return
    buffer(:n(1), :n(2), :n(3)) = below(1000)
    if (now%rank == 3) then
      call a%append(buffer(:n(1), :n(2), n(3):1:-1), d)
    else
      call a%append(buffer(1, :n(2), n(3):1:-1), d - 1)
    end if
    now%upper(d) = now%upper(d) + n(d)
    n(d) = now%upper(d) - n(d) + 1
    if (d == 1) now%cells(n(1):now%upper(1), now%lower(2):now%upper(2), now%lower(3):now%upper(3)) = buffer(1, 1, 1)
    if (d == 2) now%cells(now%lower(1):now%upper(1), n(2):now%upper(2), now%lower(3):now%upper(3)) = buffer(1, 1, 1)
    if (d == 3) now%cells(now%lower(1):now%upper(1), now%lower(2):now%upper(2), n(3):now%upper(3)) = buffer(1, 1, 1)
  end subroutine append

  subroutine shrink()
    integer :: d, by

    d = between(4 - now%rank, 3)
    if (now%upper(d) <= now%lower(d)) return
    by = between(1, now%upper(d) - now%lower(d))
    if (below(2) == 0) then
      call a%shrink_low(d - 3 + now%rank, by)
      now%lower(d) = now%lower(d) + by
    else
      call a%shrink(d - 3 + now%rank, by)
      now%upper(d) = now%upper(d) - by
    end if
    call forget()
  end subroutine shrink

  ! forget sets all cells outside of the bounds to the fill value, which they have when the array
  ! grows again.
  subroutine forget()
    integer :: i, j, k

    do k = low, high
      do j = low, high
        do i = low, high
          if (any([i, j, k] < now%lower) .or. any([i, j, k] > now%upper)) now%cells(i, j, k) = fill
        end do
      end do
    end do
  end subroutine forget

  subroutine add_dim()
    integer :: dim

    if (now%rank == 3) return
    if (below(3) > 0) return
    call a%add_dim(dim=dim)
    call so(dim == 1, 'a new dimension')
    now%rank = 3
  end subroutine add_dim

  subroutine points()
    integer, parameter :: n = 20
    integer :: at(3, n), i, d, rank
    integer(int32) :: values(n), again(n)

    if (any(now%lower > now%upper)) return
    rank = now%rank
    do i = 1, n
      do d = 1, 3
        at(d, i) = between(now%lower(d), now%upper(d))
      end do
      values(i) = below(1000000)
    end do
    if (below(2) == 0) then
      call a%scatter(at(4 - rank:, :), values)
      do i = 1, n
        now%cells(at(1, i), at(2, i), at(3, i)) = values(i)
      end do
    end if
    call a%gather(int(at(4 - rank:, :), int64), again)
    do i = 1, n
      call so(again(i) == now%cells(at(1, i), at(2, i), at(3, i)), 'an element that was gathered')
    end do
    call a%set(at(4 - rank:, 1), values(1) + 1)
    now%cells(at(1, 1), at(2, 1), at(3, 1)) = values(1) + 1
    call a%get(at(4 - rank:, 1), again(1))
    call so(again(1) == values(1) + 1, 'an element')
  end subroutine points

  subroutine fill_section()
    integer :: l(3), u(3), s(3), f(3), t(3), b(3)
    logical :: found

    call selection(l, u, s, f, t, b, found)
    if (.not. found) return
    now%cells(l(1):u(1):s(1), l(2):u(2):s(2), l(3):u(3):s(3)) = below(1000)
    call a%fill(now%cells(l(1), l(2), l(3)), of(l, u, s))
  end subroutine fill_section

  subroutine commit()
    call a%sync()
    committed = now
    call reader%refresh()
    call compare(reader, committed)
  end subroutine commit

  subroutine reopen()
    if (below(2) == 0) then
      call a%discard()
      now = committed
    else
      call a%close()
      committed = now
    end if
    call a%open('h', drx_write)
    call compare(a, now)
    call reader%close()
    call reader%open('h')
  end subroutine reopen

  subroutine run()
    character(24), parameter :: codecs(0:5) = [character(24) :: 'none', 'none', 'zstd:1', 'lz4', 'blosc:lz4:5:shuffle', &
      'blosc:zstd:1:bitshuffle']
    integer :: i

    now = plain()
    now%upper(2:) = [below(6), below(6)]
    call a%create('h', drx_int32, now%upper(2:), chunk=[1 + below(4), 3], &
      options='{"fill": 7, "cache": 1, "order": "' // merge('row', 'col', below(2) == 0) // '", "codec": "' // &
      trim(codecs(below(6))) // '"}')
    committed = now
    call reader%open('h')
    do i = 1, 60
      step = i
      select case (below(17))
      case (0:2)
        call write_section()
      case (3:4)
        call read_section()
      case (5:7)
        call extend()
      case (8)
        call shrink()
      case (9)
        call add_dim()
      case (10)
        call points()
      case (11)
        call fill_section()
      case (12)
        call commit()
      case (13)
        call reopen()
      case (14)
        call append()
      case (15)
        call a%recompress(trim(codecs(below(6))))
        committed = now
      case default
        call a%compact()
        committed = now
      end select
    end do
    call compare(a, now)
    call reader%close()
    call a%close()
    call drx_remove('h')
  end subroutine run
end module model

program histories
  use model
  implicit none
  character(20) :: argument
  integer :: seed, runs

  call get_command_argument(1, argument)
  read (argument, *) seed
  call get_command_argument(2, argument)
  read (argument, *) runs
  do history = seed, seed + runs - 1
    state = 1 + history * 7919_int64
    call run()
  end do
  print '(a)', 'good'
end program histories
