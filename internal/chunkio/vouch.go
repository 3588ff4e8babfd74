package chunkio

import (
	"errors"
	"io"
	"math"

	"drx/axial"
	"drx/internal/vfs"
)

// A pageRange is the pages [from, to) of a table.
type pageRange struct{ from, to int64 }

// maxTouched is how many ranges of changed pages are remembered; more become one.
const maxTouched = 1024

// touch remembers that page n has a new entry.
func (t *table) touch(n int64, p *page) {
	if p.touched {
		return
	}
	p.touched = true
	if k := len(t.touched); k > 0 && t.touched[k-1].to == n {
		t.touched[k-1].to++
		return
	}
	if len(t.touched) == maxTouched {
		whole := pageRange{n, n + 1}
		for _, r := range t.touched {
			whole = pageRange{min(whole.from, r.from), max(whole.to, r.to)}
		}
		t.touched = append(t.touched[:0], whole)
		return
	}
	t.touched = append(t.touched, pageRange{n, n + 1})
}

// vouch sets the presence bytes of the chunks below limit that have got their first entry since the
// last call. All pages must be in the file.
func (t *table) vouch(limit axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.presence == nil {
		for _, p := range t.pages {
			p.touched = false
		}
		t.touched = nil
	}
	for len(t.touched) > 0 {
		if err := t.vouchRange(t.touched[0], limit); err != nil {
			return err
		}
		t.touched = t.touched[1:]
	}
	t.touched = nil
	return nil
}

// changed reports whether entries have changed since the last call of vouch.
func (t *table) changed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.touched) > 0
}

// vouchAll is vouch for all pages.
func (t *table) vouchAll(limit axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.vouchRange(pageRange{0, int64((limit + pageEntries - 1) / pageEntries)}, limit)
}

// addPresence gives the table a presence map, which vouches for all that it has below limit.
func (t *table) addPresence(p *presenceMap, limit axial.Number) error {
	set := func(to *presenceMap) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.presence = to
		for _, kept := range t.pages { // of which the new map says nothing
			kept.present = [pageEntries / 64]uint64{}
		}
	}
	set(p)
	err := first(t.vouchAll(limit), p.sync())
	if err != nil {
		set(nil)
	}
	return err
}

// vouchRange is vouch for a range of pages.
func (t *table) vouchRange(r pageRange, limit axial.Number) error {
	if p := t.pages[r.from]; p != nil && r.to == r.from+1 { // as most commits have it
		return t.vouchPage(r.from, p, limit)
	}
	return t.eachPage(r.from, r.to, func(n int64, p *page) error {
		if kept := t.pages[n]; kept != nil {
			p = kept
		}
		return t.vouchPage(n, p, limit)
	})
}

func (t *table) vouchPage(n int64, p *page, limit axial.Number) error {
	p.touched = false
	var room [pageEntries]axial.Number
	fresh := room[:0]
	first := axial.Number(n * pageEntries)
	for q := first; q < min(first+pageEntries, limit); q++ {
		if !p.isPresent(q) {
			if e, ok := decode(p.bytes[int(q-first)*entrySize:], q); ok && e.length > 0 {
				fresh = append(fresh, q)
			}
		}
	}
	if err := t.presence.set(fresh); err != nil {
		return err
	}
	for _, q := range fresh {
		p.setPresent(q, true)
	}
	return nil
}

// eachPage reads the pages of a range of which the table or the presence map holds something, and
// calls f with each. It stops at the first error f returns.
func (t *table) eachPage(from, to int64, f func(n int64, p *page) error) error {
	var p page
	var entries, present extent
	for n := from; ; n++ {
		at, err := entries.next(t.file, n*pageSize)
		if err != nil {
			return err
		}
		next := at / pageSize
		if t.presence != nil {
			if at, err = present.next(t.presence.file, presenceHead+n*pageEntries); err != nil {
				return err
			}
			next = min(next, (at-presenceHead)/pageEntries)
		}
		if n = next; n >= to {
			return nil
		}
		if err := t.read(n, &p); err != nil {
			return err
		}
		if err := f(n, &p); err != nil {
			return err
		}
	}
}

// An extent is a range of a file that may hold something else than zeros, the last that was found.
type extent struct{ from, to int64 }

// next returns the first byte at or behind off that may be something else than zero, or
// math.MaxInt64 if there is none. Calls come with ascending offsets.
func (e *extent) next(f vfs.File, off int64) (int64, error) {
	if off >= e.to {
		from, to, err := f.Data(off)
		if errors.Is(err, io.EOF) {
			from, to, err = math.MaxInt64, math.MaxInt64, nil
		}
		if err != nil {
			return 0, err
		}
		*e = extent{from, to}
	}
	return max(off, e.from), nil
}
