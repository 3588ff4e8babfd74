package capi

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"drx"
	"drx/internal/errkind"
)

// Attrs returns the attributes of an array as a JSON object.
func Attrs(h Handle) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	return toJSON(a.Attrs())
}

// Attr returns one attribute as JSON. The error wraps ErrNoAttr.
func Attr(h Handle, name string) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	return oneAttr(a, name)
}

// oneAttr returns one attribute of an array of this process or of a parallel program.
func oneAttr(a interface {
	Name() string
	Attrs() map[string]json.RawMessage
}, name string,
) (string, error) {
	raw, ok := a.Attrs()[name]
	if !ok {
		return "", errkind.Errorf(ErrNoAttr, "%s: there is no attribute %q", a.Name(), name)
	}
	return string(raw), nil
}

// attrAs decodes an attribute of one JSON type. The error wraps ErrNoAttr, or drx.ErrDType if it
// has another type.
func attrAs(h Handle, name, want string, v any) error {
	raw, err := Attr(h, name)
	if err != nil {
		return err
	}
	if raw == "null" || want != "text" && raw[0] == '"' || json.Unmarshal([]byte(raw), v) != nil {
		return wrongAttr(h, name, raw, want)
	}
	return nil
}

// wrongAttr returns the error for an attribute of another type than is wanted.
func wrongAttr(h Handle, name, raw, want string) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	return errkind.Errorf(drx.ErrDType, "%s: attribute %s is %s, not %s", a.Name(), name, raw, want)
}

// AttrInt returns an attribute that is an integer of 64 bits. 3.0 counts as one.
func AttrInt(h Handle, name string) (i int64, err error) {
	var n json.Number
	if err := attrAs(h, name, "a number", &n); err != nil {
		return 0, err
	}
	if i, err = strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, nil
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, wrongAttr(h, name, n.String(), "an integer of 64 bits")
	}
	return int64(f), nil
}

// AttrDouble returns an attribute that is a number.
func AttrDouble(h Handle, name string) (f float64, err error) {
	err = attrAs(h, name, "a number of 64 bits", &f)
	return f, err
}

// AttrText returns an attribute that is text.
func AttrText(h Handle, name string) (text string, err error) {
	err = attrAs(h, name, "text", &text)
	return text, err
}

// SetAttr sets an attribute to a JSON value. The error wraps ErrInvalid if the value is not JSON.
func SetAttr(h Handle, name, value string) error {
	raw, err := rawJSON(name, value)
	if err != nil {
		return err
	}
	return setAttr(h, name, raw)
}

// rawJSON checks that the value of an attribute is JSON, and returns it without spaces.
func rawJSON(name, value string) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(value)); err != nil {
		return nil, invalidf("attribute %s: value %q is no JSON: %v", name, value, err)
	}
	return b.Bytes(), nil
}

// SetAttrInt sets an attribute to an integer.
func SetAttrInt(h Handle, name string, value int64) error { return setAttr(h, name, value) }

// SetAttrDouble sets an attribute to a number. The error wraps ErrInvalid for NaN and the
// infinities.
func SetAttrDouble(h Handle, name string, value float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return invalidf("attribute %s: JSON has no number %v", name, value)
	}
	return setAttr(h, name, value)
}

// SetAttrText sets an attribute to text.
func SetAttrText(h Handle, name, value string) error { return setAttr(h, name, value) }

func setAttr(h Handle, name string, value any) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	return a.SetAttr(name, value)
}

// DeleteAttr removes an attribute.
func DeleteAttr(h Handle, name string) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	return a.DeleteAttr(name)
}
