package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/joint"
	"drx/internal/metalog"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A member is the joint.Member of an array.
type member struct {
	array *Array
	group *chunkio.Member // nil for readers
	proc  int
	procs int
	log   vfs.File // the leader's, to see whether Compact has replaced it
	text  []byte   // what the others know of the log ...
	copy  vfs.File // ... as a file in memory

	elsewhere error // the files are others than the leader's, or were replaced meanwhile
}

func init() {
	joint.Set(joint.Hooks[*Array, Options, VerifyReport]{
		Lead: func(a *Array, proc, procs int) (joint.Member[*Array, VerifyReport], error) {
			m, err := lead(a, proc, procs)
			if err != nil {
				return nil, err
			}
			return m, nil
		},
		Join: func(name string, o Options, proc, procs int, log []byte) (joint.Member[*Array, VerifyReport], error) {
			m, err := join(name, o, proc, procs, log)
			if err != nil {
				return nil, err
			}
			return m, nil
		},
	})
}

func lead(a *Array, proc, procs int) (*member, error) {
	m := &member{array: a, proc: proc, procs: procs, log: a.file}
	if a.shared || a.fixed {
		return nil, a.errorf("lead", fmt.Errorf("opened with Options.Shared or OpenAt: %w", ErrReadOnly))
	}
	if err := m.join(true); err != nil {
		return nil, a.errorf("lead", err)
	}
	if err := m.Cover(); err != nil {
		return nil, err
	}
	return m, nil
}

func join(name string, o Options, proc, procs int, log []byte) (*member, error) {
	name = BaseName(name)
	m := &member{proc: proc, procs: procs}
	err := m.open(name, o, log)
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", name, err)
	}
	return m, nil
}

func (m *member) open(name string, o Options, log []byte) error {
	state, read, err := m.readLog(name, log)
	if err != nil {
		return err
	}
	set, err := openCurrent(name, o)
	if err != nil {
		return err
	}
	if m.elsewhere = m.sameLog(set.files[0]); m.elsewhere != nil && o.Write {
		set.close()
		return m.elsewhere
	}
	a := newArray(name, o, state, read, set.files)
	a.store.SetCommitted(state.Grid.Chunks(), read.Commits())
	if !o.Write { // or the leader has recovered it
		_, err = a.store.Recover(read.Commits(), false)
	}
	m.array = a
	if err == nil {
		err = m.join(false)
	}
	if err != nil {
		set.close()
		return err
	}
	set.closeMark()
	return nil
}

// sameLog returns an error unless a log is that of the leader: a name may lead elsewhere on another
// machine, or from another folder.
func (m *member) sameLog(file vfs.File) error {
	got := make([]byte, len(m.text))
	n, err := file.ReadAt(got, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	// What is missing may be in the journal, see Log.
	if n <= bytes.IndexByte(m.text, '\n') || !bytes.Equal(got[:n], m.text[:n]) {
		return fmt.Errorf("%s is not the log of the process that has opened the array: %w", file.Name(), fs.ErrInvalid)
	}
	return nil
}

// openCurrent opens files that belong together and counted while they were opened. If those of the
// leader did before and do afterwards, they are the same.
func openCurrent(name string, o Options) (*fileSet, error) {
	for range openTries {
		set, err := openSet(o.filesystem(), name, o.Write, nil)
		if err != nil {
			return nil, err
		}
		ok, err := set.current()
		if ok && err == nil {
			return set, nil
		}
		set.close()
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: the files were replaced %d times while they were opened", name, openTries)
}

// readLog replays the log that the leader has read.
func (m *member) readLog(name string, log []byte) (*state.State, *metalog.Log, error) {
	file, err := vfs.NewMem().Create(name + logExt)
	if err != nil {
		return nil, nil, err
	}
	if _, err := file.WriteAt(log, 0); err != nil {
		return nil, nil, err
	}
	m.copy, m.text = file, slices.Clone(log)
	return metalog.ReadLogTo(file, 0, nil)
}

// readOn replays what the log of the leader has more than before, or all of it where it does not go
// on from there.
func (m *member) readOn(log []byte) (*state.State, *metalog.Log, error) {
	a := m.array
	if !bytes.HasPrefix(log, m.text) {
		return m.readLog(a.name, log)
	}
	more := log[len(m.text):]
	if _, err := m.copy.WriteAt(more, int64(len(m.text))); err != nil {
		return nil, nil, err
	}
	m.text = append(m.text, more...)
	state, err := a.log.ReadOn(a.logged, 0, nil)
	return state, a.log, err
}

// stay takes a lock that keeps other writers out as long as any member has the files open: after a
// failure of the program the leader, who has the other locks, may be gone before others learn of it.
func (m *member) stay(leader bool) error {
	table := m.array.store.Table()
	if leader {
		if err := table.Unlock(); err != nil {
			return err
		}
	}
	return table.LockShared()
}

// join makes the store of a writer that of a member.
func (m *member) join(leader bool) (err error) {
	a := m.array
	if !a.write {
		return nil
	}
	if err := m.stay(leader); err != nil {
		return err
	}
	if m.group, err = chunkio.Join(a.store, m.proc, m.procs, leader); err != nil {
		return err
	}
	cache, _ := a.options().shares()
	s := a.state.Load()
	a.pool = pool.New(memberBackend{backend{a.store, s.Fill}, m.group}, s.ChunkBytes, cache)
	a.chunks.Pool = a.pool
	if m.procs > 1 {
		a.chunks.Writers = a.chunks.Readers
		if a.goroutines <= 0 { // the others write while this one has nothing ready, and need processors too
			a.chunks.Writers = max(1, a.chunks.Readers/m.procs)
		}
	}
	return nil
}

// memberBackend is the store of a member as its pool sees it.
type memberBackend struct {
	backend
	group *chunkio.Member
}

// Store writes chunk q as a member does: others see it after Stage and Adopt.
func (b memberBackend) Store(q axial.Number, buf []byte) error { return b.group.Write(q, buf) }

// Array returns the array, see joint.Member.
func (m *member) Array() *Array { return m.array }

// Cover makes the table long enough for the chunks of an extension. A reader has nothing to do.
func (m *member) Cover() error {
	if m.group == nil {
		return nil
	}
	return m.array.errorf("cover", m.group.Cover(m.array.Grid().Chunks()))
}

// Regrows reports whether the array was larger once: what an extension brings back has to be blanked.
func (m *member) Regrows() bool { return m.array.state.Load().WidestLo != nil }

// Log returns the log as it is in the file, and the line of a commit that is in the journal only.
func (m *member) Log() ([]byte, error) {
	a := m.array
	a.grow.Lock()
	defer a.grow.Unlock()
	log := make([]byte, a.log.Size())
	n, err := a.file.ReadAt(log, 0)
	if n == len(log)-1 && errors.Is(err, io.EOF) { // the newline that a writer that died has not written
		log[n], err = '\n', nil
	}
	if err != nil {
		return nil, a.errorf("log", err)
	}
	return append(log, a.store.Line(a.log.Commits())...), nil
}

// Current reports whether the leader's files are still those with the name of the array; of the others
// it returns what Join has found out.
func (m *member) Current() (bool, error) {
	a := m.array
	if m.log == nil {
		return true, a.errorf("open", m.elsewhere)
	}
	ok, err := isCurrent(a.fsys, a.name, a.file)
	return ok, a.errorf("open", err)
}

// Stage writes back what the pool has changed, and returns the changes that the log does not have.
func (m *member) Stage() ([]byte, error) {
	a := m.array
	done, err := a.begin("stage", true)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := a.pool.Flush(); err != nil {
		return nil, a.errorf("stage", err)
	}
	return m.group.Stage(), nil
}

// Secure syncs what this member has written to its places and to the journal.
func (m *member) Secure() error { return m.array.errorf("sync", m.group.Secure()) }

// Adopt takes over the changes of another member, and drops what the pool has of these chunks.
func (m *member) Adopt(changes []byte) error {
	return m.array.errorf("adopt", m.group.Adopt(changes, m.array.pool.Drop))
}

// Commit makes one commit of the changes of all, as Sync of the array does.
func (m *member) Commit() error {
	a := m.array
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	if err = m.group.Lead(); err == nil {
		err = a.sync()
	}
	if err != nil {
		m.group.Unlead()
		return a.errorf("sync", err)
	}
	m.group.Committed(a.Grid().Chunks(), a.log.Commits())
	return nil
}

// Refresh is Refresh of the leader's array; its log is another file if the files were replaced.
func (m *member) Refresh() (replaced bool, err error) {
	_, err = m.array.Refresh()
	replaced = m.log != m.array.file
	m.log = m.array.file
	return replaced, err
}

// Follow reads on in the log that the leader has, and takes the state that it leads to for the array's.
// A reader's pool forgets all chunks: they may have changed.
func (m *member) Follow(log []byte) error {
	a := m.array
	done, err := a.begin("follow", false)
	if err != nil {
		return err
	}
	defer done()
	a.grow.Lock()
	defer a.grow.Unlock()
	state, read, err := m.readOn(log)
	if err != nil {
		return a.errorf("follow", err)
	}
	if m.group != nil {
		m.group.Committed(state.Grid.Chunks(), read.Commits())
	} else {
		if _, err := a.store.Refresh(read.Commits()); err != nil {
			return a.errorf("follow", err)
		}
		a.pool.Reset()
	}
	a.log, a.logged, a.pending = read, state, nil
	a.state.Store(state)
	return nil
}

// Close closes the files. The leader of a writer discards what was not committed, the others leave what
// is in the files to it.
func (m *member) Close() error {
	leader := m.log != nil
	written := false
	if m.group != nil {
		written = m.group.Written()
		m.group.Forget()
	}
	if leader && m.group != nil && m.group.Changed() {
		return m.array.Discard()
	}
	return m.array.end("close", !leader || m.group == nil, func() error {
		if !leader || m.group == nil || written {
			return nil
		}
		return m.array.store.SetUnjournaled(false, *headOf(m.array.log))
	})
}

// Verify checks chunks from the number from up to to, see joint.Member.
func (m *member) Verify(from, to axial.Number) (VerifyReport, error) {
	a := m.array
	done, err := a.begin("verify", false)
	if err != nil {
		return VerifyReport{}, err
	}
	defer done()
	r := VerifyReport{Chunks: int64(a.Grid().Chunks())}
	buf := make([]byte, a.store.ChunkBytes())
	err = a.store.Each(to, func(q axial.Number, err error) error {
		if q < from {
			return nil
		}
		a.verifyChunk(&r, q, err, buf)
		return nil
	})
	if err == nil && m.log != nil {
		err = a.verifyEnd(&r)
	}
	return r, a.errorf("verify", err)
}
