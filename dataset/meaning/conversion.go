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

// A Conversion converts elements of one meaning to another. It is not safe for concurrent use.
type Conversion struct {
	from, to      *Meaning
	rule          Rule
	times         bool
	factor, shift float64          // x in the units of from is x*factor + shift in those of to
	plain         *dtype.Converter // for complex and bool elements, and where only the type widens
	missing       []byte           // the target's element for missing values; nil if it has none
	integers      bool             // integers stay integers and become n*mul/div, without a float64
	mul, div      int64
	low, high     float64 // the lowest integer of the target's type, and its highest plus 1
	buf           []byte
}

// A ValueError names a value that cannot be converted, and the reason.
type ValueError struct {
	Index  int // in the elements given to Apply
	Value  string
	Reason string
}

// Error returns the value, formatted for people, and the reason.
func (e *ValueError) Error() string { return fmt.Sprintf("value %s %s", e.Value, e.Reason) }

// Unwrap makes errors.Is find ErrRefused and dtype.ErrDType.
func (*ValueError) Unwrap() []error { return []error{ErrRefused, dtype.ErrDType} }

// prepare chooses the method of conversion. checkTypes has checked the types.
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
	c.low, c.high = limits(t)
	c.integers = isInteger(f) && isInteger(t) && (c.isPlain() || c.setRatio())
	if f.IsComplex() || t.IsComplex() || f == dtype.Bool || t == dtype.Bool || c.onlyWidens() {
		fill := c.missing
		if fill == nil {
			fill = make([]byte, t.Size())
		}
		c.plain, err = dtype.NewConverter(f, t, c.rule == Clip, fill)
	}
	return err
}

// setRatio sets mul and div for a whole factor between the units of unpacked integers, as from
// hours to days. Integer arithmetic stays exact where a float64 would round large numbers.
func (c *Conversion) setRatio() bool {
	if c.times || c.shift != 0 || c.from.IsPacked() || c.to.IsPacked() {
		return false
	}
	c.mul, c.div = wholeFactor(c.factor), wholeFactor(1/c.factor)
	return c.mul > 1 || c.div > 1
}

// wholeFactor returns the integer greater than 1 that x equals up to the rounding of its
// computation, or 1 if there is none.
func wholeFactor(x float64) int64 {
	if whole := math.Round(x); whole > 1 && whole < 1<<53 && math.Abs(x-whole) <= 4e-16*whole {
		return int64(whole)
	}
	return 1
}

// onlyWidens reports whether only the type changes, to one that has all values of the old one. Then
// elements are converted in blocks, which is several times as fast as one by one.
func (c *Conversion) onlyWidens() bool {
	f, t := c.from, c.to
	return f.number() != t.number() && f.number().ExactIn(t.number()) && c.sameUnits() && f.samePacking(t) &&
		len(f.Missing) == 0 && len(t.Missing) == 0
}

// To returns the meaning of converted elements.
func (c *Conversion) To() *Meaning { return c.to }

// Describe returns a sentence about how stored numbers change. It is empty for times, which stay
// the same moments, and if only the type or the mark of missing values changes.
func (c *Conversion) Describe() string {
	switch {
	case c == nil || c.times || c.isPlain():
		return ""
	case c.sameUnits() && !c.from.IsPacked():
		return fmt.Sprintf("values are packed with scale_factor %s, and rounded to its step", c.to.packing())
	case c.sameUnits() && !c.to.IsPacked():
		return fmt.Sprintf("values of scale_factor %s are unpacked", c.from.packing())
	case c.sameUnits():
		return fmt.Sprintf("values of scale_factor %s are packed with %s, and rounded to its step", c.from.packing(), c.to.packing())
	case c.to.IsPacked():
		return fmt.Sprintf("values in %s become those in %s, and are rounded to the step of scale_factor %s", unitText(c.from.Units), unitText(c.to.Units), c.to.packing())
	}
	return fmt.Sprintf("values in %s become those in %s", unitText(c.from.Units), unitText(c.to.Units))
}

// Units returns the conversion of values from the source units to the target units: x*factor +
// shift. ok is false for times.
func (c *Conversion) Units() (factor, shift float64, ok bool) {
	if c == nil {
		return 1, 0, true
	}
	return c.factor, c.shift, !c.times
}

// Apply converts elements. The result is valid until the next call; it may be elements itself. A
// nil Conversion returns the elements. The error is a ValueError for the first value that does not
// fit.
func (c *Conversion) Apply(elements []byte) ([]byte, error) {
	if c == nil {
		return elements, nil
	}
	size, toSize := c.from.Type.Size(), c.to.Type.Size()
	n := len(elements) / size
	c.buf = slices.Grow(c.buf[:0], n*toSize)[:n*toSize]
	if c.from.number().IsComplex() || c.plain != nil {
		if c.plain == nil { // only missing values differ; complex numbers have none to convert
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

// one converts an element. It returns the reason if that is impossible, otherwise "".
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

// moveInteger stores an integer in the type and units of the target.
func (c *Conversion) moveInteger(dst, src []byte) string {
	t := c.to.number()
	n, ok := integer(c.from.number(), src)
	if !ok { // beyond int64
		if t == dtype.Uint64 && c.mul == 1 && c.div == 1 {
			copy(dst, src)
			return ""
		}
		return c.store(dst, c.from.number().Float64(src)*c.factor)
	}
	switch {
	case n%c.div != 0 && c.rule <= Values:
		return fmt.Sprintf("is no whole number in the units of the target, %s in %s: convert the target to finer units or to float64", unitText(c.to.Units), c.to.typeText())
	case n%c.div != 0:
		n = int64(math.RoundToEven(float64(n) / float64(c.div)))
	case n*c.mul/c.mul != n:
		return c.store(dst, float64(n)*c.factor)
	default:
		n = n / c.div * c.mul
	}
	if t != dtype.Int64 && (float64(n) < c.low || float64(n) >= c.high) {
		return c.store(dst, float64(n))
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	copy(dst, b[:])
	return ""
}

// integer returns an integer element. ok is false if it is beyond int64.
func integer(t dtype.DType, element []byte) (n int64, ok bool) {
	var b [8]byte
	copy(b[:], element)
	n = int64(binary.LittleEndian.Uint64(b[:]))
	if !isSigned(t) {
		return n, n >= 0
	}
	unused := 64 - 8*t.Size()
	return n << unused >> unused, true
}

func isSigned(t dtype.DType) bool {
	return t == dtype.Int8 || t == dtype.Int16 || t == dtype.Int32 || t == dtype.Int64
}

// moveNumber unpacks a number, converts its units and packs it.
func (c *Conversion) moveNumber(dst, src []byte) string {
	f, t := c.from.number(), c.to.number()
	x := f.Float64(src)
	if !c.isPlain() {
		x = c.from.Value(src)
		x = x*c.factor + c.shift
		if c.to.Scale != nil {
			x = (x - c.to.Offset[0]) / c.to.Scale[0]
		}
	} else if c.rule == Values && isInteger(f) && t.IsFloat() {
		return c.storeWhole(dst, src)
	}
	return c.store(dst, x)
}

// storeWhole stores an integer as a floating-point number and checks that it is equal.
func (c *Conversion) storeWhole(dst, src []byte) string {
	f, t := c.from.number(), c.to.number()
	reason := c.store(dst, f.Float64(src))
	if reason != "" {
		return reason
	}
	y, n := t.Float64(dst), c.from.bits(src)
	same := y < 1<<64 && uint64(y) == n
	if isSigned(f) {
		same = y >= -1<<63 && y < 1<<63 && int64(y) == int64(n)
	}
	if !same {
		return "is no " + c.to.typeText() + ", which has not all integers of this size"
	}
	return ""
}

// store stores a packed number.
func (c *Conversion) store(dst []byte, x float64) string {
	t := c.to.number()
	if !isInteger(t) {
		return c.storeFloat(dst, x)
	}
	whole := math.RoundToEven(x)
	if c.rule <= Values && c.to.Scale == nil && math.Abs(x-whole) > c.rounding(x) {
		return fmt.Sprintf("is no whole number in the target, which holds %s without a scale: convert the target to float64", c.to.typeText())
	}
	if whole < c.low || whole >= c.high {
		if c.rule != Clip {
			packed := ""
			if c.to.IsPacked() {
				packed = fmt.Sprintf(": it is packed as %v", whole)
			}
			return fmt.Sprintf("does not fit %s, which has %.0f to %.0f%s", c.to.typeText(), c.low, c.high-1, packed)
		}
		return c.storeLimit(dst, whole < c.low)
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

// rounding returns the error that arithmetic may add to a whole number.
func (c *Conversion) rounding(x float64) float64 {
	if c.isPlain() {
		return 0
	}
	return 1e-9 + 1e-15*math.Abs(x)
}

// storeLimit stores the lowest or the highest integer of the target's type.
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

// limits returns the lowest integer of a type, and its highest plus 1.
func limits(t dtype.DType) (low, high float64) {
	bits := 8 * t.Size()
	if isSigned(t) {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return 0, math.Ldexp(1, bits)
}

func (c *Conversion) storeFloat(dst []byte, x float64) string {
	switch y := float32(x); {
	case c.to.Type == dtype.Float64 && !math.IsNaN(x):
		binary.LittleEndian.PutUint64(dst, math.Float64bits(x))
		return ""
	case c.to.Type == dtype.Float32 && math.Abs(float64(y)) <= math.MaxFloat32:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(y))
		return ""
	}
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

// moment returns the time of an element.
func (m *Meaning) moment(element []byte) (cftime.Time, error) {
	if m.Scale == nil && isInteger(m.Type) {
		if n, ok := integer(m.number(), element); ok {
			return m.Times.TimeOf(n)
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

// near reports whether two times differ by at most a millisecond, the error of days in a float64.
func near(a, b cftime.Time) bool {
	if a.Compare(b) < 0 {
		a, b = b, a
	}
	d := a.Sub(b)
	return d.Day == 0 && d.Nanos <= int64(time.Millisecond)
}
