package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// codecs compares compressed arrays with those of HDF5 and zarr-python, and the codecs with
// C-Blosc.
var codecs = experiment{
	name:  "codecs",
	title: "A compressed array: a smooth field of int16",
	plots: []plot{
		{metric: "write", title: "Writing a compressed array of int16", x: "cores", y: "time (ms)", logY: true, bars: true},
		{metric: "read", title: "Reading a compressed array of int16, warm", x: "section", y: "time (µs)", logY: true, bars: true},
		{metric: "one thread", title: "Codecs in memory, one thread, pieces of 4 MiB", x: "work", y: "time (ms)", bars: true},
	},
	run: runCodecs,
}

// The codecs that all competitors have, and codecs that only some have.
const (
	lz4Shuffled  = "blosc:lz4:5:shuffle"
	zstdShuffled = "blosc:zstd:1:shuffle"
	gzipShuffled = "gzip:1:shuffle"
)

// The first word of the series of these experiments.
const (
	ofDRX    = "drx"
	ofHDF5   = "hdf5"
	ofZarr   = "zarr"
	ofCBlosc = "c-blosc"
)

// packer returns a program with a codec as a competitor. Each has its own arrays.
func packer(of, codec string) competitor {
	program := map[string]string{ofDRX: "drx", ofHDF5: "field-hdf5", ofZarr: "field-zarr", ofCBlosc: "field-blosc"}[of]
	store := of + "-" + strings.ReplaceAll(codec, ":", "-")
	return competitor{series: of + ", " + codec, program: program, store: store, options: []string{"codec=" + codec}, limit: of == ofCBlosc}
}

// zstdDefault has the default level of C-Blosc and DRX. It is tried on real data.
const zstdDefault = "blosc:zstd:5:shuffle"

// packers returns the competitors that store files.
func packers() (cs []competitor) {
	for _, codec := range []string{"none", lz4Shuffled, zstdShuffled, "lz4", "zstd:3"} {
		cs = append(cs, packer(ofDRX, codec))
	}
	for _, codec := range []string{"none", gzipShuffled, lz4Shuffled, zstdShuffled} {
		cs = append(cs, packer(ofHDF5, codec))
	}
	for _, codec := range []string{"none", lz4Shuffled, zstdShuffled, "lz4", "zstd:3"} {
		cs = append(cs, packer(ofZarr, codec))
	}
	return cs
}

// oneCore returns the competitor, bound to one core.
func oneCore(c competitor) competitor {
	c.options = append([]string{"core=0"}, c.options...)
	c.core = true
	return c
}

// fastestWith returns the name of the series of the fastest peer with a codec.
func fastestWith(codec string) string { return "fastest peer, " + codec }

// The columns of these experiments.
const (
	oneCoreColumn  = "one core"
	allCoresColumn = "all cores"
	wholeColumn    = "whole"
	smallColumn    = "whole, chunks of 4 KiB"
	squareColumn   = "256x256"
	elementColumn  = "one element"
)

// packedTargets lists the targets of compressed arrays.
func packedTargets() (all []target) {
	add := func(metric, column, codec, reference string, least float64) {
		all = append(all, target{
			work: codec + ", " + metric + " " + column, experiment: codecs.name, metric: metric, column: column,
			series: ofDRX + ", " + codec, reference: reference, least: least,
		})
	}
	for _, codec := range []string{lz4Shuffled, zstdShuffled, "lz4", "zstd:3"} {
		peer := fastestWith(codec)
		add("stored", "elements", codec, peer, 0.97)
		add("read", wholeColumn, codec, peer, 1.5)
		add("read", squareColumn, codec, peer, 1.5)
		add("read", elementColumn, codec, peer, 20)
		add("write", oneCoreColumn, codec, peer, 1)
		add("write", allCoresColumn, codec, peer, 1.7)
	}
	for _, column := range []string{wholeColumn, squareColumn} {
		add("read", column, zstdShuffled, ofHDF5+", "+gzipShuffled, 1.5)
	}
	for _, codec := range []string{lz4Shuffled, zstdShuffled} {
		add("one thread", "decode", codec, ofCBlosc+", "+codec, 1)
		add("one thread", "encode", codec, ofCBlosc+", "+codec, 1.1)
	}
	return all
}

func init() { targets = append(targets, packedTargets()...) }

// A fieldFile is a file with the elements of an array, for all peers.
type fieldFile struct {
	path         string
	kind         string // of fieldTypes
	shape, chunk []int
	size         int // size in bytes
}

func (f fieldFile) args(more ...string) []string {
	return append([]string{"field=" + f.path, "type=" + f.kind, "shape=" + commaed(f.shape), "chunk=" + commaed(f.chunk)}, more...)
}

// smoothFile writes a smooth field with some noise.
func smoothFile(l *lab, rows, cols int) (fieldFile, error) {
	f := fieldFile{
		path: filepath.Join(l.dir, "smooth.raw"), kind: "i2", shape: []int{rows, cols}, size: 2 * rows * cols,
		chunk: uniform(2, pick(l, 512, 256)),
	}
	rng, buf := rand.New(rand.NewPCG(1, 6)), make([]byte, f.size)
	for i := range rows {
		for j := range cols {
			v := 3000*math.Sin(float64(i)/90)*math.Cos(float64(j)/70) + 10*rng.NormFloat64()
			binary.LittleEndian.PutUint16(buf[2*(i*cols+j):], uint16(int16(v)))
		}
	}
	return f, os.WriteFile(f.path, buf, 0o666)
}

func runCodecs(l *lab, t *table) error {
	edge := pick(l, 8192, 1024)
	f, err := smoothFile(l, edge, edge)
	if err != nil {
		return err
	}
	for _, part := range []func(*lab, *table, fieldFile) error{packedFiles, packedSmall, packedInMemory} {
		if err := part(l, t, f); err != nil {
			return err
		}
	}
	t.fastestPackers("write", "stored", "read")
	return os.Remove(f.path)
}

// fastestPackers adds the series of the fastest peer with each codec.
func (t *table) fastestPackers(metrics ...string) {
	for _, metric := range metrics {
		for _, codec := range []string{lz4Shuffled, zstdShuffled, "lz4", "zstd:3"} {
			t.leastOf(metric, fastestWith(codec), func(series string) bool {
				return series == ofHDF5+", "+codec || series == ofZarr+", "+codec
			})
		}
	}
}

// storing returns an entrant that writes a field to a new array.
func (l *lab) storing(c competitor, name string, f fieldFile) entrant {
	return entrant{series: c.series, run: func(uint64) (result, error) {
		path := l.path(c, name)
		if err := errors.Join(removeStore(path), touchMemory(2*int64(f.size))); err != nil {
			return result{}, err
		}
		return l.peers.call(c, "store", f.args("path="+path)...)
	}}
}

// packedFiles writes the field to files and reads them.
func packedFiles(l *lab, t *table, f fieldFile) error {
	cs, name := l.present(packers()...), "packed"
	alone := slices.Clone(cs)
	for i, c := range alone {
		alone[i] = oneCore(c)
	}
	for _, w := range []struct {
		column string
		cs     []competitor
	}{{oneCoreColumn, alone}, {allCoresColumn, cs}} {
		c := cell{metric: "write", column: w.column, unit: milliseconds}
		if _, err := l.race(t, c, entrants(w.cs, func(c competitor) entrant { return l.storing(c, name, f) })...); err != nil {
			return err
		}
	}
	if err := l.peers.stopAll(); err != nil {
		return err
	}
	cs = l.stored(cs, name)
	if err := l.packedSizes(t, cs, name, f); err != nil {
		return err
	}
	if err := l.packedReads(t, cs, name, wholeColumn); err != nil {
		return err
	}
	for _, s := range []struct{ column, size, n string }{{squareColumn, "256,256", "n=50"}, {elementColumn, "1,1", "n=50"}} {
		c := cell{metric: "read", column: s.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "part", "size="+s.size, s.n) })...); err != nil {
			return err
		}
	}
	return errors.Join(l.peers.stopAll(), l.remove(cs, name))
}

// stored returns the competitors that have stored the array: HDF5 may lack its plugins.
func (l *lab) stored(cs []competitor, name string) []competitor {
	return slices.DeleteFunc(slices.Clone(cs), func(c competitor) bool {
		files, err := storeFiles(l.path(c, name))
		return err != nil || len(files) == 0
	})
}

// packedSizes opens the arrays, and adds the stored bytes of the elements and the bytes of the
// files.
func (l *lab) packedSizes(t *table, cs []competitor, name string, f fieldFile) error {
	for _, c := range cs {
		if err := l.callUntimed(c, "use", name); err != nil {
			return err
		}
		r, err := l.peers.call(c, "size")
		if err != nil {
			return err
		}
		stored := 0
		if _, err := fmt.Sscan(r.check, &stored); err != nil {
			return err
		}
		_, disk, err := storeSize(l.path(c, name))
		if err != nil {
			return err
		}
		for _, s := range []struct {
			column string
			bytes  float64
		}{{"elements", float64(stored)}, {"files", float64(disk)}} {
			t.add(row{metric: "stored", series: c.series, column: s.column, value: s.bytes / (1 << 20), unit: "MiB", reps: 1})
			l.printf("  %-28s %-30s %8.2f MiB, ratio %.2f\n", "stored "+s.column, c.series, s.bytes/(1<<20), float64(f.size)/s.bytes)
		}
	}
	return nil
}

// packedReads reads the whole arrays, which are open: once untimed, then timed.
func (l *lab) packedReads(t *table, cs []competitor, name, column string) error {
	for _, c := range cs {
		if err := l.callUntimed(c, "whole", name); err != nil {
			return err
		}
	}
	c := cell{metric: "read", column: column, unit: microseconds}
	_, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.simple(c, "whole", name) })...)
	return err
}

// packedSmall reads the field from chunks of 4 KiB. It leaves out zarr, which would make a file for
// each chunk.
func packedSmall(l *lab, t *table, f fieldFile) error {
	f.chunk = []int{32, 64}
	cs, name := l.present(
		packer(ofDRX, "none"), packer(ofDRX, lz4Shuffled), packer(ofDRX, zstdShuffled), packer(ofDRX, "lz4"),
		packer(ofHDF5, gzipShuffled), packer(ofHDF5, lz4Shuffled), packer(ofHDF5, zstdShuffled)), "small"
	for _, c := range cs {
		err := l.callUntimed(c, "store", name, f.args()...)
		if err != nil && !errors.Is(err, errUnsupported) {
			return err
		}
	}
	cs = l.stored(cs, name)
	for _, c := range cs {
		if err := l.callUntimed(c, "use", name); err != nil {
			return err
		}
	}
	err := l.packedReads(t, cs, name, smallColumn)
	return errors.Join(err, l.peers.stopAll(), l.remove(cs, name))
}

// packedInMemory compares the codecs with C-Blosc.
func packedInMemory(l *lab, t *table, f fieldFile) error {
	if f.size > 32<<20 { // eight pieces
		f.shape = []int{f.shape[0] * (32 << 20) / f.size, f.shape[1]}
	}
	var cs []competitor
	for _, codec := range []string{lz4Shuffled, zstdShuffled} {
		cs = append(cs, l.present(packer(ofDRX, codec), packer(ofCBlosc, codec))...)
	}
	for _, verb := range []string{"decode", "encode"} {
		c := cell{metric: "one thread", column: verb, unit: milliseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant {
			e := l.simple(c, verb, "memory", f.args("piece=4194304", "rounds="+pick(l, "3", "1"))...)
			e.limit = c.limit
			return e
		})...); err != nil {
			return err
		}
	}
	return l.peers.stopAll()
}
