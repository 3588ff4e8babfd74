package drx

import (
	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/group"
)

// LeadGroup makes this process the leader of a group of so many processes that use one array together,
// see package drxmp, which is the only caller. The array has just been opened or created. If there is
// no error it belongs to the leader, and must not be committed or closed by other means. The error wraps
// ErrReadOnly for an array opened with Options.Shared or by OpenAt.
func LeadGroup(a *Array, procs int) (group.Leader, error) {
	m, err := leadGroup(a, procs)
	if err != nil {
		return nil, err // not m, which would be no nil interface
	}
	return m, nil
}

// JoinGroup opens an array that the leader of a group has open, as process proc of procs; log is what the
// leader's Log has returned. It is for package drxmp, see LeadGroup. The error wraps what that of Open
// does, or fs.ErrInvalid if the files of a writer do not have the leader's log; a reader learns that from
// Current.
func JoinGroup(name string, o Options, proc, procs int, log []byte) (*Array, group.Follower, error) {
	m, err := joinGroup(name, o, proc, procs, log)
	if err != nil {
		return nil, nil, err
	}
	return m.array, m, nil
}

// A groupMember is what leader and followers have in common. It implements most of group.Member.
type groupMember struct {
	array *Array
	store groupStore // nil for readers
}

// A groupStore is the store of a process that writes: a chunkstore.Leader or a chunkstore.Member.
type groupStore interface {
	chunkstore.ChunkWriter
	Placed(q axial.Number, chunk []byte) error
	CollectChanges() []byte
	ApplyRemote(changes []byte, f func(q axial.Number)) error
	Secure() error
	Committed(chunks axial.Number, commits int)
	Forget()
}

// use makes the array of a process that writes, one of so many, write by a store.
func (m *groupMember) use(store groupStore, procs int) {
	a := m.array
	m.store = store
	a.chunks.Writer, a.chunks.Patcher = store, nil
	if procs > 1 {
		a.chunks.Writers = a.chunks.Readers
		if a.goroutines <= 0 { // the other processes write while this one waits, and need processors too
			a.chunks.Writers = max(1, a.chunks.Readers/procs)
		}
	}
}

// Regrows reports whether the array was larger once, so that an extension may bring back chunks.
func (m *groupMember) Regrows() bool { return m.array.state.Load().WidestLo != nil }

// CollectChanges writes back what the pool has changed, and returns the changes that the log does not
// have.
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

// ApplyRemote takes over the changes of another process, and drops these chunks from the pool.
func (m *groupMember) ApplyRemote(changes []byte) error {
	return m.array.errorf("apply changes", m.store.ApplyRemote(changes, m.array.pool.Drop))
}

// Secure syncs what this process has written to the data file and to the journal.
func (m *groupMember) Secure() error { return m.array.errorf("sync", m.store.Secure()) }
