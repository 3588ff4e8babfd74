package chunkstore

import (
	"maps"
	"slices"

	"drx/axial"
	"drx/internal/chunktable"
)

// Usage is what a store holds.
type Usage struct {
	Written   int64 // chunks ever written
	Allocated int64 // bytes the principal array takes on the device
	Table     int64 // bytes the table and the presence map take on the device
}

// Usage counts the written chunks below limit, the number of chunks of the array. It reads the table, except its holes.
func (s *Store) Usage(limit axial.Number) (Usage, error) {
	var u Usage
	err := s.Each(limit, func(_ axial.Number, err error) error {
		u.Written++
		return err
	})
	if err != nil {
		return u, err
	}
	if u.Allocated, err = s.files.Data.Allocated(); err != nil {
		return u, err
	}
	u.Table, err = s.table.Allocated()
	return u, err
}

// Each calls f for each written chunk below limit, in the order of their numbers, with an error wrapping
// state.ErrCorrupt if the table entry is damaged. It stops at the first error that f returns.
func (s *Store) Each(limit axial.Number, f func(q axial.Number, err error) error) error {
	s.mu.Lock()
	changes := maps.Clone(s.overlay.of)
	s.mu.Unlock()
	changed := slices.Sorted(maps.Keys(changes))
	// upTo calls f for the changed chunks below q that are written.
	upTo := func(q axial.Number) error {
		for len(changed) > 0 && changed[0] < q {
			if changes[changed[0]].entry.Length > 0 {
				if err := f(changed[0], nil); err != nil {
					return err
				}
			}
			changed = changed[1:]
		}
		return nil
	}
	err := s.table.Each(limit, func(q axial.Number, err error) error {
		if err := upTo(q); err != nil {
			return err
		}
		if _, ok := changes[q]; ok {
			return nil // the next upTo calls f
		}
		if err != nil {
			err = s.role.confirmDamage(q, err)
		}
		return f(q, err)
	})
	if err != nil {
		return err
	}
	return upTo(limit)
}

// Newest returns the highest number of a commit that an intact entry has, committed or not, and its chunk; 0 if there
// is none.
func (s *Store) Newest() (q axial.Number, commit int64, err error) { return s.table.Newest() }

// OfLostCommit reports whether chunk q was written by a commit that the log does not have.
func (s *Store) OfLostCommit(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(c.entry.Commit()) > s.commits+1, err
}

// HasPresence reports whether the array has a presence map.
func (s *Store) HasPresence() bool { return s.table.Presence() != nil }

// Covered returns an error wrapping state.ErrCorrupt if the chunk table has lost its end.
func (s *Store) Covered() error { return s.table.Covered() }

// CheckLog returns an error wrapping state.ErrCorrupt if the log, which ends as now says and has so many chunks, has
// lost lines, see chunktable.Table.
func (s *Store) CheckLog(log string, now chunktable.Head, chunks axial.Number) error {
	return s.table.CheckLog(log, now, chunks)
}

// CheckJournaled returns a chunktable.UnappliedError unless the last commit of the log is in its place, see
// chunktable.Table.
func (s *Store) CheckJournaled(now chunktable.Head, chunks int64, before axial.Number, outside func(axial.Number) bool) error {
	return s.table.CheckJournaled(s.files.Journal, now, chunks, before, outside)
}

// MissingLines returns how many lines the log has lost, if it has so many now, as far as that can be told.
func (s *Store) MissingLines(lines int64) (int64, error) { return s.table.MissingLines(lines) }
