package chunkstore

import (
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/mapped"
)

// tableShare is the part of the resident memory that the table may take: 16 bytes of it go with a
// chunk.
const tableShare = 16

// mappings are the mapped files of a store. The zero value has none: everything is read by ReadAt.
type mappings struct {
	data, table *mapped.File
	presence    *mapped.File  // nil for none
	reach       *atomic.Int64 // bytes that the table surely has
	present     *atomic.Int64 // bytes that the presence map surely has
	overBudget  *atomic.Int64 // small reads beyond the budget, see exceedsBudget
	smallSoFar  *atomic.Int32 // the first small reads, see beforeMapping
	files       Files
}

func newMappings(f Files, slot int64) mappings {
	if f.Resident == 0 {
		return mappings{}
	}
	m := mappings{
		data:  mapped.New(f.Data, slot, f.Resident-f.Resident/tableShare),
		table: mapped.New(f.Table, chunktable.EntrySize, f.Resident/tableShare),
		reach: new(atomic.Int64), present: new(atomic.Int64), overBudget: new(atomic.Int64), smallSoFar: new(atomic.Int32),
		files: f,
	}
	if f.Presence != nil {
		m.presence = mapped.New(f.Presence, 1, 0)
	}
	return m
}

// SetResident changes how many bytes of the files may be in memory through mappings, if there are
// any.
func (s *Store) SetResident(bytes int64) {
	if s.mapped.data == nil {
		return
	}
	s.mapped.data.SetBudget(bytes - bytes/tableShare)
	s.mapped.table.SetBudget(bytes / tableShare)
}

// Resident returns how many bytes of the files are in memory through mappings, in whole units.
func (s *Store) Resident() int64 {
	if s.mapped.data == nil {
		return 0
	}
	return s.mapped.data.Resident() + s.mapped.table.Resident()
}

func (m *mappings) close() error {
	if m.data == nil {
		return nil
	}
	err := first(m.data.Close(), m.table.Close())
	if m.presence != nil {
		err = first(err, m.presence.Close())
	}
	return err
}

// guard calls f, in which bytes of the mappings may be touched.
func (m *mappings) guard(f func() error) error {
	if m.data == nil {
		return f()
	}
	if m.presence == nil {
		return mapped.Guard(f, m.data, m.table)
	}
	return mapped.Guard(f, m.data, m.table, m.presence)
}

// isPresent reports whether the presence byte of chunk q is set in the mapping. ok is false if the
// mapping cannot answer.
func (m *mappings) isPresent(q axial.Number) (set, ok bool) {
	if m.presence == nil {
		return false, true
	}
	off := chunktable.PresenceHead + int64(q)
	if off >= m.present.Load() {
		size, err := m.files.Presence.Size()
		if err != nil {
			return false, false
		}
		if m.present.Store(size); off >= size {
			return false, true
		}
	}
	raw, err := m.presence.Bytes(off, 1)
	return err == nil && raw[0] != 0, err == nil
}

// entry returns the bytes of the entry of chunk q where they are mapped, and false if they are not
// mapped, or lie beyond the end of the table.
func (m *mappings) entry(q axial.Number) ([]byte, bool) {
	if m.data == nil {
		return nil, false
	}
	off := int64(q) * chunktable.EntrySize
	if off+chunktable.EntrySize > m.reach.Load() {
		size, err := m.files.Table.Size()
		if err != nil {
			return nil, false
		}
		if m.reach.Store(size); off+chunktable.EntrySize > size {
			return nil, false // chunktable.Table.ReadEntry finds the reason
		}
	}
	raw, err := m.table.Bytes(off, chunktable.EntrySize)
	return raw, err == nil
}

// A mapping brings in whole pages. When the budget is used up, others are evicted for them. So
// reads of at most smallRead bytes then use ReadAt instead. Every mapEvery-th read is mapped all
// the same, so that the resident pages follow the use.
const (
	smallRead = 64 << 10
	mapEvery  = 16
)

var smallReads = sync.Pool{New: func() any { b := make([]byte, smallRead); return &b }}

// exceedsBudget reports whether bytes should be read rather than mapped, because others would be
// evicted.
func (m *mappings) exceedsBudget(off int64, n int) bool {
	return n <= smallRead && !m.data.Fits(off, n) && m.overBudget.Add(1)%mapEvery != 0
}

// readsBeforeMapping is the number of small reads before the files are mapped. Mapping both files
// and unmapping them takes as long as reading some 200 KiB, which does not pay for an array that is
// opened for one element.
const readsBeforeMapping = 4

// beforeMapping reports whether a read of n bytes is one of the first small ones.
func (m *mappings) beforeMapping(n int) bool {
	return n <= smallRead && m.smallSoFar.Load() < readsBeforeMapping && m.smallSoFar.Add(1) <= readsBeforeMapping
}
