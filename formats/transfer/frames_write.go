package transfer

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"drx"
	"drx/formats"
	"drx/nd"
)

// A frameExport copies the stored chunks of an array to a file.
type frameExport struct {
	a        *drx.Array
	info     formats.Info
	read     func(sec nd.Section, buf []byte) error // elements of the variable
	w        formats.FrameWriter
	path     string     // for errors
	sparse   bool       // chunks that were never written are left out of the file
	index    []int      // of the chunk in the file
	inArray  []int      // of the chunk in the array
	sec      nd.Section // the elements of the chunk
	frame    []byte     // memory
	elements []byte     // memory
}

// newFrameExport returns a frameExport of a variable, read by r from array a, to w, a writer of the
// file at path. Unwritten chunks are left out if readers of the file see the array's fill value
// there.
func newFrameExport(path string, w formats.FrameWriter, a *drx.Array, r formats.Reader) *frameExport {
	rank := a.Rank()
	return &frameExport{
		a: a, info: r.Info(), read: r.ReadSection, w: w, path: path, sparse: bytes.Equal(w.LeftOut(), a.FillValue()),
		index: make([]int, rank), inArray: make([]int, rank), sec: make(nd.Section, rank),
	}
}

// write writes all chunks; those that cannot be copied are written by their elements. lo is the
// index in the array at which the variable begins.
func (x *frameExport) write(ctx context.Context, lo []int, bar *meter) error {
	first, end := make([]int, len(lo)), make([]int, len(lo))
	for d, n := range x.info.Shape {
		end[d] = nd.CeilDiv(n, x.info.Chunk[d])
	}
	for more := true; more; more = nd.Next(x.index, first, end) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for d, i := range x.index {
			c := x.info.Chunk[d]
			x.inArray[d] = nd.FloorDiv(lo[d], c) + i
			x.sec[d] = nd.Span(i*c, min(x.info.Shape[d], (i+1)*c))
		}
		if err := x.writeChunk(); err != nil {
			return err
		}
		n, _ := x.sec.Len() // of a section of the variable
		bar.add(n * x.info.DType.Size())
	}
	return nil
}

// writeChunk writes one chunk.
func (x *frameExport) writeChunk() error {
	frame, written, err := x.a.ReadFrame(x.inArray, x.frame)
	switch {
	case err != nil:
		return err
	case frame != nil:
		x.frame = frame
		return x.named(x.w.WriteFrame(x.index, frame))
	case !written && x.sparse:
		return x.named(x.w.WriteFrame(x.index, nil))
	}
	n, _ := x.sec.Len() // of a section of the variable
	n *= x.info.DType.Size()
	x.elements = slices.Grow(x.elements[:0], n)[:n]
	if err := x.read(x.sec, x.elements); err != nil {
		return err
	}
	return x.named(x.w.WriteSection(x.sec, x.elements))
}

// named returns an error with the name of the file.
func (x *frameExport) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", x.path, err)
}
