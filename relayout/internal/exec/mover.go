package exec

import (
	"context"

	"drx/par"
	"drx/relayout/internal/planner"
)

// A mover moves elements from the source to the target chunks that are in the windows of procs.
type mover struct {
	*Arrays
	comm     par.Comm
	progress *planner.Progress
	inFlight *planner.InFlight
	window   par.Window
	staging  []byte
}

// readShare reads this proc's share of the source chunks of a step and puts their elements into
// the target chunks.
func (m *mover) readShare(ctx context.Context, s *planner.Step) error {
	i := 0
	for chunk := range m.Pass.SourcePieces(s.Read()) {
		if i++; i%m.comm.Procs() != m.comm.Proc() {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := m.readChunk(chunk); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// readChunk reads a piece of a source chunk and puts its elements into the target chunks that
// are incomplete. If all are complete, it reads nothing.
func (m *mover) readChunk(chunk planner.Box) error {
	isRead := false
	for piece := range m.progress.IncompletePieces(chunk) {
		if !isRead {
			m.countReads(1)
			if err := m.read(chunk, m.staging); err != nil {
				return err
			}
			isRead = true
		}
		if err := m.putPiece(chunk, piece); err != nil {
			return err
		}
	}
	return nil
}

// putPiece puts a piece of a chunk that was read into the target chunk that it lies in.
func (m *mover) putPiece(chunk, piece planner.Box) error {
	owner, offset := m.inFlight.Locate(piece.Lo)
	to := m.layout(m.Pass.TargetChunk(piece.Lo), piece)
	to.Offset += offset
	return m.window.Put(owner, to, m.staging, m.layout(chunk, piece))
}

// layout returns where a piece lies in a dense buffer of a box.
func (m *mover) layout(b, piece planner.Box) par.Layout {
	elemSize := m.Pass.Target.ElemSize
	v := dense(nil, b.Lo, b.Shape(), nil, elemSize)
	shape, last := piece.Shape(), len(b.Lo)-1
	l := par.Layout{Bytes: shape[last] * elemSize, Count: shape[:last], Stride: v.strides[:last]}
	for d, s := range v.strides {
		l.Offset += (piece.Lo[d] - b.Lo[d]) * s
	}
	return l
}
