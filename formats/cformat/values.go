package cformat

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"drx/dtype"
	"drx/formats"
)

// A Kind is the type in which the values of an attribute are written.
type Kind int

// The kinds of values, with the Go types that Values.All has for them.
const (
	Floats Kind = iota // float64, and an attribute without values
	Bools              // bool
	Ints               // int64
	Uints              // uint64
	Texts              // string
)

// Values are the values of an attribute, all of one kind: a single value, a list, or rectangular
// lists of lists.
type Values struct {
	Kind  Kind  // of all values
	Shape []int // extents of the lists, none for a single value
	All   []any // in row-major order, of the Go type for Kind
}

// Flatten returns the values of an attribute, which may be anything that encoding/json encodes.
// Objects, and lists that are not rectangular, mix numbers with strings or bools, or are nested
// more than dims deep, become their JSON text. In a list of numbers, the strings "NaN", "Infinity"
// and "-Infinity" are numbers, even if the list has nothing else. null and an empty list have no
// values. The error is one of encoding/json.
func Flatten(value any, dims int) (*Values, error) {
	plain := value
	if raw, ok := value.(json.RawMessage); ok {
		var err error
		if plain, err = formats.DecodeAttr(raw); err != nil {
			return nil, err
		}
	}
	v := &Values{Shape: shapeOf(plain)}
	if len(v.Shape) <= dims && v.add(plain, v.Shape) && v.unite() {
		return v, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &Values{Kind: Texts, All: []any{string(text)}}, nil
}

// list returns the elements of a list.
func list(value any) ([]any, bool) {
	r := reflect.ValueOf(value)
	if value == nil || r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil, false
	}
	all := make([]any, r.Len())
	for i := range all {
		all[i] = r.Index(i).Interface()
	}
	return all, true
}

// shapeOf returns the extents of lists of lists, taken from their first elements.
func shapeOf(value any) (shape []int) {
	for {
		all, ok := list(value)
		if !ok {
			return shape
		}
		shape = append(shape, len(all))
		if len(all) == 0 {
			return shape
		}
		value = all[0]
	}
}

// add adds values. It returns false if they do not have the given shape or have no kind.
func (v *Values) add(value any, shape []int) bool {
	all, isList := list(value)
	if isList != (len(shape) > 0) || isList && len(all) != shape[0] {
		return false
	}
	if !isList {
		return value == nil || v.addOne(value)
	}
	for _, one := range all {
		if one == nil || !v.add(one, shape[1:]) {
			return false
		}
	}
	return true
}

// addOne adds a single value as one of the Go types of All.
func (v *Values) addOne(value any) bool {
	if n, ok := value.(json.Number); ok {
		value, _ = formats.DecodeAttr(json.RawMessage(n)) // nil if it is no number
	}
	r := reflect.ValueOf(value)
	switch {
	case r.Kind() == reflect.Bool:
		v.All = append(v.All, r.Bool())
	case r.Kind() == reflect.String:
		v.All = append(v.All, r.String())
	case r.CanInt():
		v.All = append(v.All, r.Int())
	case r.CanUint():
		v.All = append(v.All, r.Uint())
	case r.CanFloat():
		v.All = append(v.All, r.Float())
	default:
		return false
	}
	return true
}

// special are the names of floating-point values that JSON cannot express.
var special = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// unite converts all values to one kind. It returns false if that is not possible.
func (v *Values) unite() bool {
	var bools, texts, names, floats, ints, uints, negative, large int
	for _, value := range v.All {
		switch value := value.(type) {
		case bool:
			bools++
		case float64:
			floats++
		case int64:
			ints++
			negative += int(uint64(value) >> 63)
		case uint64:
			uints++
			large += int(value >> 63)
		case string:
			texts++
			if _, ok := special[value]; ok && len(v.All) > 1 {
				names++
			}
		}
	}
	n := len(v.All)
	switch {
	case n == 0:
		v.Kind = Floats
	case bools == n:
		v.Kind = Bools
	case texts == n && names < n:
		v.Kind = Texts
	case bools > 0 || texts > names:
		return false
	case floats+names > 0 || large > 0 && negative > 0:
		v.Kind = Floats
	case uints == n || large > 0:
		v.Kind = Uints
	default:
		v.Kind = Ints
	}
	for i, value := range v.All {
		v.All[i] = v.Kind.convert(value)
	}
	return true
}

// convert returns a value as one of kind k, which can hold it.
func (k Kind) convert(value any) any {
	switch value := value.(type) {
	case int64:
		switch k {
		case Floats:
			return float64(value)
		case Uints:
			return uint64(value)
		}
	case uint64:
		switch k {
		case Floats:
			return float64(value)
		case Ints:
			return int64(value)
		}
	case string:
		if k == Floats {
			return special[value]
		}
	}
	return value
}

// Elements returns the values as elements of a type, with their extents. A complex number is a list
// of two numbers, which adds no extent. fit is false if a value does not fit.
func (v *Values) Elements(of dtype.DType) (elements []byte, shape []int, fit bool) {
	all, shape := make([]any, len(v.All)), v.Shape
	for i, value := range v.All {
		if f, ok := value.(float64); ok {
			value = Float(f, false)
		}
		all[i] = value
	}
	if of.IsComplex() && len(shape) == 1 && shape[0] == 2 {
		all, shape = []any{all}, nil
	}
	for _, value := range all {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, nil, false
		}
		element, err := of.FromJSON(text)
		if err != nil {
			return nil, nil, false
		}
		elements = append(elements, element...)
	}
	return elements, shape, true
}

// Float returns a number as an attribute value. If single is set, the number was a float32, and
// becomes the value of its shortest decimal form. NaN and infinities become their names.
func Float(f float64, single bool) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case single:
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	}
	return f
}

// Single returns a number that Float returned, with NaN and infinities as numbers again, so that
// they are not stored as text. Attributes whose values are elements keep the names, which
// FillAttribute reads.
func Single(value any) any {
	if name, ok := value.(string); ok {
		if f, ok := special[name]; ok {
			return f
		}
	}
	return value
}

// FillAttribute returns the value of an attribute, or the first value of a list, as an element; nil
// if it cannot be one.
func FillAttribute(t dtype.DType, value any) []byte {
	if list, ok := value.([]any); ok && len(list) > 0 && !t.IsComplex() {
		value = list[0]
	}
	text, err := json.Marshal(value)
	if err != nil || value == nil {
		return nil
	}
	fill, err := t.FromJSON(text)
	if err != nil {
		return nil
	}
	return fill
}
