package dataset

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"unicode/utf8"

	"drx"
	"drx/internal/errkind"
)

// attrChanges are pending changes of attributes. A name is in Set or among the removed ones, not
// both.
type attrChanges struct {
	Set    map[string]json.RawMessage `json:"set,omitempty"` // new values, by name
	Delete []string                   `json:"delete,omitempty"`
}

func (c attrChanges) empty() bool { return len(c.Set)+len(c.Delete) == 0 }

func (c attrChanges) clone() attrChanges {
	return attrChanges{maps.Clone(c.Set), slices.Clone(c.Delete)}
}

// change records the new value of an attribute; a nil value removes the attribute.
func (c *attrChanges) change(name string, value json.RawMessage) {
	c.forget(name)
	if value == nil {
		c.Delete = append(c.Delete, name)
		return
	}
	if c.Set == nil {
		c.Set = map[string]json.RawMessage{}
	}
	c.Set[name] = value
}

// forget drops the recorded change of one attribute.
func (c *attrChanges) forget(name string) {
	delete(c.Set, name)
	c.Delete = slices.DeleteFunc(c.Delete, func(other string) bool { return other == name })
}

// without drops the changes that are also in done.
func (c *attrChanges) without(done attrChanges) {
	for name := range done.Set {
		c.forget(name)
	}
	for _, name := range done.Delete {
		c.forget(name)
	}
}

// over applies the changes to attrs.
func (c attrChanges) over(attrs map[string]json.RawMessage) {
	maps.Copy(attrs, c.Set)
	for _, name := range c.Delete {
		delete(attrs, name)
	}
}

// to applies the changes to the attributes of an array. The caller commits.
func (c attrChanges) to(m *drx.Array) error {
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		if err := m.SetAttr(name, c.Set[name]); err != nil {
			return err
		}
	}
	return deleteAttrs(m, c.Delete...)
}

// inverse returns the changes that restore the attributes was.
func (c attrChanges) inverse(was map[string]json.RawMessage) (back attrChanges) {
	for name := range c.Set {
		back.change(name, was[name])
	}
	for _, name := range c.Delete {
		back.change(name, was[name])
	}
	return back
}

// deleteAttrs removes attributes; those that do not exist are skipped. The caller commits.
func deleteAttrs(m *drx.Array, names ...string) error {
	present := m.Attrs()
	for _, name := range names {
		if present[name] == nil {
			continue
		}
		if err := m.DeleteAttr(name); err != nil {
			return err
		}
	}
	return nil
}

// encodeAttr returns the value of an attribute as the Marker stores it. It returns the errors of
// drx.Array.SetAttr early, because that method is called only during the commit.
func encodeAttr(name string, value any) (json.RawMessage, error) {
	switch {
	case name == "":
		return nil, errkind.Errorf(fs.ErrInvalid, "the name is empty")
	case !utf8.ValidString(name):
		return nil, errkind.Errorf(fs.ErrInvalid, "the name is not valid UTF-8")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
