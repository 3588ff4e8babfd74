package lookup

import (
	"fmt"
	"slices"
)

// A Table is the auxiliary array (Otoo and Merrett 1983; Otoo 2006, 2.3): an entry for
// every index, found without a search. The papers' entries are whole records, O(k) words
// for each index; these are the positions of records in a Vector, 4 bytes each. The table
// ends at the last record's key, as that record covers all later indices.
//
// Floor takes O(1) time, Inverse O(log E) for E records. Insert at the end takes time in proportion
// to the indices since the last record; elsewhere in proportion to the table.
type Table struct {
	sortedRecords
	entries []uint32 // by key, from that of the first record
}

// maxEntries is the largest number of entries of a Table: 256 MiB.
const maxEntries = 1 << 26

// Insert implements Index.
func (t *Table) Insert(r Record) error {
	if n := len(t.keys); n > 0 {
		key := r.Key()
		// Unsigned arithmetic cannot overflow here.
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

// tabulate rebuilds the entries from the record at a position onwards.
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

// Floor implements Index. It makes two comparisons, with the ends of the table.
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
func (t *Table) Bytes() int { return t.sortedRecords.Bytes() + cap(t.entries)*4 }
