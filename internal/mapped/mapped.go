// Package mapped gives access to the bytes of a file in place, with bounded resident memory.
//
// A file is mapped in regions of 4 GiB, each when it is first requested and until Close. The
// mapping of a region continues for one slot behind the region's end, so that every slot is
// contiguous in one mapping:
//
//	file       |0               |4 GiB           |8 GiB           |
//	region 0   |----------------|--slot--|
//	region 1                    |----------------|--slot--|
//
// Resident memory is counted in units of 2 MiB. A unit is absent, in use, or expiring. Units that
// are not absent are in one of two first-in-first-out queues:
//
//	absent --Bytes--> in use --oldest beyond 3/4 of the budget--> expiring --budget full--> absent
//	                    ^-------------------Bytes--------------------'
//
// An expiring unit that Bytes returns again goes back to the first queue when its turn to be
// dropped comes, so that units in frequent use stay. A unit is dropped only after a quarter of the
// budget was requested since it began to expire. By then, bytes that were returned before are
// usually no longer read. If they are, they become resident again without being counted. (Segmented
// FIFO: Turner and Levy, SIGMETRICS 1981.)
//
// Invariants:
//
//	1  a unit is in one queue, once, if it is in use or expiring, and in none if absent
//	2  the units in the queues are at most the budget, whenever no call of Bytes runs
//	3  bytes that Bytes has returned stay mapped until Close
package mapped

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

const (
	unit       = vfs.MapAlign
	regionBits = 32
	regionSize = int64(1) << regionBits
	end        = int64(1) << 48 // the limit of file offsets: the size of the address space
	minUnits   = 4              // the smallest budget
)

// A File gives access to the bytes of a file. Its methods, except Close, may be called by several
// goroutines at the same time.
type File struct {
	file     vfs.File
	located  vfs.Member               // the mapped file that contains f; nil: f itself
	runs     atomic.Pointer[vfs.Runs] // ranges of located that hold f, as of the last query
	slot     int64
	budget   atomic.Int64 // units
	maxBytes atomic.Int64 // the most bytes that Bytes returns
	table    atomic.Pointer[[]*region]

	mu       sync.Mutex
	closed   bool
	active   []entry // the queue of units in use, oldest first
	expiring []entry // the queue of units to drop next, oldest first
	resident atomic.Int64
}

// A region is one mapping and the states of its units.
type region struct {
	mapping vfs.Mapping
	bytes   []byte
	units   []atomic.Uint32
	err     error // set if the region could not be mapped
}

// New returns a File for f. If f is a vfs.Member, the other file is mapped; the bytes of a slot
// must adjoin there. A call of Bytes can return at most slot bytes. About budget bytes may be
// resident, at least 8 MiB. New maps nothing yet, and the caller remains responsible for closing f.
func New(f vfs.File, slot, budget int64) *File {
	m := &File{file: f, slot: min(slot, end)} // so that sums with it do not overflow
	m.setBudget(budget)
	if l, ok := f.(vfs.Member); ok {
		m.located = l
		m.file, _, _, _ = l.Locate(0)
	}
	return m
}

// locate returns the offset in the mapped file of the byte at offset off, or -1 if it has none.
func (f *File) locate(off int64) int64 {
	if f.located == nil {
		return off
	}
	if at := f.runs.Load().At(off); at >= 0 {
		return at
	}
	return f.locateNew(off)
}

// locateNew is locate for bytes that were added since the last query. Bytes never move.
func (f *File) locateNew(off int64) int64 {
	_, at, _, ok := f.located.Locate(off)
	if !ok {
		return -1
	}
	f.runs.Store(f.located.Runs())
	return at
}

// Bytes returns n bytes at offset off in place, at most a slot. They are valid until Close, and
// must be read inside Guard, soon: reading them later can make more memory resident than the
// budget. The error wraps errors.ErrUnsupported if the file cannot be mapped or n is about half of
// the budget or more, and fs.ErrClosed after Close.
func (f *File) Bytes(off int64, n int) ([]byte, error) {
	if n <= 0 || int64(n) > f.maxBytes.Load() {
		return nil, f.lengthError(off, n)
	}
	off = f.locate(off)
	r := f.region(off)
	if r == nil || r.err != nil {
		return nil, f.unmappedError(r, off)
	}
	at := off & (regionSize - 1)
	first, last := at/unit, (at+int64(n)-1)/unit
	for u := first; u <= last; u++ {
		if r.units[u].Load() != inUse {
			f.touchAll(r, first, last)
			break
		}
	}
	return r.bytes[at : at+int64(n) : at+int64(n)], nil
}

// Ready is like Bytes, but returns nil unless the bytes are counted as in use already. So it
// neither maps nor drops anything.
func (f *File) Ready(off int64, n int) []byte {
	off = f.locate(off)
	r := f.mappedRegion(off)
	if r == nil || r.err != nil || n <= 0 || int64(n) > f.maxBytes.Load() {
		return nil
	}
	at := off & (regionSize - 1)
	for u := at / unit; u <= (at+int64(n)-1)/unit; u++ {
		if r.units[u].Load() != inUse {
			return nil
		}
	}
	return r.bytes[at : at+int64(n) : at+int64(n)]
}

// lengthError returns the error of Bytes for an invalid length, or nil for 0.
func (f *File) lengthError(off int64, n int) error {
	switch {
	case n == 0:
		return nil
	case n < 0 || int64(n) > f.slot:
		return errkind.InFile(f.file.Name(), fmt.Errorf("%d bytes at %d in place: a slot has %d", n, off, f.slot))
	}
	return errkind.InFile(f.file.Name(), errkind.Errorf(errors.ErrUnsupported,
		"%d bytes in place, the budget allows %d", n, f.maxBytes.Load()))
}

// unmappedError returns the error of Bytes for a region without a mapping.
func (f *File) unmappedError(r *region, off int64) error {
	if r != nil {
		return r.err
	}
	if off < 0 || off >= end {
		return errkind.InFile(f.file.Name(), errkind.Errorf(errors.ErrUnsupported, "offset %d in place, the limit is %d", off, end))
	}
	return errkind.InFile(f.file.Name(), fmt.Errorf("bytes in place: %w", fs.ErrClosed))
}

// region returns the region of offset off and maps it if necessary. It returns nil if the region
// cannot exist, see unmappedError.
func (f *File) region(off int64) *region {
	if r := f.mappedRegion(off); r != nil {
		return r
	}
	return f.addRegion(off)
}

// mappedRegion returns the region of offset off, or nil if it was not mapped yet.
func (f *File) mappedRegion(off int64) *region {
	if t := f.table.Load(); t != nil {
		if i := uint64(off) >> regionBits; i < uint64(len(*t)) {
			return (*t)[i]
		}
	}
	return nil
}

// addRegion maps a region. It remembers a failure, because a second attempt would fail as well.
func (f *File) addRegion(off int64) *region {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.mappedRegion(off); r != nil || f.closed || off < 0 || off >= end {
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

// mapRegion returns the region that begins at offset off, with a mapping or an error.
func (f *File) mapRegion(off int64) *region {
	size := regionSize + (f.slot+unit-1)/unit*unit
	m, err := f.file.Map(off, int(size))
	if err != nil {
		return &region{err: fmt.Errorf("bytes in place: %w: %w", errors.ErrUnsupported, err)}
	}
	return &region{mapping: m, bytes: m.Bytes(), units: make([]atomic.Uint32, size/unit)}
}

// Ahead asks the system to read n bytes at offset off, at most a slot, into its cache without
// waiting. It does nothing if the system cannot do so.
func (f *File) Ahead(off int64, n int) {
	if n <= 0 || int64(n) > f.slot {
		return
	}
	off = f.locate(off)
	if r := f.region(off); r != nil && r.err == nil {
		_ = r.mapping.Ahead(int(off&(regionSize-1)), n)
	}
}

// Close unmaps the file. No bytes may be in use any more. Close does not close the file itself.
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
	f.closed, f.active, f.expiring = true, nil, nil
	f.resident.Store(0)
	return errors.Join(errs...)
}
