package chunktable

import (
	"errors"
	"io"
	"slices"

	"drx/axial"
)

// A page is pageEntries entries, with the presence bytes of their chunks.
type page struct {
	bytes   [pageSize]byte
	present [pageEntries / 64]uint64 // a bit for each presence byte that is set
	dirty   bool
	touched bool // it is in Table.touched
}

const (
	pageEntries = 256
	pageSize    = pageEntries * EntrySize
	// maxPages is the most pages that are kept in memory: 16 MiB of the table.
	maxPages = 4096
)

// isPresent reports whether the presence byte of chunk q, which is on this page, is set.
func (p *page) isPresent(q axial.Number) bool {
	i := q % pageEntries
	return p.present[i/64]>>(i%64)&1 != 0
}

// setPresent notes whether the presence byte of chunk q is set.
func (p *page) setPresent(q axial.Number, set bool) {
	i := q % pageEntries
	p.present[i/64] &^= 1 << (i % 64)
	if set {
		p.present[i/64] |= 1 << (i % 64)
	}
}

// entry returns the entry of chunk q, which is on page p, or an error wrapping state.ErrCorrupt.
func (t *Table) entry(p *page, q axial.Number) (Entry, error) {
	e, ok := Decode(p.bytes[int(q%pageEntries)*EntrySize:], q)
	switch {
	case !ok:
		return Entry{}, damagedEntry(t.file, q)
	case e.Length == 0 && p.isPresent(q):
		return Entry{}, lostEntry(t.file, t.Presence(), q)
	}
	return e, nil
}

// change changes the entry of chunk q in its page. If the entry becomes zero, its presence byte was
// cleared before.
func (t *Table) change(p *page, q axial.Number, e Entry) {
	e.Encode(p.bytes[int(q%pageEntries)*EntrySize:], q)
	p.dirty = true
	if e.Length == 0 {
		p.setPresent(q, false)
		return
	}
	t.touch(int64(q)/pageEntries, p)
}

// page returns page n of the file, from memory or read. t.mu must be held here and below.
func (t *Table) page(n int64) (*page, error) {
	if p := t.pages[n]; p != nil {
		return p, nil
	}
	if len(t.pages) >= maxPages {
		if err := t.evict(); err != nil {
			return nil, err
		}
	}
	return t.load(n)
}

// load reads page n of the file and keeps it.
func (t *Table) load(n int64) (*page, error) {
	p := new(page)
	if err := t.read(n, p); err != nil {
		return nil, err
	}
	t.pages[n] = p
	return p, nil
}

// read reads page n of the file. It reads the presence bytes before the entries: if one is set, its
// entry was written before.
func (t *Table) read(n int64, p *page) error {
	var present [pageEntries]byte
	if err := t.Presence().read(axial.Number(n*pageEntries), present[:]); err != nil {
		return err
	}
	for i, b := range present {
		p.setPresent(axial.Number(i), b != 0)
	}
	m, err := t.file.ReadAt(p.bytes[:], n*pageSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	clear(p.bytes[m:])
	return err
}

// evict drops half of the pages, after writing those that have changed. Any half will do: a page is
// read again in microseconds.
func (t *Table) evict() error {
	if err := t.flush(); err != nil {
		return err
	}
	for n := range t.pages {
		if len(t.pages) <= maxPages/2 {
			break
		}
		delete(t.pages, n)
	}
	return nil
}

// flush writes the changed pages, in the order of the file.
func (t *Table) flush() error {
	var dirty []int64
	for n, p := range t.pages {
		if p.dirty {
			dirty = append(dirty, n)
		}
	}
	slices.Sort(dirty)
	for _, n := range dirty {
		p := t.pages[n]
		if _, err := t.file.WriteAt(p.bytes[:], n*pageSize); err != nil {
			return err
		}
		p.dirty = false
	}
	return nil
}
