package main

import (
	"fmt"
	"math"
)

// latency extends sparse arrays of many chunks.
var latency = experiment{
	name:  "extension-latency",
	title: "Extensions of arrays of many chunks",
	plots: []plot{
		{metric: "uncommitted", title: "Extension without data, in memory", x: "chunks before", y: "time per extension (µs)", logX: true, logY: true},
		{metric: "committed", title: "Extension without data, durable", x: "chunks before", y: "time per extension (µs)", logX: true, logY: true},
		{metric: "append", title: "Extension, one chunk written, durable", x: "chunks before", y: "time per extension (µs)", logX: true, logY: true},
	},
	run: runLatency,
}

// runLatency leaves out row-major files: each extension would rewrite terabytes.
func runLatency(l *lab, t *table) error {
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, zarr, syncOnly)
	for _, chunks := range pick(l, []float64{1e2, 1e3, 1e4, 1e5, 1e6, 1e7}, []float64{1e2, 1e7}) {
		edge := int(math.Round(math.Sqrt(chunks)))
		shape := append(shapeArgs(uniform(2, 16*edge), uniform(2, 16)), "fill=0")
		for _, w := range []struct {
			metric string
			args   []string
		}{
			{"uncommitted", []string{"n=" + pick(l, "1000", "300"), "commit=0", "write=0"}},
			{"committed", []string{"n=" + pick(l, "40", "10"), "commit=1", "write=0"}},
			{"append", []string{"n=" + pick(l, "40", "10"), "commit=1", "write=1"}},
		} {
			var es []entrant
			for _, c := range cs {
				if c.limit && w.metric == "uncommitted" || c.limit && w.metric == "append" {
					continue
				}
				e := l.fresh(c, "extend", "latency", 0, append(w.args, shape...)...)
				if w.metric == "uncommitted" {
					e = secondRun(e) // otherwise the first use of memory takes half of the time
				}
				es = append(es, e)
			}
			c := cell{metric: w.metric, x: chunks, unit: microseconds}
			if _, err := l.race(t, c, es...); err != nil {
				return fmt.Errorf("%g chunks: %w", chunks, err)
			}
		}
		t.add(row{metric: "uncommitted", series: "1 µs", limit: true, x: chunks, value: 1, unit: "µs", reps: 1})
	}
	return nil
}

// secondRun returns an entrant that runs e twice and returns the result of the second run.
func secondRun(e entrant) entrant {
	run := e.run
	e.run = func(seed uint64) (result, error) {
		if _, err := run(seed); err != nil {
			return result{}, err
		}
		return run(seed)
	}
	return e
}

// appends adds slabs of 16 MiB to a file.
var appends = experiment{
	name:  "append",
	title: "Appending slabs of 16 MiB",
	plots: []plot{
		{metric: "durable", title: "Appending slabs of 16 MiB, each durable", y: "time per slab (ms)", bars: true},
		{metric: "buffered", title: "Appending slabs of 16 MiB, not made durable", y: "time per slab (ms)", bars: true},
	},
	run: runAppends,
}

func runAppends(l *lab, t *table) error {
	rows, n := 512, pick(l, 16, 2)
	shape := append(shapeArgs([]int{0, 4096}, []int{256, 256}), fmt.Sprintf("rows=%d", rows), fmt.Sprintf("n=%d", n))
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, zarr, rowMajor)
	for _, w := range []struct{ metric, durable string }{{"durable", "durable=1"}, {"buffered", "durable=0"}} {
		entered := cs
		if w.metric == "durable" {
			entered = append(append([]competitor{}, cs...), l.present(writeSync)...)
		}
		es := entrants(entered, func(c competitor) entrant {
			return l.fresh(c, "append", "append", int64(n*rows*4096*8), append(shape, w.durable)...)
		})
		if _, err := l.race(t, cell{metric: w.metric, column: "16 MiB", unit: milliseconds}, es...); err != nil {
			return err
		}
		t.best(w.metric, "hdf5")
	}
	// A target compares the CPU time of durable DRX with that of peers that are not durable.
	if r, ok := t.find("durable", drxDefault.series, "16 MiB"); ok {
		r.metric, r.series = "buffered", "drx, durable"
		t.add(r)
	}
	return nil
}
