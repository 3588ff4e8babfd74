package main

import (
	"errors"
	"fmt"

	"drx"
)

// memory measures the peak resident memory while an array of ten times the cache is written and
// read.
var memory = experiment{
	name:  "memory",
	title: "Peak memory while an array of ten times the cache is written and read",
	plots: []plot{{metric: "peak", title: "Peak resident memory, cache of 64 MiB, array of 640 MiB", y: "VmHWM (MiB)", bars: true}},
	run:   runMemory,
}

// memoryWork lists the workloads. Each runs in a new process.
var memoryWork = []struct {
	column string
	verbs  [][]string // requests of one process
}{
	{"write", [][]string{{"create", "fill=1"}, {"close"}}},
	{"read rows", [][]string{{"open"}, {"scan", "dim=1"}, {"close"}}},
	{"read columns", [][]string{{"open"}, {"scan", "dim=0"}, {"close"}}},
	{"random sections", [][]string{{"open"}, {"read", "size=300,300", "n=300"}, {"close"}}},
	{"random elements", [][]string{{"open"}, {"read", "size=1,1", "n=5000"}, {"close"}}},
	{"random writes", [][]string{{"open", "write=1"}, {"scatter", "n=5000"}, {"close"}}},
}

func runMemory(l *lab, t *table) error {
	budget, edge := pick(l, int64(drx.DefaultCache), 8<<20), pick(l, 9216, 3328)
	cache := fmt.Sprintf("cache=%d", budget)
	// Plain row-major files are left out: they need only a buffer, and an hour for columns.
	cs := l.present(drxDefault.with("drx", cache), hdf5Default, hdf5Cached.with("hdf5 cached", cache), netcdfCached.with("netcdf cached", cache), zarr, rowMap)
	shape := shapeArgs(uniform(2, edge), uniform(2, 256))
	for _, w := range memoryWork {
		for _, c := range cs {
			peak, err := l.peakOf(c, w.verbs, shape)
			if errors.Is(err, errUnsupported) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", w.column, c.series, err)
			}
			t.add(row{metric: "peak", series: c.series, column: w.column, value: float64(peak) / (1 << 20), unit: "MiB", reps: 1})
			l.printf("  %-28s %-22s %12.1f MiB\n", "peak "+w.column, c.series, float64(peak)/(1<<20))
		}
		t.add(row{metric: "peak", series: "budget + 64 MiB", limit: true, column: w.column, value: float64(budget)/(1<<20) + 64, unit: "MiB", reps: 1})
	}
	return l.remove(cs, "memory")
}

// peakOf runs requests in a new process and returns its peak resident memory.
func (l *lab) peakOf(c competitor, verbs [][]string, shape []string) (peak int64, err error) {
	p, err := l.peers.start(c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	for _, v := range verbs {
		args := append([]string{"path=" + l.path(c, "memory")}, v[1:]...)
		if _, err := p.call(v[0], append(args, shape...)...); err != nil {
			return 0, err
		}
	}
	return p.peak()
}
