package main

import (
	"fmt"
	"strconv"
	"time"
)

// grown describes the growth in figures 6.4.2 to 6.4.4 of the thesis: extensions of random
// dimensions.
type grown struct{ rank, start, shortStart, by, shortBy, chunk, steps, memorySteps, shortSteps int }

// grownArrays start with 3 million elements, as in the thesis, where they grow to 1.2 billion. Here
// they grow by half a chunk at a time to 60 million elements (480 MB), or 25 million in
// memory.
var grownArrays = []grown{
	{rank: 2, start: 1732, shortStart: 500, by: 128, shortBy: 60, chunk: 256, steps: 94, memorySteps: 51, shortSteps: 15},
	{rank: 3, start: 144, shortStart: 48, by: 16, shortBy: 12, chunk: 32, steps: 46, memorySteps: 27, shortSteps: 7},
	{rank: 4, start: 42, shortStart: 20, by: 8, shortBy: 4, chunk: 16, steps: 23, memorySteps: 14, shortSteps: 4},
}

// longGrowth is the time after which two repetitions of a slow competitor suffice. Competitors that
// need seconds would otherwise take most of the run, although their repetitions differ by less than
// they differ from DRX.
const longGrowth = 2 * time.Second

// interleaved extends arrays between random accesses.
var interleaved = experiment{
	name:   "interleaved-growth",
	title:  "Growth interleaved with random access",
	figure: "6.4.2 and 6.4.3",
	plots: []plot{
		{metric: "disk", title: "Growth interleaved with random access, on disk", x: "rank k", y: "total time (ms)", logY: true, series: mainSeries()},
		{metric: "memory", title: "Growth interleaved with random access, in memory", x: "rank k", y: "total time (ms)", logY: true, series: mainSeries()},
		{metric: "steps", title: "Growth on disk, two dimensions", x: "extensions", y: "total time (ms)", logX: true, logY: true, series: mainSeries()},
	},
	run: runInterleaved,
}

func runInterleaved(l *lab, t *table) error {
	for _, g := range grownArrays {
		if err := growOnce(l, t, "disk", float64(g.rank), g); err != nil {
			return err
		}
		g.steps = g.memorySteps
		if err := growOnce(l, t, "memory", float64(g.rank), g); err != nil {
			return err
		}
	}
	g := grownArrays[0]
	for _, g.steps = range []int{3, 12, 51} {
		if l.short {
			continue
		}
		if err := growOnce(l, t, "steps", float64(g.steps), g); err != nil {
			return err
		}
	}
	// The last point is the array that has already grown on disk.
	for _, r := range t.rows {
		if r.metric == "disk" && r.at() == "2" {
			r.metric, r.x = "steps", float64(grownArrays[0].stepsOf(l))
			t.add(r)
		}
	}
	for _, metric := range []string{"disk", "memory", "steps"} {
		t.bestOfPeers(metric)
	}
	return nil
}

// growOnce races one growth history.
func growOnce(l *lab, t *table, metric string, x float64, g grown) error {
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, netcdfBare, zarr, rowMajor, rowMap)
	args := g.args(l)
	if metric == "memory" {
		cs, args = l.inMemory(), append(args, "memory=1")
	}
	return raceGrowth(l, t, cell{metric: metric, x: x, unit: milliseconds}, cs, g, args)
}

// raceGrowth is growOnce for given competitors.
func raceGrowth(l *lab, t *table, c cell, cs []competitor, g grown, args []string) error {
	es := entrants(cs, func(c competitor) entrant {
		e := l.fresh(c, "grow", "grow", 2*8*g.elements(l), args...)
		e.enough = longGrowth
		inner := e.run
		e.run = func(seed uint64) (result, error) {
			r, err := inner(seed)
			r.ops = 1 // the whole history
			return r, err
		}
		return e
	})
	_, err := l.race(t, c, es...)
	return err
}

func (g grown) stepsOf(l *lab) int { return pick(l, g.steps, g.shortSteps) }

// elements returns the approximate number of elements after all steps.
func (g grown) elements(l *lab) int64 {
	edge := pick(l, g.start, g.shortStart) + g.stepsOf(l)*pick(l, g.by, g.shortBy)/g.rank
	return int64(volume(uniform(g.rank, edge)))
}

func (g grown) args(l *lab) []string {
	start, by := pick(l, g.start, g.shortStart), pick(l, g.by, g.shortBy)
	return append(shapeArgs(uniform(g.rank, start), uniform(g.rank, g.chunk)), "by="+commaed(uniform(g.rank, by)),
		"random=1", "reads="+pick(l, "2000", "50"), "steps="+strconv.Itoa(g.stepsOf(l)))
}

// fresh returns an entrant that makes a new array with each request. It prepares memory for the
// files and removes them afterwards.
func (l *lab) fresh(c competitor, verb, name string, bytes int64, args ...string) entrant {
	e := l.simple(c, verb, name, args...)
	inner := e.run
	e.run = func(seed uint64) (result, error) {
		if err := touchMemory(bytes); err != nil {
			return result{}, err
		}
		r, err := inner(seed)
		if err != nil {
			return r, err
		}
		if _, err := l.peers.call(c, "close"); err != nil {
			return r, err
		}
		return r, removeStore(l.path(c, name))
	}
	return e
}

// utilisation compares the bytes of the elements within the bounds with the bytes allocated.
var utilisation = experiment{
	name:   "utilisation",
	title:  "Storage utilisation after random growth",
	figure: "6.4.4",
	plots: []plot{
		{metric: "k=2", title: "Storage utilisation after random growth, k = 2", x: "edge of a chunk (elements)", y: "elements ∕ allocated", bars: true},
		{metric: "k=3", title: "Storage utilisation after random growth, k = 3", x: "edge of a chunk (elements)", y: "elements ∕ allocated", bars: true},
		{metric: "k=4", title: "Storage utilisation after random growth, k = 4", x: "edge of a chunk (elements)", y: "elements ∕ allocated", bars: true},
	},
	run: runUtilisation,
}

func runUtilisation(l *lab, t *table) error {
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, zarr, rowMajor)
	for _, g := range []grown{
		{rank: 2, start: 1976, shortStart: 500, by: 137, shortBy: 37, steps: 15, shortSteps: 15},
		{rank: 3, start: 142, shortStart: 70, by: 21, shortBy: 9, steps: 7, shortSteps: 7},
		{rank: 4, start: 44, shortStart: 22, by: 5, shortBy: 3, steps: 4, shortSteps: 4},
	} {
		for _, g.chunk = range []int{8, 16, 32} {
			if l.short && g.chunk == 8 { // zarr would create tens of thousands of files
				continue
			}
			for _, c := range cs {
				if err := utilisationOf(l, t, c, g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func utilisationOf(l *lab, t *table, c competitor, g grown) error {
	args := append(g.args(l), "seed=1", "reads=0")
	if err := l.callUntimed(c, "grow", "used", args...); err != nil {
		return err
	}
	if _, err := l.peers.call(c, "close"); err != nil {
		return err
	}
	_, allocated, err := storeSize(l.path(c, "used"))
	if err != nil {
		return err
	}
	shape := uniform(g.rank, pick(l, g.start, g.shortStart))
	for s := range g.stepsOf(l) {
		shape[mix(1, uint64(s), 99)%uint64(g.rank)] += pick(l, g.by, g.shortBy)
	}
	t.add(row{
		metric: fmt.Sprintf("k=%d", g.rank), series: c.series, column: strconv.Itoa(g.chunk),
		value: 8 * float64(volume(shape)) / float64(allocated), unit: "ratio", reps: 1,
	})
	return removeStore(l.path(c, "used"))
}
