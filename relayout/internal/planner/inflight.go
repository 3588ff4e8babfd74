package planner

import "slices"

// An InFlight tracks the target chunks that are begun but not written yet, each in a buffer of its
// owner. All procs keep the same one. A chunk that a step completes is written during the next
// step, so its buffer is free for the step after that.
type InFlight struct {
	plan      *ParallelPlan
	buffer    map[int]int // by chunk number
	inUse     [][]bool    // by owner and buffer
	completed []Box       // chunks that the current step completes
	writing   []Box       // chunks that the previous step completed
	buffers   int         // the largest number of buffers of an owner so far
}

// NewInFlight returns an InFlight without chunks.
func (p *ParallelPlan) NewInFlight() *InFlight {
	return &InFlight{plan: p, buffer: map[int]int{}, inUse: make([][]bool, p.Procs)}
}

// Begin begins a step: it frees the buffers of written chunks, and assigns buffers to the chunks
// whose first elements the step reads.
func (f *InFlight) Begin(s *Step) {
	pass := &f.plan.Pass
	for _, chunk := range f.writing {
		number := pass.chunkNumber(chunk.Lo)
		f.inUse[f.plan.Owner(chunk.Lo)][f.buffer[number]] = false
		delete(f.buffer, number)
	}
	f.writing, f.completed = f.completed, slices.Collect(pass.TargetPieces(s.Written))
	for piece := range pass.TargetPieces(s.Read) {
		number := pass.chunkNumber(piece.Lo)
		if _, ok := f.buffer[number]; !ok {
			f.buffer[number] = f.acquireBuffer(f.plan.Owner(piece.Lo))
		}
	}
}

// Completed returns the target chunks that the present step completes.
func (f *InFlight) Completed() []Box { return f.completed }

// Locate returns the owner of the target chunk that holds element x, and the offset of the chunk
// in the owner's memory, in bytes.
func (f *InFlight) Locate(x []int) (owner, offset int) {
	return f.plan.Owner(x), f.buffer[f.plan.Pass.chunkNumber(x)] * int(f.plan.ChunkBufferBytes())
}

// acquireBuffer assigns the first free buffer of an owner.
func (f *InFlight) acquireBuffer(owner int) int {
	i := slices.Index(f.inUse[owner], false)
	if i < 0 {
		i = len(f.inUse[owner])
		f.inUse[owner] = append(f.inUse[owner], false)
	}
	f.inUse[owner][i] = true
	f.buffers = max(f.buffers, i+1)
	return i
}
