package transfer

import (
	"slices"

	"drx/axial"
	"drx/internal/group"
	"drx/internal/plan"
)

// A move is a group.Move: the copy of a section from or to one chunk, for callers that move whole
// chunks between memory and the file themselves. It holds no lock and needs no release.
type move struct {
	*moves
	copy plan.Copy
}

// moves holds what all moves of one call of Moves share.
type moves struct {
	*job
	write   bool
	written func(q axial.Number, chunk []byte) error
	errorf  func(error) error
}

// Moves returns the moves of a section and a buffer, by ascending chunk number. They call written
// with chunks that the caller has written to the file, and return their errors by way of errorf.
func (c *Chunks) Moves(
	sec *plan.Section, buf []byte, write bool, written func(q axial.Number, chunk []byte) error, errorf func(error) error,
) []group.Move {
	var all []group.Move
	m := &moves{c.job(sec, buf), write, written, errorf}
	// Each returns errors of the function only, and this one has none.
	_ = sec.Each(plan.Single, func(l *plan.List) error {
		for i := range l.Groups() {
			element := l.Group(i)[0]
			element.Box.Shape = slices.Clone(element.Box.Shape) // the list is reused
			all = append(all, &move{m, element})
		}
		return nil
	})
	return all
}

// Number returns the number of the chunk.
func (m *move) Number() axial.Number { return m.copy.Chunk }

// CopyOut copies from the bytes of the chunk to the buffer.
func (m *move) CopyOut(chunk []byte) { m.copyOut(&m.copy, m.copy.Window(chunk)) }

// CopyIn copies from the buffer to the bytes of the chunk.
func (m *move) CopyIn(chunk []byte) { m.copyIn(&m.copy, m.copy.Window(chunk)) }

// Readable reports whether the caller may read the chunk from the file at its offset. If not, it
// must call Serial.
func (m *move) Readable() (bool, error) {
	written, inPlace, err := m.Store.InPlace(m.copy.Chunk)
	return written && inPlace && !m.Pool.Dirty(m.copy.Chunk), m.errorf(err)
}

// Writable reports whether the caller may write the chunk to the file at its offset: if the move
// covers the whole chunk, the chunk was never written, and chunks are not compressed. If not, it
// must call Serial.
func (m *move) Writable() (bool, error) {
	if !m.copy.Whole || m.Store.Encodes() {
		return false, nil
	}
	fresh, err := m.Store.Fresh(m.copy.Chunk)
	return fresh && !m.Pool.Dirty(m.copy.Chunk), m.errorf(err)
}

// Serial performs the move through the pool.
func (m *move) Serial() error {
	if m.write {
		return m.errorf(m.Pool.Update(m.copy.Chunk, m.copy.Whole, m.CopyIn))
	}
	return m.errorf(m.readPooled(&m.copy))
}

// Check compares bytes that were read from the file at the offset of the chunk with its checksum.
// The error wraps state.ErrCorrupt.
func (m *move) Check(chunk []byte) error { return m.errorf(m.Store.Agrees(m.copy.Chunk, chunk)) }

// NoteWritten sets the entry of the chunk in the table, and drops the chunk from the pool.
func (m *move) NoteWritten(chunk []byte) error {
	m.Pool.Drop(m.copy.Chunk)
	return m.errorf(m.written(m.copy.Chunk, chunk))
}
