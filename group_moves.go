package drx

import (
	"drx/internal/group"
	"drx/internal/transfer"
	"drx/nd"
)

// A groupMove is the group.Move of one chunk.
type groupMove struct {
	*transfer.Move
	member  *groupMember
	request *request
}

// ReadMoves plans to read a section.
func (m *groupMember) ReadMoves(sec nd.Section, buf []byte, strides []int) ([]group.Move, func(), error) {
	return m.moves(opRead, sec, buf, strides)
}

// WriteMoves plans to write a section.
func (m *groupMember) WriteMoves(sec nd.Section, buf []byte, strides []int) ([]group.Move, func(), error) {
	return m.moves(opWrite, sec, buf, strides)
}

// moves plans to read or write a section.
func (m *groupMember) moves(op operation, sec nd.Section, buf []byte, strides []int) (moves []group.Move, done func(), err error) {
	r, err := m.array.stridedRequest(op, sec, len(buf), strides, 1)
	if err != nil {
		return nil, func() {}, err
	}
	for _, move := range m.array.chunks.Moves(r.Section, buf, op == opWrite) {
		moves = append(moves, &groupMove{move, m, r})
	}
	return moves, r.done, nil
}

// Readable reports whether the file has the whole chunk, and the pool no changes of it.
func (g *groupMove) Readable() (bool, error) {
	ok, err := g.Move.Readable()
	return ok, g.request.errorf(err)
}

// Writable reports whether the section has all of the chunk, and the chunk was never written.
func (g *groupMove) Writable() (bool, error) {
	ok, err := g.Move.Writable()
	return ok, g.request.errorf(err)
}

// Serial moves the elements through the pool.
func (g *groupMove) Serial() error { return g.request.errorf(g.Move.Serial()) }

// Check compares the bytes of the chunk, read from the file, with its checksum.
func (g *groupMove) Check(chunk []byte) error { return g.request.errorf(g.Move.Check(chunk)) }

// NoteWritten gives the chunk its entry in the table, and drops it from the pool.
func (g *groupMove) NoteWritten(chunk []byte) error {
	g.member.array.pool.Drop(g.Number())
	return g.request.errorf(g.member.store.Placed(g.Number(), chunk))
}
