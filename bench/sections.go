package main

import (
	"fmt"
	"slices"
	"strings"

	"drx/internal/fileset"
)

// sections reads and writes sections of a large array of chunks of 512 KiB.
var sections = experiment{
	name:  "sections",
	title: "Sections of a 2 GiB array, chunks of 512 KiB",
	plots: []plot{
		{metric: "warm", title: "Reading sections of a 2 GiB array, page cache warm", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true, series: mainSeries("strided memcpy")},
		{metric: "warm all", title: "Reading sections, page cache warm, every setting", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true},
		{metric: "cold", title: "Reading sections, page cache cold", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true},
	},
	run: runSections,
}

// mainSeries lists the series of a plot that shows the best setting of each peer, the limits last.
func mainSeries(limits ...string) []string {
	return append([]string{"drx", "hdf5 best", "netcdf best", "zarr", "row-major best"}, limits...)
}

// allReaders returns all competitors that read sections, with all their settings.
func allReaders(l *lab) []competitor {
	return l.present(drxDefault, drxBounded, hdf5Default, hdf5Cached, hdf5Bare,
		netcdfOfDefault(netcdfCached), netcdfOfDefault(netcdfBare), zarr, rowMajor, rowMap)
}

// netcdfOfDefault returns a NetCDF competitor that reads the file of HDF5's default settings. That
// is a NetCDF-4 file as well, which saves the space of another array.
func netcdfOfDefault(c competitor) competitor {
	c.store = hdf5Default.store
	return c
}

// A sectionKind describes sections of one size.
type sectionKind struct {
	column string
	size   []int
	align  int
	order  string
	n      int // per round
}

// sectionKinds returns the kinds for a square array of the given edge.
func sectionKinds(edge int) []sectionKind {
	square := func(n int) []int { return []int{n, n} }
	return []sectionKind{
		{"one element", square(1), 1, "row", 1000},
		{"8x8", square(8), 1, "row", 500},
		{"64x64", square(64), 1, "row", 300},
		{"256x256 aligned", square(256), 256, "row", 100},
		{"256x256", square(256), 1, "row", 100},
		{"1024x1024 aligned", square(1024), 256, "row", 10},
		{"1024x1024", square(1024), 1, "row", 10},
		{"one row", []int{1, edge}, 1, "row", 50},
		{"one column", []int{edge, 1}, 1, "row", 5},
		{"1024x1024 transposed, aligned", square(1024), 256, "col", 10},
		{"1024x1024 transposed", square(1024), 1, "col", 10},
	}
}

func (k sectionKind) args() []string {
	return []string{"size=" + commaed(k.size), fmt.Sprintf("align=%d", k.align), "order=" + k.order, fmt.Sprintf("n=%d", k.n)}
}

func runSections(l *lab, t *table) error {
	edge := pick(l, 16384, 2048)
	shape, chunk := []int{edge, edge}, []int{256, 256}
	cs := append(allReaders(l), l.present(copyPieces, copyBytes, readBytes)...)
	if err := l.buildAndOpen(cs, "sections", shape, chunk); err != nil {
		return err
	}
	for _, k := range sectionKinds(edge) {
		c := cell{metric: "warm all", column: k.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", k.args()...) })...); err != nil {
			return err
		}
	}
	if err := runBatches(l, t, "sections", shape, chunk); err != nil {
		return err
	}
	if err := runCold(l, t, shape, chunk); err != nil {
		return err
	}
	shortlist(t, "warm all", "warm")
	return l.remove(cs, "sections")
}

// shortlist copies the rows of a metric to another one. Of each peer with several settings it
// copies the best only.
func shortlist(t *table, from, to string) {
	t.bestOfPeers(from)
	for _, r := range t.rows {
		setting := slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(r.series, f) })
		if r.metric == from && (!setting || strings.HasSuffix(r.series, " best")) {
			r.metric = to
			t.add(r)
		}
	}
}

// runCold reads sections of files that have just been evicted from the page cache.
func runCold(l *lab, t *table, shape, chunk []int) error {
	cs := append(l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, zarr, rowMajor, rowMap), l.present(readChunks)...)
	if err := l.peers.stopAll(); err != nil { // mapped files could not be evicted
		return err
	}
	for _, k := range sectionKinds(shape[0]) {
		if k.order == "col" || k.size[0] != k.size[1] || k.size[0] < 64 {
			continue
		}
		k.n = pick(l, 32, 4)
		c := cell{metric: "cold", column: k.column, unit: microseconds}
		es := entrants(cs, func(c competitor) entrant { return l.coldEntrant(c, k, shapeArgs(shape, chunk)) })
		if _, err := l.race(t, c, es...); err != nil {
			return err
		}
	}
	t.best("cold", "hdf5")
	return nil
}

// coldEntrant returns an entrant that evicts the files, opens the array, reads and closes. Only the
// read is timed.
func (l *lab) coldEntrant(c competitor, k sectionKind, open []string) entrant {
	return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
		path := l.path(c, "sections")
		file := path
		if c.series == readChunks.series {
			file = fileset.Data(path)
		}
		if err := evict(path); err != nil {
			return result{}, err
		}
		if _, err := l.peers.call(c, "open", append([]string{"path=" + file}, open...)...); err != nil {
			return result{}, err
		}
		r, err := l.peers.call(c, "read", append([]string{fmt.Sprintf("seed=%d", seed)}, k.args()...)...)
		if err != nil {
			return r, err
		}
		if c.limit && k.column != "256x256 aligned" { // there the chunk is the section
			r.check = ""
		}
		_, err = l.peers.call(c, "close")
		return r, err
	}}
}
