package meaning

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// IsMissing reports whether an element is one of the missing values. It does not check for NaN.
func (m *Meaning) IsMissing(element []byte) bool {
	for _, no := range m.Missing {
		if bytes.Equal(no, element) {
			return true
		}
	}
	return false
}

func (m *Meaning) isNaN(element []byte) bool {
	return m.Type.IsFloat() && math.IsNaN(m.Type.Float64(element))
}

// Order compares two stored numbers exactly: -1 if a is less, 1 if it is greater. It is 0 if they
// are equal, or if one is NaN.
func (m *Meaning) Order(a, b []byte) int {
	if t := m.number(); !isInteger(t) {
		switch x, y := t.Float64(a), t.Float64(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	x, y := m.bits(a), m.bits(b)
	if isSigned(m.number()) {
		return cmp.Compare(int64(x), int64(y))
	}
	return cmp.Compare(x, y)
}

// bits returns an integer element extended to 64 bits, with the sign of its type.
func (m *Meaning) bits(element []byte) uint64 {
	var b [8]byte
	copy(b[:], element)
	u := binary.LittleEndian.Uint64(b[:])
	if unused := 64 - 8*len(element); isSigned(m.number()) {
		return uint64(int64(u<<unused) >> unused)
	}
	return u
}

// Value returns the value of an element in its units: NaN for a missing one, the modulus of a
// complex number. If each index has its own scale, Value uses the first one; see At.
func (m *Meaning) Value(element []byte) float64 {
	if m.IsMissing(element) {
		return math.Float64frombits(plainNaN)
	}
	x := m.number().Float64(element)
	if m.Scale == nil {
		return x
	}
	return x*m.Scale[0] + m.Offset[0]
}

// plainNaN is the bit pattern of the NaN that DRX stores. math.NaN has a different one.
const plainNaN = 0x7ff8 << 48

// Decode appends the values of elements to values[:0], as Value returns them.
func (m *Meaning) Decode(values []float64, elements []byte) []float64 {
	size := m.Type.Size()
	values = slices.Grow(values[:0], len(elements)/size)
	for ; len(elements) > 0; elements = elements[size:] {
		values = append(values, m.Value(elements[:size]))
	}
	return values
}

// Format returns an element as text for people: a time, a number in its units, or "missing".
func (m *Meaning) Format(element []byte) string {
	if m.IsMissing(element) {
		return "missing"
	}
	if m.Times != nil {
		if t, err := m.moment(element); err == nil {
			return m.Times.Calendar.Format(t)
		}
	}
	if m.Scale != nil {
		return strconv.FormatFloat(m.Value(element), 'g', 15, 64)
	}
	return m.number().Format(element)
}
