package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"drx"
	"drx/dataset/meaning"
	"drx/formats"
)

// meaningOfVar returns the meaning of the elements of a variable of a file. If v is the bounds of a
// coordinate, parent is that coordinate; otherwise it is nil.
func meaningOfVar(v formats.Info, parent *formats.Info) (*meaning.Meaning, error) {
	attrs, err := rawAttrs(v.Attrs)
	if err != nil || parent == nil {
		return ofAttrs(v, attrs, nil, err)
	}
	of, err := rawAttrs(parent.Attrs)
	return ofAttrs(v, attrs, of, err)
}

func ofAttrs(v formats.Info, attrs, parent map[string]json.RawMessage, err error) (*meaning.Meaning, error) {
	if err != nil {
		return nil, err
	}
	return meaning.Of(v.DType, v.Fill, attrs, parent)
}

func rawAttrs(attrs map[string]any) (map[string]json.RawMessage, error) {
	raw := make(map[string]json.RawMessage, len(attrs))
	for name, value := range attrs {
		text, err := formats.EncodeAttr(value)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		raw[name] = text
	}
	return raw, nil
}

// Meaning returns the meaning of the elements of an array.
func Meaning(a *drx.Array) (*meaning.Meaning, error) { return headerOf(a).meaning(nil) }

// Conversion returns the conversion of a variable's elements to an array's, nil if none is needed.
// With asStored only the types are compared, and numbers keep their stored values. The error is a
// meaning.RefusedError if the meanings cannot be converted.
func Conversion(a *drx.Array, v formats.Info, rule meaning.Rule, asStored bool) (*meaning.Conversion, error) {
	if d := a.Rank() - 1; d >= 0 {
		if err := sameColumns(a, v, d, a.Bounds()[d]); err != nil {
			return nil, err
		}
	}
	if asStored {
		return asTheyAre(headerOf(a), v, rule)
	}
	from, err := meaningOfVar(v, nil)
	if err != nil {
		return nil, err
	}
	to, err := Meaning(a)
	if err != nil {
		return nil, err
	}
	return compare(a.Name(), from, to, rule)
}

// asTheyAre is Conversion with asStored: it compares types only.
func asTheyAre(a arrayHeader, v formats.Info, rule meaning.Rule) (*meaning.Conversion, error) {
	return compare(a.name, &meaning.Meaning{Type: v.DType}, &meaning.Meaning{Type: a.dtype, Fill: a.fill}, rule)
}

// compare is meaning.Compare with the name of the array in errors.
func compare(array string, from, to *meaning.Meaning, rule meaning.Rule) (*meaning.Conversion, error) {
	c, err := meaning.Compare(from, to, rule)
	if refused := (*meaning.RefusedError)(nil); errors.As(err, &refused) {
		refused.Target = array
	}
	return c, err
}

// countedAttrs are the attributes that say what numbers count.
var countedAttrs = []string{"units", "calendar", "flag_values", "flag_masks", "flag_meanings"}

// quantityAttrs are the attributes that name the quantity of numbers.
var quantityAttrs = []string{"positive", "standard_name", "cell_methods"}

// WithoutUnits returns the description of a variable without the attributes that say what its
// numbers count.
func WithoutUnits(v formats.Info) formats.Info {
	v.Attrs = maps.Clone(v.Attrs)
	for _, name := range countedAttrs {
		delete(v.Attrs, name)
	}
	return v
}

// MeaningAttrs returns the attributes of a variable of a file that define the meaning of its
// numbers, for drx.Spec. Attributes about packing are included only if packed.
func MeaningAttrs(v formats.Info, packed bool) (map[string]any, error) {
	all, err := encodeAttrs(v.Attrs)
	maps.DeleteFunc(all, func(name string, _ any) bool {
		isPacked := slices.Contains(packedAttrs, name) || slices.Contains(validAttrs, name) || meaning.IsRoundingAttr(name)
		return !IsMeaning(name) && !isPacked && !slices.Contains(quantityAttrs, name) || !packed && isPacked
	})
	return all, err
}

// IsMeaning reports whether an attribute says how numbers are packed, or what they count.
func IsMeaning(attr string) bool {
	return slices.Contains(packedAttrs, attr) || slices.Contains(countedAttrs, attr)
}

// packedAttrs are the attributes that say how numbers are packed, and which are missing.
var packedAttrs = []string{"scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "nodata"}
