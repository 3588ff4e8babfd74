! stops - a failing call without stat ends the program.
program stops
  use drx
  implicit none
  type(drx_array) :: a

  call drx_signals()
  print '(a)', 'before'
  call a%open('nowhere')
  print '(a)', 'after'
end program stops
