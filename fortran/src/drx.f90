
! drx is DRX for Fortran: arrays in files that grow along any dimension. docs/FORTRAN.md is the
! guide, drx.h has the details.
!
!     type(drx_array) :: radar
!     call radar%create('radar', drx_int16, [200, 100, 0], dims=[character(4) :: 'x', 'y', 'time'])
!     call radar%append(image)                                 ! integer(int16) :: image(200, 100)
!     call radar%close()                                       ! commits
!
! Indices. An array with the dimensions time, y, x in its file is a(x, y, time) here. The order is
! reversed, so that elements are in the same order in the file and in a variable. The first index of
! a new array is 1, in the file it is 0; growth at the low side adds 0, -1 and so on. Sections
! include their upper bounds.
!
! Errors. Every procedure has the optional arguments stat and errmsg, like iostat and iomsg of the
! language's statements: stat becomes 0 or one of the codes drx_e..., and after an error errmsg has
! the message. If a call without stat fails, the program ends with the message on error_unit;
! uncommitted changes are lost.
module drx
  use drx_constants
  use drx_sections
  use drx_elements, only: drx_array
  use drx_datasets
  use drx_names
  implicit none
  public
end module drx
