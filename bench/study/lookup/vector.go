package lookup

import (
	"iter"
	"math/bits"
	"slices"

	"drx/axial"
)

// sortedRecords holds records in the order of their keys.
type sortedRecords struct {
	keys    []int // separate from the records, so that a search reads adjacent memory
	records []Record
}

// upper returns the number of keys <= key by binary search, and the number of comparisons. The keys
// ascend.
func upper(keys []int, key int) (at, comparisons int) {
	lo, hi := 0, len(keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		comparisons++
		if keys[mid] <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, comparisons
}

// upperNumber is upper for the numbers of records.
func upperNumber(records []Record, q axial.Number) (at, comparisons int) {
	lo, hi := 0, len(records)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		comparisons++
		if records[mid].Number <= q {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, comparisons
}

// insert inserts r and returns its position.
func (s *sortedRecords) insert(r Record) (at int, err error) {
	key := r.Key()
	at, _ = upper(s.keys, key)
	if at > 0 && s.keys[at-1] == key {
		if err := r.check(s.record(at-2), s.record(at)); err != nil {
			return 0, err
		}
		s.records[at-1] = r
		return at - 1, nil
	}
	if err := r.check(s.record(at-1), s.record(at)); err != nil {
		return 0, err
	}
	s.keys = slices.Insert(s.keys, at, key)
	s.records = slices.Insert(s.records, at, r)
	return at, nil
}

// record returns the record at a position, or nil if there is none.
func (s *sortedRecords) record(at int) *Record {
	if at < 0 || at >= len(s.records) {
		return nil
	}
	return &s.records[at]
}

// Inverse implements Index, by binary search.
func (s *sortedRecords) Inverse(q axial.Number) (*Record, int) {
	at, n := upperNumber(s.records, q)
	return s.record(at - 1), n
}

// All implements Index.
func (s *sortedRecords) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for i := range s.records {
			if !yield(&s.records[i]) {
				return
			}
		}
	}
}

// Len implements Index.
func (s *sortedRecords) Len() int { return len(s.records) }

// Bytes implements Index.
func (s *sortedRecords) Bytes() int { return cap(s.keys)*wordBytes + recordBytes(s.records) }

// A Vector is an axial vector: the records in one sorted slice, found by binary search
// (Otoo and Rotem 2007, III.B; Nimako 2016, 3.3). For E records Floor and Inverse take
// O(log E) time, Insert behind the last O(1), elsewhere O(E).
type Vector struct{ sortedRecords }

// Insert implements Index.
func (v *Vector) Insert(r Record) error {
	_, err := v.insert(r)
	return err
}

// Floor implements Index.
func (v *Vector) Floor(key int) (*Record, int) {
	at, n := upper(v.keys, key)
	return v.record(at - 1), n
}

// A BranchFree is a Vector whose Floor has no data-dependent branches: it halves the range
// the same number of times for every key, and advances by arithmetic. So random keys cause no
// branch mispredictions.
type BranchFree struct{ sortedRecords }

// Insert implements Index.
func (v *BranchFree) Insert(r Record) error {
	_, err := v.insert(r)
	return err
}

// Floor implements Index.
func (v *BranchFree) Floor(key int) (*Record, int) {
	const sign = 1 << 63 // maps the order of signed numbers to that of unsigned ones
	want := uint64(key) ^ sign
	base, n, comparisons := 0, len(v.keys), 1
	for n > 1 {
		half := n >> 1
		_, beyond := bits.Sub64(want, uint64(v.keys[base+half])^sign, 0)
		base += half & (int(beyond) - 1)
		n -= half
		comparisons++
	}
	if n == 0 || key < v.keys[base] {
		return nil, comparisons
	}
	return &v.records[base], comparisons
}
