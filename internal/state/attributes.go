package state

import (
	"encoding/json"
	"maps"
)

// Attributes are the attributes of a state: JSON values by name. They are immutable: with and
// without return new Attributes that share memory with the old ones, so that the cost of a change
// does not depend on the number of attributes. The zero value has none.
//
//	base   a map that is never changed
//	last   the changes since, the latest first
//
// When there are more changes than attributes in base, they are folded into a new base. So a long
// history of changes takes no more memory than the resulting attributes.
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

// minFolded is the number of changes up to which the list is never folded.
const minFolded = 16

// with returns the attributes after some were set. The caller must not change set afterwards.
func (a Attributes) with(set map[string]json.RawMessage) Attributes {
	return a.after(attrChange{set: set}, len(set))
}

// without returns the attributes after some were removed. Names without an attribute are ignored.
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

// Map returns the attributes as a new map, which is never nil.
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

// IncompleteAttr is the attribute that marks an array as the target of a copy that is not complete.
// The program that sets it removes it when the copy is complete.
const IncompleteAttr = "relayout.incomplete"

// Incomplete reports whether the array is the target of a copy that is not complete.
func (s *State) Incomplete() bool { return s.Attrs.Has(IncompleteAttr) }
