package transfer

import (
	"slices"

	"drx"
	"drx/formats"
	"drx/nd"
)

// A chunk that the array and the file store in the same way, compressed by the same codec, is
// copied to the file as it is stored. Its checksum is verified, but it is neither decompressed nor
// compressed again.

// keepFrames marks the variables whose chunks can be copied, and gives them the chunk shape of the
// array, which may be larger than the variable.
func (o *exporter) keepFrames(vars []exportVar, content formats.Content) {
	f, err := formats.ByName(o.Format)
	if err != nil || !f.Frames || content.Deflate > 0 {
		return
	}
	for i := range vars {
		v := &vars[i]
		own, has := v.ownCodec()
		if !f.FramesInAnyOrder && v.cube != nil && v.cube.Array().Layout().ElementOrder != drx.RowOrder {
			continue
		}
		if !has || !v.isExact() || !v.hasWholeChunks() ||
			own != content.Codec && (content.Codec != (formats.CodecSpec{}) || own != v.info.Codec) {
			continue
		}
		large := v.info
		large.Chunk = v.cube.Array().ChunkShape()
		if !slices.Equal(large.Chunk, v.info.Chunk) &&
			(chunkBytes(large) > max(o.decoding()/chunksInMemory, smallChunk) || isOneChunk(large)) {
			continue // limitChunks has cut the chunks, or the variable is a part of one
		}
		v.info.Chunk, v.frames = large.Chunk, own
		if v.cube.Array().Layout().ElementOrder == drx.ColOrder {
			v.info.Order = nd.ColMajor(len(large.Chunk))
		}
	}
}

// isExact reports whether the file gets the elements of the array as they are, in the order in
// which its chunks have them.
func (v *exportVar) isExact() bool {
	a := v.cube.Array()
	order := a.Layout().ElementOrder
	return (order == drx.RowOrder || order == drx.ColOrder) && v.elements == nil && v.values == nil && v.unpack == nil && v.conversion == nil && v.unified == nil &&
		v.meant == nil && v.round == nil && v.info.Labels == nil && v.info.DType == a.DType() &&
		len(v.info.Shape) == a.Rank() && v.info.Order == nil
}

// hasWholeChunks reports whether the selection begins at a chunk boundary, and ends at one or at
// the array's end, so that chunks of the file have the same elements as those of the array.
func (v *exportVar) hasWholeChunks() bool {
	sec, ok := v.sel.Section()
	if !ok {
		return false
	}
	chunk, bounds := v.cube.Array().ChunkShape(), v.cube.Array().Bounds()
	for d, r := range sec {
		if r.Len() == 0 || r.Stride() != 1 || r.Lo%chunk[d] != 0 || r.Hi%chunk[d] != 0 && r.Hi != bounds[d].Hi {
			return false
		}
	}
	return len(sec) > 0
}
