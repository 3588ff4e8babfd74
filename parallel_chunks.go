package drx

import (
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/pool"
	"drx/internal/strided"
	"drx/nd"
)

// A ChunkMove is what a section has to do with one chunk, for those who move whole chunks between
// memory and the file by other means.
type ChunkMove struct {
	Number axial.Number
	Whole  bool // the section has all of the chunk
	t      *transfer
	m      move
	buf    []byte
}

// Moves returns the chunk moves of a section, in the order of the file, between the array and a part
// of a buffer as ReadStrided has it. They are valid until done is called.
func (m *Member) Moves(write bool, sec nd.Section, buf []byte, strides []int) (moves []ChunkMove, done func(), err error) {
	op := "read"
	if write {
		op = "write"
	}
	t, err := m.strided(op, write, sec, buf, strides)
	if err != nil || t.size == 0 {
		return nil, func() {}, err
	}
	err = t.plan(func(b *batch) error {
		for _, one := range b.moves {
			one.box.Shape = slices.Clone(one.box.Shape) // the batch needs it again
			moves = append(moves, ChunkMove{one.number, one.whole, t, one, buf})
		}
		return nil
	})
	if err != nil {
		t.done()
		return nil, nil, err
	}
	return moves, t.done, nil
}

// CopyOut copies from the bytes of the chunk to the buffer.
func (c *ChunkMove) CopyOut(chunk []byte) {
	c.t.state.CopyOut(c.buf[c.m.at:], c.t.strides, window(chunk, &c.m), c.m.box)
}

// CopyIn copies from the buffer to the bytes of the chunk.
func (c *ChunkMove) CopyIn(chunk []byte) {
	c.t.state.CopyIn(window(chunk, &c.m), c.m.box, c.buf[c.m.at:], c.t.strides)
}

func window(chunk []byte, m *move) []byte { return chunk[m.from : m.from+m.bytes] }

// ToRead reports whether the bytes of the chunk are those in the file at Array.Offset. If not, they
// are to be had by Serial.
func (c *ChunkMove) ToRead() (bool, error) {
	a := c.t.array
	written, inPlace, err := a.store.InPlace(c.Number)
	return written && inPlace && !a.pool.Dirty(c.Number), a.errorf("read", err)
}

// ToWrite reports whether the bytes of the chunk may be put in the file at Array.Offset, by
// whoever calls Placed then: all of a chunk that was never written. If not, Serial does it.
func (c *ChunkMove) ToWrite() (bool, error) {
	a := c.t.array
	if !c.Whole {
		return false, nil
	}
	fresh, err := a.store.Fresh(c.Number)
	return fresh && !a.pool.Dirty(c.Number), a.errorf("write", err)
}

// Serial does the move as Array.ReadBytes or Array.WriteBytes does.
func (c *ChunkMove) Serial() error {
	t, m := c.t, &c.m
	if t.op == "write" {
		return t.array.errorf(t.op, t.array.pool.Update(m.number, m.whole, c.CopyIn))
	}
	err := t.load(m, func(window []byte) { t.state.CopyOut(c.buf[m.at:], t.strides, window, m.box) })
	if errors.Is(err, pool.ErrAbsent) {
		strided.Fill(c.buf[m.at:], t.strides, m.box.Shape, t.state.Fill)
		return nil
	}
	return t.array.errorf(t.op, err)
}

// Check checks bytes of the chunk that were read from the file, whatever Options.Checking says.
func (c *ChunkMove) Check(chunk []byte) error {
	return c.t.array.errorf("read", c.t.array.store.Agrees(c.Number, chunk))
}

// Placed says that the chunk has been put in the file, with these bytes.
func (m *Member) Placed(c *ChunkMove, chunk []byte) error {
	m.array.pool.Drop(c.Number)
	return m.array.errorf("write", m.group.Placed(c.Number, chunk))
}
