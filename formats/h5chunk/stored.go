//go:build (hdf5 || netcdf) && cgo

package h5chunk

// #cgo pkg-config: hdf5-serial
// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/formats/cformat"
	"drx/nd"
)

// A stored is a dataset whose chunks are read and written as they are stored.
type stored struct {
	c            C.drxc_dataset
	shape, chunk []int
	size, bytes  int              // of an element and of a chunk
	filters      []cformat.Filter // that chunks pass, in this order
	fill         []byte           // element of missing chunks; nil if it cannot be read
}

// of describes a dataset of libhdf5 that the caller has open, given the type of its elements in
// memory. It reports whether the dataset has chunks of such elements.
func (s *stored) of(dataset, elements int64) bool {
	s.c.id, s.c.file = C.hid_t(dataset), -1
	return s.describe(C.hid_t(elements))
}

// open opens the dataset called name in an HDF5 file that the caller has open; write opens it for
// writing, which the caller's file must allow. It reports whether the dataset has chunks of
// numbers, and opens nothing if not.
func (s *stored) open(path, name string, write bool) bool {
	flags := C.unsigned(C.H5F_ACC_RDONLY)
	if write {
		flags = C.H5F_ACC_RDWR
	}
	cpath, cname := C.CString(path), C.CString(name)
	defer C.free(unsafe.Pointer(cpath))
	defer C.free(unsafe.Pointer(cname))
	if C.drxc_open(cpath, cname, flags, &s.c) == 0 {
		return false
	}
	elements := C.drxc_little(s.c.id)
	ok := s.describe(elements)
	if elements >= 0 {
		C.H5Tclose(elements)
	}
	if !ok {
		s.close()
	}
	return ok
}

func (s *stored) describe(elements C.hid_t) bool {
	if C.drxc_describe(&s.c, elements) == 0 {
		return false
	}
	s.shape, s.chunk, s.size = ints(s.c.shape[:s.c.rank]), ints(s.c.chunk[:s.c.rank]), int(s.c.size)
	for _, c := range s.c.filter[:s.c.filters] {
		f := cformat.Filter{ID: int(c.id)}
		for _, v := range c.values[:min(int(c.count), len(c.values))] {
			f.Values = append(f.Values, uint32(v))
		}
		s.filters = append(s.filters, f)
	}
	fill := make([]byte, s.size)
	if C.drxc_fill(&s.c, elements, unsafe.Pointer(&fill[0])) != 0 {
		s.fill = fill
	}
	n, err := nd.Product(append(s.chunk[:len(s.chunk):len(s.chunk)], s.size)...)
	s.bytes = n
	return err == nil
}

func ints(from []C.hsize_t) []int {
	out := make([]int, len(from))
	for i, n := range from {
		out[i] = int(n)
	}
	return out
}

// write writes a chunk that has passed the filters, but for those left out. It reports false if the
// library has an error.
func (s *stored) write(index []int, chunk []byte, leftOut uint) bool {
	offset := s.offset(index)
	return C.drxc_write(&s.c, &offset[0], unsafe.Pointer(&chunk[0]), C.size_t(len(chunk)), C.unsigned(leftOut)) != 0
}

// close closes what open opened.
func (s *stored) close() { C.drxc_close(&s.c) }

// big reports whether the most significant byte of an element is the first.
func (s *stored) big() bool { return s.c.big != 0 }

// offset returns the index of the first element of a chunk.
func (s *stored) offset(index []int) []C.hsize_t {
	offset := make([]C.hsize_t, len(index))
	for d, i := range index {
		offset[d] = C.hsize_t(i) * C.hsize_t(s.chunk[d])
	}
	return offset
}

// read reads a chunk as it is stored, to memory that buf returns for its bytes, and which filters
// it has not passed: bit i is set for filters[i]. The chunk is nil if it is missing, cannot be
// read, or has more than most bytes.
func (s *stored) read(index []int, most int64, buf func(bytes int) []byte) (chunk []byte, leftOut uint) {
	defer C.H5Eclear2(C.H5E_DEFAULT)
	offset := s.offset(index)
	n := int64(C.drxc_stored(&s.c, &offset[0]))
	if n <= 0 || n > most {
		return nil, 0
	}
	var bits C.unsigned
	chunk = buf(int(n))
	if C.drxc_read(&s.c, &offset[0], unsafe.Pointer(&chunk[0]), &bits) == 0 {
		return nil, 0
	}
	return chunk, uint(bits)
}
