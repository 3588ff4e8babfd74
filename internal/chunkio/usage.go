package chunkio

import (
	"errors"
	"maps"
	"slices"

	"drx/axial"
	"drx/internal/state"
)

// Usage is what a store holds.
type Usage struct {
	Written   int64 // chunks ever written
	Allocated int64 // bytes the principal array takes on the device
	Table     int64 // bytes the table and the presence map take on the device
}

// Usage counts the written chunks below limit, the number of chunks of the array. It
// reads the table, holes left out.
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
	if u.Table, err = s.files.Table.Allocated(); err != nil {
		return u, err
	}
	presence, err := s.table.presenceAllocated()
	u.Table += presence
	return u, err
}

// presenceAllocated returns the bytes that the presence map takes on the device, which the table may
// have got since it was opened.
func (t *table) presenceAllocated() (int64, error) {
	t.mu.Lock()
	p := t.presence
	t.mu.Unlock()
	if p == nil {
		return 0, nil
	}
	return p.file.Allocated()
}

// Newest returns the highest number of a commit that a good entry has, those of chunks that are
// not committed too, and the chunk that has it; 0 when there are no entries.
func (s *Store) Newest() (q axial.Number, commit int64, err error) {
	limit, err := s.Entries()
	if err != nil {
		return 0, 0, err
	}
	err = s.table.each(limit, func(n axial.Number, damaged error) error {
		if damaged != nil {
			return nil
		}
		e, err := s.table.get(n)
		if errors.Is(err, state.ErrCorrupt) { // or a writer is just changing it
			return nil
		}
		if c := int64(e.commit()); err == nil && c > commit {
			q, commit = n, c
		}
		return err
	})
	return q, commit, err
}

// Each calls f for each written chunk below limit, in the order of their numbers, with an
// error wrapping state.ErrCorrupt where the table entry is damaged. It stops at the first
// error f returns.
func (s *Store) Each(limit axial.Number, f func(q axial.Number, err error) error) error {
	s.mu.Lock()
	changes := maps.Clone(s.changes.of)
	s.mu.Unlock()
	changed := slices.Sorted(maps.Keys(changes))
	// upTo calls f for the changed chunks below q that are written.
	upTo := func(q axial.Number) error {
		for len(changed) > 0 && changed[0] < q {
			if changes[changed[0]].entry.length > 0 {
				if err := f(changed[0], nil); err != nil {
					return err
				}
			}
			changed = changed[1:]
		}
		return nil
	}
	err := s.table.each(limit, func(q axial.Number, err error) error {
		if err := upTo(q); err != nil {
			return err
		}
		if _, ok := changes[q]; ok {
			return nil // its turn comes with the next upTo
		}
		if err != nil && !s.exclusive() {
			_, err = s.entryInFile(q) // somebody may have been writing it
		}
		return f(q, err)
	})
	if err != nil {
		return err
	}
	return upTo(limit)
}
