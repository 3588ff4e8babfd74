// Package meaning derives what the elements of a variable stand for from its attributes, by the CF
// conventions: packed and missing numbers, units, times, and flags.
//
//	from, err := meaning.Of(dtype.Int16, fill, attrs, nil)
//	values = from.Decode(values, elements)             // NaN for what is missing
//	c, err := meaning.Compare(from, to, meaning.Exact) // may elements of the one be stored as those of the other?
//	elements, err = c.Apply(elements)
//
// Compare has three answers: a nil c if elements can be stored as they are; a Conversion if they
// can be converted; or a RefusedError that names both meanings. valid_min, valid_max and
// valid_range are known but mask nothing, as in xarray: a value outside of them was still measured.
package meaning

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"drx/dataset/cftime"
	"drx/dtype"
	"drx/internal/errkind"
)

// A Meaning describes what the elements of a variable stand for.
type Meaning struct {
	// Type is the type of the stored elements.
	Type dtype.DType
	// A stored number x means x*Scale + Offset. Both have one number, or one for each index of a
	// dimension, see At; both are nil for numbers that are not packed.
	Scale, Offset []float64
	// Missing are the elements that mark missing values, little-endian. NaN is missing without
	// being listed.
	Missing [][]byte
	// Fill is the element of unwritten parts; nil means zero. Clip stores it for NaN if no element
	// marks missing values.
	Fill []byte
	// Valid is the range of valid_range, or valid_min and valid_max; nil without these attributes.
	Valid *[2]float64
	// Units are the attribute units, Calendar the attribute calendar; empty without them.
	Units, Calendar string
	// Times are the units of times; nil for other numbers.
	Times *cftime.Units

	nodata    [][]byte          // the mark of missing values at each index, see At; nil for one mark
	crs       string            // coordinate system of pixels or of a grid mapping; may be empty
	quantity  quantity          // what the numbers measure
	marked    bool              // an attribute marks missing values
	otherSign bool              // stored integers have the sign that their type lacks, or lack it
	flags     map[string]string // names by values and masks
}

// Of returns the meaning of elements of type t. fill is the element of unwritten parts, nil if
// there is none. It marks a missing value unless it is zero and no attribute names it. attrs are
// the attributes as JSON. If the variable is the bounds of another one, parent are the attributes
// of that one, whose units and calendar it inherits; otherwise parent is nil. The error wraps
// dtype.ErrDType if the scale or the offset is not a number.
func Of(t dtype.DType, fill []byte, attrs, parent map[string]json.RawMessage) (*Meaning, error) {
	m := &Meaning{Type: t, Fill: fill}
	m.Units, m.Calendar = text(attrs, "units"), text(attrs, "calendar")
	if m.Units == "" {
		m.Units = text(parent, "units")
	}
	if m.Calendar == "" {
		m.Calendar = text(parent, "calendar")
	}
	if u, err := cftime.ParseUnits(m.Units, m.Calendar); err == nil {
		m.Times = &u
	}
	unsigned := strings.ToLower(cmp.Or(text(attrs, "_Unsigned"), string(attrs["_Unsigned"])))
	m.otherSign = isInteger(t) && (isSigned(t) && unsigned == "true" || !isSigned(t) && unsigned == "false")
	if err := m.setPacking(attrs); err != nil {
		return nil, err
	}
	m.setMissing(fill, attrs)
	if err := m.setNodata(attrs["nodata"]); err != nil {
		return nil, err
	}
	m.quantity = quantityOf(attrs)
	m.setValid(attrs)
	m.setFlags(attrs)
	if m.crs = text(attrs, "crs_wkt"); m.crs == "" {
		m.crs = text(attrs, "spatial_ref")
	}
	return m, nil
}

// text returns an attribute that is text, otherwise "". A list of texts is joined by spaces,
// because HDF5 has lists of one text and lists of the names of flags.
func text(attrs map[string]json.RawMessage, name string) string {
	var words []string
	for _, part := range parts(attrs[name]) {
		var s *string
		if json.Unmarshal(part, &s) != nil || s == nil {
			return ""
		}
		words = append(words, *s)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// parts returns the values of an attribute: the elements of a list, or its only value.
func parts(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &list) == nil {
		return list
	}
	return []json.RawMessage{raw}
}

// numbers returns the numbers of an attribute. ok is false if it has other values or none.
func numbers(raw json.RawMessage) (list []float64, ok bool) {
	for _, part := range parts(raw) {
		var x *float64
		if json.Unmarshal(part, &x) != nil || x == nil {
			return nil, false
		}
		list = append(list, *x)
	}
	return list, len(list) > 0
}

func (m *Meaning) setPacking(attrs map[string]json.RawMessage) error {
	for _, attr := range []struct {
		name string
		to   *[]float64
	}{{"scale_factor", &m.Scale}, {"add_offset", &m.Offset}} {
		raw, has := attrs[attr.name]
		if !has || m.Type.IsComplex() || m.Type == dtype.Bool { // these have no scale
			continue
		}
		list, ok := numbers(raw)
		var s string
		if !ok && json.Unmarshal(raw, &s) == nil {
			return errkind.Errorf(dtype.ErrDType, "attribute %s is the text %q: want a number: correct the attribute", attr.name, s)
		}
		if !ok {
			return errkind.Errorf(dtype.ErrDType, "attribute %s is %s: want a number", attr.name, raw)
		}
		*attr.to = list
	}
	switch {
	case m.Scale == nil && m.Offset != nil:
		m.Scale = slices.Repeat([]float64{1}, len(m.Offset))
	case m.Scale != nil && m.Offset == nil:
		m.Offset = make([]float64, len(m.Scale))
	}
	switch s, o := len(m.Scale), len(m.Offset); {
	case s == 1 && o > 1:
		m.Scale = slices.Repeat(m.Scale, o)
	case o == 1 && s > 1:
		m.Offset = slices.Repeat(m.Offset, s)
	case s != o:
		return errkind.Errorf(dtype.ErrDType, "scale_factor has %d numbers and add_offset has %d: want as many", s, o)
	}
	return nil
}

// setMissing collects the elements that mark missing values. An attribute value that the type
// cannot hold marks none.
func (m *Meaning) setMissing(fill []byte, attrs map[string]json.RawMessage) {
	if slices.ContainsFunc(fill, func(b byte) bool { return b != 0 }) {
		m.addMissing(fill)
	}
	for _, name := range []string{"_FillValue", "missing_value"} {
		for _, part := range parts(attrs[name]) {
			for _, t := range []dtype.DType{m.Type, m.number()} { // _Unsigned allows either sign
				if b, err := t.FromJSON(part); err == nil {
					m.mark(b)
					break
				}
			}
		}
	}
}

// mark is addMissing for an element that an attribute names.
func (m *Meaning) mark(element []byte) {
	m.marked = m.marked || !m.isNaN(element)
	m.addMissing(element)
}

func (m *Meaning) addMissing(element []byte) {
	if m.isNaN(element) || m.IsMissing(element) {
		return
	}
	m.Missing = append(m.Missing, slices.Clone(element))
}

func (m *Meaning) setValid(attrs map[string]json.RawMessage) {
	valid := [2]float64{math.Inf(-1), math.Inf(1)}
	found := false
	if list, ok := numbers(attrs["valid_range"]); ok && len(list) == 2 {
		valid, found = [2]float64(list), true
	}
	for i, name := range []string{"valid_min", "valid_max"} {
		if list, ok := numbers(attrs[name]); ok && len(list) == 1 {
			valid[i], found = list[0], true
		}
	}
	if found {
		m.Valid = &valid
	}
}

func (m *Meaning) setFlags(attrs map[string]json.RawMessage) {
	names := strings.Fields(text(attrs, "flag_meanings"))
	if len(names) == 0 {
		return
	}
	values, masks := parts(attrs["flag_values"]), parts(attrs["flag_masks"])
	m.flags = map[string]string{}
	for i, name := range names {
		key := ""
		if i < len(values) {
			key = string(values[i])
		}
		if i < len(masks) {
			key += "&" + string(masks[i])
		}
		m.flags[key] = name
	}
}

// otherSigns maps each integer type to the type of the same size with the other signedness.
var otherSigns = map[dtype.DType]dtype.DType{
	dtype.Int8: dtype.Uint8, dtype.Int16: dtype.Uint16, dtype.Int32: dtype.Uint32, dtype.Int64: dtype.Uint64,
	dtype.Uint8: dtype.Int8, dtype.Uint16: dtype.Int16, dtype.Uint32: dtype.Int32, dtype.Uint64: dtype.Int64,
}

// number returns the type of the stored numbers, see Number.
func (m *Meaning) number() dtype.DType {
	if m.otherSign {
		return otherSigns[m.Type]
	}
	return m.Type
}

// Number returns the type of the stored numbers. It is Type, or the integer type of the same size
// with the other signedness if _Unsigned says so.
func (m *Meaning) Number() dtype.DType { return m.number() }

// OtherSign reports whether _Unsigned says that stored integers are unsigned although Type is
// signed, or the reverse.
func (m *Meaning) OtherSign() bool { return m.otherSign }

// setNodata reads GDAL's attribute nodata: one mark of missing values for all bands, or a list with
// a mark, or null, for each band.
func (m *Meaning) setNodata(raw json.RawMessage) error {
	list, differ := parts(raw), false
	marks := make([][]byte, len(list))
	for i, part := range list {
		if b, err := m.Type.FromJSON(part); err == nil && !m.isNaN(b) {
			marks[i] = b
		}
		differ = differ || !slices.Equal(marks[i], marks[0])
	}
	switch {
	case !differ && len(marks) > 0 && marks[0] != nil:
		m.mark(marks[0])
	case differ && len(m.Scale) > 1 && len(m.Scale) != len(marks):
		return errkind.Errorf(dtype.ErrDType, "scale_factor has %d numbers and nodata has %d: want as many", len(m.Scale), len(marks))
	case differ:
		m.nodata, m.marked = marks, true
	}
	return nil
}

// Indices returns the number of indices of a dimension with a meaning of their own, such as bands
// with different scales or missing values; 0 if all elements have one meaning.
func (m *Meaning) Indices() int {
	if len(m.Scale) > 1 {
		return len(m.Scale)
	}
	return len(m.nodata)
}

// DifferInMissing reports whether the mark of missing values depends on the index of a dimension.
func (m *Meaning) DifferInMissing() bool { return m.nodata != nil }

// MarksMissing reports whether attributes mark elements other than NaN as missing.
func (m *Meaning) MarksMissing() bool { return m.marked }

// IsPacked reports whether stored numbers have a scale or an offset.
func (m *Meaning) IsPacked() bool { return m.Scale != nil }

// Dim returns the dimension with a meaning per index, given the shape and the names of the
// dimensions of an array. It is the one named band if its extent is Indices, or else the first one
// with that extent, because bands come first. It is -1 if there is none or one meaning for all
// elements.
func (m *Meaning) Dim(shape []int, names []string) int {
	n := m.Indices()
	if n == 0 {
		return -1
	}
	if d := slices.Index(names, "band"); d >= 0 && d < len(shape) && shape[d] == n {
		return d
	}
	return slices.Index(shape, n)
}

// At returns the meaning of the elements at an index of the dimension that Dim returns.
func (m *Meaning) At(index int) *Meaning {
	if m.Indices() == 0 {
		return m
	}
	one := *m
	if len(m.Scale) > 1 {
		one.Scale, one.Offset = m.Scale[index:index+1], m.Offset[index:index+1]
	}
	if one.nodata = nil; m.nodata != nil && m.nodata[index] != nil {
		one.Missing = slices.Clone(m.Missing)
		one.addMissing(m.nodata[index])
	}
	return &one
}

func isInteger(t dtype.DType) bool { return t != dtype.Bool && !t.IsFloat() && !t.IsComplex() }
