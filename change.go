package drx

import (
	"encoding/json"

	"drx/internal/state"
)

// change applies records to the state and keeps them for the next Sync. After an error none is applied.
func (a *Array) change(op string, records ...state.Record) error {
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := a.errUnlessExclusive(); err != nil {
		return a.errorf(op, err)
	}
	return a.errorf(op, a.apply(records))
}

// apply is change for a caller that holds the locks.
func (a *Array) apply(records []state.Record) error {
	s := a.state.Load()
	for _, r := range records {
		next, err := s.Apply(r)
		if err == nil && r.Extend != nil && s.WidestLo != nil {
			err = a.blankRegrown(s, next, *r.Extend)
		}
		if err != nil {
			return err
		}
		s = next
	}
	for _, r := range records {
		a.addPending(r)
	}
	a.state.Store(s)
	if a.writer != nil {
		a.writer.Expect(s.Grid.Chunks())
	}
	return nil
}

// addPending appends a record to those of the next commit. An extension that continues the last one is merged
// with it: the state is the same, and a million uncommitted steps become one record.
func (a *Array) addPending(r state.Record) {
	if n := len(a.pending); n > 0 && r.Extend != nil {
		last := a.pending[n-1].Extend
		if last != nil && last.Dim == r.Extend.Dim && last.Low == r.Extend.Low {
			a.pending[n-1].Extend = &state.Extend{Dim: last.Dim, By: last.By + r.Extend.By, Low: last.Low}
			return
		}
	}
	a.pending = append(a.pending, r)
}

// Attrs returns the attributes: their values, as JSON, by name.
func (a *Array) Attrs() map[string]json.RawMessage {
	return a.now().Attrs.Map()
}

// Attr decodes the value of an attribute into the variable that value points to, as json.Unmarshal does, and
// reports whether the attribute exists. The error is json.Unmarshal's.
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

// SetAttr sets an attribute to the JSON encoding of a value, in which the characters <, > and & are not
// escaped. The attribute becomes durable with the next Sync. The error is encoding/json's, or wraps
// fs.ErrInvalid if the name is empty, ErrReadOnly or ErrClosed.
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
