package state

import (
	"encoding/json"
	"maps"
)

// Attributes are the attributes of a state: JSON values by name. They never change: with and without
// return others, which share what they have in common with the earlier ones, so that a change costs
// the same however many attributes there are. The zero value has none.
//
//	base   what most of them are; nobody changes it
//	last   the changes since, the latest first
//
// When there are more changes than attributes in base, they are folded into a new base. So a long
// history of changes takes no more memory than the attributes that it leads to.
type Attributes struct {
	base    map[string]json.RawMessage
	last    *attrChange
	changes int // in the list, by names
}

// An attrChange sets attributes and removes others, after the change before it.
type attrChange struct {
	before *attrChange
	set    map[string]json.RawMessage
	remove []string
}

// minFolded is how many changes are kept in the list at least.
const minFolded = 16

// with returns the attributes after some were set. The caller must not change them afterwards.
func (a Attributes) with(set map[string]json.RawMessage) Attributes {
	return a.after(attrChange{set: set}, len(set))
}

// without returns the attributes after some were removed, whether they were there or not.
func (a Attributes) without(names []string) Attributes {
	return a.after(attrChange{remove: names}, len(names))
}

func (a Attributes) after(c attrChange, names int) Attributes {
	c.before = a.last
	a.last = &c
	a.changes += max(1, names)
	if a.changes > len(a.base)+minFolded {
		return Attributes{base: a.Map()}
	}
	return a
}

// Map returns the attributes as a map of the caller's, which is never nil.
func (a Attributes) Map() map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(a.base)+a.changes)
	maps.Copy(all, a.base)
	var changes []*attrChange
	for c := a.last; c != nil; c = c.before {
		changes = append(changes, c)
	}
	for i := len(changes) - 1; i >= 0; i-- {
		maps.Copy(all, changes[i].set)
		for _, name := range changes[i].remove {
			delete(all, name)
		}
	}
	return all
}

// Has reports whether there is an attribute of that name.
func (a Attributes) Has(name string) bool {
	for c := a.last; c != nil; c = c.before {
		if _, ok := c.set[name]; ok {
			return true
		}
		for _, removed := range c.remove {
			if removed == name {
				return false
			}
		}
	}
	_, ok := a.base[name]
	return ok
}
