package drx

import (
	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/group"
	"drx/nd"
)

// A groupMember has what leader and followers have in common. It implements most of group.Member.
type groupMember struct {
	array *Array
	store groupStore // nil for readers
}

// A groupStore is the store of a group's process that writes: a chunkstore.Leader or a chunkstore.Member.
type groupStore interface {
	chunkstore.ChunkWriter
	Placed(q axial.Number, chunk []byte) error
	CollectChanges() []byte
	ApplyRemote(changes []byte, f func(q axial.Number)) error
	Secure() error
	Committed(chunks axial.Number, commits int)
	Forget()
}

// useStore makes the array write to the given store, as one of procs processes.
func (m *groupMember) useStore(store groupStore, procs int) {
	a := m.array
	m.store = store
	a.chunks.Writer, a.chunks.Patcher = store, nil
	if procs > 1 {
		a.chunks.Writers = a.chunks.Readers
		if a.opts.Goroutines <= 0 { // while one process waits for the file, the others need the processors
			a.chunks.Writers = max(1, a.chunks.Readers/procs)
		}
	}
}

// Regrows reports whether the array was larger once, so that an extension may make old chunks visible again.
func (m *groupMember) Regrows() bool { return m.array.state.Load().WidestLo != nil }

// CollectChanges writes back the changed chunks of the pool, and returns the changes since the last commit.
func (m *groupMember) CollectChanges() ([]byte, error) {
	a := m.array
	done, err := a.begin("collect changes", true)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := a.pool.Flush(); err != nil {
		return nil, a.errorf("collect changes", err)
	}
	return m.store.CollectChanges(), nil
}

// ApplyRemote takes over the changes of another process, and drops the changed chunks from the pool.
func (m *groupMember) ApplyRemote(changes []byte) error {
	return m.array.errorf("apply changes", m.store.ApplyRemote(changes, m.array.pool.Drop))
}

// Secure syncs what this process has written to the data file and to the journal.
func (m *groupMember) Secure() error { return m.array.errorf("sync", m.store.Secure()) }

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
	r, err := m.array.request(op, sec, nil)
	if err != nil {
		return nil, func() {}, err
	}
	if err := r.setStrides(strides, 1, len(buf)); err != nil {
		r.done()
		return nil, func() {}, r.errorf(err)
	}
	noteWritten := func(q axial.Number, chunk []byte) error { return m.store.Placed(q, chunk) }
	return m.array.chunks.Moves(r.Section, buf, op == opWrite, noteWritten, r.errorf), r.done, nil
}
