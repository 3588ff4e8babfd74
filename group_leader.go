package drx

import (
	"errors"
	"fmt"
	"io"

	"drx/internal/chunkstore"
	"drx/internal/fileset"
	"drx/internal/group"
	"drx/internal/vfs"
)

// A groupLeader is the group.Leader of an array.
type groupLeader struct {
	groupMember
	leader *chunkstore.Leader // the store, nil for readers
	log    vfs.File           // the array's log when it was last opened or refreshed; Compact replaces it
}

// LeadGroup makes this process the leader of a group of procs processes that use one array together. It is for
// package drxmp. The array must just have been opened or created. If there is no error, the array belongs to
// the leader, and must not be committed or closed by other means. The error wraps ErrReadOnly for an array
// opened with Options.Shared or by OpenAt.
func LeadGroup(a *Array, procs int) (group.Leader, error) {
	if a.opts.Shared || a.fixed {
		return nil, a.errorf("lead", fmt.Errorf("opened with Options.Shared or OpenAt: %w", ErrReadOnly))
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

// join shares the lock on the chunk table with the followers. If the program fails, the leader, who holds the
// other locks, may be gone before the followers notice; until then the shared lock keeps other writers out.
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

// Cover makes the chunk table long enough for the chunks of an extension. It does nothing for a reader.
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

// Log returns the log as it is in the file, followed by the line of a commit that only the journal has.
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

// Refresh refreshes the array, and reports whether other files have replaced those that were open.
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
