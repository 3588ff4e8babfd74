package stats

import (
	"fmt"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/cftime"
	"drx/internal/errkind"
	"drx/nd"
	"drx/optionerr"
)

// TimeDim returns the only dimension of an array with a coordinate of times or, without any, with
// labels that are dates. The error wraps drx.ErrRank if there are none or several coordinates.
func TimeDim(a *drx.Array, axes *dataset.Axes) (int, error) {
	found := -1
	for d := range a.Rank() {
		c, err := axes.Coordinate(d)
		if err != nil {
			return 0, err
		}
		if c == nil || !c.IsTime() {
			continue
		}
		if found >= 0 {
			return 0, errkind.Errorf(drx.ErrRank, "%s: dimensions %s and %s have times: name one", a.Name(), dimName(a, found), dimName(a, d))
		}
		found = d
	}
	if found < 0 {
		found = datesDim(a, axes)
	}
	if found < 0 {
		return 0, errkind.Errorf(drx.ErrRank, "%s: no dimension has a coordinate of times, an array of its name with units such as \"days since 2000-01-01\": name the dimension", a.Name())
	}
	return found, nil
}

// timesOf returns the time of each selected index of a dimension, and their calendar.
func timesOf(a *drx.Array, axes *dataset.Axes, sel cube.Selection, dim int) ([]cftime.Time, cftime.Calendar, error) {
	c, err := axes.Coordinate(dim)
	if err != nil {
		return nil, 0, err
	}
	if c == nil || !c.IsTime() {
		return nil, 0, errkind.Errorf(drx.ErrRank, "%s: dimension %s has no coordinate of times, an array of its name with units such as \"days since 2000-01-01\"", a.Name(), dimName(a, dim))
	}
	units, _ := c.Units()
	times := make([]cftime.Time, sel[dim].Len())
	for i := range times {
		index := sel[dim].At(i)
		t, ok := c.Time(index)
		if !ok {
			return nil, 0, errkind.Errorf(drx.ErrBounds, "%s: dimension %s: index %d has no time", a.Name(), dimName(a, dim), index)
		}
		times[i] = t
	}
	return times, units.Calendar, nil
}

// seasons are the names of the seasons, indexed by month%12/3.
var seasons = []string{"DJF", "MAM", "JJA", "SON"}

// parts maps each name in cftime.PartNames to the function that returns this part of a date.
var parts = map[string]func(c cftime.Calendar, d cftime.Date) member{
	"year":    func(_ cftime.Calendar, d cftime.Date) member { return numbered(d.Year) },
	"quarter": func(_ cftime.Calendar, d cftime.Date) member { return numbered((d.Month-1)/3 + 1) },
	"month":   func(_ cftime.Calendar, d cftime.Date) member { return numbered(d.Month) },
	"day":     func(_ cftime.Calendar, d cftime.Date) member { return numbered(d.Day) },
	"hour":    func(_ cftime.Calendar, d cftime.Date) member { return numbered(d.Hour) },
	"season":  func(_ cftime.Calendar, d cftime.Date) member { return member{d.Month % 12 / 3, seasons[d.Month%12/3]} },
	"dayofyear": func(c cftime.Calendar, d cftime.Date) member {
		first, _ := c.Time(cftime.Date{Year: d.Year, Month: 1, Day: 1}) // every year has this date
		day, _ := c.Time(cftime.Date{Year: d.Year, Month: d.Month, Day: d.Day})
		return numbered(int(day.Day-first.Day) + 1)
	},
}

func numbered(n int) member { return member{n, strconv.Itoa(n)} }

// A Period is a length of time: a number of months, or of nanoseconds for units up to weeks.
type Period struct {
	months int
	nanos  int64
}

const (
	secondNanos = int64(1e9)
	dayNanos    = 86400 * secondNanos
)

// periods are the units of a Period.
var periods = map[string]Period{
	"s": {nanos: secondNanos}, "min": {nanos: 60 * secondNanos}, "h": {nanos: 3600 * secondNanos},
	"D": {nanos: dayNanos}, "W": {nanos: 7 * dayNanos}, "M": {months: 1}, "Y": {months: 12},
}

// ParsePeriod reads a period: a number and s, min, h, D, W, M for months or Y, as in 6h. The error
// is about the option "every".
func ParsePeriod(text string) (Period, error) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n := 1
	if digits > 0 {
		n, _ = strconv.Atoi(text[:digits]) // 0, which is refused, if it overflows
	}
	unit, ok := periods[text[digits:]]
	if !ok || n < 1 || n > 1e6 {
		return Period{}, optionerr.Wrong("every", text, "want a number of indices, or a period: 1 to 1000000 and s, min, h, D, W, M (months) or Y, as in 6h")
	}
	return Period{unit.months * n, unit.nanos * int64(n)}, nil
}

// mostPeriods limits the number of periods from the first to the last.
const mostPeriods = 1 << 24

// EveryPeriod groups the times of a dimension by the period that contains them. The name of a group
// is the beginning of its period. Periods of weeks or less are counted from the first day, longer
// ones from the first month or year. As in xarray, a period without times is a group without
// elements. The errors are those of ByTime; too many periods are an error about the option "every".
func EveryPeriod(a *drx.Array, axes *dataset.Axes, sel cube.Selection, dim int, p Period) (*Grouping, error) {
	times, calendar, err := timesOf(a, axes, sel, dim)
	if err != nil {
		return nil, err
	}
	g := &Grouping{Dim: dim}
	if len(times) == 0 {
		return g, nil
	}
	first := times[0]
	last := first
	for _, t := range times {
		if t.Compare(first) < 0 {
			first = t
		}
		if t.Compare(last) > 0 {
			last = t
		}
	}
	base := p.number(calendar, first, first) // of the period that begins with its day
	n := p.number(calendar, first, last) - base + 1
	if n > mostPeriods {
		return nil, optionerr.Wrong("every", nil, "%d periods from %s to %s: want at most %d", n, calendar.Format(first), calendar.Format(last), mostPeriods)
	}
	for i := range n {
		begin, err := p.begin(calendar, first, base+i)
		if err != nil {
			return nil, fmt.Errorf("%s: dimension %s: %w", a.Name(), dimName(a, dim), err)
		}
		end, err := p.begin(calendar, first, base+i+1)
		if err != nil {
			return nil, fmt.Errorf("%s: dimension %s: %w", a.Name(), dimName(a, dim), err)
		}
		g.Names = append(g.Names, calendar.Format(begin))
		g.periods = append(g.periods, [2]cftime.Time{begin, end})
	}
	for _, t := range times {
		k := p.number(calendar, first, t) - base
		g.of = append(g.of, span{k, k + 1})
	}
	return g, nil
}

// monthsOf returns the number of months from the year 0 to a time.
func monthsOf(c cftime.Calendar, t cftime.Time) int {
	d := c.Date(t)
	return 12*d.Year + d.Month - 1
}

// number returns the number of the period that contains t, counted from the day, month or year of
// first.
func (p Period) number(c cftime.Calendar, first, t cftime.Time) int {
	if p.months > 0 {
		start := monthsOf(c, first)
		if p.months%12 == 0 {
			start -= start % 12
		}
		return (monthsOf(c, t) - start) / p.months
	}
	if p.nanos%dayNanos == 0 {
		return int((t.Day - first.Day) / (p.nanos / dayNanos))
	}
	seconds := (t.Day-first.Day)*(dayNanos/secondNanos) + t.Nanos/secondNanos
	return int(seconds / (p.nanos / secondNanos))
}

// begin returns the beginning of a period, numbered as by number.
func (p Period) begin(c cftime.Calendar, first cftime.Time, number int) (cftime.Time, error) {
	if p.months > 0 {
		start := monthsOf(c, first)
		if p.months%12 == 0 {
			start -= start % 12
		}
		start += number * p.months
		return c.Time(cftime.Date{Year: start / 12, Month: start%12 + 1, Day: 1})
	}
	if p.nanos%dayNanos == 0 {
		return cftime.Time{Day: first.Day + int64(number)*(p.nanos/dayNanos)}, nil
	}
	seconds := int64(number) * (p.nanos / secondNanos)
	perDay := dayNanos / secondNanos
	return cftime.Time{Day: first.Day + seconds/perDay, Nanos: seconds % perDay * secondNanos}, nil
}

// PeriodsOf divides times, which must not descend, into the periods of EveryPeriod. Period i begins
// at begins[i], where the one before ends, and its times end before position ends[i]; begins has
// the end of the last period as well. The errors are those of EveryPeriod.
func PeriodsOf(a *drx.Array, axes *dataset.Axes, sel cube.Selection, dim int, p Period) (begins []cftime.Time, ends []int, err error) {
	g, err := EveryPeriod(a, axes, sel, dim, p)
	if err != nil || len(g.periods) == 0 {
		return nil, nil, err
	}
	begins, ends = append(begins, g.periods[0][0]), make([]int, len(g.periods))
	for _, x := range g.periods {
		begins = append(begins, x[1])
	}
	for position, of := range g.of {
		ends[of.lo] = position + 1
	}
	for i := range ends[1:] {
		ends[i+1] = max(ends[i], ends[i+1])
	}
	return begins, ends, nil
}

// Steps returns the times from first to last in steps of the period; last is one of them if a step
// ends there. Months and years keep the day and the time of day. The error wraps
// cftime.ErrTime if last lies before first, for too many steps, or for a month without that day.
func (p Period) Steps(c cftime.Calendar, first, last cftime.Time) (times []cftime.Time, err error) {
	if last.Compare(first) < 0 {
		return nil, errkind.Errorf(cftime.ErrTime, "%s lies before %s: want the earlier time first", c.Format(last), c.Format(first))
	}
	var n int
	if p.months > 0 {
		n = (monthsOf(c, last) - monthsOf(c, first)) / p.months
	} else {
		d := last.Sub(first)
		n = int((d.Day*(dayNanos/secondNanos) + d.Nanos/secondNanos) / (p.nanos / secondNanos))
	}
	if n >= mostPeriods {
		return nil, errkind.Errorf(cftime.ErrTime, "%d steps from %s to %s: want at most %d", n+1, c.Format(first), c.Format(last), mostPeriods)
	}
	for i := range n + 1 {
		t, err := p.after(c, first, i)
		if err != nil {
			return nil, err
		}
		if t.Compare(last) <= 0 {
			times = append(times, t)
		}
	}
	return times, nil
}

// after returns the time n periods after first.
func (p Period) after(c cftime.Calendar, first cftime.Time, n int) (cftime.Time, error) {
	if p.months > 0 {
		d := c.Date(first)
		month := 12*d.Year + d.Month - 1 + n*p.months
		d.Year = nd.FloorDiv(month, 12)
		d.Month = month - 12*d.Year + 1
		t, err := c.Time(d)
		if err != nil {
			return t, errkind.Errorf(cftime.ErrTime, "month %04d-%02d has no day %d: begin at a day that all months have", d.Year, d.Month, d.Day)
		}
		return t, nil
	}
	seconds, perDay := int64(n)*(p.nanos/secondNanos)+first.Nanos/secondNanos, dayNanos/secondNanos
	return cftime.Time{Day: first.Day + seconds/perDay, Nanos: seconds%perDay*secondNanos + first.Nanos%secondNanos}, nil
}
