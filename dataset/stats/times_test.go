package stats

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/optionerr"
)

// newTimes makes an array along times, in seconds since 1970, in a calendar.
func newTimes(t *testing.T, seconds []int64, calendar string) (*drx.Array, *dataset.Axes) {
	t.Helper()
	folder := t.TempDir()
	a, err := drx.Create(filepath.Join(folder, "v"), drx.Spec{DType: dtype.Int8, Shape: []int{len(seconds)}, Dims: []string{"time"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Discard() })
	c, err := drx.Create(filepath.Join(folder, "time"), drx.Spec{
		DType: dtype.Int64, Shape: []int{len(seconds)}, Dims: []string{"time"},
		Attrs: map[string]any{"units": "seconds since 1970-01-01", "calendar": calendar},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := drx.Write(c, nil, seconds); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	axes, err := dataset.AxesOf(a)
	if err != nil {
		t.Fatal(err)
	}
	return a, axes
}

// Parts of dates and periods must be those of package time.
func TestTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	seconds := make([]int64, 300)
	for i := range seconds {
		seconds[i] = rng.Int64N(5 * 365 * 86400)
	}
	a, axes := newTimes(t, seconds, "proleptic_gregorian")
	sel := cube.Box(a.Bounds())
	season := func(m time.Month) string { return []string{"DJF", "MAM", "JJA", "SON"}[int(m)%12/3] }
	for part, want := range map[string]func(u time.Time) string{
		"year": func(u time.Time) string { return strconv.Itoa(u.Year()) }, "month": func(u time.Time) string { return strconv.Itoa(int(u.Month())) },
		"day": func(u time.Time) string { return strconv.Itoa(u.Day()) }, "hour": func(u time.Time) string { return strconv.Itoa(u.Hour()) },
		"dayofyear": func(u time.Time) string { return strconv.Itoa(u.YearDay()) }, "season": func(u time.Time) string { return season(u.Month()) },
	} {
		g, err := By(a, axes, sel, 0, part)
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, part, g, seconds, want)
	}
	first := time.Unix(seconds[0], 0).UTC()
	for _, s := range seconds {
		if u := time.Unix(s, 0).UTC(); u.Before(first) {
			first = u
		}
	}
	day := first.Truncate(24 * time.Hour)
	bins := func(width time.Duration) func(u time.Time) string {
		return func(u time.Time) string {
			begin := day.Add(u.Sub(day) / width * width)
			if begin.Hour()+begin.Minute() == 0 {
				return begin.Format("2006-01-02")
			}
			return begin.Format("2006-01-02T15:04")
		}
	}
	for period, want := range map[string]func(u time.Time) string{
		"6h": bins(6 * time.Hour), "1D": bins(24 * time.Hour), "W": bins(7 * 24 * time.Hour), "7h": bins(7 * time.Hour), "90min": bins(90 * time.Minute),
		"1M": func(u time.Time) string { return u.Format("2006-01") + "-01" }, "1Y": func(u time.Time) string { return u.Format("2006") + "-01-01" },
		"36h": bins(36 * time.Hour),
	} {
		p, err := ParsePeriod(period)
		if err != nil {
			t.Fatal(err)
		}
		g, err := EveryPeriod(a, axes, sel, 0, p)
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, period, g, seconds, want)
	}
}

func checkNames(t *testing.T, what string, g *Grouping, seconds []int64, want func(u time.Time) string) {
	t.Helper()
	for i, s := range seconds {
		u := time.Unix(s, 0).UTC()
		if of := g.of[i]; of.hi != of.lo+1 || g.Names[of.lo] != want(u) {
			t.Fatalf("%s: %v is in the groups %v of %q, want %s", what, u, of, g.Names, want(u))
		}
	}
}

// Calendars without leap days have other days of the year.
func TestCalendarsOfGroups(t *testing.T) {
	for calendar, want := range map[string]string{"noleap": "60", "360_day": "60", "standard": "61"} {
		days := map[string]int64{"noleap": 2*365 + 59, "360_day": 2*360 + 59, "standard": 2*365 + 60}[calendar] // 1972-03-01
		a, axes := newTimes(t, []int64{days * 86400}, calendar)
		g, err := By(a, axes, cube.Box(a.Bounds()), 0, "dayofyear")
		if err != nil || fmt.Sprint(g.Names) != "["+want+"]" {
			t.Errorf("%s: %v, %v, want %s", calendar, g, err, want)
		}
	}
	for _, text := range []string{"", "D6", "0D", "7x", "99999999999999999999h", "1.5h"} {
		if p, err := ParsePeriod(text); !errors.Is(err, optionerr.ErrOption) {
			t.Errorf("%q is the period %v, %v", text, p, err)
		}
	}
}
