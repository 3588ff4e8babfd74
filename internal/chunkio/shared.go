package chunkio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/meta"
	"drx/internal/vfs"
)

// In a shared store several processes write at once, each to chunks that are its own and,
// where the sections of two meet in one chunk, to that chunk under a lock on its table
// entry:
//
//	own chunks     go to their place; their entries follow with Prepare, when the bytes are
//	               durable
//	common chunks  are read, changed and written while the lock is held, through a journal
//	               that belongs to this process: somebody who finds such a chunk torn by a
//	               process that died takes it from there
//
// Entries are read from and written to the file one by one: the page of a table is not this
// process's alone.

// maxSharers is how many processes can write a shared array at once: each has a journal.
const maxSharers = 64

// sharerJournal names the journal of sharer i.
func (f Files) sharerJournal(i int) string { return fmt.Sprintf("%s%d", f.Journal, i) }

// Share makes the store a shared one: it gives up the journal of a single writer, which must
// be empty, finds one of this process's own, and repairs what its last owner, if it died,
// left torn. The error wraps vfs.ErrLocked when maxSharers processes write already.
func (s *Store) Share() error {
	if err := s.dropJournal(); err != nil {
		return err
	}
	s.files.Shared = true
	s.table.forget()
	for i := range maxSharers {
		name := s.files.sharerJournal(i)
		file, err := s.files.FS.Open(name, true)
		if errors.Is(err, fs.ErrNotExist) {
			if file, err = s.files.FS.Create(name); errors.Is(err, fs.ErrExist) {
				file, err = s.files.FS.Open(name, true)
			}
		}
		if err != nil {
			return err
		}
		if err = file.Lock(); err == nil {
			s.journal = journal.New(file, s.size)
			return s.repairAll(s.journal)
		}
		if closeErr := file.Close(); !errors.Is(err, vfs.ErrLocked) || closeErr != nil {
			return first(closeErr, err)
		}
	}
	return fmt.Errorf("%s: %d processes append already: %w", s.files.Data.Name(), maxSharers, vfs.ErrLocked)
}

// Unshare repairs what sharers that died left torn, and removes their journals. There must
// be no sharer.
func (s *Store) Unshare() error {
	sharers := 0
	for ; sharers < maxSharers; sharers++ {
		file, err := s.files.FS.Open(s.files.sharerJournal(sharers), true)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil {
			err = first(s.repairAll(journal.New(file, s.size)), file.Close())
		}
		if err != nil {
			return err
		}
	}
	for i := sharers - 1; i >= 0; i-- { // from the last: no gaps
		if err := s.files.FS.Remove(s.files.sharerJournal(i)); err != nil {
			return err
		}
	}
	return nil
}

// repairAll mends the chunks that a sharer's journal has and that are torn, and empties it.
func (s *Store) repairAll(j *journal.Journal) error {
	block, err := j.Read(imageSum)
	if err != nil {
		return err
	}
	if block != nil {
		buf := make([]byte, s.size)
		for _, e := range block.Entries {
			unlock, err := s.lockChunk(e.Number)
			if err != nil {
				return err
			}
			err = s.readCommon(e.Number, buf)
			if err == ErrUnwritten {
				err = nil
			}
			if err := first(err, unlock()); err != nil {
				return err
			}
		}
		if err := first(s.files.Data.Sync(), s.files.Table.Sync()); err != nil {
			return err
		}
	}
	return first(j.Clear(), j.Sync())
}

func (s *Store) lockChunk(q axial.Number) (func() error, error) {
	return s.files.Table.LockRange(int64(q)*entrySize, entrySize)
}

// entryInFile reads the entry of chunk q past the pages in memory.
func (s *Store) entryInFile(q axial.Number) (entry, error) {
	var b [entrySize]byte
	if _, err := s.files.Table.ReadAt(b[:], int64(q)*entrySize); err != nil && !errors.Is(err, io.EOF) {
		return entry{}, err
	}
	e, ok := decode(b[:], q)
	if !ok {
		return entry{}, fmt.Errorf("%s: the entry of chunk %d is %w", s.files.Table.Name(), q, meta.ErrCorrupt)
	}
	return e, nil
}

func (s *Store) writeEntry(q axial.Number, e entry) error {
	var b [entrySize]byte
	e.encode(b[:], q)
	_, err := s.files.Table.WriteAt(b[:], int64(q)*entrySize)
	return err
}

// readCommon reads a chunk whose lock is held. One that a process tore that died is mended
// from its journal.
func (s *Store) readCommon(q axial.Number, buf []byte) error {
	e, err := s.entryInFile(q)
	if err == nil {
		err = s.readChange(q, change{e, journal.NoImage}, buf, true)
	}
	if !errors.Is(err, meta.ErrCorrupt) {
		return err
	}
	e, ok, journalErr := s.imageOfSharers(q, buf)
	if journalErr != nil || !ok {
		return first(journalErr, err)
	}
	if _, err := s.files.Data.WriteAt(buf, int64(s.OffsetOf(q))); err != nil {
		return err
	}
	return s.writeEntry(q, e)
}

// UpdateCommon changes chunks that other processes may be changing too: it locks them,
// reads them (or starts blank), calls f with each, and writes them durably. Chunks must
// ascend.
func (s *Store) UpdateCommon(chunks []axial.Number, blank func([]byte), f func(i int, buf []byte)) (err error) {
	// The locks are those of the open file: they do not keep goroutines apart.
	s.common.Lock()
	defer s.common.Unlock()
	var locks []func() error
	defer func() {
		for _, unlock := range locks {
			err = first(err, unlock())
		}
	}()
	block := journal.Block{Commit: -1}
	images := make([][]byte, len(chunks))
	for i, q := range chunks {
		unlock, err := s.lockChunk(q)
		if err != nil {
			return err
		}
		locks = append(locks, unlock)
		images[i] = make([]byte, s.size)
		if err := s.readCommon(q, images[i]); err == ErrUnwritten {
			blank(images[i])
		} else if err != nil {
			return err
		}
		f(i, images[i])
		image, err := s.journal.Put(journal.NoImage, images[i])
		if err != nil {
			return err
		}
		e := journal.Entry{Number: q, Image: image}
		s.entryOf(images[i]).encode(e.Table[:], q)
		block.Entries = append(block.Entries, e)
	}
	if s.files.Durability == Full {
		if err := s.journal.Commit(block); err != nil {
			return err
		}
	}
	for i, q := range chunks {
		if err := s.cover(q); err != nil {
			return err
		}
		if _, err := s.files.Data.WriteAt(images[i], int64(s.OffsetOf(q))); err != nil {
			return err
		}
	}
	if s.files.Durability != None {
		if err := s.files.Data.Sync(); err != nil {
			return err
		}
	}
	for i, q := range chunks {
		if err := s.writeEntry(q, s.entryOf(images[i])); err != nil {
			return err
		}
	}
	if s.files.Durability != None {
		if err := s.files.Table.Sync(); err != nil {
			return err
		}
	}
	return s.journal.Clear()
}

func (s *Store) entryOf(chunk []byte) entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return entry{sum: sumOf(chunk), length: uint32(len(chunk)), generation: uint32(s.commits)}
}

// writeOwn stores a chunk that only this process writes.
func (s *Store) writeOwn(q axial.Number, buf []byte) error {
	e := s.entryOf(buf)
	if err := s.place(q, buf); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes[q] = change{e, journal.NoImage}
	return nil
}

// prepareOwn makes own chunks durable, then their entries.
func (s *Store) prepareOwn() error {
	if s.files.Durability != None {
		if err := s.files.Data.Sync(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	numbers := make([]axial.Number, 0, len(s.changes))
	for q := range s.changes {
		numbers = append(numbers, q)
	}
	s.mu.Unlock()
	slices.Sort(numbers)
	for _, q := range numbers {
		if err := s.writeEntry(q, s.changes[q].entry); err != nil {
			return err
		}
	}
	if s.files.Durability != None {
		if err := s.files.Table.Sync(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.changes)
	return nil
}
