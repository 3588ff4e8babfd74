! features - operations on arrays other than transfers: growth, attributes, callbacks, copies,
! damage.
module listeners
  use, intrinsic :: iso_fortran_env, only: int64
  use drx
  implicit none
  integer :: calls = 0, limit = 0, numbers(100)
  integer(int64) :: last_done, last_total
  character(:), allocatable :: changes
  type(drx_section) :: parts(100)

contains

  subroutine count_progress(done, total, enough)
    integer(int64), intent(in) :: done, total
    logical, intent(inout) :: enough

    calls = calls + 1
    last_done = done
    last_total = total
    enough = calls == limit
  end subroutine count_progress

  subroutine note_change(change, enough)
    character(*), intent(in) :: change
    logical, intent(inout) :: enough

    calls = calls + 1
    changes = changes // change // ';'
    enough = calls == limit
  end subroutine note_change

  subroutine note_part(section, number, enough)
    type(drx_section), intent(in) :: section
    integer(int64), intent(in) :: number
    logical, intent(inout) :: enough

    calls = calls + 1
    parts(calls) = section
    numbers(calls) = int(number)
    enough = calls == limit
  end subroutine note_part
end module listeners

program features
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use drx
  use check
  use listeners
  implicit none
  type(drx_array) :: a, b, reader
  character(:), allocatable :: text

  call creation()
  call growth()
  call attributes()
  call following()
  call walks()
  call copies()
  call damage()
  call other_formats()
  call shared()
  call components()
  call library()
  deallocate (text, changes) ! gfortran does not in a main program, which LeakSanitizer notices
  print '(a)', 'good'

contains

  subroutine creation()
    integer(int32) :: i
    real(real32) :: r

    call a%create('a', drx_int32, [4, 3], lower=[0, -5], chunk=[2, 3], dims=[character(3) :: 'x', 'y"'], &
      options=' { "fill" : -7, "attrs": {"by": "Fortran"}} ')
    call must(a%rank() == 2, 'rank')
    call must(a%dtype() == drx_int32, 'dtype')
    call must(a%mode() == drx_write, 'mode')
    call must(all(a%shape() == [4, 3]), 'shape')
    call must(a%size() == 12, 'size')
    call must(all(a%chunk() == [2, 3]), 'chunk')
    call must(all([a%lbound(1), a%ubound(1), a%lbound(2), a%ubound(2)] == [0, 3, -5, -3]), 'bounds')
    call must(a%dim('x') == 1, 'x is dimension 1')
    call must(a%dim('y"') == 2, 'y" is dimension 2')
    call must(a%dim_name(2) == 'y"', 'the name of dimension 2')
    call must(a%name() == 'a', 'name')
    call must(index(a%info(), '"dims":["y\"","x"]') > 0, 'the order in the file: ' // a%info())
    call a%fill_value(i)
    call a%fill_value(r, stat=stat)
    call must(i == -7 .and. stat == drx_edtype, 'the fill value')
    call a%get([3, -3], i)
    call must(i == -7, 'an element that was never written')
    call a%set_labels(1, '["p", "q", "r", "s"]')
    call must(index(a%labels(1), '"labels":["p","q","r","s"]') > 0, 'labels: ' // a%labels(1))
    call a%sync()
    text = a%select('x=r')
    call must(text == '[[[-6,-3,1]],[[1,2,1]]]', 'select: ' // text)
    call b%create('plain', drx_int8, [2_int64, 2_int64])
    call must(all([b%lbound(1), b%ubound(1)] == [1, 2]), 'bounds from 1')
    call must(b%dim_name(1) == '', 'no name')
    call b%discard()
    call drx_remove('plain')
  end subroutine creation

  subroutine growth()
    type(drx_section) :: added
    integer(int32), allocatable :: all_of_it(:, :), cube(:, :, :)
    integer(int64), allocatable :: lower(:), upper(:)
    integer(int32) :: row(4), block(4, 2)
    integer :: dim, i

    call a%fill(1)
    call a%extend_low(1, 2, added)
    call must(all(added%lower == [-2, -5]) .and. all(added%upper == [-1, -3]), 'added below')
    call must(all(added%shape() == [2, 3]) .and. added%size() == 6, 'the shape of a section')
    call a%fill(2, added)
    call a%extend(2, 1_int64, added)
    call must(all(added%lower == [-2, -2]) .and. all(added%upper == [3, -2]), 'added above')
    call a%shrink_low(1, 2)
    row = [(i, i=10, 13)]
    call a%append(row, added=added)
    call must(all(added%lower == [0, -1]) .and. all(added%upper == [3, -1]), 'a row')
    block = reshape([(i, i=20, 27)], [4, 2])
    call a%append(block)
    call a%append(block(:, 1:0), added=added)
    call must(added%size() == 0, 'nothing is appended')
    call a%append(block(1, :), dim=1, stat=stat, errmsg=message)
    call wants(drx_esize, 'a: append: 1 x 7 elements are wanted, the variable has 2')
    call a%append([(i, i=30, 36)], dim=1)
    call a%bounds(lower, upper)
    call must(all(lower == [0, -5]) .and. all(upper == [4, 1]), 'the bounds')
    allocate (all_of_it(0:4, -5:1))
    call a%read(all_of_it)
    call must(all(all_of_it(0:3, -5:-3) == 1) .and. all(all_of_it(0:3, -2) == -7), 'what was there, and what was never written')
    call must(all(all_of_it(0:3, -1) == row) .and. all(all_of_it(0:3, 0:1) == block), 'what was appended')
    call must(all(all_of_it(4, :) == [(i, i=30, 36)]), 'what was appended to dimension 1')
    call a%shrink(1, 1)
    call a%shrink(2, 6_int64)
    call a%add_dim('z', dim)
    call must(dim == 1, 'a new dimension comes first')
    call must(a%dim('x') == 2, 'and the others after it')
    call a%rename_dim(1, 'height')
    call must(a%dim('height') == 1, 'a dimension has another name')
    call a%rename_dim(1, 'z')
    call must(all(a%shape() == [1, 4, 1]), 'a new dimension has extent 1')
    call a%extend(1, 1)
    allocate (cube(2, 4, 1))
    call a%read(cube)
    call must(all(cube(1, :, 1) == 1) .and. all(cube(2, :, 1) == -7), 'a new dimension')
    call a%sync()
  end subroutine growth

  subroutine attributes()
    integer(int32) :: i
    integer(int64) :: n
    real(real32) :: r
    real(real64) :: d
    logical :: yes, no

    call a%get_attr('by', text)
    call must(text == 'Fortran', 'an attribute of the creation')
    call a%set_attr('i', 7)
    call a%set_attr('n', 2_int64**53)
    call a%set_attr('r', 0.5)
    call a%set_attr('d', 1.25d-3)
    call a%set_attr('yes', .true.)
    call a%set_attr('no', .false.)
    call a%set_attr('text', 'two words ')
    call a%set_attr_json('list', '[1, 2]')
    call a%get_attr('i', i)
    call a%get_attr('n', n)
    call a%get_attr('r', r)
    call a%get_attr('d', d)
    call a%get_attr('yes', yes)
    call a%get_attr('no', no)
    call a%get_attr('text', text)
    call must(i == 7 .and. n == 2_int64**53 .and. abs(r - 0.5) < 1e-7 .and. abs(d - 1.25d-3) < 1d-15, 'numbers')
    call must(yes .and. .not. no .and. text == 'two words ' .and. len(text) == 10, 'logicals and text')
    call must(a%attr('list') == '[1,2]', 'JSON: ' // a%attr('list'))
    call a%delete_attr('list')
    call must(index(a%attrs(), 'list') == 0, 'an attribute that was deleted')
    call must(index(a%attrs(), '"i":7') > 0, 'all attributes: ' // a%attrs())
  end subroutine attributes

  subroutine following()
    logical :: changed
    integer :: t

    call a%sync()
    call reader%open('a')
    call reader%poll(0.0_real64, text)
    call must(text == '[]', 'no changes: ' // text)
    do t = 1, 3
      call a%extend(3, 1)
      call a%sync()
    end do
    changes = ''
    calls = 0
    limit = 2
    call reader%follow(note_change, 10.0_real64)
    call must(calls == 2 .and. index(changes, '"kind":"extend"') > 0, 'two changes: ' // changes)
    call must(reader%ubound(3) == a%ubound(3), 'the reader sees the bounds')
    calls = 0
    limit = 0
    call reader%follow(note_change, 0.0_real64)
    call a%extend(3, 1)
    call a%sync()
    call reader%poll(10.0_real64, text)
    call must(index(text, '"extend"') > 0, 'a change: ' // text)
    call a%extend_low(3, 1)
    call reader%refresh(changed)
    call must(.not. changed, 'nothing was committed')
    call a%sync()
    call reader%refresh(changed)
    call must(changed, 'refreshed')
    call must(reader%lbound(3) == a%lbound(3), 'the bounds are refreshed')
    call reader%refresh(changed)
    call must(.not. changed, 'refreshed already')
    call must(index(reader%history(), '"kind":"create"') > 0, 'history: ' // reader%history())
    text = reader%snapshot()
    call reader%close()
    call a%close()
    call reader%open('a', options='{"commit": "' // text // '"}')
    call must(reader%snapshot() == text, 'the array as the reader saw it')
    call reader%close()
    call reader%open('a', options='{"commit": 1}')
    call must(reader%rank() == 2, 'the array as it was')
    call reader%close()
  end subroutine following

  subroutine walks()
    integer(int16) :: one(3, 2)

    call b%create('w', drx_int16, [6, 4], lower=[-2, 1], chunk=[3, 2])
    one = 1
    call b%write(one, drx_section([1, 3], [3, 4]))
    calls = 0
    limit = 0
    call b%walk(note_part)
    call must(calls == 4 .and. all(numbers(:4) >= 0), 'four chunks')
    calls = 0
    call b%walk(note_part, written=.true.)
    call must(calls == 1, 'one chunk that was written')
    call must(all(parts(1)%lower == [1, 3]) .and. all(parts(1)%upper == [3, 4]), 'where it is')
    calls = 0
    call b%walk(note_part, drx_section([-2, 1], [3, 2]), tile=[0, 1])
    call must(calls == 2 .and. all(numbers(:2) == -1), 'two tiles')
    call must(all(parts(2)%lower == [-2, 2]) .and. all(parts(2)%upper == [3, 2]), 'the second tile')
    calls = 0
    limit = 3
    call b%walk(note_part)
    call must(calls == 3, 'enough')
    call b%close()
  end subroutine walks

  subroutine copies()
    integer(int16) :: x(6, 4), y(3, 6)
    real(real32) :: z(4, 6)
    integer :: i
    type(drx_array) :: c

    limit = 0
    x = reshape([(int(i, int16), i=1, 24)], [6, 4])
    call b%open('w', drx_write)
    call b%write(x)
    call c%create('turned', drx_float32, [4, 6], chunk=[2, 2])
    calls = 0
    call c%relayout(b, order=[2, 1], options='{"memory": 1048576}', progress=count_progress, json=text)
    call must(calls >= 2 .and. last_done == last_total .and. index(text, '"passes"') > 0, 'relayout: ' // text)
    call c%read(z)
    call must(all(nint(z) == transpose(x)), 'turned')
    call c%verify(text, count_progress)
    call must(index(text, '"damaged":[]') > 0, 'verify: ' // text)
    calls = 0
    limit = 1
    call c%verify(progress=count_progress, stat=stat, errmsg=message)
    call wants(drx_ecancelled, '')
    limit = 0
    call c%verify()
    call c%close()
    call c%create('part', drx_int16, [3, 6])
    call c%relayout(b, drx_section([-2, 2], [3, 4]), order=[2, 1])
    call c%read(y)
    call must(all(y == transpose(x(:, 2:4))), 'a part, turned')
    call c%compact(count_progress)
    call c%read(y(:, 6:1:-1))
    call must(all(y(:, 6:1:-1) == transpose(x(:, 2:4))), 'compacted')
    calls = 0
    call c%recompress('zstd:3', count_progress)
    call must(calls >= 2 .and. index(c%info(), '"codec":"zstd:3"') > 0, 'recompressed: ' // c%info())
    call c%recompress('zip', stat=stat, errmsg=message)
    call wants(drx_einval, 'codec "zip"')
    calls = 0
    limit = 1
    call c%recompress('lz4', count_progress, stat, message)
    call wants(drx_ecancelled, '')
    limit = 0
    call c%recompress('none')
    call c%read(y)
    call must(all(y == transpose(x(:, 2:4))), 'recompressed')
    call c%stats('{"functions": ["count", "max"]}', text)
    call must(index(text, '"name":"count"') > 0, 'statistics: ' // text)
    call c%stats('{"functions": ["average"]}', text, stat=stat, errmsg=message)
    call wants(drx_einval, 'average')
    call c%close()
    call b%close()
    call drx_copy_files('part', 'copied', count_progress)
    call drx_rename('copied', 'moved')
    call must(drx_exists('moved'), 'moved')
    call must(.not. drx_exists('copied'), 'copied')
    text = drx_meaning_compare('{"dtype": "float32", "attrs": {"units": "degC"}}', '{"dtype": "float64", "attrs": {"units": "K"}}')
    call must(index(text, '"shift":273.15') > 0, 'what numbers mean: ' // text)
    text = drx_list('.')
    call must(index(text, '"moved"') > 0, 'the names in a folder: ' // text)
    call drx_remove('moved')
    call must(.not. drx_exists('moved'), 'removed')
  end subroutine copies

  subroutine other_formats()
    integer(int16) :: x(2, 3), y(2, 3)

    x = reshape([integer(int16) :: 1, 2, 3, 4, 5, 6], [2, 3])
    call b%create('f', drx_int16, [2, 3])
    call b%write(x)
    call b%close()
    call drx_export('f', 'f.npy', json=text)
    call must(index(text, '"f.npy"') > 0, 'the report of export: ' // text)
    call drx_export('f', 'f2.npy', '{"as": "float64"}')
    call drx_import('g', ['f.npy '], json=text)
    call b%open('g')
    call b%read(y)
    call must(all(y == x), 'imported')
    call b%close()
    call drx_import('h', ['f2.npy'], '{"as": "int16"}', progress=count_progress)
    call b%open('h')
    call b%read(y)
    call must(all(y == x), 'imported as another type')
    call b%close()
    call drx_import('g', ['none.npy'], stat=stat, errmsg=message)
    call must(stat /= 0 .and. message /= '', 'a file that does not exist')
    call drx_export('g', 'g.npy', '{"colour": 1}', stat=stat, errmsg=message)
    call must(stat == drx_einval, 'an unknown option: ' // message)
    message = ''
  end subroutine other_formats

  subroutine damage()
    integer(int8) :: x(64), one
    integer(int64) :: memory
    integer :: unit

    x = 1
    call b%create('d', drx_int8, [64], chunk=[8])
    call b%write(x)
    call b%close()
    open (newunit=unit, file='d.xta', access='stream', form='unformatted', status='old', action='readwrite')
    write (unit, pos=17) 'X'
    close (unit)
    call b%open('d')
    call b%verify(text, stat=stat, errmsg=message)
    call wants(drx_ecorrupt, 'd')
    call must(index(text, '"damaged":[{') > 0, 'the report: ' // text)
    call b%close()
    call drx_recover('d', 'e', json=text)
    call must(len(text) > 2, 'the report of recover')
    call b%open('e')
    call b%get([64], one)
    call must(one == 1, 'what is intact')
    call b%close()
    call drx_accept_loss('e', stat, message)
    message = ''
    call drx_set_memory(100000000_int64)
    call drx_set_memory(0_int64, memory)
    call must(memory == 100000000, 'the limit of the memory')
    call drx_set_memory(-1_int64, stat=stat, errmsg=message)
    call wants(drx_einval, 'memory of -1 bytes')
  end subroutine damage

  subroutine shared()
    type(drx_section) :: mine
    type(drx_array) :: s

    call s%create('s', drx_int16, [3, 0], chunk=[3, 2])
    call s%close()
    call s%open('s', drx_shared)
    call s%append([integer(int16) :: 1, 2, 3], added=mine)
    call must(all(mine%lower == [1, 1]) .and. all(mine%upper == [3, 1]), 'a section of its own')
    call s%reserve(2, 2, mine)
    call s%fill(5_int16, mine)
    call s%reserve_low(2, 2, mine)
    call must(all(mine%lower == [1, -1]) .and. all(mine%upper == [3, 0]), 'a section below')
    call s%close()
    call s%open('s')
    call must(all(s%shape() == [3, 5]), 'what was reserved')
    call s%close()
  end subroutine shared

  ! gfortran copies a component to a temporary variable, and copies that back.
  subroutine components()
    type :: particle
      sequence
      integer(int8) :: charge = 0, spin = 0, colour = 0, strange = 0
      integer(int32) :: mass = 0
      integer(int16) :: flags(2) = 0
    end type particle
    type(particle) :: p(2, 3)
    type(drx_array) :: b

    call b%create('particles', drx_int16, [2, 3], options='{"fill": 5}')
    call b%read(p%flags(2))
    call must(all(p%flags(2) == 5) .and. all(p%flags(1) == 0) .and. all(p%mass == 0), 'a component')
    p%flags(1) = reshape([integer(int16) :: 1, 2, 3, 4, 5, 6], [2, 3])
    call b%write(p(:, 3:1:-1)%flags(1))
    call b%read(p%flags(2))
    call must(all(p(:, 3:1:-1)%flags(1) == p%flags(2)), 'a component of a mirrored variable')
    call b%close()
  end subroutine components

  subroutine library()
    call must(drx_version() /= '', 'the version')
    call must(drx_abi() >= 1, 'the number of the interface')
    call must(drx_code_name(drx_ebounds) == 'DRX_EBOUNDS', 'the name of a code')
    call must(drx_dtype_name(drx_complex64) == 'complex64', 'the name of a type')
    call must(drx_dtype_size(drx_complex64) == 8, 'the size of a type')
    call must(drx_dtype_parse('int8') == drx_int8, 'the type of a name')
  end subroutine library
end program features
