package chunkio

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// In a shared store several processes write at once, each to chunks that are its own and,
// where the sections of two meet in one chunk, to that chunk:
//
//	own chunks     go to their place when they are first written; their entries follow with
//	               Prepare, when the bytes are durable
//	common chunks  and own ones that have an entry are changed under a lock on the entry,
//	               through a journal that belongs to this process
//
// # Invariants
//
//  1. A process has a chunk in its journal only while it holds the lock of that chunk, or it
//     died: then its locks are gone, and whoever gets one of them does first what the
//     journal says. So a chunk is in one journal at most.
//  2. A journal is empty, durably, before the locks of its chunks are given up.
//  3. A journal that is complete and its name are durable before a chunk is overwritten that it has,
//     whoever does that.
//
// Entries are read from and written to the file one by one: the page of a table is not this
// process's alone.

// putCommon puts chunks in their places, durably. The entries come first (see Store,
// invariant 4); the journal has the chunks.
func (s *Store) putCommon(entries []journal.Entry, image func(journal.Entry) ([]byte, error)) error {
	for _, e := range entries {
		if err := s.cover(e.Number); err != nil {
			return err
		}
		if _, err := s.files.Table.WriteAt(e.Table[:], int64(e.Number)*entrySize); err != nil {
			return err
		}
	}
	for _, e := range entries {
		buf, err := image(e)
		if err == nil {
			_, err = s.files.Data.WriteAt(buf, int64(s.OffsetOf(e.Number)))
		}
		if err != nil {
			return err
		}
	}
	if s.files.Durability != None {
		if err := first(s.syncData(), s.files.Table.Sync()); err != nil {
			return err
		}
	}
	chunks := make([]axial.Number, len(entries))
	for i, e := range entries {
		chunks[i] = e.Number
	}
	return s.presence.set(chunks)
}

// lockCommon takes the locks of chunks, which ascend, once no process that died has one of
// them in its journal. s.common must be held: the locks are those of the open file, and do
// not keep goroutines apart.
func (s *Store) lockCommon(chunks []axial.Number) (unlock func() error, err error) {
	if err := s.finishCommon(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if unlock, err = s.lockChunks(chunks); err != nil {
			return nil, err
		}
		dead, err := s.sharerWith(chunks)
		if err == nil && dead < 0 {
			return unlock, nil
		}
		if err = first(err, unlock()); err == nil {
			err = s.redoSharer(dead)
		}
		if err != nil && (!errors.Is(err, vfs.ErrLocked) || time.Now().After(end)) {
			return nil, err
		}
	}
}

func (s *Store) lockChunks(chunks []axial.Number) (unlock func() error, err error) {
	var locks []func() error
	unlock = func() (err error) {
		for _, unlock := range locks {
			err = first(err, unlock())
		}
		return err
	}
	for _, q := range chunks {
		lock, err := s.files.Table.LockRange(int64(q)*entrySize, entrySize)
		if err != nil {
			return nil, first(err, unlock())
		}
		locks = append(locks, lock)
	}
	return unlock, nil
}

// sharerWith returns the number of a sharer, not this one, that has one of the chunks in its
// journal, -1 for none.
func (s *Store) sharerWith(chunks []axial.Number) (int, error) {
	for i := range maxSharers {
		if i == s.sharer {
			continue
		}
		file, err := s.files.FS.OpenNoFollow(s.files.sharerJournal(i), false)
		if errors.Is(err, fs.ErrNotExist) {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		block, err := journal.New(file, s.size).Block()
		if err := first(err, file.Close()); err != nil {
			return -1, err
		}
		if block != nil && slices.ContainsFunc(chunks, func(q axial.Number) bool { _, ok := block.Find(q); return ok }) {
			return i, nil
		}
	}
	return -1, nil
}

// redoSharer does what the journal of a sharer that died says. The error wraps vfs.ErrLocked
// while somebody else does.
func (s *Store) redoSharer(i int) error {
	file, err := s.files.FS.OpenNoFollow(s.files.sharerJournal(i), true)
	if err != nil {
		return err
	}
	if err = file.Lock(); err == nil {
		err = s.redo(journal.New(file, s.size))
	}
	return first(err, file.Close())
}

// readLocked reads a chunk that disagreed with its checksum, now that nobody is writing it.
func (s *Store) readLocked(q axial.Number, buf []byte) error {
	s.common.Lock()
	defer s.common.Unlock()
	unlock, err := s.lockCommon([]axial.Number{q})
	if err != nil {
		return err
	}
	return first(s.read(q, buf, CheckAlways), unlock())
}

// A Target is a chunk to change: Whole says that none of its bytes stays.
type Target struct {
	Number axial.Number
	Whole  bool
}

// UpdateCommon changes chunks that other processes may be changing too: it locks them,
// reads them (or starts blank), calls f with each, and writes them durably: all of them or
// none. Chunks must ascend.
func (s *Store) UpdateCommon(targets []Target, blank func([]byte), f func(i int, buf []byte)) error {
	s.common.Lock()
	defer s.common.Unlock()
	chunks := make([]axial.Number, len(targets))
	for i, t := range targets {
		chunks[i] = t.Number
	}
	unlock, err := s.lockCommon(chunks)
	if err != nil {
		return err
	}
	return first(s.updateLocked(targets, blank, f), unlock())
}

// updateLocked is UpdateCommon with the locks held.
func (s *Store) updateLocked(targets []Target, blank func([]byte), f func(i int, buf []byte)) error {
	images := map[axial.Number][]byte{}
	block := journal.Block{Commit: -1}
	for i, t := range targets {
		buf := make([]byte, s.size)
		if err := s.readTarget(t, buf, blank); err != nil {
			return err
		}
		f(i, buf)
		old, err := s.entryInFile(t.Number)
		if err != nil && !(t.Whole && errors.Is(err, state.ErrCorrupt)) {
			return err
		}
		e := journal.Entry{Number: t.Number, Image: int64(i)}
		s.entryOf(buf).after(old).encode(e.Table[:], t.Number)
		images[t.Number], block.Entries = buf, append(block.Entries, e)
	}
	image := func(e journal.Entry) ([]byte, error) { return images[e.Number], nil }
	if s.files.Durability != Full {
		return s.putCommon(block.Entries, image)
	}
	s.left = true
	if err := s.commitCommon(block, image); err != nil {
		return first(err, s.clearCommon())
	}
	if err := s.putCommon(block.Entries, image); err != nil {
		return err
	}
	return s.clearCommon()
}

// finishCommon does what an update that failed has left in the journal. s.common must be held.
func (s *Store) finishCommon() error {
	if !s.left {
		return nil
	}
	if err := s.redo(s.journal); err != nil {
		return err
	}
	s.left = false
	return nil
}

// clearCommon empties the journal, durably.
func (s *Store) clearCommon() error {
	if err := first(s.journal.Clear(), s.journal.Sync()); err != nil {
		return err
	}
	s.left = false
	return nil
}

func (s *Store) readTarget(t Target, buf []byte, blank func([]byte)) error {
	if t.Whole {
		return nil
	}
	err := s.read(t.Number, buf, CheckAlways)
	if err == ErrUnwritten {
		blank(buf)
		return nil
	}
	return err
}

// commitCommon puts chunks in the journal, whose name is durable first: the sharer that created it may
// have died before it was.
func (s *Store) commitCommon(block journal.Block, image func(journal.Entry) ([]byte, error)) error {
	s.mu.Lock()
	err := s.list()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	for _, e := range block.Entries {
		buf, err := image(e)
		if err == nil {
			_, err = s.journal.Put(e.Image, buf)
		}
		if err != nil {
			return err
		}
	}
	return s.journal.Commit(block)
}

// writeOwn stores a chunk that only this process writes.
func (s *Store) writeOwn(q axial.Number, buf []byte) error {
	was, pending := s.changed(q) // then nobody else has seen it
	if !pending {
		fresh, err := s.Fresh(q)
		if err != nil {
			return err
		}
		if !fresh {
			return s.UpdateCommon([]Target{{q, true}}, nil, func(_ int, image []byte) { copy(image, buf) })
		}
	}
	c := placed(s.entryOf(buf).after(was.entry))
	s.mu.Lock()
	s.changes.set(q, c) // see Store, invariant 4: it may be there already
	s.mu.Unlock()
	return s.place(q, buf)
}

// prepareOwn makes own chunks durable, then their entries. What has an entry in the table is for
// everybody to see, whatever fails afterwards. Nobody writes chunks meanwhile.
func (s *Store) prepareOwn() error {
	s.common.Lock()
	defer s.common.Unlock()
	if err := s.finishCommon(); err != nil {
		return err
	}
	if s.files.Durability != None {
		if err := s.syncData(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	changes := maps.Clone(s.changes.of)
	s.mu.Unlock()
	for _, q := range slices.Sorted(maps.Keys(changes)) {
		if err := s.writeEntry(q, changes[q].entry); err != nil {
			return err
		}
		s.unvouched = append(s.unvouched, q)
		s.mu.Lock()
		s.changes.remove(q)
		s.mu.Unlock()
	}
	if s.files.Durability != None {
		if err := s.files.Table.Sync(); err != nil {
			return err
		}
	}
	slices.Sort(s.unvouched) // those of a call that failed are among them
	if err := s.presence.set(s.unvouched); err != nil {
		return err
	}
	s.unvouched = nil
	return nil
}
