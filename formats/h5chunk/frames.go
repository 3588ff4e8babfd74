//go:build (hdf5 || netcdf) && cgo

package h5chunk

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/formats"
	"drx/formats/h5filter"
	"drx/internal/codec"
	"drx/nd"
)

// Frames are the chunks of a dataset of numbers that exactly one filter has encoded, in a form that
// an array can store as it is.
type Frames struct {
	c     C.drxc_dataset
	chunk []int
	bytes int // of a chunk
}

// FramesOf returns the chunks of a dataset of libhdf5 as Frames, given the type of its elements in
// memory; nil if they are stored in another form. The caller closes the dataset, not the Frames.
func FramesOf(dataset, memory int64) *Frames {
	f := &Frames{}
	f.c.id, f.c.file = C.hid_t(dataset), -1
	return f.check(C.hid_t(memory))
}

// OpenFrames opens the dataset called name in an HDF5 file that the caller has open; write opens it
// for writing, which the caller's file must allow. It returns nil if the chunks cannot be Frames,
// or if the numbers are not in the processor's representation or not little-endian.
func OpenFrames(path, name string, write bool) *Frames {
	f, flags := &Frames{}, C.unsigned(C.H5F_ACC_RDONLY)
	if write {
		flags = C.H5F_ACC_RDWR
	}
	cpath, cname := C.CString(path), C.CString(name)
	defer C.free(unsafe.Pointer(cpath))
	defer C.free(unsafe.Pointer(cname))
	if C.drxc_open_any(cpath, cname, flags, &f.c) == 0 {
		return nil
	}
	memory := C.drxc_little(f.c.id)
	opened := f.check(memory)
	if memory >= 0 {
		C.H5Tclose(memory)
	}
	if opened == nil {
		f.Close()
	}
	return opened
}

// check returns f if an array can store its chunks unchanged, nil otherwise.
func (f *Frames) check(memory C.hid_t) *Frames {
	ok := memory >= 0 && C.drxc_frames(&f.c, memory) != 0
	C.H5Eclear2(C.H5E_DEFAULT)
	if !ok {
		return nil
	}
	f.chunk = ints(f.c.chunk[:f.c.rank])
	n, err := nd.Product(append(f.chunk[:len(f.chunk):len(f.chunk)], int(f.c.size))...)
	if f.bytes = n; err != nil {
		return nil
	}
	return f
}

// Close closes what OpenFrames opened. It is nil-safe.
func (f *Frames) Close() {
	if f != nil {
		C.drxc_close(&f.c)
	}
}

// Chunk returns the extents of the chunks.
func (f *Frames) Chunk() []int { return f.chunk }

// Has reports whether the filter makes frames of codec c, possibly at another level.
func (f *Frames) Has(c formats.CodecSpec) bool {
	id, values, has := h5filter.Of(c, int(f.c.size), f.bytes)
	if !has || id != int(f.c.filter) {
		return false
	}
	for i, n := range values {
		if i >= int(f.c.count) || uint32(f.c.values[i]) != n {
			return false
		}
	}
	return true
}

// Read returns the frame of a chunk with an index in the grid of chunks, in memory of its own. It
// returns nil if the chunk is missing, is stored in another way, or is no frame for an array; the
// library then reads its elements or reports the damage.
func (f *Frames) Read(index []int) []byte {
	defer C.H5Eclear2(C.H5E_DEFAULT)
	const framing = 12 // bytes that HDF5's framing adds to lz4
	offset := f.offset(index)
	n := int64(C.drxc_stored(&f.c, &offset[0]))
	if n <= 0 || n >= int64(f.bytes)+framing {
		return nil
	}
	stored := make([]byte, n)
	if C.drxc_read(&f.c, &offset[0], unsafe.Pointer(&stored[0])) == 0 {
		return nil
	}
	if f.c.filter != h5filter.LZ4 {
		return stored
	}
	frame, ok, err := codec.LZ4FromHDF5(nil, stored)
	if err != nil || !ok {
		return nil
	}
	return frame
}

// Write writes a chunk with an index in the grid of chunks as a frame. The error has no details;
// those are in the error of the library.
func (f *Frames) Write(index []int, frame []byte) (ok bool, err error) {
	if f.c.filter == h5filter.LZ4 {
		if frame, err = codec.LZ4ToHDF5(nil, frame); err != nil {
			return false, err
		}
	}
	offset := f.offset(index)
	return C.drxc_write(&f.c, &offset[0], unsafe.Pointer(&frame[0]), C.size_t(len(frame))) != 0, nil
}

// offset returns the index of the first element of a chunk.
func (f *Frames) offset(index []int) []C.hsize_t {
	offset := make([]C.hsize_t, len(index))
	for d, i := range index {
		offset[d] = C.hsize_t(i) * C.hsize_t(f.chunk[d])
	}
	return offset
}
