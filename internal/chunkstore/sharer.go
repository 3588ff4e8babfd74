package chunkstore

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/fanout"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// A Sharer is the store of one of several processes that write at the same time, in sections that
// they have reserved or elsewhere. If two processes write to one chunk, each changes its part of
// it.
//
// Own chunks, which this process has reserved as a whole, see Own, go to their slots when they are
// first written; their entries follow with Prepare, when the bytes are durable. Own chunks that
// have an entry are changed as common ones are.
//
// Common chunks, which other processes may write, too, are changed under a lock on the entry, and
// are durable at once. Chunks with an entry are changed through a journal, which this process holds
// during the change. Chunks without one go to their slots, which nobody reads before their entries
// follow.
//
// # Invariants
//
//  1. A process has a chunk in its journal only while it holds the lock of that chunk, or it died:
//     then its locks are gone, and whoever gets one of them first does what the journal says. So a
//     chunk is in one journal at most.
//  2. A journal is empty, durably, before the locks of its chunks, and its own, are given up.
//  3. A journal that is complete and its name are durable before a chunk is overwritten that it
//     has, whoever does that.
//
// Entries are read from and written to the file one by one: a page of the table is not this
// process's alone.
type Sharer struct {
	foreignTable
	*slotWriter
	witness

	// Goroutines is the most that UpdateCommon uses to read, change and compress chunks; 0 is one.
	Goroutines int

	// common is held while locks of chunks are, see lockChunks. It guards what follows.
	common    sync.Mutex
	file      vfs.File         // the file of the journal
	own       *journal.Journal // the journal that this process has, or had last; nil for none
	number    int              // of that journal
	owned     []func() error   // releases the locks of Own
	redoOwn   bool             // a failed update may be in the journal: redo it before the next one
	unvouched []axial.Number   // chunks that have an entry in the table but no presence byte yet
	named     bool             // the name of the journal is durable
}

// undisturbed is false: other sharers may write any time.
func (s *Sharer) undisturbed() bool { return false }

// locate finds a chunk in the overlay, if no other process knows it yet, otherwise in the table.
func (s *Sharer) locate(q axial.Number, unmapped bool) (location, bool) {
	if c, ok := s.changed(q); ok {
		return location{change: c}, true
	}
	return s.foreignTable.locate(q, unmapped)
}

// reread reads a chunk that disagreed with its checksum again, under its lock, so that nobody is
// writing it.
func (s *Sharer) reread(q axial.Number, buf []byte, _ Checking, err error) error {
	if !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	s.common.Lock()
	defer s.common.Unlock()
	unlock, err := s.lockChunks([]axial.Number{q})
	if err != nil {
		return err
	}
	return first(s.read(q, buf, CheckAlways), unlock())
}

// closeJournal closes the journal, which the next writer removes, and releases the locks of Own.
func (s *Sharer) closeJournal(bool) error {
	s.common.Lock()
	defer s.common.Unlock()
	var err error
	for _, release := range s.owned {
		err = first(err, release())
	}
	s.owned = nil
	return first(err, s.closeOwn())
}

// Write stores a chunk that only this process writes, see ChunkWriter.
func (s *Sharer) Write(q axial.Number, buf []byte) error {
	was, pending := s.changed(q) // then nobody else has seen it
	if !pending {
		fresh, err := s.Fresh(q)
		if err != nil {
			return err
		}
		if fresh {
			return s.WriteFresh(q, buf)
		}
		f := s.encode(buf) // before the lock, which only one goroutine has
		defer f.free()
		numbers := []axial.Number{q}
		return s.locked(numbers, func() error { return s.storeCommon(numbers, []form{f}) })
	}
	f := s.encode(buf)
	defer f.free()
	c := changeInPlace(s.entryOf(f.bytes).After(was.entry))
	s.mu.Lock()
	s.overlay.set(q, c) // before the bytes, which may be in the slot already (invariant 4)
	s.mu.Unlock()
	return s.writeSlot(q, f.bytes)
}

// A Target is a chunk to change. Whole reports that all of its bytes will be replaced.
type Target struct {
	Number axial.Number
	Whole  bool
}

// UpdateCommon changes chunks that other processes may be reading or changing, too. It locks them,
// reads them, or starts with the bytes of blank, calls f with each, and writes them durably: each
// of them as a whole or not at all, and of the chunks that had an entry all or none. Chunks must
// ascend. Several goroutines call f. The error wraps vfs.ErrLocked if another process owns one of
// them.
func (s *Sharer) UpdateCommon(targets []Target, blank func([]byte), f func(i int, buf []byte)) error {
	numbers := make([]axial.Number, len(targets))
	for i, t := range targets {
		numbers[i] = t.Number
	}
	return s.locked(numbers, func() (err error) {
		release, err := s.unlessOwned(numbers)
		if err != nil {
			return err
		}
		defer func() { err = first(err, release()) }()
		forms := make([]form, len(targets))
		err = fanout.Each(len(targets), s.Goroutines, func(i int) error {
			buf := make([]byte, s.size)
			if err := s.readTarget(targets[i], buf, blank); err != nil {
				return err
			}
			f(i, buf)
			forms[i] = s.encode(buf)
			return nil
		})
		if err == nil {
			err = s.storeCommon(numbers, forms)
		}
		for _, f := range forms {
			f.free()
		}
		return err
	})
}

// locked calls f with the locks of chunks, which must ascend.
func (s *Sharer) locked(chunks []axial.Number, f func() error) error {
	s.common.Lock()
	defer s.common.Unlock()
	unlock, err := s.lockChunks(chunks)
	if err != nil {
		return err
	}
	return first(f(), unlock())
}

// lockChunks acquires the locks of chunks, which ascend, once no process that died has one of them
// in its journal. s.common must be held: the locks belong to the open file, and do not exclude
// goroutines of this process.
func (s *Sharer) lockChunks(chunks []axial.Number) (unlock func() error, err error) {
	if err := s.finishUpdate(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(retryTimeout); ; time.Sleep(time.Millisecond) {
		if unlock, err = s.lockEntries(chunks); err != nil {
			return nil, err
		}
		dead, err := s.sharerWith(chunks)
		if err == nil && dead < 0 {
			return unlock, nil
		}
		if err = first(err, unlock()); err == nil {
			err = s.redoOther(dead)
		}
		if err != nil && (!errors.Is(err, vfs.ErrLocked) || time.Now().After(end)) {
			return nil, err
		}
	}
}

// lockEntries locks the bytes of the entries of chunks, which ascend.
func (s *Sharer) lockEntries(chunks []axial.Number) (unlock func() error, err error) {
	return lockSpans(spansOf(chunks), func(span axial.Span) (func() error, error) {
		return s.files.Table.LockRange(int64(span.From)*chunktable.EntrySize, span.N*chunktable.EntrySize)
	})
}

// spansOf returns the spans of chunks, which must ascend.
func spansOf(chunks []axial.Number) (spans []axial.Span) {
	for i, q := range chunks {
		if i == 0 || q != chunks[i-1]+1 {
			spans = append(spans, axial.Span{From: q})
		}
		spans[len(spans)-1].N++
	}
	return spans
}

// lockSpans calls lock for each span, and returns a function that undoes that.
func lockSpans(spans []axial.Span, lock func(axial.Span) (func() error, error)) (unlock func() error, err error) {
	var locks []func() error
	unlock = func() (err error) {
		for _, unlock := range locks {
			err = first(err, unlock())
		}
		return err
	}
	for _, span := range spans {
		one, err := lock(span)
		if err != nil {
			return nil, first(err, unlock())
		}
		locks = append(locks, one)
	}
	return unlock, nil
}

// sharerWith returns the number of another sharer that has one of the chunks in its journal, -1 if
// there is none.
func (s *Sharer) sharerWith(chunks []axial.Number) (int, error) {
	for i := range maxSharers {
		if i == s.number && s.redoOwn {
			continue // this process has it, and does what it says before anything else
		}
		file, err := vfs.IfExists(s.files.FS.OpenNoFollow(sharerJournal(s.files.Journal, i), false))
		if file == nil || err != nil {
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

// redoOther applies the journal of a sharer that died. The error wraps vfs.ErrLocked while another
// process does so, or while the sharer lives.
func (s *Sharer) redoOther(i int) error {
	file, err := s.files.FS.OpenNoFollow(sharerJournal(s.files.Journal, i), true)
	if err != nil {
		return err
	}
	if err = file.Lock(); err == nil {
		err = s.redo(journal.New(file, s.size))
	}
	return first(err, file.Close())
}

// storeCommon stores chunks, whose locks are held, durably: chunks without an entry one by one, the
// others all or none.
func (s *Sharer) storeCommon(chunks []axial.Number, forms []form) error {
	images := map[axial.Number][]byte{}
	block := journal.Block{Commit: -1}
	var unnamed []journal.Entry
	for i, q := range chunks {
		old, err := s.table.ReadEntry(q)
		if err != nil && !errors.Is(err, state.ErrCorrupt) { // a damaged one protects nothing
			return err
		}
		e := journal.Entry{Number: q, Image: int64(len(block.Entries))}
		images[q] = forms[i].bytes
		if err == nil && old.Length == 0 {
			s.entryOfForm(forms[i]).Encode(e.Table[:], q)
			unnamed = append(unnamed, e)
			continue
		}
		s.entryOf(forms[i].bytes).After(old).Encode(e.Table[:], q)
		block.Entries = append(block.Entries, e)
	}
	image := func(e journal.Entry) ([]byte, error) { return images[e.Number], nil }
	if err := s.storeUnnamed(unnamed, images); err != nil || len(block.Entries) == 0 {
		return err
	}
	if s.files.Durability == NoJournal {
		return s.applyUpdate(block.Entries, image)
	}
	return s.storeJournaled(block, image)
}

// storeUnnamed stores chunks that have no entry: first the bytes, which nobody reads yet, though a
// sharer that died may have left others in the slot, then the entries.
func (s *Sharer) storeUnnamed(entries []journal.Entry, images map[axial.Number][]byte) error {
	if len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		if err := s.cover(e.Number); err != nil {
			return err
		}
		if err := s.replaceSlot(e.Number, images[e.Number], s.writeData); err != nil {
			return err
		}
		if len(images[e.Number]) < s.size {
			if _, err := s.extend(e.Number); err != nil {
				return err
			}
		}
	}
	sync := s.files.Durability != None
	if sync {
		if err := s.syncData(); err != nil {
			return err
		}
	}
	chunks := make([]axial.Number, len(entries))
	for i, e := range entries {
		if err := s.table.WriteBytes(e.Number, e.Table); err != nil {
			return err
		}
		chunks[i] = e.Number
	}
	if sync {
		if err := s.table.SyncFile(); err != nil {
			return err
		}
	}
	return s.table.Presence().Set(chunks)
}

// storeJournaled stores chunks that have an entry, through a journal. With DurabilityNone the
// journal is not durable, but lets other processes complete the change if this process is killed.
func (s *Sharer) storeJournaled(block journal.Block, image func(journal.Entry) ([]byte, error)) error {
	if err := s.acquireJournal(); err != nil {
		return err
	}
	s.redoOwn = true
	if err := s.journalUpdate(block, image); err != nil {
		return first(err, s.clearJournal())
	}
	if err := s.applyUpdate(block.Entries, image); err != nil {
		return err
	}
	return s.clearJournal()
}

func (s *Sharer) readTarget(t Target, buf []byte, blank func([]byte)) error {
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

// journalUpdate writes chunks to the journal. It makes the name of the journal durable first: the
// sharer that created the journal may have died before it could.
func (s *Sharer) journalUpdate(block journal.Block, image func(journal.Entry) ([]byte, error)) error {
	if !s.named && s.files.Durability != None {
		if err := s.files.syncNames(); err != nil {
			return err
		}
		s.named = true
	}
	for _, e := range block.Entries {
		buf, err := image(e)
		if err == nil {
			_, err = s.own.Put(e.Image, buf)
		}
		if err != nil {
			return err
		}
	}
	return s.own.Commit(block)
}

// finishUpdate applies what a failed update has left in the journal. s.common must be held.
func (s *Sharer) finishUpdate() error {
	if !s.redoOwn {
		return nil
	}
	if err := s.redo(s.own); err != nil {
		return err
	}
	s.redoOwn = false
	return s.releaseJournal()
}

// clearJournal empties the journal, durably, and lets others use it.
func (s *Sharer) clearJournal() error {
	if err := first(s.own.Clear(), s.own.Sync()); err != nil {
		return err
	}
	s.redoOwn = false
	return s.releaseJournal()
}

// Prepare makes own chunks durable, then their entries: that is the commit, see Committer. All
// processes see a chunk once the table has its entry, even if a later step fails. Nobody writes
// chunks meanwhile.
func (s *Sharer) Prepare() error { return s.syncIfWritten(s.publish) }

func (s *Sharer) publish() error {
	s.common.Lock()
	defer s.common.Unlock()
	if err := s.finishUpdate(); err != nil {
		return err
	}
	if s.files.Durability != None {
		if err := s.syncData(); err != nil {
			return err
		}
	}
	if err := s.publishEntries(); err != nil {
		return err
	}
	if s.files.Durability != None {
		if err := s.table.SyncFile(); err != nil {
			return err
		}
	}
	slices.Sort(s.unvouched) // chunks of a failed call are among them
	if err := s.table.Presence().Set(s.unvouched); err != nil {
		return err
	}
	s.unvouched = nil
	return nil
}

// publishEntries moves the entries in the overlay to the table.
func (s *Sharer) publishEntries() error {
	s.mu.Lock()
	changes := maps.Clone(s.overlay.of)
	s.mu.Unlock()
	for _, q := range slices.Sorted(maps.Keys(changes)) {
		if err := s.table.WriteEntry(q, changes[q].entry); err != nil {
			return err
		}
		s.unvouched = append(s.unvouched, q)
		s.mu.Lock()
		s.overlay.remove(q)
		s.mu.Unlock()
	}
	return nil
}

// Changed is false: a sharer's commit needs no journal, see Prepare. UpdateCommon, which needs one,
// is durable at once.
func (s *Sharer) Changed() bool { return false }

// Journal does nothing, see Changed.
func (s *Sharer) Journal(int, []byte) error { return nil }

// Retract does nothing, see Changed.
func (s *Sharer) Retract() error { return nil }

// Apply does nothing, see Changed.
func (s *Sharer) Apply() error { return nil }

// Finish writes head, which has the length of the log, to the presence map, unless head is nil. It
// first sets presence bytes that may be missing: while the head is behind the log, nothing would
// show that the log has lost the lines of this reservation and of later ones.
func (s *Sharer) Finish(head *chunktable.Head) error {
	if head == nil {
		return nil
	}
	if s.behind {
		s.mu.Lock()
		committed := s.committed
		s.mu.Unlock()
		if err := s.table.VouchSynced(committed, s.files.Durability != None); err != nil {
			return err
		}
		s.behind = false
	}
	return s.setHead(*head)
}
