// Package quantize rounds floating-point numbers to their significant digits or bits, so that they
// compress better. It is lossy, and done only on request.
//
// The methods, their limits and the attributes that record them are those of netCDF-C 4.9
// (nc_def_var_quantize) and NCO. The results agree with theirs to the bit:
//
//	BitGroom          keeps as many bits of each number as the digits need at most, sets the others
//	                  to zeros and ones by turns (Zender, Geosci. Model Dev. 9, 2016)
//	GranularBitRound  keeps as many bits of each number as the digits need for this number, and
//	                  rounds (Delaunay et al., Geosci. Model Dev. 12, 2019; Kouznetsov, Geosci. Model
//	                  Dev. 14, 2021)
//	BitRound          keeps a number of bits behind the leading one, and rounds (Kouznetsov)
//
// Zeros and the fill value are not changed. These functions differ from netCDF where that loses
// values. Infinities and NaN are not changed; GranularBitRound of netCDF 4.9.0 replaces them by
// zeros, as it does numbers that need more bits than the type has. Subnormal numbers are not
// changed; netCDF counts their leading zeros as significant bits. No number becomes infinite.
package quantize

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
)

// ErrQuantize is wrapped by the errors for numbers of digits or bits that a type cannot have.
var ErrQuantize = errors.New("not possible to quantize")

// A Method is a way to quantize.
type Method int

// The methods.
const (
	GranularBitRound Method = iota + 1
	BitRound
	BitGroom
)

// methods has the name of each method, and the attribute for the number of digits or bits of a
// quantized variable.
var methods = [...]struct{ name, attr string }{
	GranularBitRound: {"GranularBitRound", "_QuantizeGranularBitRoundNumberOfSignificantDigits"},
	BitRound:         {"BitRound", "_QuantizeBitRoundNumberOfSignificantBits"},
	BitGroom:         {"BitGroom", "_QuantizeBitGroomNumberOfSignificantDigits"},
}

// ParseMethod returns the method with a name of netCDF; ok is false for other names.
func ParseMethod(name string) (Method, bool) {
	for m := GranularBitRound; m <= BitGroom; m++ {
		if methods[m].name == name {
			return m, true
		}
	}
	return 0, false
}

// String returns netCDF's name of the method.
func (m Method) String() string {
	if m < GranularBitRound || m > BitGroom {
		return fmt.Sprintf("method %d", int(m))
	}
	return methods[m].name
}

// Attr returns the name of the attribute for the number of digits or bits. It is empty for an
// unknown method.
func (m Method) Attr() string {
	if m < GranularBitRound || m > BitGroom {
		return ""
	}
	return methods[m].attr
}

// Describe returns a number with the unit of the method: "3 digits".
func (m Method) Describe(n int) string { return fmt.Sprintf("%d %s", n, m.unit()) }

// unit returns the unit of the method's number.
func (m Method) unit() string {
	if m == BitRound {
		return "bits"
	}
	return "digits"
}

// layout holds the number of explicit fraction bits of a type, the bytes of a number, and the
// largest number of digits. For float32 and float64 that is netCDF's limit; it has no other types.
type layout struct{ fraction, size, digits int }

var layouts = map[dtype.DType]layout{
	dtype.Float16: {10, 2, 3}, dtype.BFloat16: {7, 2, 2}, dtype.Float32: {23, 4, 7}, dtype.Float64: {52, 8, 15},
	dtype.Complex64: {23, 4, 7}, dtype.Complex128: {52, 8, 15},
}

// Check returns an error that wraps ErrQuantize unless numbers of a type can be quantized to n
// digits, or n bits for BitRound.
func Check(t dtype.DType, m Method, n int) error {
	l, ok := layouts[t]
	most := l.digits
	if m == BitRound {
		most = l.fraction
	}
	switch {
	case m.Attr() == "":
		return errkind.Errorf(ErrQuantize, "%s: known are %s, %s and %s", m, GranularBitRound, BitRound, BitGroom)
	case !ok:
		return errkind.Errorf(ErrQuantize, "elements of type %s have no fraction to quantize: floating-point types have", t)
	case n < 1 || n > most:
		return errkind.Errorf(ErrQuantize, "%d %s of %s: %s has from 1 to %d", n, m.unit(), t, m, most)
	}
	return nil
}

// Quantize quantizes elements of a type, little-endian, in place, to n digits, or n bits for
// BitRound. It does not change elements equal to one of the values missing, which are
// little-endian; nil values are ignored. The parts of complex numbers are quantized one by one.
// BitGroom sets bits of the first number to zeros, of the second to ones, and so on. The errors are
// those of Check.
func Quantize(t dtype.DType, m Method, n int, elements []byte, missing ...[]byte) error {
	if err := Check(t, m, n); err != nil {
		return err
	}
	l := layouts[t]
	element := t.Size()
	keep := n // bits
	if m == BitGroom {
		keep = groomBits(n)
	}
	for i := 0; i+element <= len(elements); i += element {
		e := elements[i:][:element]
		if slices.ContainsFunc(missing, func(m []byte) bool { return string(m) == string(e) }) {
			continue
		}
		for j := 0; j < element; j += l.size {
			v := load(e[j:][:l.size])
			switch {
			case !l.isNormal(v):
				continue
			case m == GranularBitRound:
				v = l.round(v, granularBits(l.value(v), n))
			case m == BitRound:
				v = l.round(v, keep)
			default:
				v = l.groom(v, keep, (i+j)/l.size%2 != 0)
			}
			store(e[j:][:l.size], v)
		}
	}
	return nil
}

// load returns the bits of a number.
func load(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func store(b []byte, v uint64) {
	switch len(b) {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// exponent returns the biased exponent in the bits of a number, and the largest one, which
// infinities and NaN have.
func (l layout) exponent(v uint64) (e, largest uint64) {
	largest = 1<<(8*l.size-1-l.fraction) - 1
	return v >> l.fraction & largest, largest
}

func (l layout) isNormal(v uint64) bool {
	e, largest := l.exponent(v)
	return e != 0 && e != largest
}

// value returns the absolute value of the bits of a normal number.
func (l layout) value(v uint64) float64 {
	e, largest := l.exponent(v)
	fraction := v & (1<<l.fraction - 1) << (52 - l.fraction)
	return math.Float64frombits((e-largest/2+1023)<<52 | fraction)
}

// round rounds the bits of a number to keep bits of its fraction, half away from zero, or towards
// zero if it would become infinite.
func (l layout) round(v uint64, keep int) uint64 {
	drop := l.fraction - keep
	if drop <= 0 {
		return v
	}
	mask := ^uint64(0) << drop
	rounded := (v + 1<<(drop-1)) & mask
	if !l.isNormal(rounded) {
		return v & mask
	}
	return rounded
}

// groom sets the bits of a number after the first keep bits of its fraction to ones or zeros.
func (l layout) groom(v uint64, keep int, ones bool) uint64 {
	drop := l.fraction - keep
	if drop <= 0 {
		return v
	}
	if ones {
		return v | (1<<drop - 1)
	}
	return v &^ (1<<drop - 1)
}

// The conversions round the constants as C does, so that limits are the same as in netCDF.
const (
	ln2          = float64(math.Ln2)
	ln10         = float64(math.Ln10)
	bitsPerDigit = ln10 / ln2
	digitsPerBit = ln2 / ln10
)

// groomBits returns the number of fraction bits with which any number has n digits.
func groomBits(n int) int {
	return int(math.Ceil(float64(n)*bitsPerDigit)) + 1
}

// granularBits returns the number of fraction bits that a positive number needs for n digits.
func granularBits(v float64, n int) int {
	fraction, exponent := math.Frexp(v)
	log := math.Log10(fraction)
	digits := int(math.Floor(float64(float64(exponent)*digitsPerBit)+log)) + 1
	power := int(math.Floor(bitsPerDigit * float64(digits-n)))
	keep := int(math.Floor(float64(exponent)-bitsPerDigit*log)) - power
	return max(keep, -keep) - 1
}
