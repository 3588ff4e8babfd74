//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"slices"

	"drx/formats"
	"drx/formats/h5filter"
	"drx/internal/codec"
)

// Frames are the chunks of a dataset of numbers that exactly one filter has encoded, in a form that
// an array can store as it is.
type Frames struct{ stored }

// FramesOf returns the chunks of a dataset of libhdf5 as Frames, given the type of its elements in
// memory; nil if they are stored in another form. The caller closes the dataset, not the Frames.
func FramesOf(dataset, elements int64) *Frames {
	f := &Frames{}
	if !f.of(dataset, elements) || !f.fit() {
		return nil
	}
	return f
}

// OpenFrames opens the dataset called name in an HDF5 file that the caller has open; write opens it
// for writing, which the caller's file must allow. It returns nil if the chunks cannot be Frames,
// or if the numbers are not in the processor's representation or not little-endian.
func OpenFrames(path, name string, write bool) *Frames {
	f := &Frames{}
	if !f.open(path, name, write) {
		return nil
	}
	if !f.fit() {
		f.close()
		return nil
	}
	return f
}

// fit reports whether an array can store the chunks unchanged.
func (f *Frames) fit() bool { return !f.big() && len(f.filters) == 1 && h5filter.Has(f.filters[0].ID) }

// Close closes what OpenFrames opened. It is nil-safe.
func (f *Frames) Close() {
	if f != nil {
		f.close()
	}
}

// Chunk returns the extents of the chunks.
func (f *Frames) Chunk() []int { return f.chunk }

// Has reports whether the filter makes frames of codec c, possibly at another level.
func (f *Frames) Has(c formats.CodecSpec) bool {
	filter := f.filters[0]
	id, values, has := h5filter.Of(c, f.size, f.bytes)
	return has && id == filter.ID && len(values) <= len(filter.Values) && slices.Equal(values, filter.Values[:len(values)])
}

// Read returns the frame of a chunk with an index in the grid of chunks, in memory of its own. It
// returns nil if the chunk is missing, is stored in another way, or is no frame for an array; the
// library then reads its elements or reports the damage.
func (f *Frames) Read(index []int) []byte {
	const framing = 12 // bytes that HDF5's framing adds to lz4
	chunk, leftOut := f.read(index, int64(f.bytes)+framing-1, func(n int) []byte { return make([]byte, n) })
	if chunk == nil || leftOut != 0 {
		return nil
	}
	if f.filters[0].ID != h5filter.LZ4 {
		return chunk
	}
	frame, ok, err := codec.LZ4FromHDF5(nil, chunk)
	if err != nil || !ok {
		return nil
	}
	return frame
}

// Write writes a chunk with an index in the grid of chunks as a frame. The error has no details;
// those are in the error of the library.
func (f *Frames) Write(index []int, frame []byte) (ok bool, err error) {
	if f.filters[0].ID == h5filter.LZ4 {
		if frame, err = codec.LZ4ToHDF5(nil, frame); err != nil {
			return false, err
		}
	}
	return f.write(index, frame, 0), nil
}
