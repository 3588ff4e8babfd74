package chunktable

import (
	"drx/axial"
	"drx/internal/vfs"
)

// A pageRange is the pages [from, to) of a table.
type pageRange struct{ from, to int64 }

// maxTouched is the most ranges of changed pages that are kept. More are merged into one.
const maxTouched = 1024

// touch records for Vouch that page n has a new entry.
func (t *Table) touch(n int64, p *page) {
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

// Vouch sets the presence bytes of the chunks below limit that have got their first entry since the
// last call. All pages must be in the file.
func (t *Table) Vouch(limit axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Presence() == nil {
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

// Changed reports whether chunks have got new entries since the last call of Vouch.
func (t *Table) Changed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.touched) > 0
}

// VouchAll is Vouch for all chunks below limit.
func (t *Table) VouchAll(limit axial.Number) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.vouchRange(pageRange{0, int64((limit + pageEntries - 1) / pageEntries)}, limit)
}

// SetPresence sets the presence map of a table that has none and was not changed yet.
func (t *Table) SetPresence(file vfs.File) {
	t.Forget()
	t.presence.Store(&Presence{file: file})
}

// AddPresence gives a table that has none a presence map in a new file, durably. The map has the
// bytes of all chunks below limit that have an entry, and the given head, unless that is nil. With
// sync it first makes the entries durable: their writer may have died before its sync. After an
// error the table has no map.
func (t *Table) AddPresence(file vfs.File, head *Head, limit axial.Number, sync bool) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	p := &Presence{file: file}
	if head != nil {
		if err := p.SetHead(*head); err != nil {
			return err
		}
	}
	if sync { // before the map vouches for the entries: the writer before may have died first
		if err := t.SyncFile(); err != nil {
			return err
		}
	}
	t.exchangePresence(p)
	err := t.VouchAll(limit)
	if err == nil {
		err = p.Sync()
	}
	if err != nil {
		t.exchangePresence(nil)
	}
	return err
}

// exchangePresence makes p the presence map. The pages in memory do not have its bytes yet.
func (t *Table) exchangePresence(p *Presence) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.presence.Store(p)
	for _, kept := range t.pages {
		kept.present = [pageEntries / 64]uint64{}
	}
}

// vouchRange is Vouch for a range of pages.
func (t *Table) vouchRange(r pageRange, limit axial.Number) error {
	if p := t.pages[r.from]; p != nil && r.to == r.from+1 { // the most frequent case
		return t.vouchPage(r.from, p, limit)
	}
	return t.eachPage(r.from, r.to, func(n int64, p *page) error {
		if kept := t.pages[n]; kept != nil {
			p = kept
		}
		return t.vouchPage(n, p, limit)
	})
}

// VouchSynced is VouchAll while other processes may write entries. With sync it makes the entries
// that it has found durable before it sets their presence bytes.
func (t *Table) VouchSynced(limit axial.Number, sync bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var fresh []axial.Number
	err := t.eachPage(0, int64((limit+pageEntries-1)/pageEntries), func(n int64, p *page) error {
		fresh = p.appendUnvouched(fresh, n, limit)
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	if sync {
		if err := t.file.Sync(); err != nil {
			return err
		}
	}
	return t.Presence().Set(fresh)
}

// vouchPage is Vouch for page n.
func (t *Table) vouchPage(n int64, p *page, limit axial.Number) error {
	p.touched = false
	var buffer [pageEntries]axial.Number
	fresh := p.appendUnvouched(buffer[:0], n, limit)
	if err := t.Presence().Set(fresh); err != nil {
		return err
	}
	for _, q := range fresh {
		p.setPresent(q, true)
	}
	return nil
}

// appendUnvouched appends the chunks of page n below limit that have entries but no presence bytes.
func (p *page) appendUnvouched(chunks []axial.Number, n int64, limit axial.Number) []axial.Number {
	first := axial.Number(n * pageEntries)
	for q := first; q < min(first+pageEntries, limit); q++ {
		if !p.isPresent(q) {
			if e, ok := Decode(p.bytes[int(q-first)*EntrySize:], q); ok && e.Length > 0 {
				chunks = append(chunks, q)
			}
		}
	}
	return chunks
}
