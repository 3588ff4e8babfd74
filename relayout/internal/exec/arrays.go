package exec

import (
	"sync/atomic"

	"drx/dtype"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// A Source is the array that a pass reads.
type Source interface {
	// ReadBytes fills buf with the elements of a section, dense in an order, little-endian.
	ReadBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// A Target is the array that a pass writes. Sections are of whole chunks, each written once.
type Target interface {
	// WriteBytes writes the elements in buf, laid out as for ReadBytes, to a section.
	WriteBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// Arrays are the arrays of a pass, with the conversion of elements between them. Their methods may
// be called by several goroutines.
type Arrays struct {
	Pass    *planner.Pass
	Source  Source
	Target  Target
	Order   nd.Order         // dimension d of the target is dimension Order[d] of the source
	Convert *dtype.Converter // from the source's type to the target's; nil for equal types
	// Round changes elements of the target in place, once each; nil changes nothing.
	Round func(elements []byte) error

	workOrder     nd.Order     // of the dimensions in work and staging buffers
	reads, writes atomic.Int64 // chunks so far
}

// Cost returns the cost of the chunks that were read and written so far.
func (a *Arrays) Cost() planner.Cost { return a.Pass.CostOfChunks(a.reads.Load(), a.writes.Load()) }

// read reads a box to the beginning of buf and converts its elements there. If the source's
// elements are smaller, it first reads them to the end of the space for the converted elements.
func (a *Arrays) read(b planner.Box, buf []byte) error {
	k := len(b.Lo)
	sec, order := make(nd.Section, k), make(nd.Order, k)
	dims := a.Order.Dims(k)
	for d, e := range dims {
		sec[e] = nd.Span(a.Pass.Source.Lo[d]+b.Lo[d], a.Pass.Source.Lo[d]+b.Hi[d])
	}
	for i, d := range a.workOrder.Dims(k) {
		order[i] = dims[d]
	}
	from, to, n := a.Pass.Source.ElemSize, a.Pass.Target.ElemSize, b.Elements()
	raw := buf[n*(max(from, to)-from) : n*max(from, to)]
	if err := a.Source.ReadBytes(sec, raw, order); err != nil {
		return err
	}
	if a.Convert != nil {
		if err := a.Convert.Apply(buf[:n*to], raw); err != nil {
			return err
		}
	}
	if a.Round != nil {
		return a.Round(buf[:n*to])
	}
	return nil
}

// write writes a box of whole target chunks from the beginning of buf.
func (a *Arrays) write(b planner.Box, buf []byte) error {
	sec := make(nd.Section, len(b.Lo))
	for d := range sec {
		sec[d] = nd.Span(a.Pass.Target.Lo[d]+b.Lo[d], a.Pass.Target.Lo[d]+b.Hi[d])
	}
	a.writes.Add(a.Pass.TargetChunksIn(b))
	return a.Target.WriteBytes(sec, buf[:b.Elements()*a.Pass.Target.ElemSize], a.workOrder)
}

// longRun is the smallest extent of a source chunk, in elements of the last dimension, for which a
// transposition uses all of the cache lines that it loads.
const longRun = 16

// chooseWorkOrder returns the order of the dimensions in work buffers. Usually it is that of the
// target, so that elements are transposed when they are read. If source chunks are too thin for
// that, it is the order of the source, and elements are transposed when they are written.
func (a *Arrays) chooseWorkOrder() nd.Order {
	chunk := a.Pass.Source.ChunkShape
	if chunk[len(chunk)-1] >= longRun {
		return nil
	}
	inverse := make(nd.Order, len(chunk))
	for d, e := range a.Order.Dims(len(inverse)) {
		inverse[e] = d
	}
	return inverse
}
