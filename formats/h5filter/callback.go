//go:build (hdf5 || netcdf) && cgo

package h5filter

// #cgo pkg-config: hdf5-serial
// #include "bridge.h"
import "C"

import (
	"sync"
	"unsafe"

	"drx/formats/cformat"
)

// Begin prepares for calls of the library: it registers the filters, once, and clears the results
// of earlier calls.
func Begin() {
	register()
	Expect(Chunk{Most: usualMost})
}

var register = sync.OnceFunc(func() {
	C.drxf_register() // if this fails, datasets that need the filters are refused
	C.H5Eclear2(C.H5E_DEFAULT)
})

// drxFilter encodes bytes by a filter, or decodes them if reverse is set. It returns the result in
// memory of libhdf5, with its size. On failure it returns NULL and writes the reason to why, which
// has space for capacity bytes.
//
//export drxFilter
func drxFilter(id C.int, reverse C.int, n C.size_t, values *C.uint, bytes C.size_t, buf unsafe.Pointer, size *C.size_t, why *C.char, capacity C.size_t) unsafe.Pointer {
	out, err := filter(int(id), reverse != 0, numbers(values, n), unsafe.Slice((*byte)(buf), bytes))
	if err != nil {
		failed = cformat.InFilter(int(id), err)
		text := unsafe.Slice((*byte)(unsafe.Pointer(why)), capacity)
		text[copy(text[:capacity-1], failed.Error())] = 0
		return nil
	}
	*size = C.size_t(len(out))
	return unsafe.Pointer(unsafe.SliceData(out))
}

// numbers returns the parameters of a filter.
func numbers(values *C.uint, n C.size_t) (all []uint32) {
	for _, v := range unsafe.Slice(values, n) {
		all = append(all, uint32(v))
	}
	return all
}

// filter returns the output of a filter, in memory of libhdf5.
func filter(id int, reverse bool, values []uint32, from []byte) ([]byte, error) {
	if !reverse {
		stored, err := Encode(id, values, from)
		if err != nil {
			return nil, err
		}
		out, err := allocate(len(stored), 1)
		copy(out, stored)
		return out, err
	}
	size, err := decodedSize(id, from, expected.Bytes)
	if err == nil {
		err = expected.checkSize(id, size)
	}
	if err != nil {
		return nil, err
	}
	out, err := allocate(int(size), expected.Bytes)
	if err != nil {
		return nil, err
	}
	if err := decode(id, out, from); err != nil {
		free(unsafe.Pointer(unsafe.SliceData(out)))
		return nil, err
	}
	return out, nil
}

// allocate returns n bytes of libhdf5's memory, in a block large enough for a chunk: the library
// copies a whole chunk from the decoded bytes, however few there are.
func allocate(n int, chunk int64) ([]byte, error) {
	capacity := max(int64(n), chunk, 1)
	p := C.H5allocate_memory(C.size_t(capacity), C.hbool_t(int64(n) < capacity))
	if p == nil {
		C.H5Eclear2(C.H5E_DEFAULT)
		return nil, errMemory(n)
	}
	return unsafe.Slice((*byte)(p), capacity)[:n], nil
}

// free frees memory of libhdf5.
func free(p unsafe.Pointer) { C.H5free_memory(p) }
