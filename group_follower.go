package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/internal/chunkstore"
	"drx/internal/fileset"
	"drx/internal/group"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A groupFollower is the group.Follower of an array. It replays the log that it gets from the leader, in a
// file in memory, and never reads that of the array.
type groupFollower struct {
	groupMember
	log     []byte   // the leader's
	logFile vfs.File // the same, in memory
	differs error    // why a reader's files are not the leader's
}

func joinGroup(name string, o Options, proc, procs int, log []byte) (*groupFollower, error) {
	name = BaseName(name)
	m := &groupFollower{}
	if err := m.open(name, o, proc, procs, log); err != nil {
		return nil, fmt.Errorf("%s: open: %w", name, err)
	}
	return m, nil
}

func (m *groupFollower) open(name string, o Options, proc, procs int, log []byte) error {
	state, read, err := m.readLog(name, log)
	if err != nil {
		return err
	}
	// If the files of the leader were current before this and are afterwards, these are the same.
	files, err := fileset.OpenCurrent(o.filesystem(), name, o.Write)
	if err != nil {
		return err
	}
	if m.differs = m.compareLog(files.Log); m.differs != nil && o.Write {
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

// join makes the store of a new array that of a follower.
func (m *groupFollower) join(proc, procs int) error {
	a := m.array
	a.store.SetCommitted(a.logged.Grid.Chunks(), a.log.Commits())
	if !a.write {
		_, err := a.reader.Refresh(a.log.Commits()) // of a writer the leader has recovered the array
		return err
	}
	if err := a.writer.Table().LockShared(); err != nil { // see groupLeader.join
		return err
	}
	a.committer = nil // the leader commits
	m.use(chunkstore.OpenMember(a.writer, proc, procs), procs)
	return nil
}

// readLog replays the log of the leader.
func (m *groupFollower) readLog(name string, log []byte) (*state.State, *metalog.Log, error) {
	file, err := vfs.NewMem().Create(fileset.Log(name))
	if err != nil {
		return nil, nil, err
	}
	if _, err := file.WriteAt(log, 0); err != nil {
		return nil, nil, err
	}
	m.logFile, m.log = file, slices.Clone(log)
	return metalog.ReadLogTo(file, 0, nil)
}

// readMore replays what the log of the leader has more than before. It replays all of the log if that does
// not begin with what was read before.
func (m *groupFollower) readMore(log []byte) (*state.State, *metalog.Log, error) {
	a := m.array
	if !bytes.HasPrefix(log, m.log) {
		return m.readLog(a.name, log)
	}
	more := log[len(m.log):]
	if _, err := m.logFile.WriteAt(more, int64(len(m.log))); err != nil {
		return nil, nil, err
	}
	m.log = append(m.log, more...)
	state, err := a.log.ReadOn(a.logged, 0, nil)
	return state, a.log, err
}

// compareLog returns an error wrapping fs.ErrInvalid unless a log is that of the leader: on another machine,
// or from another folder, the name may lead to another array.
func (m *groupFollower) compareLog(file vfs.File) error {
	got := make([]byte, len(m.log))
	n, err := file.ReadAt(got, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	// The end may be missing: the line of a commit that is in the journal, see groupLeader.Log.
	if n <= bytes.IndexByte(m.log, '\n') || !bytes.Equal(got[:n], m.log[:n]) {
		return fmt.Errorf("%s is not the log of the process that has opened the array: %w", file.Name(), fs.ErrInvalid)
	}
	return nil
}

// Current returns what joinGroup has found out about a reader's files.
func (m *groupFollower) Current() (bool, error) { return true, m.array.errorf("open", m.differs) }

// Follow reads on in the leader's log, and gives the array the state that it leads to. The pool of a
// reader forgets all chunks, as they may have changed.
func (m *groupFollower) Follow(log []byte) error {
	a := m.array
	done, err := a.begin("follow", false)
	if err != nil {
		return err
	}
	defer done()
	a.grow.Lock()
	defer a.grow.Unlock()
	state, read, err := m.readMore(log)
	if err != nil {
		return a.errorf("follow", err)
	}
	if m.store != nil {
		m.store.Committed(state.Grid.Chunks(), read.Commits())
	} else {
		if _, err := a.reader.Refresh(read.Commits()); err != nil {
			return a.errorf("follow", err)
		}
		a.pool.Reset()
	}
	a.log, a.logged, a.pending = read, state, nil
	a.state.Store(state)
	return nil
}

// Close closes the files. What a writer has not committed stays in them, for the leader to discard.
func (m *groupFollower) Close() error {
	if m.store != nil {
		m.store.Forget()
	}
	return m.array.end("close", true, func() error { return nil })
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
