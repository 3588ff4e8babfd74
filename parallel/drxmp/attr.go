package drxmp

import (
	"encoding/json"
	"fmt"
)

// SetAttr sets an attribute to a value that encoding/json can encode, the same on all procs,
// collective: see drx.Array.SetAttr.
func (a *Array) SetAttr(name string, value any) error {
	text, err := json.Marshal(value)
	set := func() error { return a.member.array.SetAttr(name, value) }
	return a.changeAttr(fmt.Sprintf("attribute %s of %s", name, text), err, set)
}

// DeleteAttr removes an attribute, collective. A missing attribute is no error.
func (a *Array) DeleteAttr(name string) error {
	return a.changeAttr("no attribute "+name, nil, func() error { return a.member.array.DeleteAttr(name) })
}

// changeAttr calls change on all procs, unless one of them has an error already.
func (a *Array) changeAttr(what string, err error, change func() error) error {
	t := a.beginExclusive()
	defer t.end()
	if err := t.agree(what, true, err); err != nil {
		return err
	}
	return a.agree("end of "+what, change())
}
