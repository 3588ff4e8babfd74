//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"slices"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5chunk"
	"drx/formats/h5filter"
	"drx/nd"
)

// Frame implements cformat.FrameElements.
func (r *reader) Frame(chunkIndex []int) []byte {
	if !r.asked {
		r.asked = true
		if r.file.hdf5 && r.outer == len(r.info.Shape) && r.member.whole == 0 && r.member.elem.text == noText {
			r.frames = openFrames(r.file.path, r.name, r.info.Chunk, false)
		}
	}
	if r.frames == nil {
		return nil
	}
	return r.frames.Read(chunkIndex)
}

// openFrames opens the stored chunks of the variable called name; nil if an array cannot use them
// as frames.
func openFrames(file, name string, chunk []int, write bool) *h5chunk.Frames {
	for _, stored := range storedNames(name) {
		f := h5chunk.OpenFrames(file, "/"+stored, write)
		if f != nil && slices.Equal(f.Chunk(), chunk) {
			return f
		}
		f.Close()
	}
	return nil
}

// AcceptsFrames implements cformat.FrameSink.
func (w *writer) AcceptsFrames(c formats.CodecSpec) bool {
	if c != w.codec || w.path == "" {
		return false
	}
	w.frames.Close()
	w.frames = openFrames(w.file, w.path, w.info.Chunk, true)
	return w.frames != nil && w.frames.Has(c) && w.growAtOnce() == nil
}

// growAtOnce grows a variable to its final shape by writing its last element, which is overwritten
// later. The library counts only elements that it has written itself, and does not see frames.
func (w *writer) growAtOnce() error {
	if !slices.Contains(w.info.Unlimited, true) || slices.Contains(w.info.Shape, 0) {
		return nil
	}
	last := make(nd.Section, len(w.info.Shape))
	for d, n := range w.info.Shape {
		last[d] = nd.At(n - 1)
	}
	return w.write(last, pointer(make([]byte, w.info.DType.Size())))
}

// LeftOut implements cformat.FrameSink. It returns nil: the content of a missing chunk depends on
// the library.
func (w *writer) LeftOut() []byte { return nil }

// Frame implements cformat.FrameSink.
func (w *writer) Frame(chunkIndex []int, frame []byte) error {
	ok, err := w.frames.Write(chunkIndex, frame)
	if !ok && err == nil {
		err = check("write", ehdferr)
	}
	return err
}

// chunkOf describes the chunks of a variable with at most rank dimensions to the filters. If the
// variable has no chunks, the filters may decode at most most bytes.
func chunkOf(group, id C.int, rank int, most int64) h5filter.Chunk {
	var storage, fletcher C.int
	var t C.nc_type
	var size sizeT
	chunk := make([]C.size_t, max(1, rank))
	if C.nc_inq_var_chunking(group, id, &storage, &chunk[0]) != C.NC_NOERR || storage != C.NC_CHUNKED ||
		C.nc_inq_vartype(group, id, &t) != C.NC_NOERR || C.nc_inq_type(group, t, nil, &size) != C.NC_NOERR ||
		C.nc_inq_varndims(group, id, &storage) != C.NC_NOERR || C.nc_inq_var_fletcher32(group, id, &fletcher) != C.NC_NOERR {
		return h5filter.NewChunk(0, most, nil)
	}
	bytes := int64(size)
	for _, n := range chunk[:min(int(storage), len(chunk))] {
		bytes = cformat.Multiply(bytes, int(n))
	}
	s := storedVar{group: group, id: id}
	numbers, err := s.filters()
	if err != nil || t > C.NC_MAX_ATOMIC_TYPE || t == C.NC_STRING || fletcher != 0 {
		// The size in the file is another one, or unknown.
		return h5filter.NewChunk(0, 2*bytes+usualSlack, nil)
	}
	var ids []int
	for _, n := range numbers {
		ids = append(ids, int(n))
	}
	return h5filter.NewChunk(bytes, most, ids)
}

// usualSlack is the number of bytes by which a chunk of unknown size may exceed twice its size in
// memory.
const usualSlack = 4 << 10
