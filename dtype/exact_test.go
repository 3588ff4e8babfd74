package dtype

import (
	"encoding/binary"
	"math"
	"testing"
)

// samples returns all values of a type of one or two bytes. Of a larger type it returns those with
// at most two bits set or cleared, which have the longest and the shortest significands and all
// exponents.
func samples(dt DType) []byte {
	var data []byte
	add := func(bits uint64) {
		data = append(data, binary.LittleEndian.AppendUint64(nil, bits)[:dt.Size()]...)
	}
	if dt == Bool {
		return []byte{0, 1}
	}
	if dt.Size() <= 2 {
		for bits := range uint64(1) << (8 * dt.Size()) {
			add(bits)
		}
		return data
	}
	for i := range 8 * dt.Size() {
		for j := range i + 1 {
			bits := uint64(1)<<i | uint64(1)<<j
			add(bits)
			add(^bits)
		}
	}
	return data
}

// ExactIn is true for exactly the pairs of types for which conversion changes and refuses no value.
func TestExactIn(t *testing.T) {
	exactly := 0
	for _, from := range All() {
		if from.IsComplex() {
			continue
		}
		values := samples(from)
		for _, to := range All() {
			if to.IsComplex() {
				continue
			}
			converted, err := convertAll(t, from, to, false, nil, values)
			want := err == nil
			for i := 0; want && i < len(values)/from.Size(); i++ {
				want = sameValue(from, to, values[i*from.Size():], converted[i*to.Size():])
			}
			if got := from.ExactIn(to); got != want {
				t.Errorf("%v in %v: %v, want %v", from, to, got, want)
			}
			if want {
				exactly++
			}
		}
	}
	if exactly < 50 {
		t.Errorf("only %d pairs are exact", exactly)
	}
	for _, c := range []struct {
		from, to DType
		want     bool
	}{
		{Float32, Complex64, true},
		{Float64, Complex64, false},
		{Int16, Complex64, true},
		{Int32, Complex64, false},
		{Complex64, Complex128, true},
		{Complex128, Complex64, false},
		{Complex64, Float64, false},
		{Complex64, Int64, false},
		{0, Float64, false},
		{Int8, 0, false},
		{Bool, Complex64, true},
		{Complex64, Bool, false},
		{Float64, Complex128, true},
	} {
		if got := c.from.ExactIn(c.to); got != c.want {
			t.Errorf("%v in %v: %v", c.from, c.to, got)
		}
	}
}

// sameValue reports whether an element is the same number in another type.
func sameValue(from, to DType, one, other []byte) bool {
	if from.Size() < 8 && to.Size() < 8 || from.IsFloat() && to.IsFloat() { // float64 is exact for both
		f, g := from.Float64(one), to.Float64(other)
		return f == g || math.IsNaN(f) && math.IsNaN(g)
	}
	v, w := exact(from, one), exact(to, other)
	return v == nil && w == nil || v != nil && w != nil && v.Cmp(w) == 0
}
