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
	"drx/internal/meta"
	"drx/internal/pool"
	"drx/internal/vfs"
	"drx/nd"
)

// A Member is an array as one of several processes has it open that are one reader, or one
// writer, together: what package drxmp is built on, where the rules are that it needs. One of
// them, the leader, has opened or created the array and holds its locks; it alone reads the log,
// which it gives to the others, and commits. Between two commits a chunk is written by one
// member at most; others see it after Stage there and Adopt here. It and what belongs to it are for
// package drxmp alone, and may change.
type Member struct {
	array *Array
	group *chunkio.Member // nil for readers
	proc  int
	procs int
	log   vfs.File // the leader's, to see whether Compact has replaced it
	text  []byte   // what the others know of the log ...
	copy  vfs.File // ... as a file in memory

	elsewhere error // the files are others than the leader's, or were replaced meanwhile
}

// Lead makes an array that has just been opened or created that of the leader, process proc of
// procs. It belongs to the member from then on.
func Lead(a *Array, proc, procs int) (*Member, error) {
	m := &Member{array: a, proc: proc, procs: procs, log: a.file}
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

// Join opens an array that the leader has open, with the log that it has read. The error wraps
// what that of Open does, or fs.ErrInvalid if the files of a writer are not those of the log; see
// Current for those of a reader.
func Join(name string, o Options, proc, procs int, log []byte) (*Member, error) {
	name = BaseName(name)
	m := &Member{proc: proc, procs: procs}
	err := m.open(name, o, log)
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", name, err)
	}
	return m, nil
}

func (m *Member) open(name string, o Options, log []byte) error {
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
func (m *Member) sameLog(file vfs.File) error {
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
func (m *Member) readLog(name string, log []byte) (*meta.State, *meta.Log, error) {
	file, err := vfs.NewMem().Create(name + logExt)
	if err != nil {
		return nil, nil, err
	}
	if _, err := file.WriteAt(log, 0); err != nil {
		return nil, nil, err
	}
	m.copy, m.text = file, slices.Clone(log)
	return meta.ReadLogTo(file, 0, nil)
}

// readOn replays what the log of the leader has more than before, or all of it where it does not go
// on from there.
func (m *Member) readOn(log []byte) (*meta.State, *meta.Log, error) {
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
func (m *Member) stay(leader bool) error {
	table := m.array.store.Table()
	if leader {
		if err := table.Unlock(); err != nil {
			return err
		}
	}
	return table.LockShared()
}

// join makes the store of a writer that of a member.
func (m *Member) join(leader bool) (err error) {
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
	return nil
}

// memberBackend is the store of a member as its pool sees it.
type memberBackend struct {
	backend
	group *chunkio.Member
}

func (b memberBackend) Store(q axial.Number, buf []byte) error { return b.group.Write(q, buf) }

// Array returns the array: to read, to write to chunks that are this member's, and to Extend on
// all members alike unless Regrows. It must not be committed or closed.
func (m *Member) Array() *Array { return m.array }

// Cover prepares the files for chunks that an extension has brought, before any is written: the
// leader does.
func (m *Member) Cover() error {
	if m.group == nil {
		return nil
	}
	return m.array.errorf("cover", m.group.Cover(m.array.Grid().Chunks()))
}

// Regrows reports whether extending the array may change chunks, which have to be blanked where it
// was shrunk: the leader does that alone, with a commit before and after.
func (m *Member) Regrows() bool { return m.array.state.Load().WidestLo != nil }

// Log returns what the leader has read of the log, for Join and Follow.
func (m *Member) Log() ([]byte, error) {
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

// Current reports whether the files are still those of the array: if the leader's are after all
// have opened them, all have the same. The others then get an error wrapping fs.ErrInvalid if their
// files are not those of the leader's log.
func (m *Member) Current() (bool, error) {
	a := m.array
	if m.log == nil {
		return true, a.errorf("open", m.elsewhere)
	}
	ok, err := isCurrent(a.fsys, a.name, a.file)
	return ok, a.errorf("open", err)
}

// Stage stores all chunks that were changed, and returns what to tell the others.
func (m *Member) Stage() ([]byte, error) {
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

// Secure makes durable what was stored: every member does, before Commit.
func (m *Member) Secure() error { return m.array.errorf("sync", m.group.Secure()) }

// Adopt takes over what Stage has returned on another member.
func (m *Member) Adopt(changes []byte) error {
	return m.array.errorf("adopt", m.group.Adopt(changes, m.array.pool.Drop))
}

// Commit commits what all members have changed, after Stage, Adopt and Secure: the leader does. If it fails
// the changes are kept, and the next Commit tries again; no member may write before that has succeeded,
// as the journal may have a commit to be finished.
func (m *Member) Commit() error {
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

// Refresh is the leader's Array.Refresh. It also reports whether Compact has replaced the files: then
// the others have to close and Join again.
func (m *Member) Refresh() (replaced bool, err error) {
	_, err = m.array.Refresh()
	replaced = m.log != m.array.file
	m.log = m.array.file
	return replaced, err
}

// Follow sees what the leader has committed, or refreshed, by the log that it has now.
func (m *Member) Follow(log []byte) error {
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

// Close closes the files, without a commit.
func (m *Member) Close() error {
	leader := m.log != nil
	if m.group != nil {
		m.group.Forget()
	}
	if leader && m.group != nil && m.group.Changed() {
		return m.array.Discard()
	}
	return m.array.end("close", !leader || m.group == nil, func() error { return nil })
}

// ReadStrided reads a section into a part of a buffer: the element at position i of the section
// lies at byte sum(i[d]*strides[d]). The error wraps ErrSize where that is outside of buf, and
// otherwise what that of Array.ReadBytes does.
func (m *Member) ReadStrided(sec nd.Section, buf []byte, strides []int) error {
	t, err := m.strided("read", false, sec, buf, strides)
	if err != nil || t.size == 0 {
		return err
	}
	defer t.done()
	return t.read(buf)
}

// WriteStrided writes a section from a part of a buffer, see ReadStrided and Array.WriteBytes.
func (m *Member) WriteStrided(sec nd.Section, buf []byte, strides []int) error {
	t, err := m.strided("write", true, sec, buf, strides)
	if err != nil || t.size == 0 {
		return err
	}
	defer t.done()
	return t.write(buf)
}

// strided begins a transfer; one without bytes is done.
func (m *Member) strided(op string, write bool, sec nd.Section, buf []byte, strides []int) (*transfer, error) {
	t, err := m.array.beginTransfer(op, write, sec, nil)
	if err != nil {
		return nil, err
	}
	if t.size == 0 {
		t.done()
		return t, nil
	}
	end := t.state.DType.Size()
	for d, n := range t.shape {
		end += (n - 1) * strides[d]
	}
	if end > len(buf) {
		t.done()
		return nil, m.array.errorf(op, fmt.Errorf("section %v ends at byte %d of %d: %w", t.sec, end, len(buf), ErrSize))
	}
	t.strides, t.size = strides, len(buf)
	return t, nil
}

// Verify checks the chunks from one number up to another as Array.Verify does; the leader also looks for
// lines missing at the end of the log. Nothing may be waiting for Stage.
func (m *Member) Verify(from, to axial.Number) (Report, error) {
	a := m.array
	done, err := a.begin("verify", false)
	if err != nil {
		return Report{}, err
	}
	defer done()
	grid := a.Grid()
	r := Report{Chunks: int64(grid.Chunks())}
	buf := make([]byte, a.store.ChunkBytes())
	err = a.store.Each(to, func(q axial.Number, err error) error {
		if q < from {
			return nil
		}
		if err == nil {
			err = a.store.Check(q, buf)
		}
		if err != nil {
			index := make([]int, grid.Rank())
			grid.Index(q, index)
			r.Damaged = append(r.Damaged, Damage{q, index, err})
		}
		r.Written++
		return nil
	})
	if err == nil && m.log != nil {
		err = a.verifyEnd(&r)
	}
	return r, a.errorf("verify", err)
}
