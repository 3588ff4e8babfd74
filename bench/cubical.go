package main

import "fmt"

// cubical extends a square array a hundred times by one row or column of chunks, the dimensions in
// turn, and writes the new elements.
var cubical = experiment{
	name:  "cubical-growth",
	title: "A hundred extensions by a row of chunks, written",
	plots: []plot{
		{metric: "time", title: "A hundred extensions, the new slab written each time", y: "total time (ms)", bars: true},
		{metric: "metadata", title: "Metadata after a hundred extensions", y: "bytes that are not elements", logY: true},
		{metric: "reopen", title: "Opening and reading one element after a hundred extensions", y: "time (µs)", logY: true},
	},
	run: runCubical,
}

func runCubical(l *lab, t *table) error {
	edge, steps := pick(l, 128, 32), 100
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, zarr, rowMajor)
	shape, chunk := uniform(2, edge), uniform(2, edge)
	args := append(shapeArgs(shape, chunk), "by="+commaed(chunk), fmt.Sprintf("steps=%d", steps))
	column := fmt.Sprintf("%d extensions", steps)
	final := 8 * edge * edge * (steps/2 + 1) * (steps/2 + 1)
	es := entrants(cs, func(c competitor) entrant { return l.freshCubical(c, int64(final), args) })
	if _, err := l.race(t, cell{metric: "time", column: column, unit: milliseconds}, es...); err != nil {
		return err
	}
	t.best("time", "hdf5")
	for _, c := range cs {
		apparent, _, err := storeSize(l.path(c, "cubical"))
		if err != nil {
			return err
		}
		t.add(row{metric: "size", series: c.series, column: column, value: float64(apparent), unit: "bytes", reps: 1})
		t.add(row{metric: "metadata", series: c.series, column: column, value: float64(apparent - int64(final)), unit: "bytes", reps: 1})
	}
	es = entrants(cs, func(c competitor) entrant { return l.simple(c, "reopen", "cubical", "n=20") })
	if _, err := l.race(t, cell{metric: "reopen", column: column, unit: microseconds}, es...); err != nil {
		return err
	}
	t.best("reopen", "hdf5")
	return l.remove(cs, "cubical")
}

// freshCubical returns an entrant that makes a new array in every repetition. Unlike fresh, it
// leaves the last one in place.
func (l *lab) freshCubical(c competitor, bytes int64, args []string) entrant {
	e := l.simple(c, "grow", "cubical", args...)
	inner := e.run
	e.run = func(seed uint64) (result, error) {
		if err := removeStore(l.path(c, "cubical")); err != nil {
			return result{}, err
		}
		if err := touchMemory(bytes); err != nil {
			return result{}, err
		}
		r, err := inner(seed)
		if err != nil {
			return r, err
		}
		r.ops = 1
		_, err = l.peers.call(c, "close")
		return r, err
	}
	return e
}
