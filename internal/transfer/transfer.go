// Package transfer moves elements between the chunks of an array and the buffers of callers. All
// data take this path: sections and single elements, dense and strided buffers, serial and parallel
// programs.
//
//	Read, Write, Fill       sections, which package plan cuts into one copy per chunk
//	Gather, Scatter, ...    single elements, grouped by chunk
//	Moves                   copies of whole chunks, for callers that move them by other means
//
// The bytes of a chunk are read from the first of these that has them:
//
//  1. the pool, if it holds the chunk, which may have changed there
//  2. the file, in place: only the requested bytes are read (chunkstore.Store.Pin, Pick)
//  3. the pool, which loads and verifies the whole chunk (chunkstore.Store.Read, which decodes a
//     compressed one in place as long as nobody writes). Two kinds of chunks bypass the pool. A
//     process that shares the array with other writers reads chunks that it does not own into a
//     buffer. And a compressed chunk that is read as a whole bypasses the pool if the pool is
//     full; it is decoded into the caller's buffer directly if that has the same layout
//
// Steps 2 and 3 both find out that a chunk was never written: then it holds fill values. Writes go
// to the pool, with three exceptions: whole chunks that were never written go to the file directly,
// small changes are patched without the rest of the chunk, and chunks that other processes write as
// well are changed in the file under locks.
package transfer

import (
	"sync"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/fanout"
	"drx/internal/plan"
	"drx/internal/pool"
	"drx/nd"
)

// Chunks are the chunks of an open array, in its files and in its pool.
type Chunks struct {
	Store   *chunkstore.Store
	Writer  chunkstore.ChunkWriter // writes chunks; nil for a reader
	Patcher *chunkstore.Writer     // writes a few bytes of a chunk; nil unless it alone writes
	Sharer  *chunkstore.Sharer     // changes chunks that others change too; nil unless others write
	Pool    *pool.Pool

	Readers, Writers int // largest number of goroutines for one call that reads, or writes
	RunBytes         int // largest number of bytes that are combined for one write

	// Reserved returns the sections that only this process writes. It is nil unless there is a
	// Sharer.
	Reserved func() []nd.Section

	buffers buffers
}

// reserved returns the sections that this process has reserved, nil if it is the only writer.
func (c *Chunks) reserved() []nd.Section {
	if c.Reserved == nil {
		return nil
	}
	return c.Reserved()
}

// A job is the state of one call for a section.
type job struct {
	*Chunks
	*plan.Section
	buf      []byte
	reserved []nd.Section // see Chunks.Reserved
}

func (c *Chunks) job(sec *plan.Section, buf []byte) *job {
	return &job{Chunks: c, Section: sec, buf: buf, reserved: c.reserved()}
}

const (
	// Sections of at least parallelBytes are divided among goroutines. Copying less from the page
	// cache takes less than 0.1 ms, about the time in which a thread for the second goroutine wakes
	// up. If the caller is a thread of C, that takes even longer.
	parallelBytes = 1 << 20
	// For sections of at least streamBytes the buffer is expected neither to be in the caches nor
	// to stay there: a core has 1 or 2 MiB of its own.
	streamBytes = 4 << 20
)

// inParallelIfLarge calls f with 0 to n-1, in several goroutines if the section is large, or if
// chunks that are large together have to be compressed or decompressed.
func (j *job) inParallelIfLarge(n, goroutines int, f func(i int) error) error {
	if j.Size < parallelBytes && !(j.Store.Encodes() && n*j.State.ChunkBytes >= parallelBytes) {
		goroutines = 1
	}
	return fanout.Each(n, goroutines, f)
}

// copyOut copies a box from its window to the buffer.
func (j *job) copyOut(c *plan.Copy, window []byte) {
	if j.Size >= streamBytes {
		j.State.StreamOut(j.buf[c.At:], j.Strides, window, c.Box)
		return
	}
	j.State.CopyOut(j.buf[c.At:], j.Strides, window, c.Box)
}

// copyIn copies a box from the buffer to its window.
func (j *job) copyIn(c *plan.Copy, window []byte) {
	if j.Size >= streamBytes {
		j.State.FetchIn(window, c.Box, j.buf[c.At:], j.Strides)
		return
	}
	j.State.CopyIn(window, c.Box, j.buf[c.At:], j.Strides)
}

// load returns the bytes of a whole chunk, valid until release is called: in the pool, which loads
// the chunk, or, if own is false, read into a buffer. Then other processes write the chunk as well,
// and a copy in the pool would become stale. The error is pool.ErrAbsent for a chunk that was never
// written.
func (c *Chunks) load(q axial.Number, own bool) (chunk []byte, release func(), err error) {
	if own {
		held, err := c.Pool.Pin(q)
		if err != nil {
			return nil, nil, err
		}
		return held.Bytes(), func() { c.Pool.Unpin(held) }, nil
	}
	buf := c.buffers.get(c.Store.ChunkBytes())
	release = func() { c.buffers.release(buf) }
	if err := c.Store.Read(q, buf); err != nil {
		release()
		return nil, nil, err
	}
	return buf, release, nil
}

// CheckAll compares chunks with their checksums, see chunkstore.Store.Check, in several goroutines,
// and returns one error per chunk, nil for a good one.
func (c *Chunks) CheckAll(chunks []axial.Number) []error {
	errs := make([]error, len(chunks))
	workers := min(c.Readers, len(chunks))
	_ = fanout.Each(workers, workers, func(w int) error {
		buf := c.buffers.get(c.Store.ChunkBytes())
		defer c.buffers.release(buf)
		for i := w; i < len(chunks); i += workers {
			errs[i] = c.Store.Check(chunks[i], buf)
		}
		return nil
	})
	return errs
}

// buffers is a free list of buffers for chunks.
type buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// smallBuffer is the size in bytes up to which four free buffers are kept; of larger ones, two are
// kept.
const smallBuffer = 1 << 20

// get returns n bytes with undefined contents.
func (b *buffers) get(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, data := range b.free {
		if cap(data) >= n {
			b.free = append(b.free[:i], b.free[i+1:]...)
			return data[:n]
		}
	}
	return make([]byte, n)
}

// release returns a buffer of get to the free list.
func (b *buffers) release(data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) < 2 || len(b.free) < 4 && cap(data) <= smallBuffer {
		b.free = append(b.free, data)
	}
}
