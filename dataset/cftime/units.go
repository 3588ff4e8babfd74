package cftime

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"drx/internal/errkind"
)

// Units are the unit and the origin of the numbers of a time coordinate.
type Units struct {
	// Calendar is the calendar of the times.
	Calendar Calendar
	// Since is the time of the number 0.
	Since Time
	// Nanos is the length of the unit, in nanoseconds.
	Nanos int64
}

// unitNames maps the length of a unit in nanoseconds to its names, in lower case.
var unitNames = map[int64][]string{
	30 * dayNanos: {"months", "month"}, // only for Days360
	dayNanos:      {"days", "day", "d"},
	3600 * second: {"hours", "hour", "hr", "hrs", "h"},
	60 * second:   {"minutes", "minute", "min", "mins"},
	second:        {"seconds", "second", "sec", "secs", "s"},
	second / 1e3:  {"milliseconds", "millisecond", "millisec", "millisecs", "msec", "msecs", "ms"},
	second / 1e6:  {"microseconds", "microsecond", "microsec", "microsecs"},
	1:             {"nanoseconds", "nanosecond", "nanosec", "nanosecs", "ns"},
}

// IsTime reports whether units have the form of a time: a unit since a date.
func IsTime(units string) bool {
	fields := strings.Fields(units)
	return len(fields) > 2 && strings.EqualFold(fields[1], "since")
}

// ParseUnits parses the attributes units and calendar of a time coordinate. It refuses months and
// years as units, because their lengths vary, except for months of Days360. The error wraps
// ErrTime.
func ParseUnits(units, calendar string) (Units, error) {
	c, err := ParseCalendar(calendar)
	if err != nil {
		return Units{}, err
	}
	fields := strings.Fields(units)
	if !IsTime(units) {
		return Units{}, errkind.Errorf(ErrTime, "units %q are no time: want a unit since a date, as in \"hours since 1900-01-01\"", units)
	}
	nanos, err := parseUnit(fields[0], c)
	if err != nil {
		return Units{}, fmt.Errorf("units %q: %w", units, err)
	}
	since, err := c.Parse(strings.Join(fields[2:], " "))
	if err != nil {
		return Units{}, fmt.Errorf("units %q: %w", units, err)
	}
	return Units{Calendar: c, Since: since.First, Nanos: nanos}, nil
}

// parseUnit returns the length of a unit in nanoseconds.
func parseUnit(unit string, c Calendar) (int64, error) {
	for nanos, names := range unitNames {
		for _, name := range names {
			switch {
			case !strings.EqualFold(unit, name):
			case nanos > dayNanos && c != Days360:
				return 0, errkind.Errorf(ErrTime, "the length of a month varies in the calendar %v: use days", c)
			default:
				return nanos, nil
			}
		}
	}
	if strings.HasPrefix(strings.ToLower(unit), "year") {
		return 0, errkind.Errorf(ErrTime, "the length of a year varies: use days")
	}
	return 0, errkind.Errorf(ErrTime, "%q is no unit of time: known are days, hours, minutes, seconds, milliseconds, microseconds and nanoseconds", unit)
}

// TimeOf returns the exact time of the number n. The error wraps ErrTime for a time more than a
// billion years away.
func (u Units) TimeOf(n int64) (Time, error) {
	t := u.add(n)
	if t.Day < -maxDay || t.Day > maxDay {
		return Time{}, errkind.Errorf(ErrTime, "%d is out of range", n)
	}
	return t, nil
}

// add returns the time n units after Since.
func (u Units) add(n int64) Time {
	if u.Nanos > dayNanos { // months
		if n > maxDay || n < -maxDay {
			return Time{Day: 2 * maxDay}
		}
		return Time{Day: u.Since.Day + n*(u.Nanos/dayNanos), Nanos: u.Since.Nanos}
	}
	perDay := dayNanos / u.Nanos
	days := floorDiv(n, perDay)
	if days > 2*maxDay || days < -2*maxDay {
		return Time{Day: 2 * maxDay}
	}
	return Time{Day: u.Since.Day + days, Nanos: u.Since.Nanos + (n-days*perDay)*u.Nanos}.normal()
}

// Time returns the time of the number x. It rounds a fraction of the unit to the nearest
// microsecond, or nanosecond if that is the unit, ties to even. The error wraps ErrTime for NaN,
// infinities, and a time more than a billion years away.
func (u Units) Time(x float64) (Time, error) {
	whole := math.Floor(x)
	if !(whole >= -(1<<63) && whole < 1<<63) {
		return Time{}, errkind.Errorf(ErrTime, "%v is no time", x)
	}
	t, err := u.TimeOf(int64(whole))
	if err != nil {
		return Time{}, errkind.Errorf(ErrTime, "%v is out of range", x)
	}
	grain := min(u.Nanos, second/1e6)
	rest := roundedProduct(x-whole, float64(u.Nanos/grain)) * grain
	t.Day, t.Nanos = t.Day+rest/dayNanos, t.Nanos+rest%dayNanos
	return t.normal(), nil
}

// roundedProduct returns x*n rounded to the nearest integer, ties to even. It corrects for the
// rounding of the product, which may have turned another fraction into a tie.
func roundedProduct(x, n float64) int64 {
	product := x * n
	lost := math.FMA(x, n, -product)
	rounded := math.RoundToEven(product)
	switch d := product - rounded; {
	case d == 0.5 && lost > 0:
		rounded++
	case d == -0.5 && lost < 0:
		rounded--
	}
	return int64(rounded)
}

// Value returns the number of a time, rounded to the nearest float64.
func (u Units) Value(t Time) float64 {
	if n, exact := u.ValueInt(t); exact {
		return float64(n)
	}
	d := t.Sub(u.Since)
	return float64(d.Day)*(float64(dayNanos)/float64(u.Nanos)) + float64(d.Nanos)/float64(u.Nanos)
}

// ValueInt returns the number of a time if it is an int64, otherwise false.
func (u Units) ValueInt(t Time) (int64, bool) {
	d := t.Sub(u.Since)
	if u.Nanos > dayNanos {
		days := u.Nanos / dayNanos
		return d.Day / days, d.Nanos == 0 && d.Day%days == 0
	}
	if d.Nanos%u.Nanos != 0 {
		return 0, false
	}
	// The product may overflow where the sum does not.
	n := new(big.Int).Mul(big.NewInt(d.Day), big.NewInt(dayNanos/u.Nanos))
	n.Add(n, big.NewInt(d.Nanos/u.Nanos))
	return n.Int64(), n.IsInt64()
}
