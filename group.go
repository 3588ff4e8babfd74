package drx

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/group"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

func init() {
	group.Lead = func(array any, procs int) (group.Leader, error) { return leadGroup(array.(*Array), procs) }
	group.Join = func(name string, options any, proc, procs int, log []byte) (any, group.Follower, error) {
		return joinGroup(name, options.(Options), proc, procs, log)
	}
}

// A groupMember is the common part of leader and followers. It implements most of group.Member.
type groupMember struct {
	array *Array
	store groupStore // nil for readers
}

// A groupStore is the store of a writing process of a group: a chunkstore.Leader or a
// chunkstore.Member.
type groupStore interface {
	chunkstore.ChunkWriter
	NoteWritten(q axial.Number, chunk []byte) error
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
		if a.opts.Goroutines <= 0 { // leave processors to the other processes
			a.chunks.Writers = max(1, a.chunks.Readers/procs)
		}
	}
}

// Regrows reports whether the array was ever larger, so that an extension may make old chunks
// visible again.
func (m *groupMember) Regrows() bool { return m.array.state.Load().WidestLo != nil }

// CollectChanges writes back the changed chunks of the pool, and returns the changes since the last
// commit.
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

// ApplyRemote applies the changes of another process, and drops the changed chunks from the pool.
func (m *groupMember) ApplyRemote(changes []byte) error {
	return m.array.errorf("apply changes", m.store.ApplyRemote(changes, m.array.pool.Drop))
}

// Secure makes durable what this process has written to the data file and to the journal.
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
		r.end()
		return nil, func() {}, r.errorf(err)
	}
	noteWritten := func(q axial.Number, chunk []byte) error { return m.store.NoteWritten(q, chunk) }
	return m.array.chunks.Moves(r.Section, buf, op == opWrite, noteWritten, r.errorf), r.end, nil
}

// A groupLeader is the group.Leader of an array.
type groupLeader struct {
	groupMember
	leader *chunkstore.Leader // the store, nil for readers
	log    vfs.File           // the array's log at the last open or refresh; Compact replaces it
}

// leadGroup is group.Lead.
func leadGroup(a *Array, procs int) (group.Leader, error) {
	if a.opts.Shared || a.fixed {
		return nil, a.errorf("lead", errkind.Errorf(ErrReadOnly, "the array is open with Options.Shared or by OpenAt: only one that is open for writing alone leads"))
	}
	m := &groupLeader{groupMember: groupMember{array: a}, log: a.file}
	if err := m.join(procs); err != nil {
		return nil, a.errorf("lead", err)
	}
	if err := m.Cover(); err != nil {
		return nil, err
	}
	return m, nil
}

// join shares the lock on the chunk table with the followers. If the program fails, the leader,
// which holds the other locks, may be gone before the followers notice; until then the shared lock
// keeps other writers out.
func (m *groupLeader) join(procs int) (err error) {
	a := m.array
	if !a.opts.Write {
		return nil
	}
	table := a.store.Table().File()
	if err := table.Unlock(); err != nil {
		return err
	}
	if err := table.LockShared(); err != nil {
		return err
	}
	if m.leader, err = chunkstore.OpenLeader(a.writer, 0, procs); err != nil {
		return err
	}
	m.useStore(m.leader, procs)
	return nil
}

// Current reports whether the open files are still those of the array.
func (m *groupLeader) Current() (bool, error) {
	a := m.array
	ok, err := fileset.IsCurrent(a.fsys, a.name, a.file)
	return ok, a.errorf("open", err)
}

// Cover extends the chunk table for the chunks of an extension. It does nothing for a reader.
func (m *groupLeader) Cover() error {
	if m.leader == nil {
		return nil
	}
	return m.array.errorf("cover", m.leader.Cover(m.array.Grid().Chunks()))
}

// Commit commits the changes of all processes, as Array.Sync does.
func (m *groupLeader) Commit() error {
	a := m.array
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	if err = m.leader.Lead(); err == nil {
		err = a.sync()
	}
	if err != nil {
		return a.errorf("sync", err)
	}
	m.leader.Committed(a.Grid().Chunks(), a.log.Commits())
	return nil
}

// Log returns the log as in the file, followed by the line of a commit that is only in the journal.
func (m *groupLeader) Log() ([]byte, error) {
	a := m.array
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	log := make([]byte, a.log.Size())
	n, err := a.file.ReadAt(log, 0)
	if n == len(log)-1 && errors.Is(err, io.EOF) { // a writer died before it wrote the newline
		log[n], err = '\n', nil
	}
	if err != nil {
		return nil, a.errorf("log", err)
	}
	return append(log, a.store.Line(a.log.Commits())...), nil
}

// Refresh refreshes the array, and reports whether other files have replaced the open ones.
func (m *groupLeader) Refresh() (replaced bool, err error) {
	_, err = m.array.Refresh()
	replaced = m.log != m.array.file
	m.log = m.array.file
	return replaced, err
}

// Close closes the files. A writer discards uncommitted changes.
func (m *groupLeader) Close() error {
	a := m.array
	if m.leader != nil && m.leader.Pending() {
		m.leader.Forget()
		return a.Discard()
	}
	return a.closeFiles("close", func() (keepJournal bool, err error) {
		if m.leader == nil {
			return true, nil
		}
		return false, a.writer.SetUnjournaled(false, *headOf(a.log))
	})
}

// A groupFollower is the group.Follower of an array. It replays the log that it gets from the
// leader, from a file in memory; it only compares that with the array's own log.
type groupFollower struct {
	groupMember
	logFile vfs.File // the leader's log, as a file in memory
	differs error    // set if the files of a reader do not have the leader's log
}

// joinGroup is group.Join.
func joinGroup(name string, o Options, proc, procs int, log []byte) (*Array, group.Follower, error) {
	name, err := resolve(o.filesystem(), name)
	if err != nil {
		return nil, nil, errkind.Doing(name, "open", err)
	}
	m := &groupFollower{}
	if err := m.open(name, o, proc, procs, log); err != nil {
		return nil, nil, errkind.Doing(name, "open", err)
	}
	return m.array, m, nil
}

// open opens the array's files and makes m.array from them and the leader's log.
func (m *groupFollower) open(name string, o Options, proc, procs int, log []byte) error {
	state, read, err := m.readLog(name, log)
	if err != nil {
		return err
	}
	// If the leader's files are current before and after this, these are the same files.
	files, err := fileset.OpenCurrent(o.filesystem(), name, o.Write)
	if err != nil {
		return err
	}
	if m.differs = compareLog(files.Log, log); m.differs != nil && o.Write {
		files.Close()
		return m.differs
	}
	m.array = newArray(name, o, state, read, files)
	if err := m.join(proc, procs); err != nil {
		files.Close()
		return err
	}
	return nil
}

// join gives m.array the store of a follower.
func (m *groupFollower) join(proc, procs int) error {
	a := m.array
	a.store.SetCommitted(a.logged.Grid.Chunks(), a.log.Commits())
	if !a.opts.Write {
		// Writers need no refresh: the leader has recovered the array.
		_, err := a.reader.Refresh(a.log.Commits())
		return err
	}
	if err := a.store.Table().File().LockShared(); err != nil { // see groupLeader.join
		return err
	}
	a.committer = nil // the leader commits
	m.useStore(chunkstore.OpenMember(a.writer, proc, procs), procs)
	return nil
}

// readLog replays the leader's log from the beginning.
func (m *groupFollower) readLog(name string, log []byte) (*state.State, *metalog.Log, error) {
	file, err := vfs.NewMem().Create(fileset.Log(name))
	if err != nil {
		return nil, nil, err
	}
	if _, err := file.WriteAt(log, 0); err != nil {
		return nil, nil, err
	}
	m.logFile = file
	return metalog.ReadLogTo(file, 0, nil)
}

// readMore replays what was appended to the leader's log since the last call, or the whole log if
// the part read before has changed.
func (m *groupFollower) readMore(log []byte) (*state.State, error) {
	if err := m.logFile.Truncate(int64(len(log))); err != nil {
		return nil, err
	}
	if _, err := m.logFile.WriteAt(log, 0); err != nil {
		return nil, err
	}
	return m.array.log.ReadOn(m.array.logged, 0, nil)
}

// compareLog returns an error wrapping fs.ErrInvalid if a file is not the leader's log: on another
// machine, or relative to another folder, the array's name may refer to another array.
func compareLog(file vfs.File, log []byte) error {
	got := make([]byte, len(log))
	n, err := file.ReadAt(got, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	// The last line may be missing, because the leader has taken it from the journal, see
	// groupLeader.Log.
	if n <= bytes.IndexByte(log, '\n') || !bytes.Equal(got[:n], log[:n]) {
		return errkind.InFile(file.Name(), errkind.Errorf(fs.ErrInvalid, "it is not the log of the process that has opened the array"))
	}
	return nil
}

// Current reports true, or an error wrapping fs.ErrInvalid if the files of a reader do not have the
// leader's log.
func (m *groupFollower) Current() (bool, error) { return true, m.array.errorf("open", m.differs) }

// Follow replays the leader's log and gives the array the resulting state. The pool of a reader
// forgets all chunks, because they may have changed.
func (m *groupFollower) Follow(log []byte) error {
	a := m.array
	done, err := a.begin("follow", false)
	if err != nil {
		return err
	}
	defer done()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	state, err := m.readMore(log)
	if err != nil {
		return a.errorf("follow", err)
	}
	if m.store != nil {
		m.store.Committed(state.Grid.Chunks(), a.log.Commits())
	} else {
		if _, err := a.reader.Refresh(a.log.Commits()); err != nil {
			return a.errorf("follow", err)
		}
		a.pool.Reset()
	}
	a.logged, a.pending = state, nil
	a.state.Store(state)
	return nil
}

// Close closes the files. Uncommitted changes of a writer remain in them until the leader discards
// them.
func (m *groupFollower) Close() error {
	if m.store != nil {
		m.store.Forget()
	}
	return m.array.closeFiles("close", func() (keepJournal bool, err error) { return true, nil })
}
