package transfer

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/plan"
	"drx/internal/pool"
	"drx/internal/strided"
)

// At most batchCopies copies of together at most batchBytes are read in one batch, so that their
// loads wait for memory at the same time.
const (
	batchCopies = 32
	batchBytes  = 64 << 10
)

// Read copies a section to a buffer of at least sec.Extent() bytes. Elements that were never
// written have the fill value. The error wraps state.ErrCorrupt for a damaged chunk, or is one of
// the file system; the buffer may have changed then.
func (c *Chunks) Read(sec *plan.Section, buf []byte) error {
	j := c.job(sec, buf)
	grouping := plan.Batches(batchCopies, batchBytes)
	if c.Store.Encodes() { // one goroutine would decompress all chunks of a batch
		grouping = plan.Single
	}
	return sec.Each(grouping, func(l *plan.List) error {
		if l.Groups() == 1 { // a small section: without another function value
			return j.readBatch(l.Group(0))
		}
		return j.inParallelIfLarge(l.Groups(), c.Readers, func(i int) error { return j.readBatch(l.Group(i)) })
	})
}

// readBatch performs copies: in place those of chunks that the pool does not hold, if possible,
// then the others from the pool.
func (j *job) readBatch(copies []plan.Copy) error {
	var numbers [batchCopies]int32
	remaining := numbers[:0]
	err := j.Store.Guard(func() (err error) {
		remaining, err = j.readInPlace(copies, remaining)
		return err
	})
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // mapped beyond the end: reading returns it
		remaining = ascending(remaining[:0], len(copies))
	case err != nil:
		return err
	}
	for _, i := range remaining {
		if err := j.readPooled(&copies[i]); err != nil {
			return err
		}
	}
	return nil
}

// ascending appends 0 to n-1 to a list.
func ascending(list []int32, n int) []int32 {
	for i := range n {
		list = append(list, int32(i))
	}
	return list
}

// readInPlace performs the copies that do not need the pool: from the file, or with the fill value.
// It appends the positions of the others to remaining.
func (j *job) readInPlace(copies []plan.Copy, remaining []int32) ([]int32, error) {
	var numbers [batchCopies]int32
	for _, i := range j.readReady(copies, numbers[:0]) {
		done, err := j.readPinned(&copies[i])
		if err != nil {
			return remaining, err
		}
		if !done {
			remaining = append(remaining, i)
		}
	}
	return remaining, nil
}

// readReady performs the copies whose chunks are verified, mapped and unchanged, all together, and
// appends the positions of the others to remaining.
func (j *job) readReady(copies []plan.Copy, remaining []int32) []int32 {
	if len(copies) == 1 || !j.Store.Picks() {
		return ascending(remaining, len(copies))
	}
	var chunks [batchCopies]axial.Number
	var within, sizes [batchCopies]int
	for i := range copies {
		chunks[i], within[i], sizes[i] = copies[i].Chunk, copies[i].From, copies[i].Bytes
	}
	n := len(copies)
	e := chunkstore.Elements{Chunks: chunks[:n], Within: within[:n], Sizes: sizes[:n], Skip: j.skipPooled()}
	return j.Store.PickEach(e, func(i int, window []byte) { j.copyOut(&copies[i], window) }, remaining)
}

// skipPooled returns a function that reports whether the pool holds a chunk, nil if the pool is
// empty.
func (c *Chunks) skipPooled() func(axial.Number) bool {
	if c.Pool.Empty() {
		return nil
	}
	return c.Pool.Holds
}

// readPinned performs a copy from the file, in place, or with the fill value if the chunk was never
// written. It reports whether it could: not if the pool holds the chunk.
func (j *job) readPinned(c *plan.Copy) (done bool, err error) {
	if j.Pool.Holds(c.Chunk) {
		return false, nil
	}
	p, err := j.Store.Pin(c.Chunk, c.From, c.Bytes)
	if errors.Is(err, chunkstore.ErrUnwritten) {
		j.fillOut(c)
		return true, nil
	}
	if err != nil || p.Bytes == nil {
		return false, err
	}
	if j.Size >= streamBytes && j.Store.WantsSum(&p) {
		if sum, ok := j.State.StreamOutSum(j.buf[c.At:], j.Strides, p.Bytes, c.Box); ok {
			return j.Store.UnpinSummed(&p, sum), nil
		}
	} else {
		j.copyOut(c, p.Bytes)
	}
	return j.Store.Unpin(&p), nil
}

// readPooled performs a copy from the whole chunk, which it loads, usually into the pool.
func (j *job) readPooled(c *plan.Copy) error {
	pooled := j.owns(c.Chunk)
	if c.Whole && j.Store.Encodes() && !j.Pool.Holds(c.Chunk) {
		if j.State.Dense(j.Strides) {
			return j.readDense(c)
		}
		pooled = pooled && !j.Pool.Full() // the chunk will hardly be read again soon
	}
	chunk, release, err := j.load(c.Chunk, pooled)
	if errors.Is(err, pool.ErrAbsent) {
		j.fillOut(c)
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	j.copyOut(c, c.Window(chunk))
	return nil
}

// readDense reads a whole chunk to the buffer, where it has the layout that it has in the file.
func (j *job) readDense(c *plan.Copy) error {
	err := j.Store.Read(c.Chunk, j.buf[c.At:c.At+j.State.ChunkBytes])
	if errors.Is(err, pool.ErrAbsent) {
		j.fillOut(c)
		return nil
	}
	return err
}

// fillOut sets the elements of a copy in the buffer to the fill value.
func (j *job) fillOut(c *plan.Copy) {
	strided.Fill(j.buf[c.At:], j.Strides, c.Box.Shape, j.State.Fill)
}
