package transfer

import (
	"slices"

	"drx/axial"
	"drx/internal/plan"
)

// A Move is the copy of a section from or to one chunk, for callers that move whole chunks between memory
// and the file themselves. It holds no lock and needs no release.
type Move struct {
	job   *job
	copy  plan.Copy
	write bool
}

// Moves returns the moves of a section and a buffer, by ascending chunk number.
func (c *Chunks) Moves(sec *plan.Section, buf []byte, write bool) []*Move {
	var moves []*Move
	j := c.job(sec, buf)
	_ = sec.Each(plan.Single, func(l *plan.List) error { // it returns only errors of this function, which has none
		for i := range l.Groups() {
			element := l.Group(i)[0]
			element.Box.Shape = slices.Clone(element.Box.Shape) // the list is reused
			moves = append(moves, &Move{j, element, write})
		}
		return nil
	})
	return moves
}

// Number returns the number of the chunk.
func (m *Move) Number() axial.Number { return m.copy.Chunk }

// CopyOut copies from the bytes of the chunk to the buffer.
func (m *Move) CopyOut(chunk []byte) { m.job.copyOut(&m.copy, m.copy.Window(chunk)) }

// CopyIn copies from the buffer to the bytes of the chunk.
func (m *Move) CopyIn(chunk []byte) { m.job.copyIn(&m.copy, m.copy.Window(chunk)) }

// Readable reports whether the caller may read the chunk from the file at its offset. If not, it must call
// Serial.
func (m *Move) Readable() (bool, error) {
	written, inPlace, err := m.job.Store.InPlace(m.copy.Chunk)
	return written && inPlace && !m.job.Pool.Dirty(m.copy.Chunk), err
}

// Writable reports whether the caller may write the chunk to the file at its offset: if the move covers
// the whole chunk, and the chunk was never written. If not, it must call Serial.
func (m *Move) Writable() (bool, error) {
	if !m.copy.Whole {
		return false, nil
	}
	fresh, err := m.job.Store.Fresh(m.copy.Chunk)
	return fresh && !m.job.Pool.Dirty(m.copy.Chunk), err
}

// Serial performs the move by way of the pool.
func (m *Move) Serial() error {
	if m.write {
		return m.job.Pool.Update(m.copy.Chunk, m.copy.Whole, m.CopyIn)
	}
	return m.job.readPooled(&m.copy)
}

// Check compares bytes that were read from the file at the offset of the chunk with its checksum. The
// error wraps state.ErrCorrupt.
func (m *Move) Check(chunk []byte) error { return m.job.Store.Agrees(m.copy.Chunk, chunk) }
