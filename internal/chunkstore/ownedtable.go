package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
)

// An ownedTable finds entries for roles without another process that changes the table: it has pages of the table
// in memory.
type ownedTable struct{ *Store }

func (t ownedTable) entry(q axial.Number) (chunktable.Entry, error) { return t.table.Get(q) }

func (t ownedTable) confirmDamage(_ axial.Number, err error) error { return err }

func (t ownedTable) locate(q axial.Number, _ bool) (location, bool) {
	c, err := t.lookup(q)
	return location{change: c}, err == nil
}

// picks is false: an entry in memory is found faster than a mapped one, and the mapped one may be out of date.
func (t ownedTable) picks() bool { return false }

// undisturbed is false: this process may write any time.
func (t ownedTable) undisturbed() bool { return false }
