package drx

import (
	"drx/internal/joint"
	"drx/internal/transfer"
	"drx/nd"
)

// A chunkMove is the joint.Move of one chunk.
type chunkMove struct {
	*transfer.Move
	member  *member
	request *request
}

// Moves plans a section and returns its moves, see joint.Member; without bytes there are none.
func (m *member) Moves(write bool, sec nd.Section, buf []byte, strides []int) (moves []joint.Move, done func(), err error) {
	op := opRead
	if write {
		op = opWrite
	}
	r, err := m.array.stridedRequest(op, sec, len(buf), strides, 1)
	if err != nil {
		return nil, func() {}, err
	}
	for _, move := range m.array.chunks.Moves(r.Section, buf, write) {
		moves = append(moves, &chunkMove{move, m, r})
	}
	return moves, r.done, nil
}

// ToRead reports whether the chunk is in its place as a whole, and the pool has no changes of it.
func (c *chunkMove) ToRead() (bool, error) {
	ok, err := c.Readable()
	return ok, c.request.errorf(err)
}

// ToWrite reports whether all of the chunk is written, for the first time.
func (c *chunkMove) ToWrite() (bool, error) {
	ok, err := c.Writable()
	return ok, c.request.errorf(err)
}

// Serial makes the move as the array alone would.
func (c *chunkMove) Serial() error { return c.request.errorf(c.Move.Serial()) }

// Check compares bytes that were read with the checksum of the chunk. The error wraps ErrCorrupt.
func (c *chunkMove) Check(chunk []byte) error { return c.request.errorf(c.Move.Check(chunk)) }

// Placed gives the chunk its entry, and forgets what the pool has of it.
func (c *chunkMove) Placed(chunk []byte) error {
	c.member.array.pool.Drop(c.Number())
	return c.request.errorf(c.member.group.Placed(c.Number(), chunk))
}
