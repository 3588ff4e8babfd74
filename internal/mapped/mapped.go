// Package mapped has the bytes of one file in place, with bounded resident memory.
//
// A file is mapped in regions of 4 GiB, when they are first asked for and until Close. A
// region's mapping goes on for a slot behind its end, so that no slot is cut:
//
//	file       |0               |4 GiB           |8 GiB           |
//	region 0   |----------------|--slot--|
//	region 1                    |----------------|--slot--|
//
// What of it may be resident is counted in units of 2 MiB. A unit is absent, touched or
// noticed, and the units that are not absent wait in two queues, first in, first out:
//
//	absent --Bytes--> touched --oldest of 3/4 of the budget--> noticed --budget full--> absent
//	                     ^------------------Bytes------------------'
//
// A noticed unit that Bytes hands out again goes back to the first queue instead of being
// forgotten: what is in use stays. As a unit is forgotten only when a quarter of the budget was
// touched after its notice, bytes handed out before are no longer in use, as a rule. If they are,
// they come back, uncounted. (Segmented FIFO: Turner and Levy, SIGMETRICS 1981.)
//
// Invariants:
//
//	1  a unit is in one queue, once, if it is touched or noticed, and in none if absent
//	2  the units in the queues are at most the budget, whenever no call of Bytes runs
//	3  bytes that Bytes has returned stay mapped until Close
package mapped

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/internal/vfs"
)

const (
	unit       = vfs.MapAlign
	regionBits = 32
	regionSize = int64(1) << regionBits
	end        = int64(1) << 48 // there are no more addresses
	leastUnits = 4              // a budget
)

// File has the bytes of a file in place. Its methods, but for Close, may be called by many
// goroutines at once.
type File struct {
	file   vfs.File
	slot   int64
	budget int64 // units
	most   int64 // bytes of one call of Bytes
	table  atomic.Pointer[[]*region]

	mu       sync.Mutex
	closed   bool
	active   []entry // queue of units that were touched last
	noticed  []entry // queue of those that go next
	resident atomic.Int64
}

// A region is one mapping and what is known about its units.
type region struct {
	mapping vfs.Mapping
	bytes   []byte
	units   []atomic.Uint32
	err     error // why there is no mapping
}

// New returns the bytes of f in place: in pieces of at most slot bytes each, with about budget
// bytes resident, 8 MiB at least. Nothing is mapped yet. f stays the caller's.
func New(f vfs.File, slot, budget int64) *File {
	units := max(leastUnits, budget/unit)
	slot = min(slot, end) // so that sums of it do not overflow
	return &File{file: f, slot: slot, budget: units, most: min(slot, (units/2-1)*unit)}
}

// Bytes returns n bytes from off, at most a slot, in place and valid until Close. They may be
// read under Guard only, at once: bytes that are kept for later can make more resident than
// the budget. The error is errors.ErrUnsupported where the file cannot be mapped, or where n
// is about half of the budget or more, and fs.ErrClosed after Close.
func (f *File) Bytes(off int64, n int) ([]byte, error) {
	if n <= 0 || int64(n) > f.most {
		return nil, f.refuse(off, n)
	}
	r := f.region(off)
	if r == nil || r.err != nil {
		return nil, f.unmapped(r, off)
	}
	at := off & (regionSize - 1)
	first, last := at/unit, (at+int64(n)-1)/unit
	for u := first; u <= last; u++ {
		if r.units[u].Load() != touched {
			f.touchAll(r, first, last)
			break
		}
	}
	return r.bytes[at : at+int64(n) : at+int64(n)], nil
}

// Ready is Bytes of bytes that are counted as in use, and nil for others: nothing is mapped, and
// nothing has to go, for them.
func (f *File) Ready(off int64, n int) []byte {
	r := f.known(off)
	if r == nil || r.err != nil || n <= 0 || int64(n) > f.most {
		return nil
	}
	at := off & (regionSize - 1)
	for u := at / unit; u <= (at+int64(n)-1)/unit; u++ {
		if r.units[u].Load() != touched {
			return nil
		}
	}
	return r.bytes[at : at+int64(n) : at+int64(n)]
}

// refuse is the error of Bytes for a length that it does not return; no bytes are none.
func (f *File) refuse(off int64, n int) error {
	switch {
	case n == 0:
		return nil
	case n < 0 || int64(n) > f.slot:
		return fmt.Errorf("%s: %d bytes at %d in place: a slot has %d", f.file.Name(), n, off, f.slot)
	}
	return fmt.Errorf("%s: %d bytes in place, the budget allows %d: %w", f.file.Name(), n, f.most, errors.ErrUnsupported)
}

// unmapped is the error of Bytes where a region has no mapping.
func (f *File) unmapped(r *region, off int64) error {
	if r != nil {
		return r.err
	}
	if off < 0 || off >= end {
		return fmt.Errorf("%s: offset %d in place, the limit is %d: %w", f.file.Name(), off, end, errors.ErrUnsupported)
	}
	return fmt.Errorf("%s: bytes in place: %w", f.file.Name(), fs.ErrClosed)
}

// region returns the region that off lies in, mapped if it was not; nil is none, see
// unmapped.
func (f *File) region(off int64) *region {
	if r := f.known(off); r != nil {
		return r
	}
	return f.add(off)
}

// known returns the region that off lies in, or nil if it was not mapped yet.
func (f *File) known(off int64) *region {
	if t := f.table.Load(); t != nil {
		if i := uint64(off) >> regionBits; i < uint64(len(*t)) {
			return (*t)[i]
		}
	}
	return nil
}

// add maps a region. A failure is kept too: it would be the same the next time.
func (f *File) add(off int64) *region {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.known(off); r != nil || f.closed || off < 0 || off >= end {
		return r
	}
	var old []*region
	if t := f.table.Load(); t != nil {
		old = *t
	}
	i := off >> regionBits
	regions := make([]*region, max(i+1, int64(len(old))))
	copy(regions, old)
	regions[i] = f.mapRegion(i << regionBits)
	f.table.Store(&regions)
	return regions[i]
}

func (f *File) mapRegion(off int64) *region {
	size := regionSize + (f.slot+unit-1)/unit*unit
	m, err := f.file.Map(off, int(size))
	if err != nil {
		return &region{err: fmt.Errorf("bytes in place: %w: %w", errors.ErrUnsupported, err)}
	}
	return &region{mapping: m, bytes: m.Bytes(), units: make([]atomic.Uint32, size/unit)}
}

// Ahead lets the system read n bytes from off, at most a slot, into its cache without
// waiting. It is a hint: where it cannot be followed nothing happens.
func (f *File) Ahead(off int64, n int) {
	if n <= 0 || int64(n) > f.slot {
		return
	}
	if r := f.region(off); r != nil && r.err == nil {
		_ = r.mapping.Ahead(int(off&(regionSize-1)), n)
	}
}

// Close ends the mappings. No bytes may be in use, and none are handed out afterwards. It
// does not close the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	if t := f.table.Swap(nil); t != nil {
		for _, r := range *t {
			if r != nil && r.err == nil {
				errs = append(errs, r.mapping.Unmap())
			}
		}
	}
	f.closed, f.active, f.noticed = true, nil, nil
	f.resident.Store(0)
	return errors.Join(errs...)
}
