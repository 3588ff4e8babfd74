//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// A kind says as what the values of an attribute are written.
type kind int

const (
	noKind kind = iota
	boolKind
	intKind
	uintKind
	floatKind
	textKind
)

// values are those of an attribute, of one kind: a single one, or a list, or rectangular lists of lists.
type values struct {
	kind  kind
	shape []int
	all   []any // bool, int64, uint64, float64 or string
}

// flatten returns the values of an attribute, which may be any that encoding/json encodes. Lists that are not
// rectangular or mix numbers and strings, and objects, become their JSON text. In a list of numbers, the strings
// "NaN", "Infinity" and "-Infinity" are numbers.
func flatten(value any) (*values, error) {
	if raw, ok := value.(json.RawMessage); ok {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
	}
	v := &values{}
	if v.shape = shapeOf(value); v.add(value, v.shape) && v.unite() {
		return v, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &values{kind: textKind, all: []any{string(text)}}, nil
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

// shapeOf returns the extents of lists of lists, as their first elements tell.
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

// add adds values. It is false if they do not have the shape, or are of no kind.
func (v *values) add(value any, shape []int) bool {
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

// addOne adds a single value as one of the types that all has.
func (v *values) addOne(value any) bool {
	if n, ok := value.(json.Number); ok {
		value = parseNumber(n)
	}
	r := reflect.ValueOf(value)
	switch {
	case r.Kind() == reflect.Bool:
		v.all = append(v.all, r.Bool())
	case r.Kind() == reflect.String:
		v.all = append(v.all, r.String())
	case r.CanInt():
		v.all = append(v.all, r.Int())
	case r.CanUint():
		v.all = append(v.all, r.Uint())
	case r.CanFloat():
		v.all = append(v.all, r.Float())
	default:
		return false
	}
	return true
}

// parseNumber returns an int64 or uint64 for a number without point and exponent, otherwise a float64.
func parseNumber(n json.Number) any {
	if !strings.ContainsAny(string(n), ".eE") {
		if i, err := n.Int64(); err == nil {
			return i
		}
		var u uint64
		if _, err := fmt.Sscan(string(n), &u); err == nil {
			return u
		}
	}
	f, _ := n.Float64() // an infinity beyond the range
	return f
}

// special are the names of values that JSON has no numbers for.
var special = map[any]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// unite sets the kind of all values. It is false if they have none in common.
func (v *values) unite() bool {
	kinds := map[kind]bool{}
	names := 0
	for _, value := range v.all {
		switch value := value.(type) {
		case bool:
			kinds[boolKind] = true
		case string:
			kinds[textKind] = true
			if _, ok := special[value]; ok {
				names++
			}
		case int64:
			kinds[intKind] = true
		case uint64:
			kinds[uintKind] = true
		case float64:
			kinds[floatKind] = true
		}
	}
	texts := 0
	for _, value := range v.all {
		if _, ok := value.(string); ok {
			texts++
		}
	}
	switch {
	case len(kinds) == 1:
		for k := range kinds {
			v.kind = k
		}
		return true
	case len(kinds) == 0:
		v.kind = floatKind // an empty list
		return true
	case kinds[boolKind] || texts > names:
		return false
	}
	return v.uniteNumbers(kinds)
}

// uniteNumbers makes numbers of different kinds floats, or unsigned integers if all are large or not negative.
func (v *values) uniteNumbers(kinds map[kind]bool) bool {
	if !kinds[floatKind] && !kinds[textKind] {
		if unsigned := v.unsigned(); unsigned != nil {
			v.kind, v.all = uintKind, unsigned
			return true
		}
	}
	v.kind = floatKind
	for i, value := range v.all {
		switch value := value.(type) {
		case int64:
			v.all[i] = float64(value)
		case uint64:
			v.all[i] = float64(value)
		case string:
			v.all[i] = special[value]
		}
	}
	return true
}

// unsigned returns all integers as unsigned ones, nil if one is negative.
func (v *values) unsigned() []any {
	var out []any
	for _, value := range v.all {
		if n, ok := value.(int64); ok {
			if n < 0 {
				return nil
			}
			value = uint64(n)
		}
		out = append(out, value)
	}
	return out
}
