package meaning

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drx/dataset/cftime"
	"drx/dtype"
)

// A Rule sets how far values may change when they are converted.
type Rule uint8

const (
	// Exact keeps values as they are, except for rounding to the step of a packed target and, after
	// arithmetic with a scale or units, to the digits of a floating-point type.
	Exact Rule = iota
	// Values also allows a target type that lacks some values of the source type, if it has each
	// converted value. Floating-point numbers are rounded to a narrower floating-point type.
	Values
	// Nearest also allows a target type that lacks some values of the source type, and rounds to
	// it.
	Nearest
	// Clip also replaces a value out of range by the nearest one in range.
	Clip
)

// ErrRefused is wrapped by errors for elements whose meanings differ and cannot be converted, and
// for values that do not fit the target.
var ErrRefused = errors.New("another meaning")

// A RefusedError explains why elements of one meaning cannot be stored as those of another.
type RefusedError struct {
	Kind     string // what differs: an attribute, or "type"
	From, To string // the two meanings
	Hint     string // the remedy; may be empty
	Target   string // the owner of To in the text; empty for "the target"
}

// Error names the differing attribute, both meanings and the remedy.
func (e *RefusedError) Error() string {
	s := fmt.Sprintf("%s is %s, that of %s is %s", e.Kind, e.From, cmp.Or(e.Target, "the target"), e.To)
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// Unwrap makes errors.Is find ErrRefused and dtype.ErrDType.
func (*RefusedError) Unwrap() []error { return []error{ErrRefused, dtype.ErrDType} }

// Compare returns the Conversion from elements with the meaning from to elements with the meaning
// to. It is nil if they can be stored as they are. The error is a RefusedError if they cannot be
// converted.
func Compare(from, to *Meaning, rule Rule) (*Conversion, error) {
	if err := from.sameFlags(to); err != nil {
		return nil, err
	}
	if err := from.sameGeoreference(to); err != nil {
		return nil, err
	}
	if err := from.quantity.same(to.quantity); err != nil {
		return nil, err
	}
	c := &Conversion{from: from, to: to, rule: rule, factor: 1, mul: 1, div: 1}
	if err := c.setUnits(); err != nil {
		return nil, err
	}
	if c.isSame() {
		return nil, nil
	}
	if err := c.checkTypes(); err != nil {
		return nil, err
	}
	return c, c.prepare()
}

// sameGeoreference refuses pixels of another coordinate system. It also refuses different scales
// per index: a Conversion sees elements without their indices and could not choose the scale.
func (m *Meaning) sameGeoreference(to *Meaning) error {
	if m.crs != "" && to.crs != "" && !SameCRS(m.crs, to.crs) {
		return &RefusedError{Kind: "coordinate system", From: DescribeCRS(m.crs), To: DescribeCRS(to.crs), Hint: "warp one of them"}
	}
	if (len(m.Scale) > 1 || len(to.Scale) > 1) && !m.samePacking(to) {
		return &RefusedError{Kind: "scale_factor", From: m.packingUnlike(to), To: to.packingUnlike(m), Hint: "unpack both"}
	}
	same := slices.EqualFunc(m.nodata, to.nodata, slices.Equal[[]byte])
	if !same || m.nodata != nil && (m.number() != to.number() || !m.samePacking(to)) {
		return &RefusedError{Kind: "nodata", From: m.marks(), To: to.marks(), Hint: "give all bands of both the same missing value"}
	}
	if m.Indices() > 0 && m.Units != to.Units {
		return &RefusedError{Kind: "units", From: unitText(m.Units), To: unitText(to.Units), Hint: "unpack both, as there is a scale for each index"}
	}
	return nil
}

// DescribeCRS describes a coordinate system for errors.
func DescribeCRS(text string) string {
	n := parseWKT(text)
	switch code := codeOf(n, text); {
	case n == nil:
		return fmt.Sprintf("%.60q", text)
	case code != "":
		return fmt.Sprintf("%.60q (%s)", n.title(), code)
	}
	return fmt.Sprintf("%.60q", n.title())
}

func (m *Meaning) samePacking(to *Meaning) bool {
	return slices.Equal(m.Scale, to.Scale) && slices.Equal(m.Offset, to.Offset)
}

// packing describes a packing for errors.
func (m *Meaning) packing() string {
	switch {
	case m.Scale == nil:
		return "none"
	case len(m.Scale) > 1:
		return fmt.Sprintf("%d scales from %v on", len(m.Scale), m.Scale[0])
	}
	return fmt.Sprintf("%v and an offset of %v", m.Scale[0], m.Offset[0])
}

// packingUnlike describes the packing at the first index where it differs from that of other.
func (m *Meaning) packingUnlike(other *Meaning) string {
	if len(m.Scale) != len(other.Scale) || len(m.Scale) < 2 {
		return m.packing()
	}
	i := 0
	for i < len(m.Scale)-1 && m.Scale[i] == other.Scale[i] && m.Offset[i] == other.Offset[i] {
		i++
	}
	return fmt.Sprintf("%v and an offset of %v at index %d", m.Scale[i], m.Offset[i], i)
}

// marks describes the marks of missing values for errors.
func (m *Meaning) marks() string {
	var list []string
	for _, b := range m.nodata {
		text := "none"
		if b != nil {
			text = m.number().Format(b)
		}
		list = append(list, text)
	}
	for _, b := range m.Missing {
		list = append(list, m.number().Format(b))
	}
	text := cmp.Or(strings.Join(list[:min(len(list), 6)], ", "), "none")
	if m.nodata != nil {
		return fmt.Sprintf("another one in each of %d bands (%s)", len(m.nodata), text)
	}
	return text
}

// sameFlags checks that the target has every flag of m, with the same name.
func (m *Meaning) sameFlags(to *Meaning) error {
	for value, name := range m.flags {
		if has, known := to.flags[value]; !known || has != name {
			return &RefusedError{Kind: "flag_meanings", From: m.flagText(), To: to.flagText(), Hint: "renumber the values of one of them"}
		}
	}
	if m.flags == nil && to.flags != nil {
		return &RefusedError{Kind: "flag_meanings", From: "none", To: to.flagText(), Hint: "give both the same attributes"}
	}
	return nil
}

func (m *Meaning) flagText() string {
	if m.flags == nil {
		return "none"
	}
	var list []string
	for _, value := range slices.Sorted(maps.Keys(m.flags)) {
		list = append(list, value+" "+m.flags[value])
	}
	return strings.Join(list, ", ")
}

// setUnits sets the factor and shift between the units, or refuses.
func (c *Conversion) setUnits() error {
	f, t := c.from, c.to
	if cftime.IsTime(f.Units) || cftime.IsTime(t.Units) {
		return c.setTimes()
	}
	if f.Units == t.Units {
		return nil
	}
	var ok bool
	if c.factor, c.shift, ok = conversionOf(f.Units, t.Units); !ok {
		return &RefusedError{Kind: "units", From: unitText(f.Units), To: unitText(t.Units), Hint: "convert one of them, or give both the same attribute units"}
	}
	return nil
}

func unitText(units string) string {
	if units == "" {
		return "none"
	}
	return fmt.Sprintf("%q", units)
}

func (c *Conversion) setTimes() error {
	f, t := c.from, c.to
	if f.Units == t.Units && f.calendar() == t.calendar() {
		return nil
	}
	if f.Times == nil || t.Times == nil {
		hint := "convert the times to units that both can have"
		for _, m := range []*Meaning{f, t} {
			if _, err := cftime.ParseUnits(m.Units, m.Calendar); err != nil && cftime.IsTime(m.Units) {
				hint = err.Error()
			}
		}
		return &RefusedError{Kind: "units", From: unitText(f.Units), To: unitText(t.Units), Hint: hint}
	}
	if *f.Times == *t.Times {
		return nil
	}
	gregorian := func(cal cftime.Calendar) bool { return cal == cftime.Standard || cal == cftime.Proleptic }
	from, to := f.Times.Calendar, t.Times.Calendar
	if from != to && !(gregorian(from) && gregorian(to)) {
		return &RefusedError{Kind: "calendar", From: from.String(), To: to.String(), Hint: "no date of the one is a date of the other"}
	}
	c.times = true
	return nil
}

// calendar returns the canonical name of the calendar, or the attribute if the name is unknown.
func (m *Meaning) calendar() string {
	if c, err := cftime.ParseCalendar(m.Calendar); err == nil {
		return c.String()
	}
	return m.Calendar
}

// isPlain reports whether stored numbers mean the same on both sides, whatever their types.
func (c *Conversion) isPlain() bool { return c.sameUnits() && c.from.samePacking(c.to) }

// sameUnits reports whether the units need no conversion.
func (c *Conversion) sameUnits() bool { return !c.times && c.factor == 1 && c.shift == 0 }

// isSame reports whether elements can be stored as they are.
func (c *Conversion) isSame() bool {
	f, t := c.from, c.to
	if f.number() != t.number() || !f.samePacking(t) || !c.sameUnits() {
		return false
	}
	return sameElements(f.Missing, t.Missing)
}

func sameElements(a, b [][]byte) bool {
	in := func(list [][]byte, x []byte) bool {
		return slices.ContainsFunc(list, func(y []byte) bool { return slices.Equal(x, y) })
	}
	for _, x := range a {
		if !in(b, x) {
			return false
		}
	}
	for _, x := range b {
		if !in(a, x) {
			return false
		}
	}
	return true
}

// checkTypes refuses a target type that lacks values of the source type, unless the rule allows it.
func (c *Conversion) checkTypes() error {
	f, t := c.from.number(), c.to.number()
	refused := &RefusedError{Kind: "type", From: c.from.typeText(), To: c.to.typeText(), Hint: "convert one of them"}
	if f.IsComplex() && !t.IsComplex() {
		refused.Hint = "complex numbers would lose their imaginary parts"
		return refused
	}
	if c.rule == Exact && c.from.IsPacked() && !c.to.IsPacked() && isInteger(t) && !c.times {
		return &RefusedError{Kind: "scale_factor", From: c.from.packing(), To: "none", Hint: "unpack both"}
	}
	// dtype.Converter converts complex numbers in blocks and does not check that an integer is
	// preserved.
	if c.rule == Values && t.IsComplex() && isInteger(f) && !f.ExactIn(t) {
		return refused
	}
	if c.rule == Values && (t != dtype.Bool || !f.IsFloat()) {
		return nil
	}
	byValue := c.from.IsPacked() || c.to.IsPacked() || c.times // each value is checked
	if c.rule <= Values && !byValue && !f.ExactIn(t) {
		return refused
	}
	return nil
}

func (m *Meaning) typeText() string {
	if m.OtherSign() {
		return m.Type.String() + " with _Unsigned"
	}
	return m.Type.String()
}
