package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// EncodeAttr returns the value of an attribute as JSON in which integers and floating-point numbers
// differ: a float has a point or an exponent, also if it is whole, as in 1.0. NaN and the
// infinities become the strings "NaN", "Infinity" and "-Infinity". A value is a string, a bool, a
// number or a list of these. The error says which other type it has.
func EncodeAttr(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := encodeAttr(&b, reflect.ValueOf(value)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encodeAttr(b *bytes.Buffer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Interface:
		return encodeAttr(b, v.Elem())
	case reflect.Float32:
		b.WriteString(formatFloat(v.Float(), 32))
	case reflect.Float64:
		b.WriteString(formatFloat(v.Float(), 64))
	case reflect.Slice, reflect.Array:
		if raw, ok := v.Interface().(json.RawMessage); ok {
			return json.Compact(b, raw)
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encodeAttr(b, v.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Map:
		e := json.NewEncoder(b) // json.Number is a string here and a number there
		e.SetEscapeHTML(false)
		if err := e.Encode(v.Interface()); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // without the line feed
	case reflect.Invalid:
		b.WriteString("null")
	default:
		return fmt.Errorf("an attribute of Go type %v: %w", v.Type(), ErrType)
	}
	return nil
}

// formatFloat returns the shortest JSON of a float that cannot be read as an integer.
func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return `"NaN"`
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	text := strconv.FormatFloat(f, format, -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// DecodeAttr returns the value of an attribute that EncodeAttr has written: a string, a bool, an
// int64, a uint64 if it is too large for that, or a float64. A list whose values all have one of
// these types is a slice of it, a list of numbers that differ is a []float64 if one of them is a
// float, and any other is a []any. Objects are returned as map[string]any. The error is
// encoding/json's.
func DecodeAttr(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return typedAttr(v), nil
}

// typedAttr replaces the numbers of JSON by those of Go.
func typedAttr(v any) any {
	switch v := v.(type) {
	case json.Number:
		return typedNumber(string(v))
	case []any:
		for i := range v {
			v[i] = typedAttr(v[i])
		}
		return typedList(v)
	case map[string]any:
		for name := range v {
			v[name] = typedAttr(v[name])
		}
	}
	return v
}

// typedNumber returns a number as the first type that holds it.
func typedNumber(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && math.IsInf(f, 0) { // too large for a float64
		return text
	}
	return f
}

// typedList returns a list as a slice of the type of its values, if they have the same.
func typedList(list []any) any {
	for _, as := range []func([]any) any{listOf[string], listOf[bool], listOf[int64], listOf[uint64], listOf[float64], floats} {
		if typed := as(list); typed != nil {
			return typed
		}
	}
	return list
}

// listOf returns a list as a slice of T, or nil if it has values of other types or none.
func listOf[T any](list []any) any {
	typed := make([]T, len(list))
	for i, v := range list {
		x, ok := v.(T)
		if !ok {
			return nil
		}
		typed[i] = x
	}
	if len(list) == 0 {
		return nil
	}
	return typed
}

// floats returns a list of numbers with at least one float as floats, or nil. NaN and infinities
// are strings in JSON; among numbers they are numbers again.
func floats(list []any) any {
	typed, seen := make([]float64, len(list)), false
	for i, v := range list {
		switch v := v.(type) {
		case int64:
			typed[i] = float64(v)
		case uint64:
			typed[i] = float64(v)
		case float64:
			typed[i], seen = v, true
		case string:
			f, ok := specialFloats[v]
			if !ok {
				return nil
			}
			typed[i] = f
		default:
			return nil
		}
	}
	if !seen {
		return nil
	}
	return typed
}

// specialFloats are the floats that JSON does not have.
var specialFloats = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}
