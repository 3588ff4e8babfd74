package plot

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"drx/dataset/cftime"
)

// Times is a scale of times: numbers that count units since a date. Ticks are at calendar steps:
// years, months, days, hours, minutes, seconds or parts of them.
type Times struct {
	Units cftime.Units
}

// dayNanos is the length of a day in nanoseconds.
const dayNanos = int64(24 * time.Hour)

// timeStep is the distance of ticks. Exactly one of its fields is not zero.
type timeStep struct {
	nanos               int64 // divides a day
	days, months, years int64
}

// seconds returns the average length of a step.
func (s timeStep) seconds() float64 {
	const year = 365.2425 * 86400
	return float64(s.nanos)/1e9 + 86400*float64(s.days) + year/12*float64(s.months) + year*float64(s.years)
}

// timeSteps yields all steps from short to long.
func timeSteps(yield func(timeStep) bool) {
	for unit := int64(1); unit < int64(time.Second); unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if !yield(timeStep{nanos: n * unit}) {
				return
			}
		}
	}
	s, m, h := int64(time.Second), int64(time.Minute), int64(time.Hour)
	for _, n := range []int64{s, 2 * s, 5 * s, 10 * s, 15 * s, 30 * s, m, 2 * m, 5 * m, 10 * m, 15 * m, 30 * m, h, 2 * h, 3 * h, 6 * h, 12 * h} {
		if !yield(timeStep{nanos: n}) {
			return
		}
	}
	for _, step := range []timeStep{{days: 1}, {days: 2}, {days: 5}, {days: 10}, {months: 1}, {months: 2}, {months: 3}, {months: 6}} {
		if !yield(step) {
			return
		}
	}
	for unit := int64(1); unit < 1e9; unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if !yield(timeStep{years: n * unit}) {
				return
			}
		}
	}
}

func (s Times) levels(lo, hi float64) iter.Seq[[]Tick] {
	from, err := s.Units.Time(lo)
	to, err2 := s.Units.Time(hi)
	if err != nil || err2 != nil {
		return Numbers{}.levels(lo, hi) // outside of the range of dates
	}
	return func(yield func([]Tick) bool) {
		span := to.Sub(from)
		seconds := float64(span.Day)*86400 + float64(span.Nanos)/1e9
		for step := range timeSteps {
			if seconds/step.seconds() > mostTicks+2 {
				continue
			}
			ticks := s.ticks(from, to, step)
			if len(ticks) == 0 || !yield(ticks) {
				return
			}
		}
	}
}

// ticks returns the ticks of a step.
func (s Times) ticks(from, to cftime.Time, step timeStep) []Tick {
	var ticks []Tick
	before := ""
	for t := range s.moments(from, to, step) {
		if t.Compare(from) < 0 || t.Compare(to) > 0 {
			continue
		}
		label, sub := s.text(t, step)
		if sub == before {
			sub = ""
		} else {
			before = sub
		}
		ticks = append(ticks, Tick{s.Units.Value(t), label, sub})
	}
	return ticks
}

// moments yields the moments of a step, from about the first given moment to the second.
func (s Times) moments(from, to cftime.Time, step timeStep) iter.Seq[cftime.Time] {
	switch {
	case step.nanos > 0:
		return func(yield func(cftime.Time) bool) {
			t := cftime.Time{Day: from.Day, Nanos: from.Nanos / step.nanos * step.nanos}
			for ; t.Compare(to) <= 0 && yield(t); t.Nanos += step.nanos {
				if t.Nanos+step.nanos >= dayNanos {
					t = cftime.Time{Day: t.Day + 1, Nanos: -step.nanos}
				}
			}
		}
	case step.days > 0:
		return func(yield func(cftime.Time) bool) {
			for t := (cftime.Time{Day: from.Day}); t.Compare(to) <= 0; t.Day++ {
				if s.isStep(t, step.days) && !yield(t) {
					return
				}
			}
		}
	}
	return s.firsts(from, to, int(12*step.years+step.months))
}

// isStep reports whether a day is the 1st of its month, or a multiple of n days after it and not
// too close to the next month.
func (s Times) isStep(t cftime.Time, n int64) bool {
	day := int64(s.Units.Calendar.Date(t).Day)
	if (day-1)%n != 0 {
		return false
	}
	for i := range n / 2 {
		if s.Units.Calendar.Date(cftime.Time{Day: t.Day + i + 1}).Day == 1 {
			return false
		}
	}
	return true
}

// firsts yields the first days of every n-th month counted from January, or of years counted from
// year 0.
func (s Times) firsts(from, to cftime.Time, n int) iter.Seq[cftime.Time] {
	return func(yield func(cftime.Time) bool) {
		calendar := s.Units.Calendar
		first, last := calendar.Date(from), calendar.Date(to)
		month := floorTo(12*first.Year+first.Month-1, n)
		for ; month <= 12*last.Year+last.Month-1; month += n {
			year := floorTo(month, 12)
			t, err := calendar.Time(cftime.Date{Year: year / 12, Month: month - year + 1, Day: 1})
			if err != nil { // there is no year 0 in this calendar
				continue
			}
			if !yield(t) {
				return
			}
		}
	}
}

// floorTo returns the largest multiple of n that is not above i.
func floorTo(i, n int) int {
	rest := i % n
	if rest < 0 {
		rest += n
	}
	return i - rest
}

// text returns the label of a moment, and the unit that contains it.
func (s Times) text(t cftime.Time, step timeStep) (label, sub string) {
	d := s.Units.Calendar.Date(t)
	switch {
	case step.years > 0:
		return fmt.Sprint(d.Year), ""
	case step.months > 0:
		return monthName(d.Month), fmt.Sprint(d.Year)
	case step.days > 0:
		return fmt.Sprintf("%d %s", d.Day, monthName(d.Month)), fmt.Sprint(d.Year)
	}
	label = fmt.Sprintf("%02d:%02d", d.Hour, d.Minute)
	if step.nanos%int64(time.Minute) != 0 {
		label += fmt.Sprintf(":%02d", d.Second)
	}
	if step.nanos%int64(time.Second) != 0 {
		label += strings.TrimRight(fmt.Sprintf(".%09d", d.Nano), "0.")
	}
	return label, fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// monthName returns three letters. All calendars have twelve months.
func monthName(month int) string { return time.Month(month).String()[:3] }
