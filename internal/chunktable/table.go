package chunktable

import (
	"cmp"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/vfs"
)

// A Table is the chunk table of an array, with its presence map. It is safe for concurrent use.
type Table struct {
	file, data vfs.File // the table; the principal array, for its length
	slot       int64    // bytes from one chunk to the next in data
	presence   atomic.Pointer[Presence]

	covering sync.Mutex // held by CoverLocked

	mu      sync.Mutex
	pages   map[int64]*page
	covered axial.Number // number of entries that the file surely has, see Cover
	durable int64        // bytes of its length that are durable
	touched []pageRange  // pages with new entries since Vouch

	expected atomic.Int64 // see Expect
}

// New returns the table in a file. data is the principal array, which has chunks slot bytes apart.
// presence is nil for an array of version 1, which has no presence map.
func New(file, data vfs.File, slot int64, presence vfs.File) *Table {
	t := &Table{file: file, data: data, slot: slot, pages: map[int64]*page{}}
	if presence != nil {
		t.presence.Store(&Presence{file: presence})
	}
	return t
}

// File returns the file of the table.
func (t *Table) File() vfs.File { return t.file }

// Presence returns the presence map, nil if there is none.
func (t *Table) Presence() *Presence { return t.presence.Load() }

// Get returns the entry of chunk q, or an error wrapping state.ErrCorrupt.
func (t *Table) Get(q axial.Number) (Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.page(int64(q) / pageEntries)
	if err != nil {
		return Entry{}, err
	}
	return t.entry(p, q)
}

// Put changes the entry of chunk q in memory.
func (t *Table) Put(q axial.Number, e Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.page(int64(q) / pageEntries)
	if err != nil {
		return err
	}
	t.change(p, q, e)
	return nil
}

// Publish changes the entry of chunk q in memory and, if the file has an entry of the chunk, in the
// file. If it has none, no other process knows of the chunk yet, and the entry can be written
// later.
func (t *Table) Publish(q axial.Number, e Entry) error {
	t.mu.Lock() // held throughout, so that nobody writes the page in between
	defer t.mu.Unlock()
	p, err := t.page(int64(q) / pageEntries)
	if err != nil {
		return err
	}
	var b [EntrySize]byte
	if _, err := t.file.ReadAt(b[:], int64(q)*EntrySize); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if t.change(p, q, e); b == [EntrySize]byte{} {
		return nil
	}
	return t.WriteEntry(q, e)
}

// Clear sets the entries of chunks to those of chunks never written, in memory: all of them, or
// none if there is an error. So it reads all their pages before it changes one, and keeps them even
// if they are more than maxPages.
func (t *Table) Clear(chunks []axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range chunks {
		if n := int64(q) / pageEntries; t.pages[n] == nil {
			if _, err := t.load(n); err != nil {
				return err
			}
		}
	}
	for _, q := range chunks {
		t.change(t.pages[int64(q)/pageEntries], q, Entry{})
	}
	return nil
}

// Forget drops all that is known of the file. No page may be changed.
func (t *Table) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.pages)
	t.touched = nil
	t.covered = 0
}

// Write writes the changed pages to the file.
func (t *Table) Write() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flush()
}

// Sync writes the changed pages to the file and makes the file durable.
func (t *Table) Sync() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.flush(); err != nil {
		return err
	}
	return t.file.Sync()
}

// SyncFile makes the contents of the file durable.
func (t *Table) SyncFile() error { return t.file.Sync() }

// Allocated returns the bytes that the table and the presence map take on the device.
func (t *Table) Allocated() (int64, error) {
	table, err := t.file.Allocated()
	if err != nil {
		return 0, err
	}
	presence := t.Presence()
	if presence == nil {
		return table, nil
	}
	n, err := presence.file.Allocated()
	return table + n, err
}

// Close closes the files. sync asks for the presence map to be durable.
func (t *Table) Close(sync bool) error { return cmp.Or(t.file.Close(), t.Presence().close(sync)) }
