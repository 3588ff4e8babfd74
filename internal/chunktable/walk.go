package chunktable

import (
	"errors"
	"io"
	"math"

	"drx/axial"
	"drx/internal/state"
	"drx/internal/vfs"
)

// Each calls f for each chunk below limit that has an entry, in the order of their numbers, with an
// error wrapping state.ErrCorrupt if the entry is damaged or lost. It stops at the first error that
// f returns. It writes the changed pages before, so that the file has all entries.
func (t *Table) Each(limit axial.Number, f func(axial.Number, error) error) error {
	if err := t.Write(); err != nil {
		return err
	}
	return t.eachPage(0, int64((limit+pageEntries-1)/pageEntries), func(n int64, p *page) error {
		return t.eachEntry(p, axial.Number(n*pageEntries), limit, f)
	})
}

// eachEntry is Each for one page, which begins with chunk q.
func (t *Table) eachEntry(p *page, q, limit axial.Number, f func(axial.Number, error) error) error {
	for i := range min(axial.Number(pageEntries), limit-q) {
		e, err := t.entry(p, q+i)
		if e.Length == 0 && err == nil {
			continue
		}
		if err := f(q+i, err); err != nil {
			return err
		}
	}
	return nil
}

// Newest returns the highest number of a commit that an intact entry has, committed or not, and its
// chunk; 0 if there is none.
func (t *Table) Newest() (q axial.Number, commit int64, err error) {
	limit, err := t.Entries()
	if err != nil {
		return 0, 0, err
	}
	err = t.Each(limit, func(n axial.Number, damaged error) error {
		if damaged != nil {
			return nil
		}
		e, err := t.Get(n)
		if errors.Is(err, state.ErrCorrupt) { // or a writer is changing it just now
			return nil
		}
		if c := int64(e.Commit()); err == nil && c > commit {
			q, commit = n, c
		}
		return err
	})
	return q, commit, err
}

// eachPage calls f with the pages of a range for which the table or the presence map has data. It
// skips ranges that are holes in both. It stops at the first error that f returns.
func (t *Table) eachPage(from, to int64, f func(n int64, p *page) error) error {
	var p page
	var entries, present extent
	for n := from; ; n++ {
		at, err := entries.next(t.file, n*pageSize)
		if err != nil {
			return err
		}
		next := at / pageSize
		if t.Presence() != nil {
			if at, err = present.next(t.Presence().file, PresenceHead+n*pageEntries); err != nil {
				return err
			}
			next = min(next, (at-PresenceHead)/pageEntries)
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

// An extent is the range of a file found last that is no hole.
type extent struct{ from, to int64 }

// next returns the first offset from off on that is not in a hole, or math.MaxInt64 if there is
// none. Offsets must ascend from call to call.
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
