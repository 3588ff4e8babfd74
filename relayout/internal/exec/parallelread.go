package exec

import (
	"context"

	"drx/parallel/par"
	"drx/relayout/internal/planner"
)

// readShare reads this proc's share of the source chunks of a step, and copies their elements into
// the target chunks.
func (r *ParallelRunner) readShare(ctx context.Context, s *planner.Step) error {
	i := 0
	for chunk := range r.Pass.SourcePieces(s.Read) {
		if i++; i%r.Comm.Procs() != r.Comm.Proc() {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := r.readChunk(chunk); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// readChunk reads a piece of a source chunk and copies its elements into the incomplete target
// chunks. If all are complete, it reads nothing.
func (r *ParallelRunner) readChunk(chunk planner.Box) error {
	isRead := false
	for piece := range r.Progress.IncompletePieces(chunk) {
		if !isRead {
			r.reads.Add(1)
			if err := r.read(chunk, r.staging); err != nil {
				return err
			}
			isRead = true
		}
		if err := r.sendPiece(chunk, piece); err != nil {
			return err
		}
	}
	return nil
}

// sendPiece copies a piece of a chunk that was read into the target chunk that contains it.
func (r *ParallelRunner) sendPiece(chunk, piece planner.Box) error {
	owner, offset := r.inFlight.Locate(piece.Lo)
	to := r.layout(r.Pass.TargetChunk(piece.Lo), piece)
	to.Offset += offset
	return r.window.Put(owner, to, r.staging, r.layout(chunk, piece))
}

// layout returns the layout of a piece in a dense buffer of a box.
func (r *ParallelRunner) layout(b, piece planner.Box) par.Layout {
	elemSize := r.Pass.Target.ElemSize
	v := dense(nil, b.Lo, b.Shape(), nil, elemSize)
	shape, last := piece.Shape(), len(b.Lo)-1
	l := par.Layout{Bytes: shape[last] * elemSize, Count: shape[:last], Stride: v.strides[:last]}
	for d, s := range v.strides {
		l.Offset += (piece.Lo[d] - b.Lo[d]) * s
	}
	return l
}
