package exec

import (
	"context"

	"drx/parallel/par"
	"drx/relayout/internal/planner"
)

// A ParallelRunner carries out a parallel plan, as one of several procs. In every step each proc
// reads its share of the source chunks, converts their elements and copies them into the target
// chunks, which are in windows of the procs that own them. The owners write the chunks of a step,
// and commit, while the next step is read.
//
// Its methods are collective. They return the same error on all procs.
type ParallelRunner struct {
	Arrays
	Plan     *planner.ParallelPlan
	Comm     par.Comm
	Progress *planner.Progress // the part that is already done
	// CommitBytes is the least number of bytes, moved by all procs, between two commits within
	// a template.
	CommitBytes int64
	// Commit commits the steps up to a position. It is called on all procs, by another goroutine
	// than Run, and is collective in another group than Comm.
	Commit func(after planner.Position) error
	// Moved is called with the number of bytes that all procs have moved since the last call.
	Moved func(bytes int64)
	Peak  int64 // bytes of the buffers of this proc, from Open on

	inFlight *planner.InFlight
	window   par.Window // of this proc's target chunks in flight
	staging  []byte
	writers  par.Comm   // the group in which the writing goroutines agree
	written  chan error // the result of the writing goroutine at work

	writing int64 // bytes that all procs are writing
	pending int64 // bytes moved since the last commit
}

// Open allocates the buffers and opens the window and the group that the procs share.
func (r *ParallelRunner) Open() (err error) {
	if r.writers, err = r.Comm.Split(0, r.Comm.Proc()); err != nil {
		return err
	}
	if r.window, err = r.Comm.Window(r.Plan.ChunkBuffers * int(r.Plan.ChunkBufferBytes())); err != nil {
		return first(err, r.writers.Close())
	}
	r.inFlight, r.staging = r.Plan.NewInFlight(), make([]byte, r.Plan.StagingBytes())
	r.Peak = int64(len(r.staging) + len(r.window.Local()))
	return nil
}

// Close closes the window and the group.
func (r *ParallelRunner) Close() error { return first(r.window.Close(), r.writers.Close()) }

// first returns the first error. Both are the same on all procs, and the second would only
// repeat the first.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// Run carries out all steps that are not done. It ends on all procs when ctx is done on one. It
// does not commit the end of the last template.
func (r *ParallelRunner) Run(ctx context.Context) error {
	r.written = make(chan error, 1)
	r.written <- nil
	var failed error
	for step, after := range r.Pass.Steps(r.Progress.Templates) {
		r.inFlight.Begin(step)
		if failed == nil {
			failed = r.readShare(ctx, step)
		}
		if r.Progress.Includes(after) {
			r.Moved(r.Pass.CostOfChunks(r.Progress.ReadsAgain(step), 0).Bytes())
			continue
		}
		if err := r.endStep(step, after, failed); err != nil {
			return err
		}
	}
	if err := r.Comm.Agree("end of a copy", <-r.written); err != nil {
		return err
	}
	r.Moved(r.writing)
	return nil
}

// endStep ends a step after this proc has read its share, or failed to. It starts to write the
// chunks that the step completed.
func (r *ParallelRunner) endStep(s *planner.Step, after planner.Position, failed error) error {
	if err := r.Comm.Agree("step of a copy", first(failed, <-r.written)); err != nil {
		return err
	}
	if err := r.window.Fence(); err != nil {
		return err
	}
	bytes := r.Pass.CostOfChunks(r.Pass.SourceChunksIn(s.Read), 0).Bytes() + r.writing
	r.Moved(bytes)
	r.pending += bytes
	r.writing = r.Pass.CostOfChunks(0, int64(len(r.inFlight.Completed()))).Bytes()
	isLast := after.Templates == r.Pass.TemplateCount() // the end of the copy is a commit too
	commit := !isLast && (after.Steps == 0 || r.pending >= r.CommitBytes)
	if commit {
		r.pending = 0
	}
	chunks := r.ownedChunks(r.inFlight.Completed())
	go func() { r.written <- r.writeOwned(chunks, after, commit) }()
	return nil
}

// TotalCost returns the cost of the reads and writes of all procs together.
func (r *ParallelRunner) TotalCost() (planner.Cost, error) {
	sums := []int64{r.reads.Load(), r.writes.Load()}
	err := par.AllReduce(r.Comm, sums, par.Sum)
	return r.Pass.CostOfChunks(sums[0], sums[1]), err
}

// An ownedChunk is a complete target chunk that this proc is to write.
type ownedChunk struct {
	planner.Box
	buf []byte
}

// ownedChunks returns the chunks, among complete ones, that belong to this proc.
func (r *ParallelRunner) ownedChunks(chunks []planner.Box) []ownedChunk {
	var all []ownedChunk
	for _, chunk := range chunks {
		if owner, offset := r.inFlight.Locate(chunk.Lo); owner == r.Comm.Proc() {
			all = append(all, ownedChunk{chunk, r.window.Local()[offset:]})
		}
	}
	return all
}

// writeOwned writes chunks. If a commit is due, all procs then make it together.
func (r *ParallelRunner) writeOwned(chunks []ownedChunk, after planner.Position, commit bool) error {
	var err error
	for i := 0; i < len(chunks) && err == nil; i++ {
		err = r.write(chunks[i].Box, chunks[i].buf)
	}
	if !commit {
		return err
	}
	if err := r.writers.Agree("chunks of a step", err); err != nil {
		return err
	}
	return r.Commit(after)
}
