package main

import (
	"fmt"
	"strconv"
)

// grown is the growth of the thesis' experiments 6.4.2 to 6.4.4: chunks of 32 elements
// each way, extensions of dimensions drawn by chance.
type grown struct{ rank, start, shortStart, by, shortBy, chunk, steps int }

var grownArrays = []grown{{2, 1976, 500, 200, 60, 256, 15}, {3, 142, 48, 24, 12, 32, 7}, {4, 44, 20, 8, 4, 16, 4}}

// interleaved lets arrays grow between random accesses.
var interleaved = experiment{
	name:   "interleaved-growth",
	title:  "Growth interleaved with random access",
	figure: "6.4.2 and 6.4.3",
	plots: []plot{
		{metric: "disk", title: "Growth interleaved with random access, on disk", x: "rank k", y: "total time (ms)", logY: true, series: briefly()},
		{metric: "memory", title: "Growth interleaved with random access, in memory", x: "rank k", y: "total time (ms)", logY: true, series: briefly()},
		{metric: "steps", title: "Growth on disk, two dimensions", x: "extensions", y: "total time (ms)", logX: true, logY: true, series: briefly()},
	},
	run: runInterleaved,
}

func runInterleaved(l *lab, t *table) error {
	for _, g := range grownArrays {
		for _, where := range []string{"disk", "memory"} {
			if err := growOnce(l, t, where, float64(g.rank), g, g.steps); err != nil {
				return err
			}
		}
	}
	for _, steps := range pick(l, []int{2, 4, 8, 16, 32}, []int{4}) {
		if err := growOnce(l, t, "steps", float64(steps), grownArrays[0], steps); err != nil {
			return err
		}
	}
	for _, metric := range []string{"disk", "memory", "steps"} {
		t.bestOfPeers(metric)
	}
	return nil
}

// growOnce races one history.
func growOnce(l *lab, t *table, metric string, x float64, g grown, steps int) error {
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, netcdfBare, zarr, rowMajor, rowMap)
	args := g.args(l, steps)
	if metric == "memory" {
		cs, args = l.inMemory(), append(args, "memory=1")
	}
	es := entrants(cs, func(c competitor) entrant {
		e := l.fresh(c, "grow", "grow", 3*8*int64(volume(uniform(g.rank, pick(l, g.start, g.shortStart)))), args...)
		inner := e.run
		e.run = func(seed uint64) (result, error) {
			r, err := inner(seed)
			r.ops = 1 // the whole history
			return r, err
		}
		return e
	})
	_, err := l.race(t, cell{metric: metric, x: x, unit: milliseconds}, es...)
	return err
}

func (g grown) args(l *lab, steps int) []string {
	start, by := pick(l, g.start, g.shortStart), pick(l, g.by, g.shortBy)
	return append(shapeArgs(uniform(g.rank, start), uniform(g.rank, g.chunk)), "by="+commaed(uniform(g.rank, by)),
		"random=1", "reads="+pick(l, "2000", "50"), "steps="+strconv.Itoa(steps))
}

// fresh returns an entrant that makes a new array with each request: memory for it is at
// hand, and what it leaves is removed before the next.
func (l *lab) fresh(c competitor, verb, name string, bytes int64, args ...string) entrant {
	e := l.simple(c, verb, name, args...)
	inner := e.run
	e.run = func(seed uint64) (result, error) {
		if err := hold(bytes); err != nil {
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

// utilisation compares the elements within the bounds with the bytes taken.
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
	for _, g := range []grown{{rank: 2, start: 1976, shortStart: 500, by: 137, shortBy: 37, steps: 15}, {rank: 3, start: 142, shortStart: 70, by: 21, shortBy: 9, steps: 7}, {rank: 4, start: 44, shortStart: 22, by: 5, shortBy: 3, steps: 4}} {
		for _, g.chunk = range []int{8, 16, 32} {
			if l.short && g.chunk == 8 { // files by the ten thousand for zarr
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
	args := append(g.args(l, g.steps), "seed=1", "reads=0")
	if err := l.ask(c, "grow", "used", args...); err != nil {
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
	for s := range g.steps {
		shape[mix(1, uint64(s), 99)%uint64(g.rank)] += pick(l, g.by, g.shortBy)
	}
	t.add(row{
		metric: fmt.Sprintf("k=%d", g.rank), series: c.series, place: strconv.Itoa(g.chunk),
		value: 8 * float64(volume(shape)) / float64(allocated), unit: "ratio", reps: 1,
	})
	return removeStore(l.path(c, "used"))
}
