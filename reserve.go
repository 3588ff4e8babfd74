package drx

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drx/axial"
	"drx/internal/meta"
	"drx/internal/plan"
	"drx/internal/vfs"
	"drx/nd"
)

// lockPatience is how long a process waits for the others that share an array with it to
// finish their reservations, each of which takes a moment.
const lockPatience = 10 * time.Second

// lockSoon takes a lock that others hold for moments only.
func lockSoon(f vfs.File) error {
	wait := 100 * time.Microsecond
	for end := time.Now().Add(lockPatience); ; wait = min(2*wait, 10*time.Millisecond) {
		err := f.Lock()
		if !errors.Is(err, vfs.ErrLocked) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}

// alone returns an error unless this process is the only one that changes the array.
func (a *Array) alone() error {
	if a.shared {
		return fmt.Errorf("the array is open for Reserve only: %w", ErrReadOnly)
	}
	return nil
}

// Reserve grows dimension dim by so many elements, as Extend does, and returns the section
// that is new: it belongs to this Array now, which may write to it while other processes do
// the same with theirs. The extension is committed when Reserve returns. The array must have
// been opened with Options.Shared; nothing but reserved sections can be written then.
//
// What is written becomes visible and durable with Sync and Close: chunks that lie in the
// section as a whole. A chunk that two sections share is changed under a lock of its own,
// durably at once, by Write, Fill and Set. The error wraps ErrRank, ErrBounds, ErrOverflow,
// ErrLocked when the others do not come to an end for ten seconds, ErrReadOnly or ErrClosed.
func (a *Array) Reserve(dim, by int, how ...Growth) (nd.Section, error) {
	op := fmt.Sprintf("reserve %d of dimension %d", by, dim)
	done, err := a.begin(op, true)
	if err != nil {
		return nil, err
	}
	defer done()
	if !a.shared {
		return nil, a.errorf(op, fmt.Errorf("the array is not open with Options.Shared: %w", ErrReadOnly))
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := lockSoon(a.file); err != nil {
		return nil, a.errorf(op, err)
	}
	added, err := a.reserve(meta.Extend{Dim: dim, By: by, Low: slices.Contains(how, Low)})
	if unlockErr := a.file.Unlock(); err == nil {
		err = unlockErr
	}
	if err != nil {
		return nil, a.errorf(op, err)
	}
	a.reserved = append(a.reserved, added)
	return added, nil
}

// reserve extends and commits with the log locked.
func (a *Array) reserve(e meta.Extend) (nd.Section, error) {
	before, err := a.log.ReadOn(a.logged, 0, nil)
	if err != nil {
		return nil, err
	}
	a.logged = before
	a.state.Store(before)
	record := meta.Record{Extend: &e}
	after, err := before.Apply(record)
	if err != nil {
		return nil, err
	}
	if before.WidestLo != nil {
		if err := a.blankRegrown(before, after, e); err != nil {
			return nil, err
		}
	}
	line, err := a.log.Line([]meta.Record{record})
	if err != nil {
		return nil, err
	}
	if err := a.log.AppendLine(line, a.durability != DurabilityNone); err != nil {
		return nil, err
	}
	a.logged = after
	a.state.Store(after)
	a.store.SetCommitted(after.Grid.Chunks(), a.log.Commits())
	added := nd.Box(after.Lo, after.Hi)
	if e.Low {
		added[e.Dim].Hi = before.Lo[e.Dim]
	} else {
		added[e.Dim].Lo = before.Hi[e.Dim]
	}
	return added, nil
}

// commonBatch is how many bytes of common chunks are locked and held at once.
const commonBatch = 16 << 20

// updateShared is update for an array that other processes write too. Chunks that lie in a
// section of this process as a whole go the usual way; the others, in batches, under locks.
func (t *transfer) updateShared(f func(data []byte, p *plan.Piece, chunk, at int, strides []int)) error {
	a := t.array
	own, err := t.owner()
	if err != nil {
		return a.errorf(t.op, err)
	}
	var batch []common
	flush := func() error {
		chunks := make([]axial.Number, len(batch))
		for i, c := range batch {
			chunks[i] = c.piece.Number
		}
		if len(batch) == 0 {
			return nil
		}
		err := a.store.UpdateCommon(chunks, a.blank, func(i int, buf []byte) {
			c := &batch[i]
			f(buf, &c.piece, c.chunk, c.at, c.strides)
		})
		for _, q := range chunks {
			a.pool.Drop(q)
		}
		batch = nil
		return err
	}
	err = t.each(func(p *plan.Piece, chunk, at int, strides []int) error {
		if contains(own, chunkBox(t.state, p.Chunk)) {
			return a.pool.Update(p.Number, p.Whole, func(data []byte) { f(data, p, chunk, at, strides) })
		}
		batch = append(batch, common{clonePiece(p), chunk, at, strides})
		if len(batch)*t.state.ChunkBytes >= commonBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.errorf(t.op, flush())
}

// common is what a transfer does to a chunk that is not this process's alone.
type common struct {
	piece     plan.Piece
	chunk, at int
	strides   []int
}

func clonePiece(p *plan.Piece) plan.Piece {
	c := *p
	c.Chunk, c.First = slices.Clone(p.Chunk), slices.Clone(p.First)
	c.Pos, c.Shape = slices.Clone(p.Pos), slices.Clone(p.Shape)
	return c
}

// owner returns the reserved section that the transfer's section lies in. An extension that
// blanks what a Shrink took away has none: every chunk is common.
func (t *transfer) owner() (nd.Section, error) {
	if t.op == opBlank {
		return nil, nil
	}
	t.array.grow.Lock()
	defer t.array.grow.Unlock()
	for _, own := range t.array.reserved {
		if contains(own, t.sec) {
			return own, nil
		}
	}
	return nil, fmt.Errorf("section %v was not reserved by this process: %w", t.sec, ErrReadOnly)
}

// contains reports whether section inner lies in outer.
func contains(outer, inner nd.Section) bool {
	if len(outer) != len(inner) {
		return false
	}
	for d, r := range inner {
		if r.Lo < outer[d].Lo || r.Hi > outer[d].Hi {
			return false
		}
	}
	return true
}

// chunkBox returns the section of all elements of a chunk.
func chunkBox(s *meta.State, chunk []int) nd.Section {
	box := make(nd.Section, len(chunk))
	for d, i := range chunk {
		box[d] = nd.Span(i*s.Chunk[d], (i+1)*s.Chunk[d])
	}
	return box
}
