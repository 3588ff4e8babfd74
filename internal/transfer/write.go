package transfer

import (
	"bytes"
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/fanout"
	"drx/internal/plan"
	"drx/internal/strided"
)

// Write copies a section from a buffer, as in Read. ChunkWriter.Write says when other processes see
// it. The error wraps state.ErrCorrupt for a damaged chunk that is written in part, ErrReadOnly, or
// is one of the file system.
func (c *Chunks) Write(sec *plan.Section, buf []byte) error {
	j := c.job(sec, buf)
	if c.Reserved != nil {
		return j.changeShared(func(p *plan.Copy, chunk []byte) { j.copyIn(p, p.Window(chunk)) })
	}
	maxChunks := 1
	if c.Store.Adjoin() {
		maxChunks = max(1, c.RunBytes/sec.State.ChunkBytes)
	}
	return sec.Each(plan.Runs(maxChunks), func(l *plan.List) error {
		return j.inParallelIfLarge(l.Groups(), c.Writers, func(i int) error { return j.writeRun(l.Group(i)) })
	})
}

// Fill sets the elements of a section to value, one little-endian element. If that is the array's
// fill value, chunks that were never written stay unwritten. Errors are those of Write.
func (c *Chunks) Fill(sec *plan.Section, value []byte) error {
	j := c.job(sec, nil)
	fill := func(p *plan.Copy, chunk []byte) { sec.State.Layout.Fill(p.Window(chunk), p.Box, value) }
	if c.Reserved != nil {
		return j.changeShared(fill)
	}
	blank := bytes.Equal(value, sec.State.Fill)
	return sec.Each(plan.Single, func(l *plan.List) error {
		return j.inParallelIfLarge(l.Groups(), c.Readers, func(i int) error {
			p := &l.Group(i)[0]
			if blank {
				if absent, err := c.Pool.Absent(p.Chunk); err != nil || absent {
					return err
				}
			}
			return c.Pool.Update(p.Chunk, p.Whole, func(chunk []byte) { fill(p, chunk) })
		})
	})
}

// Blank sets the elements that lie in a section and in one of the given chunks, whose numbers must
// ascend, to the array's fill value. If other processes write the array as well, it locks the
// chunks.
func (c *Chunks) Blank(sec *plan.Section, chunks []axial.Number) error {
	copies := make([]plan.Copy, 0, len(chunks))
	for _, q := range chunks {
		if p, ok := sec.Of(q); ok {
			copies = append(copies, p)
		}
	}
	s := sec.State
	fill := func(p *plan.Copy, chunk []byte) { s.Layout.Fill(p.Window(chunk), p.Box, s.Fill) }
	if c.Reserved != nil {
		return (&job{Chunks: c, Section: sec}).changeLocked(copies, fill)
	}
	return fanout.Each(len(copies), c.Readers, func(i int) error {
		p := &copies[i]
		return c.Pool.Update(p.Chunk, p.Whole, func(chunk []byte) { fill(p, chunk) })
	})
}

// writeRun writes whole chunks with consecutive numbers, or one copy. Whole chunks that were never
// written go to the file with one write, bypassing the pool.
func (j *job) writeRun(run []plan.Copy) error {
	if run[0].Whole {
		err := j.writeNew(run)
		if !errors.Is(err, errNotNew) {
			return err
		}
	}
	for i := range run {
		p := &run[i]
		change := func(chunk []byte) { j.copyIn(p, p.Window(chunk)) }
		done, err := j.patch(p, change)
		if err == nil && !done {
			err = j.Pool.Update(p.Chunk, p.Whole, change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errNotNew is returned by writeNew if a chunk was written before.
var errNotNew = errors.New("chunk is not new")

// writeNew writes whole chunks that were never written, or returns errNotNew.
func (j *job) writeNew(run []plan.Copy) error {
	first, size := &run[0], j.State.ChunkBytes
	return j.Pool.Overwrite(first.Chunk, len(run), func() error {
		for i := range run {
			if fresh, err := j.Store.Fresh(run[i].Chunk); err != nil {
				return err
			} else if !fresh || j.Pool.Dirty(run[i].Chunk) {
				return errNotNew
			}
		}
		if j.contiguousInBuffer(run) {
			return j.Writer.WriteFresh(first.Chunk, j.buf[first.At:first.At+size*len(run)])
		}
		chunks := j.buffers.get(size * len(run))
		defer j.buffers.release(chunks)
		j.copyRun(chunks, run)
		return j.Writer.WriteFresh(first.Chunk, chunks)
	})
}

// contiguousInBuffer reports whether whole chunks have the same layout in the buffer as in the
// file.
func (j *job) contiguousInBuffer(run []plan.Copy) bool {
	if !j.State.Dense(j.Strides) {
		return false
	}
	for i := range run {
		if run[i].At != run[0].At+i*j.State.ChunkBytes {
			return false
		}
	}
	return true
}

// copyRun copies whole chunks from the buffer to chunks. Chunks that are evenly spaced in the
// buffer are copied as one box, so that thin chunks side by side use whole cache lines.
func (j *job) copyRun(chunks []byte, run []plan.Copy) {
	size := j.State.ChunkBytes
	if step := j.spacing(run); step > 0 {
		prepend := func(n int, remaining []int) []int { return append([]int{n}, remaining...) }
		first := &run[0]
		strided.Copy(chunks, prepend(size, first.Box.Steps), j.buf[first.At:], prepend(step, j.Strides),
			prepend(len(run), first.Box.Shape), j.State.DType.Size())
		return
	}
	for i := range run {
		j.copyIn(&run[i], run[i].Window(chunks[i*size:(i+1)*size]))
	}
}

// spacing returns the distance in bytes of the chunks of a run in the buffer, or 0 if they differ
// in shape or are not evenly spaced.
func (j *job) spacing(run []plan.Copy) int {
	if len(run) < 2 || !j.State.Plain() {
		return 0
	}
	first, step := &run[0], run[1].At-run[0].At
	for i := range run {
		if run[i].At != first.At+i*step || !slices.Equal(run[i].Box.Shape, first.Box.Shape) {
			return 0
		}
	}
	return max(0, step)
}
