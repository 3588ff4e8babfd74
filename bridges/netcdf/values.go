//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// flatten returns the values of an attribute, which may be any that encoding/json encodes: one value or the elements of a
// list, as bool, int64, uint64, float64 or string. Values that are no such list become their JSON text, because attributes
// of NetCDF are lists of one type. In a list of numbers, the strings "NaN", "Infinity" and "-Infinity" are numbers. It is
// empty for null and for an empty list.
func flatten(value any) ([]any, error) {
	if raw, ok := value.(json.RawMessage); ok {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
	}
	if all, ok := scalars(value); ok && unite(all) {
		return all, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return []any{string(text)}, nil
}

// scalars returns a scalar, or the elements of a list of scalars.
func scalars(value any) (all []any, ok bool) {
	if value == nil {
		return nil, true
	}
	if one := scalar(value); one != nil {
		return []any{one}, true
	}
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		return nil, false
	}
	for i := range list.Len() {
		one := scalar(list.Index(i).Interface())
		if one == nil {
			return nil, false
		}
		all = append(all, one)
	}
	return all, true
}

// scalar returns a value as one of five types, nil if it is none.
func scalar(value any) any {
	if n, ok := value.(json.Number); ok {
		value = parseNumber(n)
	}
	switch r := reflect.ValueOf(value); {
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.Kind() == reflect.String:
		return r.String()
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return r.Uint()
	case r.CanFloat():
		return r.Float()
	}
	return nil
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

// unite makes all values be of one type. It is false if that is not possible.
func unite(all []any) bool {
	var bools, texts, floats, negative, large int
	for _, value := range all {
		switch value := value.(type) {
		case bool:
			bools++
		case float64:
			floats++
		case int64:
			if value < 0 {
				negative++
			}
		case uint64:
			if value > math.MaxInt64 {
				large++
			}
		case string:
			if _, ok := special[value]; ok && len(all) > 1 {
				floats++
			} else {
				texts++
			}
		}
	}
	switch {
	case bools == len(all), texts == len(all):
		return true
	case bools+texts > 0:
		return onlyTexts(all)
	case floats > 0 || large > 0 && negative > 0:
		uniteFloats(all)
	default:
		uniteIntegers(all, large > 0)
	}
	return true
}

// onlyTexts reports whether all values are strings, also such that name numbers.
func onlyTexts(all []any) bool {
	for _, value := range all {
		if _, ok := value.(string); !ok {
			return false
		}
	}
	return true
}

func uniteFloats(all []any) {
	for i, value := range all {
		switch value := value.(type) {
		case int64:
			all[i] = float64(value)
		case uint64:
			all[i] = float64(value)
		case string:
			all[i] = special[value]
		}
	}
}

func uniteIntegers(all []any, unsigned bool) {
	for i, value := range all {
		switch value := value.(type) {
		case int64:
			if unsigned {
				all[i] = uint64(value)
			}
		case uint64:
			if !unsigned {
				all[i] = int64(value)
			}
		}
	}
}
