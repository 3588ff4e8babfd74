package scaled

import (
	"fmt"
	"strconv"
	"strings"

	"drx"
)

// IsPacked reports whether values differ from the stored numbers.
func (m Meaning) IsPacked() bool {
	return m.PerIndex() && m.of.IsPacked() || m.isScaled() || m.of != nil && m.of.OtherSign()
}

// NoteStored returns a note that a kind of output has stored numbers instead of values, "" if both
// are the same.
func (m Meaning) NoteStored(kind string) string {
	var without []string
	if m.IsPacked() {
		without = append(without, "scale_factor, add_offset and _Unsigned")
	}
	if m.of != nil && m.of.MarksMissing() {
		without = append(without, "NaN for what _FillValue, missing_value and nodata call missing")
	}
	if without == nil {
		return ""
	}
	return fmt.Sprintf("%s has the numbers as they are stored, without %s; drx export to a .csv file writes values", kind, strings.Join(without, ", and "))
}

// isScaled reports whether the attributes scale_factor and add_offset change the values of an
// array.
func (m Meaning) isScaled() bool { return m.factor != 1 || m.offset != 0 }

// Texts returns a function that formats an element of an array for a table; index is the element's
// index in Dim, and matters only if PerIndex. Scaled values have 15 digits: the 16th and 17th would
// show the rounding of the product, as in 0.1 times 3.
func (m Meaning) Texts(a *drx.Array) func(index int, b []byte) string {
	if !m.PerIndex() {
		text := m.text(a)
		return func(_ int, b []byte) string { return text(b) }
	}
	return func(index int, b []byte) string { return m.At(index).text(a)(b) }
}

// text is Texts for a meaning with one scale.
func (m Meaning) text(a *drx.Array) func([]byte) string {
	if m.of == nil {
		return a.DType().Format
	}
	if !m.isScaled() {
		marked := m.of.MarksMissing() || m.of.OtherSign()
		return func(b []byte) string {
			if marked && m.of.IsMissing(b) {
				return "NaN"
			}
			return m.of.Number().Format(b)
		}
	}
	return func(b []byte) string { return strconv.FormatFloat(m.Decode(b), 'g', 15, 64) }
}
