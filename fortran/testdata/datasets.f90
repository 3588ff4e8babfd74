! datasets - folders of arrays that share dimensions.
program datasets
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use drx
  use check
  implicit none
  type(drx_dataset) :: d, reader
  type(drx_array) :: time, rain, v
  integer(int64) :: lower, upper
  real(real64), allocatable :: hours(:)
  real(real32) :: map(4, 3), day(4, 3, 3)
  character(:), allocatable :: json
  integer :: t

  call d%create('weather')
  call d%create_variable('time', drx_int32, [0], ['time'], array=time)
  call d%create_variable('rain', drx_float32, [4, 3, 0], [character(4) :: 'x', 'y', 'time'], chunk=[4, 3, 1], &
    options='{"attrs": {"units": "mm"}, "codec": "lz4"}', array=rain)
  call time%set_attr('units', 'hours since 2024-01-01')
  call d%set_attr_json('title', '"rain"')
  call d%extend('time', 3, lower, upper)
  call must(lower == 1 .and. upper == 3, 'the new indices')
  call time%write([6, 7, 8])
  do t = 1, 3
    map = real(t, real32)
    call rain%write(map, drx_section([1, 1, t], [4, 3, t]))
  end do
  call d%sync()

  call reader%open('weather')
  call reader%bounds('time', lower, upper)
  call must(lower == 1 .and. upper == 3, 'the bounds of a dimension')
  call reader%coordinate('time', hours)
  call must(all(nint(hours) == [6, 7, 8]), 'the coordinate')
  call reader%coordinate('time', hours, lower=2_int64, upper=2_int64)
  call must(size(hours) == 1 .and. nint(hours(1)) == 7, 'a part of it')
  call reader%coordinate('time', hours, lower=3_int64, upper=9_int64, stat=stat, errmsg=message)
  call must(stat /= 0, 'values beyond the bounds')
  call reader%coordinate('time', hours, lower=3_int64, upper=1_int64, stat=stat, errmsg=message)
  call wants(drx_ebounds, 'time: no indices from 3 to 1')
  call reader%coordinate_text('time', json, upper=1_int64)
  call must(json == '["2024-01-01T06"]' .or. index(json, '2024-01-01') > 0, 'as text: ' // json)
  call reader%variable('rain', v)
  call v%read(day)
  call must(all(nint(day(4, 3, :)) == [1, 2, 3]), 'the elements')
  call must(index(v%info(), '"codec":"lz4"') > 0, 'the codec')
  json = v%select('time=2024-01-01T07')
  call must(json == '[[[1,2,1]],[[0,3,1]],[[0,4,1]]]', 'selected: ' // json)

  call d%extend_low('time', 1_int64, lower, upper)
  call must(lower == 0 .and. upper == 0, 'the new indices below')
  call time%set([0], 5)
  call d%create_group('stations')
  call d%create_variable('stations/wind', drx_float32, ['time'], array=v)
  call must(all(v%shape() == [4]), 'a variable of dimensions that exist')
  call must(v%lbound(1) == 0, 'and their bounds')
  call d%set_attr_json('count', '2', 'stations')
  call must(index(d%attrs('stations'), '"count":2') > 0, 'attributes of a group: ' // d%attrs('stations'))
  call d%delete_attr('count', 'stations')
  call must(index(d%attrs('stations'), 'count') == 0, 'an attribute that was deleted')
  call must(index(d%attrs(), '"title":"rain"') > 0, 'attributes: ' // d%attrs())
  call d%release()
  call must(.not. rain%is_open(), 'released')
  call d%variable('rain', rain)
  call must(rain%lbound(3) == 0, 'open again')
  call reader%refresh()
  call reader%bounds('time', lower, upper)
  call must(lower == 0 .and. upper == 3, 'the reader sees it')
  call must(index(reader%info(), '"rain"') > 0, 'info')
  call reader%close()
  call d%extend('time', 5_int64)
  call d%discard()
  call d%open('weather', drx_write)
  call d%bounds('time', lower, upper)
  call must(upper == 3, 'discarded')
  call d%rename('rain', 'snow')
  call d%close()
  call drx_cut('weather', 'shorter', '{"sel": ["time=2024-01-01T07"]}')
  call drx_sort('shorter', 'sorted', 'time')
  call drx_coarsen('shorter', 'days', '{"windows": {"time": "1D"}}', json=json)
  call must(index(json, '"dims":[{"name":"time","from":3,"to":1,"wraps":false}]') > 0, 'coarsened: ' // json)
  call drx_regrid('shorter', 'later', '{"to": "time=2024-01-01T06", "method": "nearest"}', json=json)
  call must(index(json, '"from":3,"to":1') > 0, 'regridded: ' // json)
  call drx_diff('sorted', 'shorter', json=json)
  call must(index(json, '"same":true') > 0 .and. index(json, '"name":"snow"') > 0, 'the same: ' // json)
  call drx_diff('sorted', 'weather', json=json)
  call must(index(json, '"same":false') > 0, 'another one: ' // json)
  call drx_set_locks('none', stat=stat, errmsg=message)
  call wants(drx_einval, 'auto, system or file')
  call drx_set_locks('auto')
  deallocate (json, hours) ! gfortran does not in a main program, which LeakSanitizer notices
  print '(a)', 'good'
end program datasets
