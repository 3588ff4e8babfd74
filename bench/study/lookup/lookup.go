// Package lookup has the structures in which the papers on extendible arrays keep their
// expansion records, behind one interface, and the mapping F* over any of them:
//
//	Table       the auxiliary array: Otoo and Merrett 1983; Otoo 2006, 2.3
//	Vector      an axial vector, binary searched: Otoo and Rotem 2007, III.B
//	BranchFree  an axial vector searched without branches
//	LLRB        the leaf-linked red-black tree: Otoo 2006, 2.4
//	O2          the O2-tree with its buckets: Nimako 2016, 4.2
//
// An Index holds the records of one side of one dimension. A Map holds two for each
// dimension, computes F* and its inverse, and numbers chunks as axial.Grid does. Arrays use
// axial.Grid, which has the fastest of these structures built in, as the measurements with this
// package show (docs/LOOKUP.md).
//
// # Keys
//
// Numbers ascend outwards: a segment adjoined on the high side begins at its lowest index, and one
// on the low side at its highest. The key of a record is its start on the high side and the
// complement of its start, -start-1, on the low side. So keys ascend outwards on both sides, and
// the floor of an index's key is the record that covers the index.
//
// # Invariants
//
//  1. The records of an Index have distinct keys, and their numbers do not descend as
//     the keys ascend.
//  2. In a tree, the separator of an inner node is the least record to its right, a red
//     node has no red child, and all paths from the root to a leaf have the same number
//     of black nodes.
package lookup

import (
	"errors"
	"fmt"
	"iter"

	"drx/axial"
)

var (
	// ErrOrder is returned for a record whose number is out of order: numbers ascend with keys.
	ErrOrder = errors.New("numbers of records not in the order of their keys")

	// ErrSparse is returned by a Table for a record so far from the others that the
	// table would be too large.
	ErrSparse = errors.New("index too large for a table")
)

// An Index holds the expansion records of one side of one dimension, by key. Pointers to
// records are valid until the next Insert. Any number of goroutines may read an Index while
// none inserts. The zero value of every type is empty and ready for use.
type Index interface {
	// Insert adds a record. It replaces a record with the same key, which covers no index. If
	// the number of r is less than that of the record before it or greater than that of the
	// one after it, Insert changes nothing and returns an error wrapping ErrOrder. A Table may
	// return one wrapping ErrSparse.
	Insert(r Record) error

	// Floor returns the record with the largest key <= key, or nil if there is none, and the
	// number of keys it compared.
	Floor(key int) (r *Record, comparisons int)

	// Inverse returns the record with the largest number <= q, or nil if there is none, and the
	// number of comparisons. Of records with equal numbers it returns the one with the
	// largest key.
	Inverse(q axial.Number) (r *Record, comparisons int)

	// All walks the records in the order of their keys.
	All() iter.Seq[*Record]

	// Len returns the number of records.
	Len() int

	// Bytes returns the memory in use in bytes, including the coefficients of records and spare
	// capacity.
	Bytes() int
}

// A Kind is a named kind of Index, for tests and measurements of all of them.
type Kind struct {
	Name string
	New  func() Index // returns an empty one
}

// Kinds returns all kinds of Index, with an O2-tree for each of the given bucket sizes.
func Kinds(buckets ...int) []Kind {
	kinds := []Kind{
		{"table", func() Index { return new(Table) }},
		{"vector", func() Index { return new(Vector) }},
		{"branch-free", func() Index { return new(BranchFree) }},
		{"llrb", func() Index { return new(LLRB) }},
	}
	for _, b := range buckets {
		kinds = append(kinds, Kind{fmt.Sprintf("o2/%d", b), func() Index { return NewO2(b) }})
	}
	return kinds
}

// Lookup returns the record of x with exactly this key.
func Lookup(x Index, key int) (*Record, bool) {
	r, _ := x.Floor(key)
	if r == nil || r.Key() != key {
		return nil, false
	}
	return r, true
}

// InsertAll inserts the records in order and stops at the first error. An empty Index becomes a
// copy of the one that the records came from.
func InsertAll(x Index, records iter.Seq[*Record]) error {
	for r := range records {
		if err := x.Insert(*r); err != nil {
			return err
		}
	}
	return nil
}
