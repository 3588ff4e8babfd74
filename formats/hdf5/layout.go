//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"slices"

	"drx/dtype"
	"drx/formats/cformat"
)

const (
	// bareType is the type of scales without values.
	bareType = dtype.Float32
	// goodChunk is the largest chunk that is chosen here, in bytes; maxChunk the largest that HDF5
	// has.
	goodChunk, maxChunk = 1 << 20, 1<<32 - 1
	// leastChunk is the smallest chunk that is chosen here for a dataset that can grow, in bytes.
	leastChunk = 16 << 10
	// writeCache is the largest chunk cache of a writer, in bytes.
	writeCache = 32 << 20
)

// layout sets the chunks and the largest extents. Datasets that can grow or are compressed need
// chunks.
func (v *varDef) layout() {
	shape := v.info.Shape
	v.most = cformat.Sizes[C.hsize_t](shape)
	grows := false
	for d, unlimited := range v.info.Unlimited {
		if unlimited {
			v.most[d], grows = C.H5S_UNLIMITED, true
		}
	}
	empty := slices.Contains(shape, 0)
	if len(shape) == 0 || !grows && (empty || v.codec.IsNone() && v.info.Chunk == nil) {
		v.chunk = nil
		return
	}
	v.chunk = v.chunkExtents()
	for d, n := range v.chunk {
		if v.most[d] < C.hsize_t(n) { // an extent of 0
			v.most[d] = C.hsize_t(n)
		}
	}
}

// chunkExtents returns the chunk shape that was asked for. Without one it halves the array's shape
// until a chunk is small enough, or doubles the extents that can grow.
func (v *varDef) chunkExtents() []int {
	chunk, limit, least := slices.Clone(v.info.Chunk), int64(maxChunk), int64(0)
	if chunk == nil {
		chunk, limit, least = slices.Clone(v.info.Shape), goodChunk, leastChunk
	}
	for d, n := range chunk {
		if v.most[d] != C.H5S_UNLIMITED {
			n = min(n, v.info.Shape[d])
		}
		chunk[d] = max(1, n)
	}
	for cformat.Multiply(int64(v.info.DType.Size()), chunk...) > limit {
		largest := slices.Index(chunk, slices.Max(chunk))
		chunk[largest] = (chunk[largest] + 1) / 2
	}
	if grows := slices.Index(v.info.Unlimited, true); grows >= 0 {
		for cformat.Multiply(int64(v.info.DType.Size()), chunk...) < least {
			chunk[grows] *= 2
		}
	}
	return chunk
}

// cached returns the number of chunks in the cache of a writer: all with the same index in
// dimension 0, if its share of the memory suffices for them.
func (v *varDef) cached() int64 {
	bytes := cformat.Multiply(int64(v.info.DType.Size()), v.chunk...)
	return max(1, min(cformat.RowOfChunks(v.info.Shape, v.chunk), min(writeCache, v.memory)/bytes))
}
