package cftime

import (
	"fmt"
	"strings"

	"drx/internal/errkind"
)

// A Period is the span of time that a date names: a year, a month, a day, an hour, a minute, a
// second, or less.
type Period struct {
	First, Last Time // the first and the last nanosecond
}

// Parse reads a date such as 2013, 2013-01, 2013-01-31, 2013-01-31T06, 2013-01-31T06:30 or
// 2013-01-31 06:30:15.25. A zone may follow a time of day, such as Z, UTC, +01:00 or -6; the result
// is in the zone of the calendar, which is also the default. The error wraps ErrTime.
func (c Calendar) Parse(text string) (Period, error) {
	d, fields, err := c.parse(text)
	if err != nil {
		return Period{}, err
	}
	first, err := c.Time(d.Date)
	if err != nil {
		return Period{}, fmt.Errorf("%q: %w", text, err)
	}
	last := first
	switch fields {
	case 1:
		last = c.lastOfYear(d.Date)
	case 2:
		last = c.lastOfMonth(d.Date)
	case 3:
		last.Nanos = dayNanos - 1
	case 4:
		last.Nanos += 3600*second - 1
	case 5:
		last.Nanos += 60*second - 1
	case 6:
		last.Nanos += d.resolution - 1
	}
	return Period{d.shift(first), d.shift(last)}, nil
}

// lastOfYear returns the last nanosecond of the year of a date.
func (c Calendar) lastOfYear(d Date) Time {
	d.Month = 12
	return c.lastOfMonth(d)
}

// lastOfMonth returns the last nanosecond of the month of a date.
func (c Calendar) lastOfMonth(d Date) Time {
	for d.Day = 31; ; d.Day-- { // every month has a day 1, so this ends
		if day, ok := c.day(d); ok {
			return Time{Day: day, Nanos: dayNanos - 1}
		}
	}
}

// A zonedDate is a date with the zone and the precision given by a text.
type zonedDate struct {
	Date
	offset     int64 // of the zone, in nanoseconds east
	resolution int64 // of the seconds, in nanoseconds
}

// shift converts a time in the zone to one in the zone of the calendar.
func (d zonedDate) shift(t Time) Time {
	t.Nanos -= d.offset
	return t.normal()
}

// parse reads a date. fields is the number of fields given, from 1 for the year only to 6 for all
// up to the second.
func (c Calendar) parse(text string) (d zonedDate, fields int, err error) {
	s := scanner{strings.TrimSpace(text)}
	d.Month, d.Day, d.resolution = 1, 1, second
	fail := func(what string) (zonedDate, int, error) {
		return d, 0, errkind.Errorf(ErrTime, "%q is no date: %s; write dates as 2013-01-31 or 2013-01-31T06:30", text, what)
	}
	negative := s.skip("-")
	if !negative {
		s.skip("+")
	}
	var ok bool
	begin := len(s.rest)
	if d.Year, ok = s.number(10); !ok {
		return fail("it begins with no year")
	}
	fields = 1
	if begin == len(s.rest)+8 { // 20130131, allowed by ISO 8601 and udunits2
		d.Year, d.Month, d.Day = d.Year/10000, d.Year/100%100, d.Year%100
		fields = 3
	}
	if negative {
		d.Year = -d.Year
	}
	for _, f := range []struct {
		before string
		value  *int
	}{{"-", &d.Month}, {"-", &d.Day}, {"T ", &d.Hour}, {":", &d.Minute}, {":", &d.Second}}[fields-1:] {
		if s.rest == "" || !strings.Contains(f.before, s.rest[:1]) {
			break
		}
		before := s
		s.rest = s.rest[1:]
		if *f.value, ok = s.number(2); !ok {
			if s = before; fields == 3 { // a zone directly after a date
				break
			}
			return fail(fmt.Sprintf("a number of at most two digits must follow %q", f.before[:1]))
		}
		fields++
	}
	if fields == 6 && s.skip(".") {
		if d.Nano, d.resolution, ok = s.fraction(); !ok {
			return fail("digits must follow the point of the seconds")
		}
	}
	if fields >= 3 {
		if d.offset, ok = s.zone(); !ok {
			return fail("after the time of day there may be a zone: Z, UTC, +01:00 or -6")
		}
	}
	if s.rest != "" {
		return fail(fmt.Sprintf("%q is left", s.rest))
	}
	return d, fields, nil
}

// A scanner parses tokens from the front of a text.
type scanner struct{ rest string }

// skip removes a token and reports whether it was present.
func (s *scanner) skip(token string) bool {
	var ok bool
	s.rest, ok = strings.CutPrefix(s.rest, token)
	return ok
}

// number parses a decimal number of at most the given number of digits.
func (s *scanner) number(digits int) (n int, ok bool) {
	i := 0
	for ; i < len(s.rest) && s.rest[i] >= '0' && s.rest[i] <= '9'; i++ {
		if i == digits {
			return 0, false
		}
		n = 10*n + int(s.rest[i]-'0')
	}
	s.rest = s.rest[i:]
	return n, i > 0
}

// fraction parses the digits after the decimal point of the seconds. It drops digits after the
// ninth. unit is the value of the last digit, in nanoseconds.
func (s *scanner) fraction() (nanos int, unit int64, ok bool) {
	unit = second
	i := 0
	for ; i < len(s.rest) && s.rest[i] >= '0' && s.rest[i] <= '9'; i++ {
		if unit > 1 {
			unit /= 10
			nanos += int(s.rest[i]-'0') * int(unit)
		}
	}
	s.rest = s.rest[i:]
	return nanos, unit, i > 0
}

// zone parses an optional zone and returns its offset in nanoseconds.
func (s *scanner) zone() (offset int64, ok bool) {
	s.rest = strings.TrimSpace(s.rest)
	for _, utc := range []string{"Z", "z", "UTC", "GMT"} {
		if s.skip(utc) {
			return 0, true
		}
	}
	sign := int64(1)
	switch {
	case s.skip("+"):
	case s.skip("-"):
		sign = -1
	default:
		return 0, true
	}
	before := len(s.rest)
	hours, ok := s.number(4)
	minutes := 0
	switch {
	case ok && s.skip(":"):
		minutes, ok = s.number(2)
	case before-len(s.rest) > 2: // +0530
		hours, minutes = hours/100, hours%100
	}
	if !ok || hours > 23 || minutes > 59 {
		return 0, false
	}
	return sign * int64(hours*60+minutes) * 60 * second, true
}

// dayText returns the day of a date as text.
func (d Date) dayText() string {
	sign, year := "", d.Year
	if year < 0 {
		sign, year = "-", -year
	}
	digits := fmt.Sprintf("%04d", year)
	if len(digits) == 8 {
		digits = "0" + digits // 8 digits are a day, as 20130131
	}
	return fmt.Sprintf("%s%s-%02d-%02d", sign, digits, d.Month, d.Day)
}

// Format returns a time as a date in ISO 8601 with as many fields as it needs: 2013-01-31,
// 2013-01-31T06:30, 2013-01-31T06:30:15.25.
func (c Calendar) Format(t Time) string {
	d := c.Date(t)
	text := d.dayText()
	if t.Nanos == 0 {
		return text
	}
	text += fmt.Sprintf("T%02d:%02d", d.Hour, d.Minute)
	if d.Second != 0 || d.Nano != 0 {
		text += fmt.Sprintf(":%02d", d.Second)
	}
	if d.Nano != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", d.Nano), "0")
	}
	return text
}

// PartNames are the names of the parts of dates by which values are grouped.
var PartNames = []string{"year", "quarter", "season", "month", "dayofyear", "day", "hour"}
