! threads - OpenMP threads read, write and fail at the same time, each with its own texts, which
! differ in length.
program threads
  use, intrinsic :: iso_fortran_env, only: int32
  use drx
  implicit none
  integer, parameter :: columns = 64, rows = 100
  type(drx_array) :: a
  integer(int32) :: column(rows), again(rows), all_of_it(rows, columns), one
  integer :: i, round, stat, wrong
  character(200) :: message, want

  call a%create('a', drx_int32, [rows, columns], chunk=[7, 3])
  do i = 1, columns
    call a%set_attr(repeat('n', i), i)
  end do
  wrong = 0
  !$omp parallel do private(column, again, one, round, stat, message, want) reduction(+: wrong) num_threads(16) schedule(dynamic)
  do i = 1, columns
    do round = 1, 20
      column = i * 1000 + round
      call a%write(column(rows:1:-1), drx_section([1, i], [rows, i]))
      call a%read(again, drx_section([1, i], [rows, i]))
      call a%get([round, i], one)
      if (any(again /= column) .or. one /= column(1)) wrong = wrong + 1
      call a%get_attr(repeat('n', i), one)
      if (one /= i) wrong = wrong + 1

      write (want, '(a,i0,a,i0,a)') 'a: get: dimension 1: indices ', rows + i, ':', rows + i, ' reach outside 1:100'
      call a%get([rows + i, i], one, stat=stat, errmsg=message)
      if (stat /= drx_ebounds .or. message /= want) wrong = wrong + 1
      write (want, '(a,i0,a)') 'a: read: a section of 100 x 1 elements and a variable of ', i, ': their shapes must be equal'
      call a%read(again(:i), drx_section([1, i], [rows, i]), stat=stat, errmsg=message)
      if (stat /= drx_esize .or. index(message, trim(want)) /= 1) wrong = wrong + 1
      want = 'a: there is no attribute "' // repeat('m', i) // '"'
      call a%get_attr(repeat('m', i), one, stat, message)
      if (stat /= drx_enoattr .or. message /= want) wrong = wrong + 1
    end do
  end do
  !$omp end parallel do
  call a%read(all_of_it)
  do i = 1, columns
    if (any(all_of_it(:, i) /= i * 1000 + 20)) wrong = wrong + 1
  end do
  call a%close()
  if (wrong == 0) print '(a)', 'good'
end program threads
