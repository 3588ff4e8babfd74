package cformat

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"drx/dtype"
	"drx/formats"
)

// The attributes that describe the enumeration of an integer variable: the name of its type and,
// following CF, its values and their meanings, which are words separated by blanks.
const (
	enumType     = "enum_type"
	flagValues   = "flag_values"
	flagMeanings = "flag_meanings"
	flagMasks    = "flag_masks"
	fillValue    = "_FillValue"
)

// Word returns the name of an enumeration value as a word for flag_meanings, with underscores in
// place of blanks.
func Word(name string) string { return strings.Join(strings.Fields(formats.Text(name)), "_") }

// An Enum is an enumeration of integers.
type Enum struct {
	Name     string // of its type
	Values   []any  // each an int64 or a uint64
	Meanings []string

	dtype    dtype.DType // of the variable that ParseEnum was called for
	elements []byte      // the values in this type
}

// WithEnum returns attributes with those that describe the enumeration e added, or attrs unchanged
// if e is nil or flag_values exists.
func WithEnum(attrs map[string]any, e *Enum) map[string]any {
	if e == nil || attrs[flagValues] != nil {
		return attrs
	}
	out := map[string]any{flagValues: e.Values, flagMeanings: strings.Join(e.Meanings, " ")}
	if e.Name != "" {
		out[enumType] = e.Name
	}
	maps.Copy(out, attrs)
	return out
}

// ParseEnum returns the enumeration that the attributes of a variable describe, with its elements,
// and the other attributes. The enumeration is nil if the attributes describe none, or one that a
// file cannot store or that would be read back with other attributes: there must be one meaning for
// each value and no duplicates, the values must be a list of integers of the variable's type, the
// fill value one of them, and the names valid in NetCDF. Flags that are combined (flag_masks) are
// no enumeration.
func ParseEnum(info *formats.Info) (*Enum, map[string]any) {
	name, _ := info.Attrs[enumType].(string)
	words, _ := info.Attrs[flagMeanings].(string)
	values, err := Flatten(info.Attrs[flagValues], 1)
	if err != nil || info.Labels != nil || !isInteger(info.DType) || len(values.Shape) != 1 || values.Kind != Ints && values.Kind != Uints {
		return nil, info.Attrs
	}
	e := &Enum{Name: name, Values: values.All, Meanings: strings.Split(words, " "), dtype: info.DType}
	var fit bool
	if e.elements, _, fit = values.Elements(info.DType); !fit || !e.valid() || info.Attrs[flagMasks] != nil || !e.hasFill(info.Attrs[fillValue]) {
		return nil, info.Attrs
	}
	attrs := maps.Clone(info.Attrs)
	for _, name := range []string{enumType, flagValues, flagMeanings} {
		delete(attrs, name)
	}
	return e, attrs
}

// isInteger reports whether t is an integer type.
func isInteger(t dtype.DType) bool {
	return t != dtype.Bool && !t.IsFloat() && !t.IsComplex()
}

// valid reports whether a file can store the enumeration.
func (e *Enum) valid() bool {
	values, meanings := map[string]bool{}, map[string]bool{}
	for i, m := range e.Meanings {
		if i >= len(e.Values) || !isEnumName(m) || Word(m) != m {
			return false
		}
		values[fmt.Sprint(e.Values[i])], meanings[m] = true, true
	}
	n := len(e.Values)
	return isEnumName(e.Name) && n > 0 && len(values) == n && len(meanings) == n
}

// Element returns value number i as an element of the variable.
func (e *Enum) Element(i int) []byte {
	size := e.dtype.Size()
	return e.elements[i*size : (i+1)*size]
}

// Has reports whether an element of the variable is one of the values.
func (e *Enum) Has(element []byte) bool {
	for i := range e.Values {
		if bytes.Equal(e.Element(i), element) {
			return true
		}
	}
	return false
}

// hasFill reports whether the attribute _FillValue is absent or one of the values.
func (e *Enum) hasFill(attr any) bool {
	fill := FillAttribute(e.dtype, attr)
	return attr == nil || fill != nil && e.Has(fill)
}

// Equal reports whether two enumerations have the same integer type and the same values with the
// same meanings.
func (e *Enum) Equal(f *Enum) bool {
	return e.dtype == f.dtype && bytes.Equal(e.elements, f.elements) && slices.Equal(e.Meanings, f.Meanings)
}

// maxName is the length of the longest name in NetCDF, in bytes.
const maxName = 256

// isEnumName reports whether NetCDF accepts a name for a type or a member: it must begin with a
// letter, a digit or an underscore.
func isEnumName(name string) bool {
	if name == "" || len(name) > maxName || strings.HasSuffix(name, " ") || formats.Text(name) != name {
		return false
	}
	first := rune(name[0])
	if first < unicode.MaxASCII && first != '_' && !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r == '/' || unicode.IsControl(r) })
}

// EnumTypes are the enumeration types of a file to be written.
type EnumTypes struct {
	used  map[string]bool
	types map[string]*Enum
}

// NewEnumTypes returns an empty set of types. used are the paths of groups, variables and
// dimensions, which no type can have.
func NewEnumTypes(used []string) *EnumTypes {
	t := &EnumTypes{map[string]bool{}, map[string]*Enum{}}
	for _, name := range used {
		for ; name != ""; name = Parent(name) {
			t.used[name] = true
		}
	}
	return t
}

// Path returns the path of the type of a variable's enumeration: that of an equal type of an
// earlier variable, if it is the nearest type of its name in the enclosing groups; otherwise a new
// one in the variable's group. If the path is taken, Path appends a number.
func (t *EnumTypes) Path(variable string, e *Enum) string {
	for group := Parent(variable); ; group = Parent(group) {
		at := path.Join(group, e.Name)
		there := t.types[at]
		if there != nil && there.Equal(e) {
			return at
		}
		if there != nil || group == "" {
			break
		}
	}
	at := path.Join(Parent(variable), e.Name)
	for n, first := 2, at; ; n++ {
		there := t.types[at]
		if there == nil && !t.used[at] {
			t.types[at] = e
			return at
		}
		if there != nil && there.Equal(e) {
			return at
		}
		at = fmt.Sprintf("%s_%d", first, n)
	}
}
