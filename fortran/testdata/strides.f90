! strides - variables of every layout: sections with steps, mirrored ones, pointers, scalars.
! Compiled with a check that warns of copies.
program strides
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real64
  use drx
  use check
  implicit none
  type(drx_array) :: a
  integer(int32) :: want(4, 3, 2), x(4, 3, 2), wide(9, 7, 5)
  integer :: i

  want = reshape([(i, i=1, 24)], [4, 3, 2])
  call a%create('a', drx_int32, [4, 3, 2], chunk=[3, 2, 1])
  call a%write(want)
  call variables()
  call lower_ranks()
  call pointers()
  call bits()
  call indexing()
  call many_ranks()
  call a%close()
  print '(a)', 'good'

contains

  subroutine variables()
    type(drx_section) :: s

    x = 0
    call a%read(x)
    call must(all(x == want), 'dense')
    wide = -1
    allocate (s%lower(3), source=[1_int64, 2_int64, 1_int64])
    call a%read(wide(:4, :2, :2), s)
    call must(all(wide(:4, :2, :2) == want(:, 2:, :)), 'a section without upper bounds')
    call move_alloc(s%lower, s%upper)
    call a%read(wide(:1, :2, :1), s)
    call must(all(wide(:1, :2, :1) == want(:1, :2, :1)), 'a section without lower bounds')
    wide = -1
    call a%read(wide(2:5, 3:5, 4:5))
    call must(all(wide(2:5, 3:5, 4:5) == want) .and. count(wide /= -1) == 24, 'a part of a larger variable')
    wide = -1
    call a%read(wide(1:7:2, 7:3:-2, 5:1:-4))
    call must(all(wide(1:7:2, 7:3:-2, 5:1:-4) == want) .and. count(wide /= -1) == 24, 'with steps, and mirrored')
    wide = -1
    call a%read(wide(9:8:-1, 1, 5:4:-1), drx_section([1, 2, 1], [4, 2, 2], [3, 1, 1]))
    call must(all(wide(9:8:-1, 1, 5:4:-1) == want(1:4:3, 2, :)) .and. count(wide /= -1) == 4, 'a section with steps')
    call a%write(wide(9:8:-1, 1, 5:4:-1) + 100, drx_section([1, 2, 1], [4, 2, 2], [3, 1, 1]))
    call a%read(x)
    call must(all(x(1:4:3, 2, :) == want(1:4:3, 2, :) + 100) .and. count(x /= want) == 4, 'a write of an expression')
    call a%write(want(4:1:-1, :, :))
    call a%read(x(4:1:-1, :, :))
    call must(all(x == want), 'a mirrored write')
    call a%write(want([1, 2, 3, 4], :, :)) ! the compiler makes a copy
    call a%read(x)
    call must(all(x == want), 'a vector of subscripts')
  end subroutine variables

  subroutine lower_ranks()
    integer(int32) :: plane(4, 2), line(3), one, three(1, 3, 1)
    real(real64) :: converted(2, 3)

    call a%read(plane, drx_section([1, 3, 1], [4, 3, 2]))
    call must(all(plane == want(:, 3, :)), 'a plane')
    call a%read(line(3:1:-1), drx_section([2, 1, 2], [2, 3, 2]))
    call must(all(line(3:1:-1) == want(2, :, 2)), 'a line')
    call a%read(one, drx_section([2, 3, 2], [2, 3, 2]))
    call must(one == want(2, 3, 2), 'a scalar')
    call a%read(three, drx_section([2, 1, 2], [2, 3, 2]))
    call must(all(three(1, :, 1) == want(2, :, 2)), 'extents of 1')
    call a%read(converted, drx_section([1, 1, 1], [4, 3, 1], [2, 1, 1]))
    call must(all(nint(converted) == want(1:4:2, :, 1)), 'converted')
    call a%write(-one, drx_section([2, 3, 2], [2, 3, 2]))
    call a%get([2, 3, 2], one)
    call must(one == -want(2, 3, 2), 'a scalar that was written')
    call a%set([2_int64, 3_int64, 2_int64], want(2, 3, 2))
    call a%get([2_int64, 3_int64, 2_int64], one)
    call must(one == want(2, 3, 2), 'an element')
  end subroutine lower_ranks

  subroutine pointers()
    integer(int32), pointer :: view(:, :)
    integer(int32), target :: store(40)
    integer(int32), allocatable :: grown(:, :, :)

    view(0:3, -1:1) => store(12:34:2)
    store = 0
    call a%read(view, drx_section([1, 1, 1], [4, 3, 1]))
    call must(all(view == want(:, :, 1)) .and. all(store(12:34:2) == [(i, i=1, 12)]), 'a pointer')
    allocate (grown(-3:0, 0:2, 5:6))
    call a%read(grown)
    call must(all(grown == want), 'a variable with lower bounds')
  end subroutine pointers

  ! Elements of types that the language lacks are written as bits.
  subroutine bits()
    type(drx_array) :: b
    integer(int8) :: byte(3), again(3)
    integer(int16) :: value(3)

    byte = [integer(int8) :: 0, 127, -1]
    call b%create('bits', drx_uint8, [3])
    call b%write(byte, stat=stat, errmsg=message)
    call wants(drx_edtype, 'uint8')
    call b%write(byte, dtype=drx_uint8)
    call b%read(value)
    call must(all(value == [0, 127, 255]), 'bytes as integers of 16 bits')
    call b%set([3], int(-2, int8), dtype=drx_uint8)
    call b%read(again, dtype=drx_uint8)
    call must(all(again == [0, 127, -2]), 'bits')
    call b%fill(int(-3, int8), drx_section([1], [2]), dtype=drx_uint8)
    call b%gather(reshape([3, 1], [1, 2]), value(:2))
    call must(all(value(:2) == [254, 253]), 'gathered')
    call b%scatter(reshape([2, 2], [1, 2]), byte(2:3), dtype=drx_uint8)
    call b%append(byte(1:1), dtype=drx_uint8)
    call b%get([2], value(1))
    call b%get([4], value(2))
    call must(all(value(:2) == [255, 0]), 'of two values for one index the last counts')
    call b%close()
  end subroutine bits

  ! A program may count indices as in the file.
  subroutine indexing()
    type(drx_array) :: b
    integer(int32) :: y(2, 3, 4)

    call a%sync()
    b%base = 0
    b%reversed = .false.
    call b%open('a')
    call must(all(b%shape() == [2, 3, 4]), 'the shape in the file')
    call must(all([b%lbound(1), b%lbound(2), b%ubound(1), b%ubound(3)] == [0, 0, 1, 3]), 'the bounds in the file')
    call must(all(b%chunk() == [1, 2, 3]), 'the chunk in the file')
    call b%read(y)
    call must(all(y == reshape(want, [2, 3, 4], order=[3, 2, 1])), 'transposed, without a copy')
    call b%get([1, 0, 3], y(1, 1, 1))
    call must(y(1, 1, 1) == want(4, 1, 2), 'an index of the file')
    call b%close()
  end subroutine indexing

  ! Variables have at most 15 dimensions in the language, arrays of the library 64.
  subroutine many_ranks()
    type(drx_array) :: b
    integer(int16) :: big(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2), mirrored(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2)
    integer(int16) :: value
    integer :: ones(64)

    big = reshape([(int(i, int16), i=1, 256)], shape(big))
    call b%create('big', drx_int16, shape(big))
    call b%write(big)
    mirrored = 0
    call b%read(mirrored(2:1:-1, :, :, :, :, :, :, :, :, :, :, :, :, :, 2:1:-1))
    call must(all(mirrored(2:1:-1, :, :, :, :, :, :, :, :, :, :, :, :, :, 2:1:-1) == big), 'rank 15')
    call b%close()
    ones = 1
    call b%create('deep', drx_int16, ones, options='{"fill": 3}')
    call b%set(ones, 4_int16)
    call b%read(value)
    call must(value == 4, 'an element of rank 64')
    call must(b%rank() == 64, 'rank 64')
    call b%close()
  end subroutine many_ranks
end program strides
