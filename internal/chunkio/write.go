package chunkio

import (
	"errors"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/state"
)

// Write stores chunk q. Others see it with the next commit.
func (s *Store) Write(q axial.Number, buf []byte) error {
	if s.files.Shared {
		return s.writeOwn(q, buf)
	}
	s.owed.take(q) // all of it is written, now or when it is tried again
	e := s.entryOf(buf)
	s.mu.Lock()
	committed := q < s.committed
	s.mu.Unlock()
	if committed && s.files.Durability == Full {
		return s.writeCommitted(q, buf, e)
	}
	put := s.table.put
	if committed {
		put = s.table.publish
	}
	return s.writeInPlace(q, buf, e, put)
}

// writeInPlace stores a chunk in its place; put changes its entry (invariant 4).
func (s *Store) writeInPlace(q axial.Number, buf []byte, e entry, put func(axial.Number, entry) error) error {
	old, err := s.table.get(q)
	if err != nil && !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	fresh := err == nil && old.length == 0
	if fresh {
		put = s.table.put
	} else {
		e = e.after(old)
		if err := put(q, e); err != nil {
			return err
		}
	}
	if err := s.place(q, buf); err != nil {
		return err
	}
	s.verified.add(q, e)
	if fresh {
		return put(q, e)
	}
	return nil
}

// place writes chunks from q on where they belong.
func (s *Store) place(q axial.Number, buf []byte) error {
	if err := s.cover(q + axial.Number(len(buf)/s.size-1)); err != nil {
		return err
	}
	// The system writes one piece of a file at a time anyway, and wastes a core on waiting.
	err := s.writing.take(func() error { return put(s.files.Data, buf, int64(s.OffsetOf(q)), &s.pace) })
	// Set last, so that of a Sync meanwhile and the next one, one sees the whole of it.
	s.mu.Lock()
	s.wrote = true
	s.mu.Unlock()
	return err
}

// writeCommitted stores a chunk below committed (invariant 1).
func (s *Store) writeCommitted(q axial.Number, buf []byte, e entry) error {
	old, err := s.table.get(q)
	// A damaged entry protects nothing, and a chunk that is written anew mends it.
	if err != nil && !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	stored := err != nil || old.length > 0
	was, again := s.changed(q)
	if was.entry.length > 0 {
		old = was.entry
	}
	c := placed(e.after(old))
	if stored {
		if c.image, err = s.putImage(q, buf); err != nil {
			return err
		}
		return s.setChange(q, c)
	}
	if again { // invariant 4
		if err := s.setChange(q, c); err != nil {
			return err
		}
	}
	if err := s.place(q, buf); err != nil {
		return err
	}
	s.verified.add(q, c.entry)
	return s.setChange(q, c)
}

func (s *Store) setChange(q axial.Number, c change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block != nil {
		return errUnfinished
	}
	s.changes.set(q, c)
	return nil
}

// putImage writes chunk q to the journal, over its image there if it has one.
func (s *Store) putImage(q axial.Number, buf []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block != nil {
		return 0, errUnfinished
	}
	if err := s.openJournal(); err != nil {
		return 0, err
	}
	image := int64(journal.NoImage)
	if c, ok := s.changes.of[q]; ok {
		image = c.image
	}
	return s.journal.Put(image, buf)
}

// Fresh reports whether chunk q was never written, not even since the last commit: writing
// it cannot harm anything if it fails half way.
func (s *Store) Fresh(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	if errors.Is(err, state.ErrCorrupt) {
		return false, nil
	}
	_, cleared := s.changed(q)
	return c.entry.length == 0 && !cleared, err
}

// Adjoin reports whether chunks with consecutive numbers lie one directly behind the other.
func (s *Store) Adjoin() bool { return s.slot == int64(s.size) }

// WriteFresh stores chunks from q on, which are fresh, in one piece; buf has them one behind
// the other: one chunk, unless they adjoin. If it fails they are as before.
func (s *Store) WriteFresh(q axial.Number, buf []byte) error {
	entries := make([]entry, len(buf)/s.size)
	for i := range entries {
		entries[i] = s.entryOf(buf[i*s.size : (i+1)*s.size])
	}
	if err := s.place(q, buf); err != nil {
		return err
	}
	s.mu.Lock()
	committed := s.committed
	if s.files.Durability != Full && !s.files.Shared {
		committed = 0
	}
	s.mu.Unlock()
	for i, e := range entries {
		var err error
		q := q + axial.Number(i)
		s.verified.add(q, e)
		if s.files.Shared || q < committed {
			err = s.setChange(q, placed(e))
		} else {
			err = s.table.put(q, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
