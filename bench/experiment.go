package main

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// An experiment answers one question with a table and its plots. A new one is a
// variable in a file of its own and a line in the list experiments; -only
// name runs it alone. It measures with lab.race, which rotates the entrants, compares
// what they found and adds a row for each.
type experiment struct {
	name   string // in words-with-dashes: what -only matches, and what its files are called
	title  string
	figure string // of the thesis that it repeats, "6.4.1"; empty for none
	plots  []plot
	run    func(*lab, *table) error
}

// experiments lists what a run does, in order.
var experiments = []experiment{
	randomAccess, interleaved, utilisation, orders, sections, cubical, latency, appends, opening, memory,
	relayouts, relayoutTables, lookupFloor, lookupRank, lookupClaims, curveAccess, curveStretch, elementOrders,
	memoryStatic, memoryInterleaved, chunkedStatic, chunkedInterleaved, matrixGrowth,
}

// A plot draws the rows of one metric of an experiment's table.
type plot struct {
	metric     string
	title      string // empty is the experiment's
	x, y       string // labels of the axes, with their units
	logX, logY bool
	bars       bool     // else lines over numbers, dots over places
	series     []string // those drawn, in this order; nil is all
}

// A lab is what an experiment works with.
type lab struct {
	dir   string // scratch, removed at the end
	short bool   // sizes for a run of two minutes
	reps  int    // repetitions of which the median counts
	log   io.Writer
	peers *roster
}

// pick returns full, or short in a short run.
func pick[T any](l *lab, full, short T) T {
	if l.short {
		return short
	}
	return full
}

// printf tells how far the run is.
func (l *lab) printf(format string, args ...any) { fmt.Fprintf(l.log, format, args...) }

// A cell is the place in a table that a race fills: one row per entrant.
type cell struct {
	metric string
	x      float64 // on an axis of numbers
	place  string  // on an axis of names
	unit   unit
}

// A unit is that of a time: the table has times per operation in it.
type unit struct {
	name string
	ns   float64
}

// The units of times.
var (
	nanoseconds  = unit{"ns", 1}
	microseconds = unit{"µs", 1e3}
	milliseconds = unit{"ms", 1e6}
)

// A result is what an entrant of a race found in one repetition.
type result struct {
	wall, cpu time.Duration // cpu is 0 where it was not measured
	ops       float64       // operations done in that time; 0 counts as 1
	check     string        // the same for all that saw the same values; empty is not compared
}

// An entrant of a race does the same work as all others, from the same seed.
type entrant struct {
	series string
	limit  bool          // what the machine allows, not a competitor
	enough time.Duration // of work, after which leastReps repetitions do; 0: all are made
	run    func(seed uint64) (result, error)
}

// leastReps is how many repetitions there are of what takes long, see entrant.
const leastReps = 2

// done reports whether an entrant with these results needs no more.
func (e entrant) done(found []result) bool {
	var spent time.Duration
	for _, r := range found {
		spent += r.wall
	}
	return e.enough > 0 && spent >= e.enough && len(found) >= leastReps
}

// race runs the entrants lab.reps times in rotated order (A B C, B C A, ...) and
// adds the medians of their times per operation to the table. It returns the results
// by series, one per repetition. An entrant that does not support the work is left out.
// The error names the entrant that failed, or that saw other values than the first of its
// repetition.
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
	if c.place != "" {
		return c.metric + " " + c.place
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
		metric: c.metric, series: series, x: c.x, place: c.place, unit: c.unit.name,
		value: median(wall), cpu: median(cpu), low: low, high: high, reps: len(rs),
	}
}
