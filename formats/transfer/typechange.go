package transfer

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/optionerr"
)

// parseType returns the element type of the option as of a verb, 0 for none.
func parseType(verb, as string, clip bool) (dtype.DType, error) {
	if as == "" {
		if clip {
			return 0, wrongOption("%s: %v needs %v", verb, option("clip"), option("as"))
		}
		return 0, nil
	}
	t, err := dtype.Parse(as)
	if err != nil {
		var names []string
		for _, known := range dtype.All() {
			names = append(names, known.String())
		}
		return 0, optionerr.Wrong("as", as, "no such element type%s: want %s", wording.DidYouMean("", as, names), wording.Or(names))
	}
	return t, nil
}

// changeType changes the description of a variable to another element type, with its fill value and
// the attributes that mark missing values, and returns the converter of elements. The error wraps
// dtype.ErrDType if the types or one of these values cannot be converted.
func changeType(v *formats.Info, to dtype.DType, clip bool) (*dtype.Converter, error) {
	fill := make([]byte, to.Size())
	from, attrs := unsignedType(*v)
	one := func(what string, element []byte) ([]byte, error) {
		c, err := dtype.NewConverter(from, to, clip, fill)
		if err != nil {
			return nil, err
		}
		out := make([]byte, to.Size())
		if err := c.Apply(out, slices.Clone(element)); err != nil {
			return nil, errorf("%s: %w; %v", what, err, clipHint)
		}
		return out, nil
	}
	if m, err := meaningOfVar(*v, nil); err == nil && m.DifferInMissing() && !from.ExactIn(to) {
		return nil, errkind.Errorf(dtype.ErrDType, "attribute nodata has a missing value for each of %d bands, and %v does not have all values of %v: unpack them, or convert one band at a time",
			m.Indices(), to, from)
	}
	if v.Fill != nil {
		var err error
		if fill, err = one("fill value", v.Fill); err != nil {
			return nil, err
		}
	}
	v.Attrs = attrs
	for _, name := range []string{"_FillValue", "missing_value", "nodata"} {
		element, ok := attrElement(from, v.Attrs[name])
		if !ok && from != v.DType { // with _Unsigned the mark may be signed or unsigned
			element, ok = attrElement(v.DType, v.Attrs[name])
		}
		if !ok { // no element can have this mark
			continue
		}
		converted, err := one("attribute "+name, element)
		if err != nil {
			return nil, err
		}
		if same, ok := attrElement(to, v.Attrs[name]); !ok || !bytes.Equal(same, converted) {
			v.Attrs = maps.Clone(v.Attrs)
			v.Attrs[name] = to.ToJSON(converted)
		}
	}
	c, err := dtype.NewConverter(from, to, clip, fill)
	if err != nil {
		return nil, err
	}
	if v.DType = to; v.Fill != nil {
		v.Fill = fill
	}
	return c, nil
}

// unsignedType returns the element type of a variable with the sign that _Unsigned says, and its
// attributes without _Unsigned.
func unsignedType(v formats.Info) (dtype.DType, map[string]any) {
	m, err := meaningOfVar(v, nil)
	if err != nil || !m.OtherSign() {
		return v.DType, v.Attrs
	}
	attrs := maps.Clone(v.Attrs)
	delete(attrs, "_Unsigned")
	return m.Number(), attrs
}

// attrElement returns the value of an attribute, or of a list of one, as an element of type t; ok
// is false if it is not such a value.
func attrElement(t dtype.DType, v any) (element []byte, ok bool) {
	if v == nil {
		return nil, false
	}
	raw, err := formats.EncodeAttr(v)
	if err != nil {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		raw = list[0]
	}
	element, err = t.FromJSON(raw)
	return element, err == nil
}
