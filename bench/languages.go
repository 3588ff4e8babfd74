package main

import "fmt"

// languages compares DRX from C and from Python with DRX from Go, and with h5py and zarr-python.
var languages = experiment{
	name:  "languages",
	title: "DRX from Go, C and Python",
	plots: []plot{
		{metric: "element", title: "Reading one element, page cache warm", x: "array of 128 MiB", y: "time per element (ns)", logY: true, bars: true},
		{metric: "section", title: "Reading sections, page cache warm", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true, bars: true},
		{metric: "append, durable", title: "Appending slabs of 16 MiB, each durable", x: "slab", y: "time per slab (ms)", bars: true},
		{metric: "append", title: "Appending slabs of 16 MiB", x: "slab", y: "time per slab (ms)", bars: true},
		{metric: "xarray", title: "Sums of a float64 array of 2 GiB by xarray and dask", x: "sum", y: "time (ms)", bars: true},
	},
	run: runLanguages,
}

// The limits for one element: how many nanoseconds more than Go C may take, and how many Python may
// take in all.
const (
	overGo     = 150
	pythonMost = 3000
)

// The rows of these limits.
var (
	cLimit      = fmt.Sprintf("drx + %d ns", overGo)
	pythonLimit = fmt.Sprintf("%d ns", pythonMost)
)

func init() {
	goal := func(c competitor, metric, column, reference string, least float64) {
		targets = append(targets, target{
			work: c.series + ", " + metric + " " + column, experiment: "languages", metric: metric, column: column, series: c.series,
			reference: reference, least: least,
		})
	}
	goal(drxC, "element", "random", cLimit, 1)
	goal(drxPython, "element", "random", pythonLimit, 1)
	goal(drxC, "section", "256x256 aligned", drxDefault.series, 0.95)
	goal(drxC, "section", "256x256", drxDefault.series, 0.95)
	goal(drxPython, "section", "256x256 aligned", drxDefault.series, 0.9)
	for _, peer := range []competitor{h5py, zarr} {
		goal(drxPython, "element", "random", peer.series, 1)
		goal(drxPython, "section", "256x256 aligned", peer.series, 1)
	}
	for _, metric := range []string{"append, durable", "append"} {
		goal(drxPython, metric, "16 MiB", drxDefault.series, 0.9)
	}
	for _, over := range sumsOver {
		goal(drxPython, "xarray", over, zarr.series, 2)
		goal(drxPython, "xarray", over, zarrPacked.series, 2)
	}
}

// The competitors of xarray besides zarr without compression: zarr with its default compressor and,
// as the limit, the same chunks as NumPy arrays in the memory of the process.
var (
	zarrPacked   = competitor{series: "zarr, compressed", program: "zarr", store: "zarr-packed", options: []string{"packed=1"}}
	xarrayMemory = competitor{series: "xarray in memory", program: "zarr", store: "memory", options: []string{"memory=1"}, limit: true}
)

func runLanguages(l *lab, t *table) error {
	cs := l.present(drxDefault, drxC, drxPython, h5py, zarr)
	if err := languageReads(l, t, cs); err != nil {
		return err
	}
	if err := languageAppends(l, t, cs); err != nil {
		return err
	}
	return languageSums(l, t)
}

// languageReads reads elements and sections of one array.
func languageReads(l *lab, t *table, cs []competitor) error {
	edge := pick(l, 4096, 1024)
	shape, chunk := []int{edge, edge}, []int{256, 256}
	if err := l.buildAndOpen(cs, "languages", shape, chunk); err != nil {
		return err
	}
	c := cell{metric: "element", column: "random", unit: nanoseconds}
	if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant {
		return l.repeated(c, "read", "n=1000", "size=1,1", "scalar=1")
	})...); err != nil {
		return err
	}
	if own, ok := t.find("element", drxDefault.series, "random"); ok {
		t.add(row{metric: "element", series: cLimit, limit: true, column: "random", value: own.value + overGo, unit: "ns", reps: own.reps})
	}
	t.add(row{metric: "element", series: pythonLimit, limit: true, column: "random", value: pythonMost, unit: "ns", reps: 1})
	for _, k := range []sectionKind{
		{column: "8x8", size: []int{8, 8}, align: 1, order: "row", n: 500},
		{column: "256x256 aligned", size: []int{256, 256}, align: 256, order: "row", n: 100},
		{column: "256x256", size: []int{256, 256}, align: 1, order: "row", n: 100},
	} {
		c := cell{metric: "section", column: k.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", k.args()...) })...); err != nil {
			return err
		}
	}
	for _, c := range cs {
		if _, err := l.peers.call(c, "close"); err != nil {
			return err
		}
	}
	return l.remove(cs, "languages")
}

// languageAppends appends slabs of 16 MiB, with a commit after each that is durable, or not.
func languageAppends(l *lab, t *table, cs []competitor) error {
	rows, n := 512, pick(l, 16, 2)
	shape := append(shapeArgs([]int{0, 4096}, []int{256, 256}), fmt.Sprintf("rows=%d", rows), fmt.Sprintf("n=%d", n))
	for _, w := range []struct{ metric, durable string }{{"append, durable", "durable=1"}, {"append", "durable=0"}} {
		es := entrants(cs, func(c competitor) entrant {
			return l.fresh(c, "append", "append", int64(n*rows*4096*8), append(shape, w.durable)...)
		})
		if _, err := l.race(t, cell{metric: w.metric, column: "16 MiB", unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// sumsOver are the dimensions over which xarray sums; "all" is the sum of all elements.
var sumsOver = []string{"all", "time", "x"}

// languageSums sums an array with xarray and dask.
func languageSums(l *lab, t *table) error {
	cs := l.present(drxPython, zarr, zarrPacked, xarrayMemory)
	shape := shapeArgs(pick(l, []int{256, 1024, 1024}, []int{16, 256, 256}), pick(l, []int{16, 256, 256}, []int{8, 128, 128}))
	for _, c := range cs {
		if err := l.callUntimed(c, "xcreate", "xarray", shape...); err != nil {
			l.printf("  left out: %v\n", err) // without xarray or dask
			return l.remove(cs, "xarray")
		}
	}
	for _, over := range sumsOver {
		arg := "over=" + over
		if over == "all" {
			arg = "over="
		}
		c := cell{metric: "xarray", column: over, unit: milliseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.simple(c, "xsum", "xarray", arg) })...); err != nil {
			return err
		}
	}
	if len(cs) > 1 {
		if _, err := l.peers.call(xarrayMemory, "close"); err != nil {
			return err
		}
	}
	return l.remove(cs, "xarray")
}
