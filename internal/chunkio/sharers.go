package chunkio

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// maxSharers is how many processes can write a shared array at once: each has a journal.
const maxSharers = 64

// sharerJournal names the journal of sharer i.
func (f Files) sharerJournal(i int) string { return sharerJournal(f.Journal, i) }

func sharerJournal(journal string, i int) string { return fmt.Sprintf("%s%d", journal, i) }

// Journals returns the names of all journals that an array may have: that of a single writer, which is given,
// and those of sharers.
func Journals(journal string) []string {
	names := []string{journal}
	for i := range maxSharers {
		names = append(names, sharerJournal(journal, i))
	}
	return names
}

// Share makes the store a shared one: it gives up the journal of a single writer, which must
// be empty, and finds one of this process's own. The error wraps vfs.ErrLocked when
// maxSharers processes write already.
func (s *Store) Share() error {
	if err := s.dropJournal(); err != nil {
		return err
	}
	s.files.Shared = true
	s.table.forget()
	var denied error
	for i := range maxSharers {
		file, err := s.openSharer(i)
		if errors.Is(err, fs.ErrPermission) { // somebody else's
			denied = first(denied, err)
			continue
		}
		if err != nil {
			return err
		}
		if err = file.Lock(); err == nil {
			s.journal, s.sharer = journal.New(file, s.size), i
			return s.redo(s.journal)
		}
		if closeErr := file.Close(); !errors.Is(err, vfs.ErrLocked) || closeErr != nil {
			return first(closeErr, err)
		}
	}
	return first(denied, fmt.Errorf("%s: %d processes append already: %w", s.files.Data.Name(), maxSharers, vfs.ErrLocked))
}

// openSharer opens the journal of sharer i, which need not exist.
func (s *Store) openSharer(i int) (vfs.File, error) {
	name := s.files.sharerJournal(i)
	file, err := s.files.FS.OpenNoFollow(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = s.files.create(name); errors.Is(err, fs.ErrExist) {
			return s.files.FS.OpenNoFollow(name, true)
		}
	}
	return file, err
}

// Unshare does what is in the journals of sharers that died, and removes them. There must be
// no sharer.
func (s *Store) Unshare() error {
	sharers := 0
	for ; sharers < maxSharers; sharers++ {
		err := s.finishSharer(s.files.sharerJournal(sharers))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	s.unclean = s.unclean || sharers > 0
	for i := sharers - 1; i >= 0; i-- { // from the last: no gaps
		if err := s.files.FS.Remove(s.files.sharerJournal(i)); err != nil {
			return err
		}
	}
	s.table.forget()
	return nil
}

// finishSharer does what a journal says. If that cannot be written, there may be nothing to do.
func (s *Store) finishSharer(name string) error {
	file, denied := s.files.FS.OpenNoFollow(name, true)
	if denied == nil {
		return first(s.redo(journal.New(file, s.size)), file.Close())
	}
	if !errors.Is(denied, fs.ErrPermission) {
		return denied
	}
	file, err := s.files.FS.OpenNoFollow(name, false)
	if err != nil {
		return denied
	}
	block, err := journal.New(file, s.size).Block()
	if block != nil {
		err = denied
	}
	return first(err, file.Close())
}

// redo does what the journal of a sharer that died says, if it is complete, and empties it.
// Its lock must be held, or there must be no sharer; the locks of its chunks need not be
// (invariant 1).
func (s *Store) redo(j *journal.Journal) error {
	block, err := j.Read(imageSum, nil)
	if err == nil && block != nil {
		err = s.checkSharer(j, block)
	}
	if err != nil {
		return err
	}
	if block != nil {
		if block.Entries, err = s.notReplaced(block.Entries); err != nil {
			return err
		}
		// The sharer may have died before it was durable (invariant 3).
		if err := first(j.Sync(), s.files.FS.SyncDir(filepath.Dir(s.files.Journal))); err != nil {
			return err
		}
		err = s.putCommon(block.Entries, func(e journal.Entry) ([]byte, error) {
			buf := make([]byte, s.size)
			return buf, j.Image(e.Image, buf)
		})
		if err != nil {
			return err
		}
	}
	return first(j.Clear(), j.Sync())
}

// notReplaced returns the entries of a complete journal that are still to be put in their places, or
// are there. The others have been replaced since: their sharer had emptied the journal and died
// before that was durable, so that a crash of the machine has brought it back.
func (s *Store) notReplaced(entries []journal.Entry) ([]journal.Entry, error) {
	var left []journal.Entry
	for _, e := range entries {
		promised, _ := decode(e.Table[:], e.Number)
		now, err := s.entryInFile(e.Number)
		if err != nil && !errors.Is(err, state.ErrCorrupt) {
			return nil, err
		}
		if err != nil || now == promised || promised.replaces(now) {
			left = append(left, e)
		}
	}
	return left, nil
}
