package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
)

// compareProperties records differences other than in elements.
func (d *differ) compareProperties(v *Variable, p pair) {
	if d.Data {
		return
	}
	differs := func(what, a, b string) {
		if a != b {
			v.Properties = append(v.Properties, Property{what, a, b})
		}
	}
	differs("dtype", typeText(p.a), typeText(p.b))
	if slices.Equal(p.a.Shape, p.b.Shape) {
		differs("dims", dimsText(p.a), dimsText(p.b))
		if a, b := d.a.Begin(p.a), d.b.Begin(p.b); !slices.Equal(a, b) {
			differs("bounds", fmt.Sprintf("from %v on", a), fmt.Sprintf("from %v on", b))
		}
	}
	v.Properties = append(v.Properties, differentAttrs("", attrsOf(p.a), attrsOf(p.b))...)
}

// typeText returns the element type as text.
func typeText(v formats.Info) string {
	if v.Labels != nil {
		return "text"
	}
	return v.DType.String()
}

// dimsText returns the names of the dimensions. A dimension without a name of its own is a number.
func dimsText(v formats.Info) string {
	var names []string
	for i := range v.Shape {
		name := strconv.Itoa(i)
		if i < len(v.Dims) && v.Dims[i] != "" && !slices.Contains(names, path.Base(v.Dims[i])) {
			name = path.Base(v.Dims[i])
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

// marks are the attributes that mark missing values. They are not compared as attributes, because
// the marked elements are compared as values.
var marks = []string{"_FillValue", "missing_value", "nodata"}

// attrsOf returns the attributes of a variable that are compared.
func attrsOf(v formats.Info) map[string]any {
	attrs := maps.Clone(v.Attrs)
	for _, name := range marks {
		delete(attrs, name)
	}
	return attrs
}

// differentAttrs returns the attributes that differ, with a prefix to their names.
func differentAttrs(prefix string, a, b map[string]any) (found []Property) {
	for _, name := range sortedKeys(a, b) {
		x, inA := a[name]
		y, inB := b[name]
		textA, textB := attrText(x, inA), attrText(y, inB)
		if textA != textB {
			found = append(found, Property{"attribute " + prefix + name, textA, textB})
		}
	}
	return found
}

// sortedKeys returns the keys of two maps, each once.
func sortedKeys[V any](a, b map[string]V) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// attrText returns an attribute as JSON, such that equal values have equal texts: a list of one
// element becomes that element, because formats differ in that, and numbers have no needless
// digits.
func attrText(value any, has bool) string {
	if !has {
		return ""
	}
	raw, err := formats.EncodeAttr(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	var plain any
	if json.Unmarshal(raw, &plain) != nil {
		return string(raw)
	}
	if list, ok := plain.([]any); ok && len(list) == 1 {
		plain = list[0]
	}
	if n, ok := plain.(float64); ok && float64(int64(n)) == n && string(raw) != strconv.FormatInt(int64(n), 10) && !strings.ContainsAny(string(raw), ".eE") {
		return strings.Trim(string(raw), "[]") // an integer beyond 2^53
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// canCompare reports whether elements can be compared, and records in v why they cannot.
func canCompare(v *Variable, p pair) bool {
	if !slices.Equal(p.a.Shape, p.b.Shape) {
		v.Properties = append(v.Properties, Property{"shape", wording.Shape(p.a.Shape), wording.Shape(p.b.Shape)})
		return false
	}
	if a, b := dimsText(p.a), dimsText(p.b); a != b && isPermuted(a, b) {
		v.Properties = addOnce(v.Properties, Property{"dims", a, b})
		return false
	}
	if (p.a.Labels == nil) != (p.b.Labels == nil) || p.a.DType.IsComplex() != p.b.DType.IsComplex() {
		v.Properties = addOnce(v.Properties, Property{"dtype", typeText(p.a), typeText(p.b)})
		return false
	}
	return true
}

// addOnce adds a property unless the list already contains it.
func addOnce(list []Property, p Property) []Property {
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// isPermuted reports whether two lists contain the same names.
func isPermuted(a, b string) bool {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// A scale says how values of B become values in the units of A: x*factor + shift, or moments.
type scale struct {
	factor, shift float64
	times         bool
	exact         bool // same units: values are compared without arithmetic
}

// scaleOf returns the scale between the units of both; ok is false if they measure different
// quantities.
func scaleOf(a, b *meaning.Meaning) (s scale, ok bool) {
	s = scale{factor: 1, exact: true}
	if a.Units == b.Units && a.Calendar == b.Calendar {
		s.exact = slices.Equal(a.Scale, b.Scale) && slices.Equal(a.Offset, b.Offset)
		return s, true
	}
	if a.Times != nil && b.Times != nil {
		s.times = true
	}
	inUnits := func(m *meaning.Meaning) *meaning.Meaning {
		return &meaning.Meaning{Type: float64Type, Units: m.Units, Calendar: m.Calendar, Times: m.Times}
	}
	c, err := meaning.Compare(inUnits(b), inUnits(a), meaning.Nearest)
	if err != nil {
		return s, false
	}
	if c == nil {
		return scale{factor: 1, exact: true}, true
	}
	var known bool
	s.factor, s.shift, known = c.Units()
	s.exact = false
	return s, known || s.times
}
