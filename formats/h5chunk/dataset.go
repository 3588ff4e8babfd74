//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"fmt"
	"runtime"
	"slices"

	"drx/dtype"
	"drx/nd"
)

// A Dataset is an open dataset whose chunks are decoded and encoded here.
type Dataset struct {
	stored stored
	decoder
	free chan *scratch // of goroutines that decode or encode
}

// Of returns a dataset that libhdf5 has open, given the type of its elements in memory, which is
// that of t, little-endian, or an array of them. Reading takes at most about memory bytes, but
// always three chunks. It returns nil if the dataset is not of the kind that is read here: its
// library reads it. The caller closes what it has open after the last call, and not the Dataset.
func Of(dataset, elements int64, t dtype.DType, memory int64) *Dataset {
	d := &Dataset{}
	if !d.stored.of(dataset, elements) || !d.prepare(t, memory) {
		return nil
	}
	return d
}

// Writable is Of for a dataset to write to, which has its final extents.
func Writable(dataset, elements int64, t dtype.DType, memory int64) *Dataset {
	d := Of(dataset, elements, t, memory)
	if d == nil || !d.writable() {
		return nil
	}
	return d
}

// Open is Of for the dataset with a name in an HDF5 file that the caller has open, Writable if
// write is set. It also returns nil if the dataset has another shape. The caller closes the
// Dataset.
func Open(path, name string, t dtype.DType, shape []int, memory int64, write bool) *Dataset {
	d := &Dataset{}
	if !d.stored.open(path, name, write) {
		return nil
	}
	if !slices.Equal(d.stored.shape, shape) || d.stored.size != t.Size() || !d.prepare(t, memory) || write && !d.writable() {
		d.stored.close()
		return nil
	}
	return d
}

// writable reports whether chunks can be encoded here.
func (d *Dataset) writable() bool { return d.swap == nil && d.fill != nil }

// prepare makes what decodes the chunks. It returns false if that is not done here.
func (d *Dataset) prepare(t dtype.DType, memory int64) bool {
	of := &d.stored
	if !readable(of.filters) {
		return false
	}
	d.decoder = decoder{chunk: of.chunk, bytes: of.bytes, size: of.size, filters: of.filters, fill: of.fill}
	if of.big() {
		d.swap = t.Swap
	}
	workers := min(int64(runtime.GOMAXPROCS(0)), memory/(buffers*int64(d.bytes)))
	d.free = make(chan *scratch, max(1, workers))
	for range cap(d.free) {
		d.free <- &scratch{}
	}
	return true
}

// Close closes what Open opened. It is nil-safe.
func (d *Dataset) Close() {
	if d != nil {
		d.stored.close()
	}
}

// Whole reports whether a section consists of whole chunks; false for nil. Read and Write are for
// such sections: with others the library's cache prevents that chunks are decoded twice.
func (d *Dataset) Whole(sec nd.Section) bool {
	if d == nil {
		return false
	}
	for i, s := range sec {
		if chunk := d.chunk[i]; s.Lo%chunk != 0 || s.Hi%chunk != 0 && s.Hi != d.stored.shape[i] {
			return false
		}
	}
	return true
}

// Read reads a section to buf, little-endian and in row-major order. It calls library for the parts
// whose chunks are missing or cannot be read as they are stored; library reads the elements of a
// box to a buffer. The error names the chunk.
func (d *Dataset) Read(sec nd.Section, buf []byte, library func(box nd.Section, to []byte) error) error {
	results, started := make(chan error, cap(d.free)), 0
	var failed error
	d.eachPart(sec, func(p part) (more bool) {
		if started == cap(d.free) {
			failed = <-results
			started--
		}
		if failed == nil {
			d.start(p, buf, library, results)
			started++
		}
		return failed == nil
	})
	for ; started > 0; started-- {
		if err := <-results; failed == nil {
			failed = err
		}
	}
	return failed
}

// eachPart calls f with the parts of a section, until it returns false.
func (d *decoder) eachPart(sec nd.Section, f func(p part) (more bool)) {
	first, end := make([]int, len(sec)), make([]int, len(sec))
	for i, s := range sec {
		if s.Len() == 0 {
			return
		}
		first[i], end[i] = s.Lo/d.chunk[i], nd.CeilDiv(s.Hi, d.chunk[i])
	}
	for index, more := slices.Clone(first), true; more; more = nd.Next(index, first, end) {
		if !f(newPart(d.chunk, sec, index)) {
			return
		}
	}
}

// start reads the chunk of a part and has another goroutine decode it, which sends one result. A
// part that the library must read is complete when start returns.
func (d *Dataset) start(p part, buf []byte, library func(nd.Section, []byte) error, results chan<- error) {
	s := <-d.free
	done := func(err error) {
		if err != nil {
			err = fmt.Errorf("chunk %v: %w", p.index, err)
		}
		d.free <- s
		results <- err
	}
	// A chunk with more bytes must be damaged, and no memory is allocated for it.
	const slack = 4 << 10
	chunk, leftOut := d.stored.read(p.index, 2*int64(d.bytes)+slack, s.stored.of)
	if chunk != nil && leftOut>>len(d.filters) == 0 {
		go func() { done(d.decode(p, s, chunk, leftOut, buf)) }()
		return
	}
	n, _ := p.box.Len() // of a section that is in memory
	elements := s.stored.of(n * d.size)
	err := library(p.box, elements)
	if err == nil {
		p.copyDense(buf, elements, d.size)
	}
	done(err)
}
