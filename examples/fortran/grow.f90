! grow.f90 - images of a radar: the array grows by one image at a time, a reader follows, and at the
! end all images are there.
!
!     gfortran grow.f90 $(pkg-config --cflags --libs drx-fortran) -o grow && ./grow
module follower
  implicit none
  integer :: seen = 0

contains

  subroutine print_change(change, enough)
    character(*), intent(in) :: change
    logical, intent(inout) :: enough

    print '(2a)', 'the reader sees ', change
    seen = seen + 1
    enough = seen == 3
  end subroutine print_change
end module follower

program grow
  use, intrinsic :: iso_fortran_env, only: int16, real64
  use drx
  use follower
  implicit none
  type(drx_array) :: radar, reader
  integer(int16) :: image(200, 100)
  real(real64) :: pixel(3)
  integer :: t, stat
  character(200) :: message

  call radar%create('radar', drx_int16, [200, 100, 0], dims=[character(4) :: 'x', 'y', 'time'], options='{"fill": -1}')
  call reader%open('radar')
  image = 0
  do t = 1, 3
    image(8, 51) = int(100 * (t - 1), int16)
    call radar%append(image)         ! along the last dimension, time
    call radar%sync()                ! commits: durable, and visible to others
  end do
  call reader%follow(print_change, 10.0_real64)
  call reader%close()
  call radar%extend_low(1, 10)       ! to the west: x begins at -9 now
  call radar%close()

  call radar%open('radar')           ! a column of all images, as any type with these values
  call radar%read(pixel, drx_section([8, 51, 1], [8, 51, 3]))
  print '(2(a,i0),a,3(1x,i0))', 'x from ', radar%lbound(1), ' to ', radar%ubound(1), '; pixel 8,51:', int(pixel)
  call radar%read(image, drx_section([1, 1, 4], [200, 100, 4]), stat=stat, errmsg=message)
  if (stat == drx_ebounds) print '(a)', trim(message)
  call radar%close()
end program grow
