package cformat

import (
	"fmt"
	"slices"

	"drx/formats"
	"drx/nd"
)

// NameChunk adds the damaged chunk to the error of reading a section: the first chunk of the
// section that cannot be read alone. It finds the chunk by trial, because the libraries do not
// report it.
func NameChunk(err error, info formats.Info, sec nd.Section, read func(box nd.Section, buf []byte) error) error {
	if err == nil || len(info.Chunk) == 0 || info.Codec.IsNone() {
		return err
	}
	first, end, chunks := make([]int, len(sec)), make([]int, len(sec)), 1
	for d, s := range sec {
		first[d], end[d] = s.Lo/info.Chunk[d], nd.CeilDiv(s.Hi, info.Chunk[d])
		chunks = int(Multiply(int64(chunks), end[d]-first[d]))
	}
	if chunks == 1 {
		return fmt.Errorf("chunk %v: %w", first, err)
	}
	box := make(nd.Section, len(sec))
	var buf []byte
	for index, more := slices.Clone(first), true; more; more = nd.Next(index, first, end) {
		for d, s := range sec {
			lo := index[d] * info.Chunk[d]
			box[d] = nd.Span(max(s.Lo, lo), min(s.Hi, lo+info.Chunk[d]))
		}
		n := Count(box) * info.DType.Size()
		buf = slices.Grow(buf[:0], n)[:n]
		if err := read(box, buf); err != nil {
			return fmt.Errorf("chunk %v: %w", index, err)
		}
	}
	return err
}
