package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
)

// A foreignTable finds entries for roles beside other processes that change the table: it looks at
// the file, or at a mapping of it, every time.
type foreignTable struct{ *Store }

func (t foreignTable) entry(q axial.Number) (chunktable.Entry, error) { return t.table.ReadEntry(q) }

// confirmDamage reads the entry again: another process may have been writing it.
func (t foreignTable) confirmDamage(q axial.Number, _ error) error {
	_, err := t.table.ReadEntry(q)
	return err
}

// locate finds a chunk in the table.
func (t foreignTable) locate(q axial.Number, unmapped bool) (location, bool) {
	if unmapped {
		e, err := t.table.ReadEntry(q)
		return location{change: changeInPlace(e)}, err == nil
	}
	raw, ok := t.mapped.entry(q)
	if !ok {
		return location{}, false
	}
	words := chunktable.LoadWords(raw)
	l := location{change: changeInPlace(words.Entry()), live: raw, words: words}
	if t.verified.Has(q, l.change.entry) {
		return l, true // and the entry was intact then
	}
	_, intact := chunktable.Decode(raw, q)
	return l, intact
}

func (t foreignTable) picks() bool { return true }

// An ownedTable finds entries for roles beside which no process changes the entries of their
// chunks: it has pages of the table in memory.
type ownedTable struct{ *Store }

func (t ownedTable) entry(q axial.Number) (chunktable.Entry, error) { return t.table.Get(q) }

func (t ownedTable) confirmDamage(_ axial.Number, err error) error { return err }

func (t ownedTable) locate(q axial.Number, _ bool) (location, bool) {
	c, err := t.lookup(q)
	return location{change: c}, err == nil
}

// picks is false: an entry in memory is found faster than a mapped one, and the mapped one may be
// out of date.
func (t ownedTable) picks() bool { return false }

// undisturbed is false: this process may write any time.
func (t ownedTable) undisturbed() bool { return false }
