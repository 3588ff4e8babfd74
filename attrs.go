package drx

import (
	"encoding/json"

	"drx/internal/state"
)

// Attrs returns the attributes as JSON values by name.
func (a *Array) Attrs() map[string]json.RawMessage {
	return a.now().Attrs.Map()
}

// Attr decodes the value of an attribute into the variable that value points to, as json.Unmarshal
// does, and reports whether the attribute exists. The error is json.Unmarshal's.
func (a *Array) Attr(name string, value any) (found bool, err error) {
	raw, found := a.now().Attrs.Map()[name]
	if !found {
		return false, nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return true, a.errorf("attribute "+name, err)
	}
	return true, nil
}

// SetAttr sets an attribute to the JSON encoding of a value, in which the characters <, > and & are
// not escaped. The attribute becomes durable with the next Sync. The error is encoding/json's, or
// wraps fs.ErrInvalid if the name is empty, ErrReadOnly or ErrClosed.
func (a *Array) SetAttr(name string, value any) error {
	raw, err := encodeAttr(name, value)
	if err != nil {
		return a.errorf("attribute "+name, err)
	}
	return a.change("attribute "+name, state.Record{SetAttrs: &state.SetAttrs{Attrs: map[string]json.RawMessage{name: raw}}})
}

// DeleteAttr removes an attribute, if it exists. The error wraps ErrReadOnly or ErrClosed.
func (a *Array) DeleteAttr(name string) error {
	return a.change("attribute "+name, state.Record{DelAttrs: &state.DelAttrs{Names: []string{name}}})
}
