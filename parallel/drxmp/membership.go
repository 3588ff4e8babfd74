package drxmp

import (
	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/group"
	"drx/nd"
	"drx/parallel/par"
)

// A membership is this proc's part of an array file that a group has open together.
type membership struct {
	group.Member
	array    *drx.Array
	leader   group.Leader   // nil on procs other than 0
	follower group.Follower // nil on proc 0
	comm     par.Comm       // of the group
}

// lead opens or creates an array on proc 0, by calling open, and makes this proc the leader of the
// group.
func lead(c par.Comm, open func() (*drx.Array, error)) (*membership, error) {
	array, err := open()
	if err != nil {
		return nil, err
	}
	leader, err := group.Lead(array, c.Procs())
	if err != nil {
		_ = array.Discard() // err is what the caller needs
		return nil, err
	}
	return &membership{Member: leader, array: array, leader: leader, comm: c}, nil
}

// follow opens an array that proc 0 has open, with the log that proc 0 has read.
func follow(c par.Comm, name string, o drx.Options, log []byte) (*membership, error) {
	array, follower, err := group.Join(name, o, c.Proc(), c.Procs(), log)
	if err != nil {
		return nil, err
	}
	return &membership{Member: follower, array: array.(*drx.Array), follower: follower, comm: c}, nil
}

// chunkBytes returns the bytes of a chunk.
func (m *membership) chunkBytes() int {
	n, _ := nd.Product(m.array.ChunkShape()...) // no error: the array was opened with it
	return n * m.array.DType().Size()
}

// shareSection sends a section from proc 0 to all procs, collective.
func (m *membership) shareSection(sec nd.Section) (nd.Section, error) {
	bounds := make([]int64, 2*m.array.Rank())
	for d, r := range sec {
		bounds[2*d], bounds[2*d+1] = int64(r.Lo), int64(r.Hi)
	}
	if err := m.comm.Broadcast(dtype.Bytes(bounds), 0); err != nil {
		return nil, err
	}
	sec = nil
	for d := 0; d < len(bounds); d += 2 {
		sec = append(sec, nd.Span(int(bounds[d]), int(bounds[d+1])))
	}
	return sec, nil
}

// shareOf returns the chunk numbers [from, to) of this proc's share of the file. The shares are
// equal, in the order of the procs, independent of the zones.
func shareOf(chunks axial.Number, c par.Comm) (from, to axial.Number) {
	procs, proc := axial.Number(c.Procs()), axial.Number(c.Proc())
	return chunks * proc / procs, chunks * (proc + 1) / procs
}
