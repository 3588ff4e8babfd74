package drx

import (
	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/group"
	"drx/internal/pool"
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
	store *chunkio.Member // nil for readers
}

// join makes the store of a writer that of process proc of procs.
func (m *groupMember) join(proc, procs int, leader bool) (err error) {
	a := m.array
	if !a.write {
		return nil
	}
	if m.store, err = chunkio.Join(a.store, proc, procs, leader); err != nil {
		return err
	}
	cache, _ := a.options().shares()
	s := a.state.Load()
	a.pool = pool.New(groupBackend{backend{a.store, s.Fill}, m.store}, s.ChunkBytes, cache)
	a.chunks.Pool = a.pool
	if procs > 1 {
		a.chunks.Writers = a.chunks.Readers
		if a.goroutines <= 0 { // the other processes write while this one waits, and need processors too
			a.chunks.Writers = max(1, a.chunks.Readers/procs)
		}
	}
	return nil
}

// A groupBackend is the store of a member as its pool sees it.
type groupBackend struct {
	backend
	member *chunkio.Member
}

// Store writes chunk q. Other processes see it after CollectChanges here and ApplyRemote there.
func (b groupBackend) Store(q axial.Number, buf []byte) error { return b.member.Write(q, buf) }

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
	return m.store.Stage(), nil
}

// ApplyRemote takes over the changes of another process, and drops these chunks from the pool.
func (m *groupMember) ApplyRemote(changes []byte) error {
	return m.array.errorf("apply changes", m.store.Adopt(changes, m.array.pool.Drop))
}

// Secure syncs what this process has written to the data file and to the journal.
func (m *groupMember) Secure() error { return m.array.errorf("sync", m.store.Secure()) }
