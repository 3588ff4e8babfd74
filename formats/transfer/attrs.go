package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"drx/formats"
)

// Attributes that an import adds. Most let an export restore properties of the file that an array
// cannot express otherwise; the last two hold the progress.
const (
	scalarAttr    = "import.scalar"    // true: the array of one element was a scalar
	unlimitedAttr = "import.unlimited" // numbers of the dimensions that the file allowed to grow
	stringsAttr   = "import.strings"   // strings, whose indices are the elements
	variableAttr  = "import.variable"  // name of the variable in the file, see Coordinate
	nonfiniteAttr = "import.nonfinite" // attributes whose text stands for NaN and infinities
	progressAttr  = "import.progress"  // an import is not complete
	sourcesAttr   = "import.sources"   // the files of that import
)

// ownPrefixes begin the names of attributes that have a meaning for DRX. An import leaves out
// attributes of the file with such names, because DRX would interpret them as its own.
var ownPrefixes = []string{"import.", "relayout.", "dataset.", "labels/", "levels/"}

func isOwn(attr string) bool {
	return slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(attr, prefix) })
}

// encodeAttrs returns attributes in the form that drx sets, without those that have a meaning for
// DRX.
func encodeAttrs(values map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, v := range values {
		if isOwn(name) {
			continue
		}
		raw, err := formats.EncodeAttr(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = raw
	}
	if names := nonfinite(values); len(names) > 0 {
		out[nonfiniteAttr] = names
	}
	return out, nil
}

// nonfinite returns the names of the attributes with a NaN or an infinity. JSON stores these as
// text, and the names let an export turn that text into numbers again. Attributes in numericAttrs
// need no such record, because they are always numbers.
func nonfinite(values map[string]any) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := reflect.ValueOf(values[name])
		isList := v.Kind() == reflect.Slice && (v.Type().Elem().Kind() == reflect.Float32 || v.Type().Elem().Kind() == reflect.Float64)
		if isOwn(name) || slices.Contains(numericAttrs, name) || !isList && !v.CanFloat() {
			continue
		}
		raw, err := formats.EncodeAttr(values[name])
		if err == nil && bytes.Contains(raw, []byte(`"`)) {
			names = append(names, name)
		}
	}
	return names
}

// numericAttrs are the attributes that hold numbers by the CF conventions, so text in them such as
// NaN stands for a number.
var numericAttrs = []string{
	"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range", "actual_range", "scale_factor", "add_offset",
}

// restoreNonfinite turns the text of NaN and infinities into numbers again, in the attributes that
// raw names.
func restoreNonfinite(attrs map[string]any, raw json.RawMessage) {
	var names []string
	if json.Unmarshal(raw, &names) != nil {
		return // another program has written this attribute
	}
	for _, name := range names {
		if text, ok := attrs[name].(string); ok {
			if x, err := strconv.ParseFloat(text, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
				attrs[name] = x
			}
		}
	}
}

// decodeAttrs returns attributes without those that have a meaning for DRX.
func decodeAttrs(raw map[string]json.RawMessage) (map[string]any, error) {
	var out map[string]any
	for name, text := range raw {
		if isOwn(name) {
			continue
		}
		v, err := formats.DecodeAttr(text)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = v
	}
	restoreNonfinite(out, raw[nonfiniteAttr])
	return out, nil
}

// asNumber returns the number in an attribute, or in a list of one.
func asNumber(v any) (float64, bool) {
	if raw, ok := v.(json.RawMessage); ok && raw == nil {
		return 0, false
	}
	raw, err := formats.EncodeAttr(v)
	if err != nil {
		return 0, false
	}
	var n float64
	if json.Unmarshal(raw, &n) == nil && v != nil {
		return n, true
	}
	var list []float64
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		return list[0], true
	}
	return 0, false
}
