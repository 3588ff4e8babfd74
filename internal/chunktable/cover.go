package chunktable

import (
	"cmp"
	"math"

	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/state"
)

// maxAhead limits the bytes by which the table grows beyond the present need.
const maxAhead = 1 << 20

// A coverer is the file of a table whose growth makes space for chunks and their entries together,
// as in an array in one file. Cover makes the table long enough for chunk q and all chunks before
// it, given the number of chunks of the array, and returns its length in chunks. With sync the
// length is durable.
type coverer interface {
	Cover(q, of int64, sync bool) (chunks int64, err error)
}

// Expect sets the number of chunks of the array, written or not. A file that also holds the chunks
// then grows for many of them in one step.
func (t *Table) Expect(chunks axial.Number) { t.expected.Store(int64(chunks)) }

// Cover makes the file long enough for the entry of chunk q, and somewhat longer, so that this is
// rare. With sync the length is durable, even if the file was long enough: the process that
// extended it may have been killed before its sync.
func (t *Table) Cover(q axial.Number, sync bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q < t.covered {
		return nil
	}
	if c, ok := t.file.(coverer); ok {
		chunks, err := c.Cover(int64(q), t.expected.Load(), sync)
		t.covered = axial.Number(chunks)
		return err
	}
	size, err := t.file.Size()
	if err != nil {
		return err
	}
	if end := (int64(q)/pageEntries + 1) * pageSize; size < end {
		size = end + min(end/4, maxAhead)/pageSize*pageSize
		if err := t.file.Truncate(size); err != nil {
			return err
		}
		t.durable = 0
	}
	if sync && t.durable < size {
		if err := t.file.Sync(); err != nil {
			return err
		}
		t.durable = size
	}
	t.covered = axial.Number(size / EntrySize)
	return nil
}

// AssumeCovered makes Cover do nothing: another process has made the table long enough.
func (t *Table) AssumeCovered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.covered = math.MaxInt64
}

// coverLock is the byte of the table that CoverLocked locks. It lies far beyond the entries, which
// have locks of their own.
const coverLock = 1 << 62

// CoverLocked is Cover for a table that other processes extend, or truncate, too.
func (t *Table) CoverLocked(q axial.Number, sync bool) error {
	t.covering.Lock() // the lock of the file does not keep goroutines of one process apart
	defer t.covering.Unlock()
	unlock, err := t.file.LockRange(coverLock, 1)
	if err != nil {
		return err
	}
	t.Forget() // another process may have cut the table
	return cmp.Or(t.Cover(q, sync), unlock())
}

// Covered returns an error wrapping state.ErrCorrupt if the table is too short for the principal
// array (invariant 1). A writer that opens the array may just be truncating both files, so it
// checks more than once.
func (t *Table) Covered() error {
	var reach, entries int64
	for range readTries {
		data, err := t.data.Size()
		if err != nil {
			return err
		}
		table, err := t.file.Size()
		if err != nil {
			return err
		}
		reach, entries = ceilDiv(data, t.slot), table/EntrySize
		if reach <= entries {
			return nil
		}
	}
	return errkind.InFile(t.file.Name(), errkind.Errorf(state.ErrCorrupt, "its end is missing: it has %d entries, %s reaches to chunk %d", entries, beside(t.file.Name(), t.data.Name(), "the principal array"), reach-1))
}

// Entries returns the number of entries that fit into the file.
func (t *Table) Entries() (axial.Number, error) {
	size, err := t.file.Size()
	return axial.Number(ceilDiv(size, EntrySize)), err
}

// ceilDiv returns n / by, rounded up, for n >= 0. It does not overflow: a file may have almost 2^63
// bytes.
func ceilDiv(n, by int64) int64 { return n/by + min(n%by, 1) }
