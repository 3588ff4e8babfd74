package cftime

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A date names a period, from its first to its last nanosecond.
func TestParse(t *testing.T) {
	for _, p := range []struct {
		c           Calendar
		text        string
		first, last string
	}{
		{Standard, "2013", "2013-01-01", "2013-12-31T23:59:59.999999999"},
		{Standard, "2012-02", "2012-02-01", "2012-02-29T23:59:59.999999999"},
		{NoLeap, "2012-02", "2012-02-01", "2012-02-28T23:59:59.999999999"},
		{AllLeap, "2013-02", "2013-02-01", "2013-02-29T23:59:59.999999999"},
		{Days360, "2013-02", "2013-02-01", "2013-02-30T23:59:59.999999999"},
		{Days360, "2013", "2013-01-01", "2013-12-30T23:59:59.999999999"},
		{Standard, "1582-10", "1582-10-01", "1582-10-31T23:59:59.999999999"},
		{Standard, "2013-01-31T06", "2013-01-31T06:00", "2013-01-31T06:59:59.999999999"},
		{Standard, " 2013-1-3 6:05 ", "2013-01-03T06:05", "2013-01-03T06:05:59.999999999"},
		{Standard, "2013-01-31T06:05:04.25", "2013-01-31T06:05:04.25", "2013-01-31T06:05:04.259999999"},
		{Standard, "2013-01-01T00:30:00+01:00", "2012-12-31T23:30", "2012-12-31T23:30:00.999999999"},
		{Standard, "2013-01-01 00:30:00 -0530", "2013-01-01T06:00", "2013-01-01T06:00:00.999999999"},
		{Standard, "2013-01-01 12:00 -6:00", "2013-01-01T18:00", "2013-01-01T18:00:59.999999999"}, // the conventions' own example
		{Standard, "2013-01-01 UTC", "2013-01-01", "2013-01-01T23:59:59.999999999"},
		{Proleptic, "-0001-12-31", "-0001-12-31", "-0001-12-31T23:59:59.999999999"},
		{Proleptic, "0000-02-29", "0000-02-29", "0000-02-29T23:59:59.999999999"},
		{Standard, "20130131", "2013-01-31", "2013-01-31T23:59:59.999999999"},
		{Standard, "20130131T06", "2013-01-31T06:00", "2013-01-31T06:59:59.999999999"},
		{Standard, "12345-06-07", "12345-06-07", "12345-06-07T23:59:59.999999999"},
	} {
		got, err := p.c.Parse(p.text)
		if first, last := p.c.Format(got.First), p.c.Format(got.Last); err != nil || first != p.first || last != p.last {
			t.Errorf("%v %q: %s to %s, want %s to %s: %v", p.c, p.text, first, last, p.first, p.last, err)
		}
	}
}

// Texts that are not dates, and dates that a calendar does not have, must be refused.
func TestParseMistakes(t *testing.T) {
	for _, m := range []struct {
		c          Calendar
		text, want string
	}{
		{Standard, "", "it begins with no year"},
		{Standard, "noon", "it begins with no year"},
		{Standard, "2013-", "a number of at most two digits must follow"},
		{Standard, "2013-01-01T", "is left"},
		{Standard, "2013-01-01x", "is left"},
		{Standard, "2013-001", "at most two digits"},
		{Standard, "2013-01-01T06:00:01.", "digits must follow the point"},
		{Standard, "2013-01-01T06:00+25:00", "there may be a zone"},
		{Standard, "99999999999", "it begins with no year"},
		{Standard, "20130229", "the calendar standard has no 2013-02-29"},
		{Standard, "20139999", "the calendar standard has no"},
		{Standard, "2013-02-29", "the calendar standard has no 2013-02-29"},
		{Standard, "1582-10-10", "the calendar standard has no 1582-10-10"},
		{Standard, "0000-01-01", "the calendar standard has no 0000-01-01"},
		{Julian, "0000-01-01", "the calendar julian has no"},
		{NoLeap, "2012-02-29", "the calendar noleap has no 2012-02-29"},
		{Days360, "2012-01-31", "the calendar 360_day has no 2012-01-31"},
		{Proleptic, "2013-13-01", "has no 2013-13-01"},
		{Proleptic, "2013-01-01T24:00", "24:00:00 is no time of day"},
		{Proleptic, "2000000000-01-01", "has no 2000000000-01-01"},
	} {
		if _, err := m.c.Parse(m.text); !errors.Is(err, ErrTime) || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%v %q: %v, want %q", m.c, m.text, err, m.want)
		}
	}
}

// Units that are not units of time must be refused, with the possible ones.
func TestUnitsMistakes(t *testing.T) {
	for _, m := range []struct{ units, calendar, want string }{
		{"mm", "", "want a unit since a date"},
		{"days since", "", "want a unit since a date"},
		{"years since 2000-01-01", "", "the length of a year varies: use days"},
		{"months since 2000-01-01", "standard", "the length of a month varies in the calendar standard"},
		{"weeks since 2000-01-01", "", `"weeks" is no unit of time: known are days`},
		{"days since 2000-02-30", "", "has no 2000-02-30"},
		{"days since 2000-01-01", "lunar", `calendar "lunar": known are standard, gregorian`},
	} {
		if _, err := ParseUnits(m.units, m.calendar); !errors.Is(err, ErrTime) || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%q, %q: %v, want %q", m.units, m.calendar, err, m.want)
		}
	}
	u, err := ParseUnits("Months Since 2000-01-30", "360_DAY")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := u.Time(1.5); err != nil || u.Calendar.Format(at) != "2000-03-15" {
		t.Errorf("1.5 months of 30 days: %s, %v", u.Calendar.Format(at), err)
	}
}

// Integers must be exact up to the last one, and values out of range must give an error.
func TestExtremes(t *testing.T) {
	ns, err := ParseUnits("nanoseconds since 1970-01-01", "proleptic_gregorian")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n    int64
		want string
	}{
		{math.MaxInt64, "2262-04-11T23:47:16.854775807"},
		{math.MinInt64, "1677-09-21T00:12:43.145224192"},
		{-1, "1969-12-31T23:59:59.999999999"},
	} {
		at, err := ns.TimeOf(c.n)
		if got := ns.Calendar.Format(at); err != nil || got != c.want {
			t.Errorf("%d ns: %s, want %s: %v", c.n, got, c.want, err)
		}
		if back, exact := ns.ValueInt(at); back != c.n || !exact {
			t.Errorf("%d ns: back to %d, %v", c.n, back, exact)
		}
	}
	for _, unit := range []string{"days", "hours", "seconds", "microseconds"} {
		u, err := ParseUnits(unit+" since 0001-01-01", "standard")
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
			if _, err := u.Time(x); !errors.Is(err, ErrTime) {
				t.Errorf("%v %s: %v", x, unit, err)
			}
		}
		if _, err := u.TimeOf(math.MaxInt64); (unit == "days" || unit == "hours" || unit == "seconds") != errors.Is(err, ErrTime) {
			t.Errorf("the last integer of %s: %v", unit, err)
		}
	}
}

// Every text that is read as a date must be the same after it is written and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2013", "2013-02", "2013-01-31T06:05:04.25Z", "-44-03-15", "1582-10-04 23:59:59.999999999 -6", "010000000", "-012345678"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for c := range Calendar(len(calendarNames)) {
			p, err := c.Parse(text)
			if err != nil {
				if !errors.Is(err, ErrTime) {
					t.Fatal(err)
				}
				continue
			}
			if p.First.Compare(p.Last) > 0 {
				t.Fatalf("%v %q: from %v to %v", c, text, p.First, p.Last)
			}
			again, err := c.Parse(c.Format(p.First))
			if err != nil || again.First != p.First {
				t.Fatalf("%v %q: %s is read as %v, want %v: %v", c, text, c.Format(p.First), again.First, p.First, err)
			}
		}
	})
}
