package dtype

import (
	"math"
	"strconv"
)

// F16 is an IEEE 754 binary16 number: 1 sign, 5 exponent and 10 fraction bits.
type F16 uint16

// BF16 is a bfloat16 number: the upper 16 bits of a binary32.
type BF16 uint16

// ToF16 rounds f to the nearest binary16 number, ties to even. A number that is too large becomes
// an infinity.
func ToF16(f float64) F16 { return F16(round(f, 5, 10)) }

// ToBF16 rounds f to the nearest bfloat16 number, ties to even.
func ToBF16(f float64) BF16 { return BF16(round(f, 8, 7)) }

// Float64 returns the number exactly.
func (h F16) Float64() float64 { return widen(uint16(h), 5, 10) }

// Float64 returns the number exactly.
func (h BF16) Float64() float64 { return widen(uint16(h), 8, 7) }

// String returns the shortest decimal number that rounds to h.
func (h F16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return ToF16(f) == h })
}

// String returns the shortest decimal number that rounds to h.
func (h BF16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return ToBF16(f) == h })
}

// round packs f into a sign, e exponent bits and m fraction bits.
func round(f float64, e, m uint) uint16 {
	sign := uint16(math.Float64bits(f)>>63) << (e + m)
	top := uint16(1)<<e - 1 // the exponent of infinities and NaN
	bias := int(top >> 1)
	switch {
	case math.IsNaN(f):
		return sign | top<<m | 1<<(m-1)
	case f == 0:
		return sign
	case math.IsInf(f, 0):
		return sign | top<<m
	}
	_, exp := math.Frexp(f) // |f| is in [2^(exp-1), 2^exp)
	exp = max(exp-1, 1-bias)
	// Scale so that one unit is the last fraction bit. Subnormal numbers have the smallest exponent
	// and no hidden bit.
	units := uint64(math.RoundToEven(math.Ldexp(math.Abs(f), int(m)-exp)))
	if units < 1<<m {
		return sign | uint16(units)
	}
	// A carry out of the fraction increments the exponent.
	packed := uint64(exp+bias-1)<<m + units
	if packed >= uint64(top)<<m {
		packed = uint64(top) << m
	}
	return sign | uint16(packed)
}

// widen unpacks what round packs.
func widen(h uint16, e, m uint) float64 {
	top := 1<<e - 1
	bias := top >> 1
	exp := int(h>>m) & top
	fraction := float64(h & (1<<m - 1))
	var f float64
	switch exp {
	case top:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	case 0:
		f = math.Ldexp(fraction, 1-bias-int(m))
	default:
		f = math.Ldexp(fraction+float64(int(1)<<m), exp-bias-int(m))
	}
	if h>>(e+m) != 0 {
		return math.Copysign(f, -1)
	}
	return f
}

func shortest(f float64, same func(float64) bool) string {
	for digits := 1; digits < 9; digits++ {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		if back, err := strconv.ParseFloat(text, 64); err == nil && same(back) {
			return text
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
