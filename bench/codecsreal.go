package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx/formats"
	"drx/nd"
)

// codecsReal compresses public data below DRX_DATA.
var codecsReal = experiment{
	name:  "codecs-real",
	title: "Compressed arrays of public data",
	plots: []plot{{metric: "ratio", x: "data", y: "bytes of the elements per stored byte", bars: true}},
	run:   runCodecsReal,
}

// A realData describes arrays of files. Several files are stacked along a new dimension.
type realData struct {
	name     string
	files    string // a pattern below DRX_DATA
	variable string
	kind     string // of fieldTypes
	most     int    // number of files at most
	chunk    func(shape []int) []int
}

// chunkBytes is the size of a chunk, about half a MiB.
const chunkBytes = 640 << 10

// frameChunks returns a chunk shape with one chunk for each index of the first dimension.
func frameChunks(shape []int) []int {
	chunk := slices.Clone(shape)
	chunk[0] = 1
	return chunk
}

// slabChunks returns a function that divides an array along the first dimension into equal chunks
// of at most chunkBytes.
func slabChunks(element int) func([]int) []int {
	return func(shape []int) []int {
		chunk := slices.Clone(shape)
		most := max(1, chunkBytes/(volume(shape[1:])*element))
		chunk[0] = nd.CeilDiv(shape[0], nd.CeilDiv(shape[0], most))
		return chunk
	}
}

// realDatas are the data to compress.
var realDatas = []realData{
	{"radar", "growth/radar_knmi_hdf5/*.h5", "image1/image_data", "u2", 24, frameChunks},
	{"rainfall", "growth/radar_bom_netcdf/*.nc", "precipitation", "i2", 48, frameChunks},
	{"sea-surface temperature", "formats/netcdf/ostia_monthly.nc", "surface_temperature", "f4", 1, slabChunks(4)},
	{"hyperspectral", "hyperspectral/abu-airport-1.mat", "data", "u2", 1, slabChunks(2)},
	{"foam, grey images", "growth/frames_foam/*.tif", "", "u1", 9, frameChunks},
	{"water, RGBA images", "growth/frames_bulk_water/*.png", "", "u1", 16, frameChunks},
}

var errNoData = errors.New("DRX_DATA does not name a folder with the folders formats, growth and hyperspectral of public data")

// write writes the elements to a file for all peers.
func (d realData) write(l *lab) (f fieldFile, err error) {
	registerBridges()
	files, err := filepath.Glob(filepath.Join(os.Getenv("DRX_DATA"), d.files))
	if err != nil || len(files) == 0 {
		return f, errors.Join(errNoData, err)
	}
	var all []byte
	var shape []int
	files = files[:min(len(files), d.most)]
	for _, file := range files {
		part, partShape, err := d.read(file)
		if err != nil {
			return f, fmt.Errorf("%s: %w", file, err)
		}
		if shape = partShape; len(files) > 1 {
			shape = append([]int{len(files)}, partShape...)
		}
		all = append(all, part...)
	}
	f = fieldFile{path: filepath.Join(l.dir, "real.raw"), kind: d.kind, shape: shape, chunk: d.chunk(shape), size: len(all)}
	if want := volume(shape) * fieldTypes[d.kind].Size(); want != len(all) {
		return f, fmt.Errorf("%s: %d bytes of elements, expected %d", d.name, len(all), want)
	}
	return f, os.WriteFile(f.path, all, 0o666)
}

// read reads the elements of a file. If they are column-major there, the dimensions are returned in
// reverse order.
func (d realData) read(file string) (buf []byte, shape []int, err error) {
	r, err := formats.Open(file, formats.Options{Variable: d.variable})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info := r.Info()
	if want := fieldTypes[d.kind]; info.DType != want {
		return nil, nil, fmt.Errorf("elements of type %v, expected %v", info.DType, want)
	}
	n, err := info.Bytes()
	if err != nil {
		return nil, nil, err
	}
	buf, shape = make([]byte, n), slices.Clone(info.Shape)
	switch {
	case info.Order == nil:
	case slices.Equal(info.Order, nd.ColMajor(len(shape))):
		slices.Reverse(shape)
	default:
		return nil, nil, fmt.Errorf("elements in the order %v", info.Order)
	}
	return buf, shape, r.ReadSection(nil, buf)
}

// runCodecsReal writes and reads each array with each codec. The table has the compression ratio,
// and the speed in decoded bytes.
func runCodecsReal(l *lab, t *table) error {
	for _, d := range realDatas {
		f, err := d.write(l)
		if errors.Is(err, errNoData) {
			l.printf("  left out: %v\n", err)
			return nil
		}
		if err != nil {
			return err
		}
		scratch := &table{}
		if err := l.packReal(scratch, f); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		column := fmt.Sprintf("%s, %.1f MiB", d.name, float64(f.size)/(1<<20))
		for _, r := range scratch.rows {
			t.add(r.ofReal(column, f.size))
		}
	}
	return nil
}

// ofReal converts a row of sizes or times, of an array of the given number of bytes, to ratios or
// speeds.
func (r row) ofReal(column string, bytes int) row {
	mib := float64(bytes) / (1 << 20)
	turn := func(v float64) float64 { return mib / v }
	switch {
	case r.metric == "stored" && r.column == "elements":
		r.metric, r.unit = "ratio", "elements / stored"
	case r.metric == "stored":
		r.metric, r.unit = "ratio on disk", "elements / files"
	default:
		seconds := map[string]float64{milliseconds.name: 1e3, microseconds.name: 1e6}[r.unit]
		turn = func(v float64) float64 { return mib / v * seconds }
		r.unit = "MiB/s"
	}
	r.column, r.value, r.cpu = column, turn(r.value), 0
	if r.reps > 1 {
		r.low, r.high = turn(r.high), turn(r.low)
	}
	return r
}

// packReal writes and reads one array.
func (l *lab) packReal(t *table, f fieldFile) error {
	cs := slices.DeleteFunc(packers(), func(c competitor) bool {
		return c.series == packer(ofZarr, "none").series || c.series == packer(ofHDF5, "none").series
	})
	cs = l.present(append(cs, packer(ofDRX, zstdDefault), packer(ofHDF5, zstdDefault), packer(ofZarr, zstdDefault))...)
	write := cell{metric: "write", column: "real", unit: milliseconds}
	if _, err := l.race(t, write, entrants(cs, func(c competitor) entrant { return l.storing(c, "real", f) })...); err != nil {
		return err
	}
	cs = l.stored(cs, "real")
	if err := l.packedSizes(t, cs, "real", f); err != nil {
		return err
	}
	read := cell{metric: "read", column: "real", unit: microseconds}
	_, err := l.race(t, read, entrants(cs, func(c competitor) entrant {
		return entrant{series: c.series, run: func(uint64) (result, error) {
			if err := l.callUntimed(c, "use", "real"); err != nil { // nothing is cached
				return result{}, err
			}
			return l.peers.call(c, "whole")
		}}
	})...)
	return errors.Join(err, l.peers.stopAll(), l.remove(cs, "real"))
}

// realTable returns a table for the short page, with a row for each codec and a column for each
// array: the ratio, and the speeds of writing and reading in GiB/s.
func (t *table) realTable() string {
	columns := t.columns("ratio")
	var b strings.Builder
	fmt.Fprintf(&b, "| ratio, write, read | %s |\n|---%s|\n", strings.Join(columns, " | "), strings.Repeat("|---:", len(columns)))
	for _, s := range t.series("ratio") {
		fmt.Fprintf(&b, "| %s |", s)
		for _, p := range columns {
			ratio, ok := t.find("ratio", s, p)
			write, ok1 := t.find("write", s, p)
			read, ok2 := t.find("read", s, p)
			if !ok || !ok1 || !ok2 {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %.3g, %.2f, %.2f |", ratio.value, write.value/1024, read.value/1024)
		}
		b.WriteString("\n")
	}
	return b.String()
}
