package meaning

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"drx/dataset/cftime"
	"drx/dtype"
)

// A Conversion turns elements of one meaning into those of another. It must not be used by several
// goroutines at a time.
type Conversion struct {
	from, to      *Meaning
	rule          Rule
	times         bool
	factor, shift float64          // what values in the units of from are multiplied by, and what is added then
	plain         *dtype.Converter // for no real numbers, and where only the type changes
	missing       []byte           // the element for missing values; nil if the target has none
	integers      bool             // the stored numbers are kept, as integers
	buf           []byte
}

// A ValueError says which value cannot be converted, and why.
type ValueError struct {
	Index  int // in the elements given to Apply
	Value  string
	Reason string
}

// Error names the value, as people read it, and the reason.
func (e *ValueError) Error() string { return fmt.Sprintf("value %s %s", e.Value, e.Reason) }

// Unwrap makes errors.Is find ErrRefused and dtype.ErrDType.
func (*ValueError) Unwrap() []error { return []error{ErrRefused, dtype.ErrDType} }

// prepare chooses how to convert. The types were checked.
func (c *Conversion) prepare() (err error) {
	f, t := c.from.number(), c.to.number()
	switch {
	case len(c.to.Missing) > 0:
		c.missing = c.to.Missing[0]
	case t.IsFloat():
		c.missing, err = t.EncodeValue(math.Float64frombits(plainNaN))
	}
	if err != nil {
		return err
	}
	c.integers = isInteger(f) && isInteger(t) && c.sameUnits() && c.from.samePacking(c.to)
	if f.IsComplex() || t.IsComplex() || f == dtype.Bool || t == dtype.Bool || c.onlyWidens() {
		fill := c.missing
		if fill == nil {
			fill = make([]byte, t.Size())
		}
		c.plain, err = dtype.NewConverter(f, t, c.rule == Clip, fill)
	}
	return err
}

// onlyWidens reports whether nothing changes but the type, to one that has all values. Then
// elements are converted in blocks, which is several times as fast as one by one.
func (c *Conversion) onlyWidens() bool {
	f, t := c.from, c.to
	return f.number() != t.number() && f.number().ExactIn(t.number()) && c.sameUnits() && f.samePacking(t) &&
		len(f.Missing) == 0 && len(t.Missing) == 0
}

// To returns the meaning of converted elements.
func (c *Conversion) To() *Meaning { return c.to }

// Describe says in words how numbers change. It is empty for times, which stay the same times, and
// if only the type or the mark of missing values changes.
func (c *Conversion) Describe() string {
	switch {
	case c == nil || c.times || c.sameUnits() && c.from.samePacking(c.to):
		return ""
	case c.sameUnits():
		return fmt.Sprintf("values of scale_factor %s are packed with %s, and rounded to its step", c.from.packing(), c.to.packing())
	case c.to.IsPacked():
		return fmt.Sprintf("values in %s become those in %s, and are rounded to the step of scale_factor %s", unitText(c.from.Units), unitText(c.to.Units), c.to.packing())
	}
	return fmt.Sprintf("values in %s become those in %s", unitText(c.from.Units), unitText(c.to.Units))
}

// Apply converts elements, which it may overwrite. The result is valid until the next call. A nil
// Conversion returns the elements. The error is a ValueError for the first value that does not fit.
func (c *Conversion) Apply(elements []byte) ([]byte, error) {
	if c == nil {
		return elements, nil
	}
	size, toSize := c.from.Type.Size(), c.to.Type.Size()
	n := len(elements) / size
	c.buf = slices.Grow(c.buf[:0], n*toSize)[:n*toSize]
	if c.from.number().IsComplex() || c.plain != nil {
		if c.plain == nil { // only what is missing differs, of which complex numbers have none that is converted
			return elements, nil
		}
		return c.buf, c.plain.Apply(c.buf, elements)
	}
	for i := range n {
		if reason := c.one(c.buf[i*toSize:][:toSize], elements[i*size:][:size]); reason != "" {
			return nil, &ValueError{i, c.from.Format(elements[i*size:][:size]), reason}
		}
	}
	return c.buf, nil
}

// one converts an element, or returns why it cannot.
func (c *Conversion) one(dst, src []byte) (reason string) {
	missing := c.from.IsMissing(src)
	if missing || c.from.isNaN(src) {
		switch {
		case !missing && c.to.Type.IsFloat(): // NaN stays NaN
			b, _ := c.to.Type.EncodeValue(math.Float64frombits(plainNaN))
			copy(dst, b)
		case c.missing != nil:
			copy(dst, c.missing)
		case c.rule == Clip:
			clear(dst)
			copy(dst, c.to.Fill)
		default:
			return "cannot be stored: the target marks no missing values; give it the attribute missing_value"
		}
		return ""
	}
	switch {
	case c.times:
		reason = c.moveTime(dst, src)
	case c.integers:
		reason = c.moveInteger(dst, src)
	default:
		reason = c.moveNumber(dst, src)
	}
	if reason == "" && c.to.IsMissing(dst) {
		return "would be read as missing: it is stored as " + c.to.Type.Format(dst) + ", which marks missing values"
	}
	return reason
}

// moveInteger stores an integer of one type as that of another.
func (c *Conversion) moveInteger(dst, src []byte) string {
	f, t := c.from.number(), c.to.number()
	if f.ExactIn(t) || f == t {
		pad := byte(0)
		if isSigned(f) && src[len(src)-1]&0x80 != 0 {
			pad = 0xff
		}
		for i := copy(dst, src); i < len(dst); i++ {
			dst[i] = pad
		}
		return ""
	}
	b, err := t.Encode(f.Format(src))
	if err != nil {
		return c.store(dst, f.Float64(src))
	}
	copy(dst, b)
	return ""
}

func isSigned(t dtype.DType) bool {
	return t == dtype.Int8 || t == dtype.Int16 || t == dtype.Int32 || t == dtype.Int64
}

// moveNumber converts the units and packs.
func (c *Conversion) moveNumber(dst, src []byte) string {
	x := c.from.number().Float64(src)
	if !c.sameUnits() || !c.from.samePacking(c.to) {
		x = c.from.Value(src)
		x = x*c.factor + c.shift
		if c.to.Scale != nil {
			x = (x - c.to.Offset[0]) / c.to.Scale[0]
		}
	}
	return c.store(dst, x)
}

// store stores a number that is packed already.
func (c *Conversion) store(dst []byte, x float64) string {
	t := c.to.number()
	if !isInteger(t) {
		return c.storeFloat(dst, x)
	}
	whole := math.RoundToEven(x)
	if c.rule == Exact && c.to.Scale == nil && math.Abs(x-whole) > 1e-9*max(1, math.Abs(x)) {
		return fmt.Sprintf("is no whole number in the target, which holds %s without a scale", c.to.typeText())
	}
	low, high := limits(t)
	if whole < low || whole >= high {
		if c.rule != Clip {
			packed := ""
			if c.to.IsPacked() {
				packed = fmt.Sprintf(": it is packed as %v", whole)
			}
			return fmt.Sprintf("does not fit %s, which has %.0f to %.0f%s", c.to.typeText(), low, high-1, packed)
		}
		return c.storeLimit(dst, whole < low)
	}
	bits := uint64(int64(whole))
	if whole >= 1<<63 {
		bits = uint64(whole)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(dst, b[:])
	return ""
}

// storeLimit stores the least or the largest integer.
func (c *Conversion) storeLimit(dst []byte, least bool) string {
	signed := isSigned(c.to.number())
	for i := range dst {
		dst[i] = map[bool]byte{true: 0, false: 0xff}[least]
	}
	if signed {
		dst[len(dst)-1] ^= 0x80
	}
	return ""
}

// limits returns the least integer of a type, and the one above its largest.
func limits(t dtype.DType) (low, high float64) {
	bits := 8 * t.Size()
	if isSigned(t) {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return 0, math.Ldexp(1, bits)
}

func (c *Conversion) storeFloat(dst []byte, x float64) string {
	b, err := c.to.Type.EncodeValue(x)
	if err != nil && c.rule == Clip {
		largest := map[dtype.DType]float64{dtype.Float16: 65504, dtype.BFloat16: math.Float64frombits(0x47efe00000000000), dtype.Float32: math.MaxFloat32}
		b, err = c.to.Type.EncodeValue(math.Copysign(largest[c.to.Type], x))
	}
	if err != nil {
		return "does not fit: " + err.Error()
	}
	copy(dst, b)
	return ""
}

// moment returns the time that an element stands for.
func (m *Meaning) moment(element []byte) (cftime.Time, error) {
	if m.Scale == nil && isInteger(m.Type) {
		t := m.number()
		if t != dtype.Uint64 || element[7] < 0x80 {
			var b [8]byte
			pad := byte(0)
			if isSigned(t) && element[len(element)-1]&0x80 != 0 {
				pad = 0xff
			}
			for i := copy(b[:], element); i < 8; i++ {
				b[i] = pad
			}
			return m.Times.TimeOf(int64(binary.LittleEndian.Uint64(b[:])))
		}
	}
	return m.Times.Time(m.Value(element))
}

// moveTime stores a time in the units of the target.
func (c *Conversion) moveTime(dst, src []byte) string {
	t, err := c.from.moment(src)
	if err != nil {
		return "is no time: " + err.Error()
	}
	u := c.to.Times
	if c.from.Times.Calendar != u.Calendar && c.from.Times.Calendar.Date(t) != u.Calendar.Date(t) {
		return "is another date in the calendar of the target, " + u.Calendar.String()
	}
	if c.to.Scale == nil && isInteger(c.to.number()) {
		n, exact := u.ValueInt(t)
		b, err := c.to.number().EncodeValue(n)
		if !exact || err != nil {
			return fmt.Sprintf("is no whole number in the units of the target, %q in %s: convert the target to finer units or to float64", c.to.Units, c.to.typeText())
		}
		copy(dst, b)
		return ""
	}
	x := u.Value(t)
	if c.to.Scale != nil {
		x = (x - c.to.Offset[0]) / c.to.Scale[0]
	}
	if reason := c.store(dst, x); reason != "" {
		return reason
	}
	back, err := c.to.moment(dst)
	if err != nil || !near(back, t) {
		return fmt.Sprintf("is too fine for the units of the target, %q in %s: convert the target to finer units or to float64", c.to.Units, c.to.typeText())
	}
	return ""
}

// near reports whether two times differ by a millisecond at the most, which a float64 of days
// rounds to.
func near(a, b cftime.Time) bool {
	if a.Compare(b) < 0 {
		a, b = b, a
	}
	d := a.Sub(b)
	return d.Day == 0 && d.Nanos <= int64(time.Millisecond)
}
