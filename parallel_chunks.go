package drx

import (
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/joint"
	"drx/internal/pool"
	"drx/internal/strided"
	"drx/nd"
)

// A chunkMove is the joint.Move of one chunk.
type chunkMove struct {
	member *member
	t      *transfer
	m      move
	buf    []byte
}

// Moves plans a section and returns its moves, see joint.Member; without bytes there are none.
func (m *member) Moves(write bool, sec nd.Section, buf []byte, strides []int) (moves []joint.Move, done func(), err error) {
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
			moves = append(moves, &chunkMove{m, t, one, buf})
		}
		return nil
	})
	if err != nil {
		t.done()
		return nil, nil, err
	}
	return moves, t.done, nil
}

// Number returns that of the chunk.
func (c *chunkMove) Number() axial.Number { return c.m.number }

// CopyOut copies the part of the section from the bytes of the chunk to the buffer.
func (c *chunkMove) CopyOut(chunk []byte) {
	c.t.copyOut(c.buf, &c.m, window(chunk, &c.m))
}

// CopyIn copies the part of the section from the buffer to the bytes of the chunk.
func (c *chunkMove) CopyIn(chunk []byte) {
	c.t.copyIn(window(chunk, &c.m), &c.m, c.buf)
}

func window(chunk []byte, m *move) []byte { return chunk[m.from : m.from+m.bytes] }

// ToRead reports whether the chunk is in its place as a whole, and the pool has no changes of it.
func (c *chunkMove) ToRead() (bool, error) {
	a := c.t.array
	written, inPlace, err := a.store.InPlace(c.m.number)
	return written && inPlace && !a.pool.Dirty(c.m.number), a.errorf("read", err)
}

// ToWrite reports whether all of the chunk is written, for the first time.
func (c *chunkMove) ToWrite() (bool, error) {
	a := c.t.array
	if !c.m.whole {
		return false, nil
	}
	fresh, err := a.store.Fresh(c.m.number)
	return fresh && !a.pool.Dirty(c.m.number), a.errorf("write", err)
}

// Serial does the move through the pool; a chunk that was never written reads as the fill value.
func (c *chunkMove) Serial() error {
	t, m := c.t, &c.m
	if t.op == "write" {
		return t.array.errorf(t.op, t.array.pool.Update(m.number, m.whole, c.CopyIn))
	}
	err := t.load(m, func(window []byte) { t.copyOut(c.buf, m, window) })
	if errors.Is(err, pool.ErrAbsent) {
		strided.Fill(c.buf[m.at:], t.strides, m.box.Shape, t.state.Fill)
		return nil
	}
	return t.array.errorf(t.op, err)
}

// Check compares bytes that were read with the checksum of the chunk. The error wraps ErrCorrupt.
func (c *chunkMove) Check(chunk []byte) error {
	return c.t.array.errorf("read", c.t.array.store.Agrees(c.m.number, chunk))
}

// Placed gives the chunk its entry, and forgets what the pool has of it.
func (c *chunkMove) Placed(chunk []byte) error {
	a := c.t.array
	a.pool.Drop(c.m.number)
	return a.errorf("write", c.member.group.Placed(c.m.number, chunk))
}
