package dataset

import (
	"time"

	"drx/cube"
	"drx/dataset/cftime"
)

// Points reports for each dimension whether the conditions name a single index, so that a host
// language that drops dimensions on indexing can drop it: one label, one number, or a date as fine
// as the times of the coordinate. A coarser date names a span, however many times are in it: the
// shape of a result does not depend on the values. This is the rule of pandas and xarray, where
// dates in a calendar other than the standard one are always spans. With Nearest a date is a point.
// It returns the errors of Select.
func (x *Axes) Points(m Method, conditions ...string) ([]bool, error) {
	points := make([]bool, len(x.bounds))
	err := x.eachCondition(conditions, func(dim int, items []cube.Item) (err error) {
		if len(items) == 1 && !items[0].IsRange {
			points[dim], err = x.isPoint(m, dim, *items[0].From)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return points, nil
}

// isPoint reports whether a value names a single index of a dimension.
func (x *Axes) isPoint(m Method, dim int, text string) (bool, error) {
	named, err := x.Cube()
	if err != nil {
		return false, err
	}
	if _, labels := named.Labels(dim); len(labels) > 0 {
		return true, nil
	}
	c, err := x.Coordinate(dim)
	if err != nil || c == nil || c.units == nil || m == Nearest {
		return err == nil && c != nil, err
	}
	if cal := c.units.Calendar; cal != cftime.Standard && cal != cftime.Proleptic {
		return false, nil
	}
	first, last, err := c.parse(text)
	if err != nil {
		return false, err
	}
	span := last.time().Sub(first.time())
	return span.Day == 0 && span.Nanos < c.resolution(), nil
}

// resolutions are the candidate units of resolution in nanoseconds, without the finest.
var resolutions = []int64{
	int64(24 * time.Hour), int64(time.Hour), int64(time.Minute), int64(time.Second), int64(time.Millisecond), int64(time.Microsecond),
}

// resolution returns the longest unit, from a day to a nanosecond, that divides all times.
func (c *Coordinate) resolution() int64 {
	finest := 0
	for _, v := range c.values {
		for !v.missing() && finest < len(resolutions) && v.rest%resolutions[finest] != 0 {
			finest++
		}
	}
	if finest == len(resolutions) {
		return 1
	}
	return resolutions[finest]
}
