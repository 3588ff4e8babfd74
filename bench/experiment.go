package main

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// An experiment answers one question with a table and its plots. To add one, define a variable in a
// new file and name it in the list experiments; -only name runs it alone. It measures with
// lab.race, which runs the entrants in rotated order, compares their results and adds a row for
// each.
type experiment struct {
	name   string // words-with-dashes; -only matches it, and its files have it in their names
	title  string
	figure string // the figure of the thesis that it repeats, such as "6.4.1"; may be empty
	plots  []plot
	run    func(*lab, *table) error
}

// A plot draws the rows of one metric of an experiment's table.
type plot struct {
	metric     string
	title      string // if empty, the experiment's
	x, y       string // labels of the axes, with units
	logX, logY bool
	bars       bool     // bars; otherwise lines over numbers, dots over columns
	series     []string // the series to draw, in this order; nil means all
}

// A lab is the environment of an experiment.
type lab struct {
	dir   string // scratch folder, removed at the end
	short bool   // use sizes for a run of two minutes
	reps  int    // repetitions; the result is their median
	log   io.Writer
	peers *peers
}

// pick returns full, or short in a short run.
func pick[T any](l *lab, full, short T) T {
	if l.short {
		return short
	}
	return full
}

// printf reports progress.
func (l *lab) printf(format string, args ...any) { fmt.Fprintf(l.log, format, args...) }

// A cell says which rows of a table a race fills, one per entrant.
type cell struct {
	metric string
	x      float64 // position on a numeric axis
	column string  // name on an axis of names; if set, x does not count
	unit   unit
}

// A unit is a unit of time. Tables have times per operation.
type unit struct {
	name string
	ns   float64
}

// The units of time.
var (
	nanoseconds  = unit{"ns", 1}
	microseconds = unit{"µs", 1e3}
	milliseconds = unit{"ms", 1e6}
)

// A result is the outcome of one repetition of an entrant.
type result struct {
	wall, cpu time.Duration // cpu is 0 if it was not measured
	ops       float64       // operations in that time; 0 counts as 1
	check     string        // number of operations in that time; 0 counts as 1
}

// An entrant of a race does the same work as all others, from the same seed.
type entrant struct {
	series string
	limit  bool // a limit of the machine, not a competitor
	// enough is the time after which the entrant stops, once it has leastReps repetitions; 0: it
	// never stops early
	enough time.Duration
	run    func(seed uint64) (result, error)
}

// leastReps is the least number of repetitions of a slow entrant, see entrant.enough.
const leastReps = 2

// done reports whether these results of an entrant suffice.
func (e entrant) done(found []result) bool {
	var spent time.Duration
	for _, r := range found {
		spent += r.wall
	}
	return e.enough > 0 && spent >= e.enough && len(found) >= leastReps
}

// race runs the entrants lab.reps times in rotated order (A B C, B C A, ...) and
// adds the medians of their times per operation to the table. It returns the results
// by series, one per repetition. It leaves out an entrant that does not support the work.
// The error names the entrant that failed, or whose values differ from those of the first
// entrant of the repetition.
func (l *lab) race(t *table, c cell, entrants ...entrant) (map[string][]result, error) {
	found := map[string][]result{}
	for rep := range l.reps {
		check, of := "", ""
		for i := range entrants {
			e := entrants[(i+rep)%len(entrants)]
			if rep > 0 && found[e.series] == nil || e.done(found[e.series]) {
				continue
			}
			r, err := e.run(uint64(rep + 1))
			if errors.Is(err, errUnsupported) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", c.describe(), e.series, err)
			}
			if check == "" {
				check, of = r.check, e.series
			}
			if r.check != "" && r.check != check {
				return nil, fmt.Errorf("%s: %s found %s, %s found %s", c.describe(), e.series, r.check, of, check)
			}
			found[e.series] = append(found[e.series], r)
		}
	}
	l.record(t, c, entrants, found)
	return found, nil
}

// record adds a row to the table for each entrant that has results.
func (l *lab) record(t *table, c cell, entrants []entrant, found map[string][]result) {
	for _, e := range entrants {
		if found[e.series] == nil {
			continue
		}
		r := c.row(e.series, found[e.series])
		r.limit = e.limit
		t.add(r)
		l.printf("  %-28s %-22s %12.4g %s\n", c.describe(), e.series, r.value, r.unit)
	}
}

// describe names the cell for messages.
func (c cell) describe() string {
	if c.column != "" {
		return c.metric + " " + c.column
	}
	return fmt.Sprintf("%s %g", c.metric, c.x)
}

// row returns the medians of the results per operation.
func (c cell) row(series string, rs []result) row {
	var wall, cpu []float64
	for _, r := range rs {
		ops := r.ops
		if ops == 0 {
			ops = 1
		}
		wall = append(wall, float64(r.wall)/ops/c.unit.ns)
		cpu = append(cpu, float64(r.cpu)/ops/c.unit.ns)
	}
	low, high := span(wall)
	return row{
		metric: c.metric, series: series, x: c.x, column: c.column, unit: c.unit.name,
		value: median(wall), cpu: median(cpu), low: low, high: high, reps: len(rs),
	}
}
