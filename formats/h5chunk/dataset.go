//go:build (hdf5 || netcdf) && cgo

package h5chunk

// #cgo pkg-config: hdf5-serial
// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"drx/nd"
)

// A Dataset is an open dataset.
type Dataset struct {
	c     C.drxc_dataset
	shape []int
	decoder
	free chan *scratch // of those that decode
}

// Open opens the dataset with a name in an HDF5 file that the caller has open. Reading takes at
// most about memory bytes, but always two chunks. It returns nil if the dataset is not of the kind
// that is read here, or has another shape or other chunks: its library reads it.
func Open(path, name string, shape, chunk []int, memory int64) *Dataset {
	d := &Dataset{}
	cpath, cname := C.CString(path), C.CString(name)
	defer C.free(unsafe.Pointer(cpath))
	defer C.free(unsafe.Pointer(cname))
	if C.drxc_open(cpath, cname, &d.c) == 0 {
		return nil
	}
	rank := int(d.c.rank)
	d.shape, d.chunk = ints(d.c.shape[:rank]), ints(d.c.chunk[:rank])
	d.size, d.shuffled, d.deflated = int(d.c.size), d.c.shuffle != 0, d.c.deflate != 0
	n, err := nd.Product(append(slices.Clone(d.chunk), d.size)...)
	if err != nil || !slices.Equal(d.shape, shape) || !slices.Equal(d.chunk, chunk) {
		d.Close()
		return nil
	}
	d.bytes = n
	workers := min(int64(runtime.GOMAXPROCS(0)), memory/(2*int64(n)))
	d.free = make(chan *scratch, max(1, workers))
	for range cap(d.free) {
		d.free <- &scratch{}
	}
	return d
}

func ints(from []C.hsize_t) []int {
	out := make([]int, len(from))
	for i, n := range from {
		out[i] = int(n)
	}
	return out
}

// Close closes the dataset. It is nil-safe.
func (d *Dataset) Close() {
	if d != nil {
		C.drxc_close(&d.c)
	}
}

// Read reads a section to buf, in row-major order. It calls library for the parts whose chunks are
// missing or stored in another way than the others; library reads the elements of a box to a
// buffer. The error names the chunk.
func (d *Dataset) Read(sec nd.Section, buf []byte, library func(box nd.Section, to []byte) error) error {
	first, end := make([]int, len(sec)), make([]int, len(sec))
	for i, s := range sec {
		if s.Len() == 0 {
			return nil
		}
		first[i], end[i] = s.Lo/d.chunk[i], nd.CeilDiv(s.Hi, d.chunk[i])
	}
	results, started := make(chan error, cap(d.free)), 0
	var failed error
	for index, more := slices.Clone(first), true; more && failed == nil; more = nd.Next(index, first, end) {
		if started == cap(d.free) {
			failed = <-results
			started--
		}
		if failed == nil {
			failed = d.start(newPart(d.chunk, sec, index), buf, library, results)
			started++
		}
	}
	for ; started > 0; started-- {
		if err := <-results; failed == nil {
			failed = err
		}
	}
	return failed
}

// start reads the chunk of a part and has another goroutine decode it, which sends one result. A
// part that the library must read is complete when start returns. After an error there is a result,
// too.
func (d *Dataset) start(p part, buf []byte, library func(nd.Section, []byte) error, results chan<- error) error {
	s := <-d.free
	done := func(err error) {
		if err != nil {
			err = fmt.Errorf("chunk %v: %w", p.index, err)
		}
		d.free <- s
		results <- err
	}
	if d.stored(p, s) {
		go func() { done(d.decode(p, s, buf)) }()
		return nil
	}
	n, _ := p.box.Len() // of a section that is in memory
	s.decoded = resized(s.decoded, n*d.size)
	if err := library(p.box, s.decoded); err != nil {
		done(nil)
		return err
	}
	p.copyDense(buf, s.decoded, d.size)
	done(nil)
	return nil
}

// stored reads the stored bytes of a chunk. It returns false if the library must read the chunk or
// describe its damage.
func (d *Dataset) stored(p part, s *scratch) bool {
	offset := make([]C.hsize_t, len(p.index))
	for i, n := range p.index {
		offset[i] = C.hsize_t(n) * C.hsize_t(d.chunk[i])
	}
	n := int64(C.drxc_stored(&d.c, &offset[0]))
	if n <= 0 || n > 2*int64(d.bytes)+storedSlack { // missing, or damaged
		return false
	}
	s.stored = resized(s.stored, int(n))
	return C.drxc_read(&d.c, &offset[0], unsafe.Pointer(&s.stored[0])) != 0
}

// storedSlack is the number of bytes by which a stored chunk may exceed twice its decoded size. A
// larger chunk must be damaged, and no memory is allocated for it.
const storedSlack = 4 << 10
