package drxmp

import (
	"encoding/json"
	"fmt"
)

// SetAttr sets an attribute to anything that encoding/json can write, the same on all procs,
// collective: see drx.Array.SetAttr.
func (a *Array) SetAttr(name string, value any) error {
	text, err := json.Marshal(value)
	return a.attr(fmt.Sprintf("attribute %s of %s", name, text), err, func() error { return a.array().SetAttr(name, value) })
}

// DeleteAttr removes an attribute, collective; one that does not exist is no error.
func (a *Array) DeleteAttr(name string) error {
	return a.attr("no attribute "+name, nil, func() error { return a.array().DeleteAttr(name) })
}

func (a *Array) attr(what string, err error, set func() error) error {
	return a.alone(func() error {
		return a.agreed(what, true, func() error { return err }, func() error { return a.agree("end of "+what, set()) })
	})
}
