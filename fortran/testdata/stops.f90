! stops - a call without stat that fails ends the program.
program stops
  use drx
  implicit none
  type(drx_array) :: a

  call drx_signals()
  print '(a)', 'before'
  call a%open('nowhere')
  print '(a)', 'after'
end program stops
