package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"drx/internal/chunkstore"
	"drx/internal/fileset"
	"drx/internal/group"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A groupFollower is the group.Follower of an array. It replays the log that the leader passes on, from a file
// in memory, and only compares it with the array's own log.
type groupFollower struct {
	groupMember
	logFile vfs.File // the leader's log, as a file in memory
	differs error    // set if the files of a reader do not have the leader's log
}

// JoinGroup opens an array that the leader of a group has open, as process proc of procs. log is the result of
// the leader's Log. It is for package drxmp, see LeadGroup. The error wraps one of those of Open, or
// fs.ErrInvalid if the files of a writer do not have the leader's log; for a reader Current returns that error.
func JoinGroup(name string, o Options, proc, procs int, log []byte) (*Array, group.Follower, error) {
	name, err := resolve(o.filesystem(), name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: open: %w", name, err)
	}
	m := &groupFollower{}
	if err := m.open(name, o, proc, procs, log); err != nil {
		return nil, nil, fmt.Errorf("%s: open: %w", name, err)
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
		_, err := a.reader.Refresh(a.log.Commits()) // not needed for writers: the leader has recovered the array
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

// readMore replays what was appended to the leader's log since the last call, or the whole log if it does not have
// what was read before.
func (m *groupFollower) readMore(log []byte) (*state.State, error) {
	if err := m.logFile.Truncate(int64(len(log))); err != nil {
		return nil, err
	}
	if _, err := m.logFile.WriteAt(log, 0); err != nil {
		return nil, err
	}
	return m.array.log.ReadOn(m.array.logged, 0, nil)
}

// compareLog returns an error wrapping fs.ErrInvalid if a file is not the leader's log: on another machine, or from
// another folder, the array's name may lead to another array.
func compareLog(file vfs.File, log []byte) error {
	got := make([]byte, len(log))
	n, err := file.ReadAt(got, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	// The last line may be missing, because the leader has taken it from the journal, see groupLeader.Log.
	if n <= bytes.IndexByte(log, '\n') || !bytes.Equal(got[:n], log[:n]) {
		return fmt.Errorf("%s is not the log of the process that has opened the array: %w", file.Name(), fs.ErrInvalid)
	}
	return nil
}

// Current reports true, or an error wrapping fs.ErrInvalid if the files of a reader do not have the leader's
// log.
func (m *groupFollower) Current() (bool, error) { return true, m.array.errorf("open", m.differs) }

// Follow replays the leader's log and gives the array the resulting state. The pool of a reader forgets all
// chunks, because they may have changed.
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

// Close closes the files. Uncommitted changes of a writer remain in them until the leader discards them.
func (m *groupFollower) Close() error {
	if m.store != nil {
		m.store.Forget()
	}
	return m.array.closeFiles("close", func() (keepJournal bool, err error) { return true, nil })
}
