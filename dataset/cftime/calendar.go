// Package cftime reads and writes times by the CF conventions for NetCDF: as numbers of a unit
// since a date, such as "hours since 1900-01-01 00:00", in one of several calendars.
//
//	u, err := cftime.ParseUnits("hours since 1900-01-01", "standard")
//	t, err := u.Time(1042248.5)
//	text := u.Calendar.Format(t)                              // 2018-11-24T00:30
//	day, err := u.Calendar.Parse("2018-11-24")                // from its first to its last nanosecond
//
// A Time is exact to the nanosecond. Integers convert without rounding over the whole range of
// int64; fractions are rounded to the nearest microsecond, as in Python's cftime.
package cftime

import (
	"cmp"
	"errors"
	"strings"

	"drx/internal/errkind"
)

// ErrTime is wrapped by errors about unreadable units, calendars and dates, and about times out of
// range.
var ErrTime = errors.New("wrong time")

// A Calendar determines which dates exist.
type Calendar uint8

// The calendars of the CF conventions.
const (
	Standard  Calendar = iota // Gregorian from 1582-10-15, Julian up to 1582-10-04, without year 0
	Proleptic                 // Gregorian at all times, with year 0
	Julian                    // Julian at all times, without year 0
	NoLeap                    // all years have 365 days
	AllLeap                   // all years have 366 days
	Days360                   // all months have 30 days
)

// calendarNames are the names of each calendar. String returns the first one.
var calendarNames = [][]string{
	Standard:  {"standard", "gregorian"},
	Proleptic: {"proleptic_gregorian"},
	Julian:    {"julian"},
	NoLeap:    {"noleap", "365_day"},
	AllLeap:   {"all_leap", "366_day"},
	Days360:   {"360_day"},
}

// String returns the name of the calendar in the CF conventions.
func (c Calendar) String() string { return calendarNames[c][0] }

// ParseCalendar returns the calendar with a name of the CF conventions; the empty name is Standard.
// The error wraps ErrTime and lists the names.
func ParseCalendar(name string) (Calendar, error) {
	if name == "" {
		return Standard, nil
	}
	var known []string
	for c, names := range calendarNames {
		for _, n := range names {
			if strings.EqualFold(name, n) {
				return Calendar(c), nil
			}
			known = append(known, n)
		}
	}
	return 0, errkind.Errorf(ErrTime, "calendar %q: known are %s", name, strings.Join(known, ", "))
}

// A Date is a date of a calendar and a time of day.
type Date struct {
	Year, Month, Day           int // from 1
	Hour, Minute, Second, Nano int
}

// A Time is a moment of a calendar. Times of different calendars cannot be compared.
type Time struct {
	Day   int64 // days since 0001-01-01 of the calendar, for Standard the Gregorian one
	Nanos int64 // nanoseconds of the day, 0 to 86 399 999 999 999; a day has no leap second
}

const (
	second   = int64(1e9)
	dayNanos = 86400 * second
	maxYear  = 1_000_000_000 // so that no sum of days overflows
	maxDay   = 366 * maxYear
)

// Compare returns a negative number if t is before u, zero if they are equal, and otherwise a
// positive one.
func (t Time) Compare(u Time) int {
	return cmp.Or(cmp.Compare(t.Day, u.Day), cmp.Compare(t.Nanos, u.Nanos))
}

// Sub returns t - u, as days and nanoseconds of 0 to a day.
func (t Time) Sub(u Time) Time { return Time{Day: t.Day - u.Day, Nanos: t.Nanos - u.Nanos}.normal() }

// normal carries an excess or deficit of less than a day from the nanoseconds to the days.
func (t Time) normal() Time {
	if t.Nanos < 0 {
		return Time{Day: t.Day - 1, Nanos: t.Nanos + dayNanos}
	}
	if t.Nanos >= dayNanos {
		return Time{Day: t.Day + 1, Nanos: t.Nanos - dayNanos}
	}
	return t
}

// firstGregorian is the first Gregorian day of the calendar Standard, 1582-10-15. The previous day
// is 1582-10-04.
var firstGregorian = gregorianYear(1582) + 287

// julianShift is the number of days by which 0001-01-01 of the Julian calendar precedes that of the
// Gregorian calendar.
const julianShift = 2

// gregorianYear returns the number of days from 0001-01-01 to January 1 of year y. Year 0 precedes
// year 1.
func gregorianYear(y int64) int64 {
	y--
	return 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400)
}

func julianYear(y int64) int64 { return 365*(y-1) + floorDiv(y-1, 4) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// isMixed reports whether the calendar changes from Julian to Gregorian.
func (c Calendar) isMixed() bool { return c == Standard }

// part returns the calendar in use before or, if gregorian, from 1582-10-15.
func (c Calendar) part(gregorian bool) Calendar {
	switch {
	case !c.isMixed():
		return c
	case gregorian:
		return Proleptic
	}
	return Julian
}

// yearStart returns the number of days from 0001-01-01 to January 1 of year y in a calendar that is
// not mixed. Year 0 precedes year 1.
func (c Calendar) yearStart(y int64) int64 {
	switch c {
	case Julian:
		return julianYear(y)
	case NoLeap:
		return 365 * (y - 1)
	case AllLeap:
		return 366 * (y - 1)
	case Days360:
		return 360 * (y - 1)
	}
	return gregorianYear(y)
}

// monthStart are the numbers of days before each month of a common year.
var monthStart = [13]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// beforeMonth returns the number of days of a year before a month, 1 to 13.
func (c Calendar) beforeMonth(y int64, month int) int {
	if c == Days360 {
		return 30 * (month - 1)
	}
	n := monthStart[month-1]
	if month > 2 && c.yearStart(y+1)-c.yearStart(y) == 366 {
		n++
	}
	return n
}

// hasYearZero reports whether year 0 precedes year 1; otherwise year -1 does.
func (c Calendar) hasYearZero() bool { return c != Standard && c != Julian }

// astronomical returns the number of a year counted with a year 0, or false if the calendar lacks
// the year.
func (c Calendar) astronomical(year int) (int64, bool) {
	switch {
	case year < -maxYear || year > maxYear || year == 0 && !c.hasYearZero():
		return 0, false
	case year < 0 && !c.hasYearZero():
		return int64(year) + 1, true
	}
	return int64(year), true
}

// Time returns the time of a date. The error wraps ErrTime if the calendar lacks the date or the
// time of day is out of range.
func (c Calendar) Time(d Date) (Time, error) {
	day, ok := c.day(d)
	if !ok {
		return Time{}, errkind.Errorf(ErrTime, "the calendar %v has no %s", c, d.dayText())
	}
	if d.Hour < 0 || d.Hour > 23 || d.Minute < 0 || d.Minute > 59 || d.Second < 0 || d.Second > 59 || d.Nano < 0 || int64(d.Nano) >= second {
		return Time{}, errkind.Errorf(ErrTime, "%02d:%02d:%02d is no time of day", d.Hour, d.Minute, d.Second)
	}
	return Time{Day: day, Nanos: int64((d.Hour*60+d.Minute)*60+d.Second)*second + int64(d.Nano)}, nil
}

// day returns the number of a day, or false if the calendar lacks it.
func (c Calendar) day(d Date) (int64, bool) {
	y, ok := c.astronomical(d.Year)
	if !ok || d.Month < 1 || d.Month > 12 || d.Day < 1 {
		return 0, false
	}
	gregorian := cmp.Or(cmp.Compare(d.Year, 1582), cmp.Compare(d.Month, 10), cmp.Compare(d.Day, 15)) >= 0
	p := c.part(gregorian)
	inYear := p.beforeMonth(y, d.Month) + d.Day - 1
	if inYear >= p.beforeMonth(y, d.Month+1) {
		return 0, false
	}
	day := p.yearStart(y) + int64(inYear)
	if c.isMixed() && !gregorian {
		day -= julianShift
		return day, day < firstGregorian
	}
	return day, true
}

// Date returns the date of a time.
func (c Calendar) Date(t Time) Date {
	day := t.Day
	p := c.part(day >= firstGregorian)
	if c.isMixed() && p == Julian {
		day += julianShift
	}
	y := int64(-2 * maxYear)
	for step := int64(1) << 32; step > 0; step /= 2 { // find the last year that has begun by t
		if p.yearStart(y+step) <= day {
			y += step
		}
	}
	inYear, month := int(day-p.yearStart(y)), 12
	for p.beforeMonth(y, month) > inYear {
		month--
	}
	d := Date{Year: int(y), Month: month, Day: inYear - p.beforeMonth(y, month) + 1}
	if y <= 0 && !c.hasYearZero() {
		d.Year--
	}
	seconds := int(t.Nanos / second)
	d.Hour, d.Minute, d.Second, d.Nano = seconds/3600, seconds/60%60, seconds%60, int(t.Nanos%second)
	return d
}
