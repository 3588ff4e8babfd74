! errors - wrong arguments are refused with the right code and a one-line message, and the program
! continues.
module listeners
  use, intrinsic :: iso_fortran_env, only: int64
  use drx
  use check
  implicit none

contains

  subroutine nobody(section, number, enough)
    type(drx_section), intent(in) :: section
    integer(int64), intent(in) :: number
    logical, intent(inout) :: enough

    call must(.false., 'a part of a walk that was refused')
    enough = section%size() > number
  end subroutine nobody
end module listeners

program errors
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use drx
  use check
  use listeners
  implicit none
  type(drx_array) :: a, b, never
  type(drx_dataset) :: d
  integer(int32) :: x(3, 2), wide(4, 2), value
  integer(int64) :: n
  character(:), allocatable :: text
  character(3) :: short
  integer :: indices(2, 1)

  call a%create('a', drx_int32, [3, 2], dims=[character(4) :: 'x', 'y'])
  x = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  call a%write(x)

  call handles()
  call shapes()
  call bounds()
  call types()
  call names()
  call growth()
  call attributes()
  call datasets()

  x = 0
  call a%read(x, stat=stat, errmsg=message)
  call good('the array is as before')
  call must(all(x == reshape([1, 2, 3, 4, 5, 6], [3, 2])), 'no element has changed')
  call a%close()
  deallocate (text) ! gfortran does not in a main program, which LeakSanitizer notices
  print '(a)', 'good'

contains

  subroutine handles()
    call never%read(value, stat=stat, errmsg=message)
    call wants(drx_ehandle, 'handle 0')
    call never%close(stat, message)
    call wants(drx_ehandle, 'handle 0')
    call must(.not. never%is_open(), 'an array that was never open')
    call b%create('b', drx_int32, [1])
    call must(b%is_open(), 'an array that was created')
    call must(b%mode() == drx_write, 'an array that was created can be written')
    call b%open('b', stat=stat, errmsg=message)
    call wants(drx_einval, 'b: is open already in this variable: close it first')
    call b%create('c', drx_int32, [1], stat=stat, errmsg=message)
    call wants(drx_einval, 'open already')
    call b%close(stat, message)
    call good('close')
    call must(.not. b%is_open(), 'an array that was closed')
    call b%close(stat, message)
    call wants(drx_eclosed, 'closed')
    call b%discard(stat, message)
    call wants(drx_eclosed, 'closed')
    call b%read(value, stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%write(value, stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%append(value, stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%get([1], value, stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%gather(reshape([1], [1, 1]), x(:1, 1), stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%extend(1, 1, stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%sync(stat, message)
    call wants(drx_eclosed, 'closed')
    text = b%info(stat, message)
    call wants(drx_eclosed, 'closed')
    call must(text == '', 'no text after an error')
    n = b%size(stat, message)
    call wants(drx_eclosed, 'closed')
    call must(n == 0, 'no elements after an error')
    n = b%lbound(1, stat, message)
    call wants(drx_eclosed, 'closed')
    n = size(b%chunk(stat, message))
    call wants(drx_eclosed, 'closed')
    n = b%dim('x', stat, message)
    call wants(drx_eclosed, 'closed')
    text = b%dim_name(1, stat, message)
    call wants(drx_eclosed, 'closed')
    call b%add_dim(stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call b%open('b', stat=stat, errmsg=message)
    call good('open again')
    call b%write(value, stat=stat, errmsg=message)
    call wants(drx_ereadonly, 'b: ')
    call b%set([1], value, stat=stat, errmsg=message)
    call wants(drx_ereadonly, 'b: ')
    call b%extend(1, 1, stat=stat, errmsg=message)
    call wants(drx_ereadonly, 'b: ')
    call b%append(value, stat=stat, errmsg=message)
    call wants(drx_ereadonly, 'b: ')
    short = 'old'
    call b%refresh(stat=stat, errmsg=short)
    call must(stat == 0 .and. short == 'old', 'errmsg is left alone without an error')
    call b%fill(value, stat=stat, errmsg=short)
    call must(stat == drx_ereadonly .and. short == 'b: ', 'errmsg is cut off')
    call b%close()
  end subroutine handles

  subroutine shapes()
    call a%read(wide, stat=stat, errmsg=message)
    call wants(drx_esize, 'a: read: a section of 3 x 2 elements and a variable of 4 x 2: their shapes must be equal')
    call a%write(wide(:2, :), stat=stat, errmsg=message)
    call wants(drx_esize, 'a: write: a section of 3 x 2 elements and a variable of 2 x 2')
    call a%read(x(:, 1), stat=stat, errmsg=message)
    call wants(drx_esize, 'a variable of 3:')
    call a%read(value, stat=stat, errmsg=message)
    call wants(drx_esize, 'a variable of 1:')
    call a%read(x, drx_section([1, 1], [3, 1]), stat=stat, errmsg=message)
    call wants(drx_esize, '3 x 1 elements and a variable of 3 x 2')
    call a%read(x, drx_section([1, 1, 1], [3, 2, 1]), stat=stat, errmsg=message)
    call wants(drx_erank, 'a: ')
    call a%read(x, drx_section([1, 1], [3, 2, 1]), stat=stat, errmsg=message)
    call wants(drx_erank, 'lower, upper and step have 2, 3 and 2 numbers')
    call a%append(wide(:2, 1), stat=stat, errmsg=message)
    call wants(drx_esize, 'a: append: 3 x 1 elements are wanted, the variable has 2: only dimension 2 may differ')
    call a%append(x, dim=3, stat=stat, errmsg=message)
    call wants(drx_erank, 'a: dimension 3: the array has dimensions 1 to 2')
    call a%gather(indices, x(:, 1), stat=stat, errmsg=message)
    call wants(drx_esize, 'a: gather: 1 indices for 3 elements')
    call a%scatter(reshape([1, 1, 1], [3, 1]), x(:1, 1), stat=stat, errmsg=message)
    call wants(drx_erank, 'a: ')
    call a%get([1], value, stat=stat, errmsg=message)
    call wants(drx_erank, 'a: ')
    call must(all(a%shape() == [3, 2]), 'the shape is as before')
  end subroutine shapes

  subroutine bounds()
    call a%read(wide, drx_section([1, 1], [4, 2]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: read: dimension 1: indices 1:4 reach outside 1:3')
    call a%write(x, drx_section([1, 0], [3, 1]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: write: dimension 2: indices 0:1 reach outside 1:2')
    call a%fill(7, drx_section([0, 1], [0, 1]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: fill: dimension 1: indices 0:0 reach outside 1:3')
    call a%get([4, 1], value, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: get: dimension 1: indices 4:4 reach outside 1:3')
    call a%set([1_int64, 2_int64**40], value, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: set: dimension 2: indices 1099511627776:')
    call a%gather(reshape([1, 1, 1, 2, 1, 3], [2, 3]), x(:, 1), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: gather: dimension 2: indices 3:3 reach outside 1:2')
    call a%scatter(reshape([0, 1], [2, 1]), [5], stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: scatter: dimension 1: indices 0:0 reach outside 1:3')
    call a%read(x, drx_section([1, 1], [3, 2], [1, 0]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: section: step 0: steps are at least 1')
    call a%read(x, drx_section([3, 1], [1, 2], [-1, 1]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: section: step -1')
    call a%read(x(3:2, :), drx_section([3, 1], [2, 2]), stat=stat, errmsg=message)
    call good('a section without elements')
    call a%read(x, drx_section([huge(1_int64), 1_int64], [huge(1_int64), 2_int64]), stat=stat, errmsg=message)
    call must(stat /= 0 .and. index(message, achar(10)) == 0, 'an index at the end of the integers')
    call a%read(x, drx_section([-huge(1_int64), 1_int64], [huge(1_int64) - 1, 2_int64]), stat=stat, errmsg=message)
    call must(stat /= 0 .and. index(message, achar(10)) == 0, 'all integers')
    message = ''
    n = a%ubound(0, stat, message)
    call wants(drx_erank, 'a: dimension 0: the array has dimensions 1 to 2')
  end subroutine bounds

  subroutine types()
    real(real32) :: r(3, 2) = 0
    real(real64) :: r8(3, 2)
    integer(int16) :: i2(3, 2)
    integer(int8) :: i1
    logical(c_bool) :: l

    call a%read(i2, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: ')
    call a%read(r, stat=stat, errmsg=message)
    call wants(drx_edtype, 'float32')
    call a%read(r8, stat=stat, errmsg=message)
    call good('int32 as real64')
    call must(all(nint(r8) == x), 'converted elements')
    call a%write(r8, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: ')
    call a%append(r(:, 1), stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: ')
    call must(all(a%shape() == [3, 2]), 'an array does not grow by what cannot be written')
    call a%write(x, dtype=drx_int16, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: dtype 3: no type of elements of 4 bytes, as the variable has')
    call a%write(x, dtype=99, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: dtype 99')
    call a%get([1, 1], l, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: ')
    call a%fill_value(i1, stat=stat, errmsg=message)
    call wants(drx_edtype, 'a: ')
    call b%create('bits', 99, [1], stat=stat, errmsg=message)
    call wants(drx_edtype, 'bits')
  end subroutine types

  subroutine names()
    call b%open('nowhere', stat=stat, errmsg=message)
    call wants(drx_enotexist, 'nowhere')
    call must(.not. b%is_open(), 'no array after an error')
    call b%open('a', 7, stat=stat, errmsg=message)
    call wants(drx_einval, '7')
    call b%open('a', options='{"cash": 1}', stat=stat, errmsg=message)
    call wants(drx_einval, 'cash')
    call b%create('a', drx_int8, [1], stat=stat, errmsg=message)
    call wants(drx_eexist, 'a')
    call b%create('neg', drx_int8, [1, -1], stat=stat, errmsg=message)
    call wants(drx_ebounds, 'neg')
    call b%create('opt', drx_int8, [1], options='fill', stat=stat, errmsg=message)
    call wants(drx_einval, 'options')
    call b%create('opt', drx_int8, [1], options='{"codec": "gzip"}', stat=stat, errmsg=message)
    call wants(drx_einval, 'codec "gzip"')
    call b%create('opt', drx_int8, [1], chunk=[1], options='[1]', stat=stat, errmsg=message)
    call wants(drx_einval, 'options')
    call b%create('opt', drx_int8, [2, 2], chunk=[1], stat=stat, errmsg=message)
    call wants(drx_erank, 'opt')
    call b%create('opt', drx_int8, [1, 1], dims=['x', 'x'], stat=stat, errmsg=message)
    call must(stat /= 0, 'two dimensions of one name')
    message = ''
    call must(.not. drx_exists('opt'), 'no array after an error')
    call drx_remove('nowhere', stat, message)
    call wants(drx_enotexist, 'nowhere')
    call drx_rename('a', 'a', stat, message)
    call must(stat /= 0, 'a new name that is taken')
    message = ''
    text = drx_meaning_compare('{"dtype": "int8", "attrs": {"units": "m"}}', '{"dtype": "int8", "attrs": {"units": "K"}}', &
      stat=stat, errmsg=message)
    call wants(drx_edtype, 'units')
    text = drx_list('nowhere', stat, message)
    call wants(drx_enotexist, 'nowhere')
    n = a%dim('z', stat, message)
    call wants(drx_erank, 'z')
    call must(a%dim('x', stat, message) == 1, 'x is dimension 1')
    call good('a name that is there')
    text = a%dim_name(3, stat, message)
    call wants(drx_erank, 'a: dimension 3: the array has dimensions 1 to 2')
    text = a%labels(0, stat, message)
    call wants(drx_erank, 'a: dimension 0')
    call a%set_labels(1, '{', stat, message)
    call wants(drx_einval, '')
    call a%set_labels(3, '["p"]', stat, message)
    call wants(drx_erank, 'a: dimension 3')
    text = a%select('x=', stat=stat, errmsg=message)
    call wants(drx_evalue, 'x')
    call must(drx_dtype_name(99) == '', 'the name of no type')
    call must(drx_dtype_size(99) == 0, 'the size of no type')
    call must(drx_dtype_parse('int15') == drx_raw, 'the type of no name')
  end subroutine names

  subroutine growth()
    call a%extend(1, 0, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: dimension 1 of extent 3: it cannot grow by 0')
    call a%extend_low(2, -1_int64, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: dimension 2 of extent 2: it cannot grow by -1')
    call a%extend(3, 1, stat=stat, errmsg=message)
    call wants(drx_erank, 'a: dimension 3: the array has dimensions 1 to 2')
    call a%shrink(1, 4, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: dimension 1 of extent 3: it cannot shrink by 4')
    call a%shrink_low(1, 0, stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: dimension 1 of extent 3: it cannot shrink by 0')
    call a%extend(1, huge(1_int64), stat=stat, errmsg=message)
    call wants(drx_eoverflow, 'a: ')
    call a%reserve(1, 1, stat=stat, errmsg=message)
    call must(stat /= 0, 'an array that is not shared has nothing reserved')
    message = ''
    call a%relayout(a, drx_section([1, 1], [3, 2], [2, 1]), stat=stat, errmsg=message)
    call wants(drx_einval, 'a: relayout: the section has a step')
    call a%walk(nobody, drx_section([1, 1], [3, 2], [2, 1]), stat=stat, errmsg=message)
    call wants(drx_einval, 'a: walk: the section has a step')
    call a%walk(nobody, tile=[1], stat=stat, errmsg=message)
    call wants(drx_erank, 'a: walk: tile has 1 extents')
    call a%walk(nobody, drx_section([1, 1], [9, 2]), stat=stat, errmsg=message)
    call wants(drx_ebounds, 'a: walk: dimension 1: indices 1:9 reach outside 1:3')
    call a%poll(0.0_real64, text, stat, message)
    call must(stat /= 0, 'polling what the program itself writes')
    message = ''
  end subroutine growth

  subroutine attributes()
    real(real64) :: r
    logical :: l

    text = a%attr('none', stat, message)
    call wants(drx_enoattr, 'none')
    call a%set_attr('units', 'mm')
    call a%get_attr('units', value, stat, message)
    call wants(drx_edtype, 'units')
    call a%get_attr('units', r, stat, message)
    call wants(drx_edtype, 'units')
    call a%get_attr('units', l, stat, message)
    call wants(drx_edtype, 'a: attribute units: not true or false')
    call a%set_attr('big', 2_int64**40)
    call a%get_attr('big', value, stat, message)
    call wants(drx_edtype, 'a: attribute big: 1099511627776 does not fit an integer of 32 bits')
    call a%get_attr('big', text, stat, message)
    call wants(drx_edtype, 'big')
    call a%set_attr_json('bad', '{', stat, message)
    call wants(drx_einval, '')
    call a%delete_attr('none', stat, message)
    call good('an attribute that is not there is deleted')
  end subroutine attributes

  subroutine datasets()
    type(drx_array) :: v

    call d%open('nowhere', stat=stat, errmsg=message)
    call wants(drx_enotexist, 'nowhere')
    call d%sync(stat, message)
    call wants(drx_ehandle, '0')
    call d%create('set')
    call d%create('other', stat=stat, errmsg=message)
    call wants(drx_einval, 'open already')
    call d%variable('v', v, stat, message)
    call wants(drx_edataset, 'v')
    call d%create_variable('v', drx_int32, [2], ['t'], array=v)
    call v%extend(1, 1, stat=stat, errmsg=message)
    call must(stat /= 0, 'a variable grows only by its dataset')
    message = ''
    call v%close(stat, message)
    call wants(drx_einval, 'v')
    call d%extend('nowhere', 1, stat=stat, errmsg=message)
    call wants(drx_edataset, 'nowhere')
    call d%variable('v', a, stat, message)
    call wants(drx_einval, 'a: is open already in this variable')
    call d%close(stat, message)
    call good('close the dataset')
    call v%read(x(:2, 1), stat=stat, errmsg=message)
    call wants(drx_eclosed, 'closed')
    call d%close(stat, message)
    call wants(drx_eclosed, 'closed')
  end subroutine datasets
end program errors
