package lookup

import (
	"fmt"
	"slices"
)

// A Table is the auxiliary array (Otoo and Merrett 1983; Otoo 2006, 2.3): an entry for
// every index, found without a search. The papers' entries are whole records, O(k) words
// for each index; these are the positions of records in a Vector, 4 bytes each. There are
// none behind the last record's key, as the last one covers all that follows.
//
// Floor takes O(1) time, Inverse O(log E) for E records. Insert behind the last takes time
// in proportion to the indices in between, elsewhere to the table.
type Table struct {
	sorted
	entries []uint32 // by key, from that of the first record
}

// maxEntries is how many entries a Table has at most: 256 MiB.
const maxEntries = 1 << 26

// Insert implements Index.
func (t *Table) Insert(r Record) error {
	if n := len(t.keys); n > 0 {
		key := r.Key()
		// In unsigned arithmetic no difference of keys is too large.
		if span := uint(max(key, t.keys[n-1])) - uint(min(key, t.keys[0])); span >= maxEntries {
			return fmt.Errorf("dimension %d: index %d: %d entries, more than %d: %w", r.Dim, r.Start, span, maxEntries, ErrSparse)
		}
	}
	at, err := t.insert(r)
	if err != nil {
		return err
	}
	t.tabulate(at)
	return nil
}

// tabulate makes the entries from the record at a position on.
func (t *Table) tabulate(at int) {
	from := t.keys[at] - t.keys[0]
	t.entries = t.entries[:min(from, len(t.entries))]
	t.entries = slices.Grow(t.entries, t.keys[len(t.keys)-1]-t.keys[0]+1-len(t.entries))
	for ; at < len(t.keys); at++ {
		for len(t.entries) < t.keys[at]-t.keys[0] {
			t.entries = append(t.entries, uint32(at-1))
		}
		t.entries = append(t.entries, uint32(at))
	}
}

// Floor implements Index. The two comparisons are with the ends of the table.
func (t *Table) Floor(key int) (*Record, int) {
	if len(t.keys) == 0 || key < t.keys[0] {
		return nil, 1
	}
	if u := uint(key - t.keys[0]); u < uint(len(t.entries)) {
		return &t.records[t.entries[u]], 2
	}
	return &t.records[len(t.records)-1], 2
}

// Bytes implements Index.
func (t *Table) Bytes() int { return t.sorted.Bytes() + cap(t.entries)*4 }
