package dtype

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// Encode parses one value and returns its little-endian bytes. It accepts the notation of
// Go, C and Python: decimal integers, floating-point numbers with NaN, Inf and Infinity,
// complex numbers like 1+2i, true and false. A floating-point or complex value may also be
// given by its bits, 0x and two digits per byte, as for a NaN with a payload. The error
// wraps ErrDType if the text is not a value of the type or does not fit it.
func (t DType) Encode(text string) ([]byte, error) {
	if !t.Valid() {
		return nil, t.notOne(text)
	}
	if b, ok := t.encodeBits(text); ok {
		return b, nil
	}
	bits := 8 * t.Size()
	switch types[t].kind {
	case boolKind:
		if b, err := strconv.ParseBool(text); err == nil {
			return t.pack(b2u(b)), nil
		}
	case intKind:
		if n, ok := parseInt(text, bits); ok {
			return t.pack(uint64(n)), nil
		}
	case uintKind:
		if n, ok := parseUint(text, bits); ok {
			return t.pack(n), nil
		}
	case floatKind:
		// float16 and bfloat16 are rounded once, from float64; strconv rounds the others.
		precision := 64
		if t == Float32 {
			precision = 32
		}
		if f, err := parseFloat(text, precision); err == nil {
			if b, err := t.encodeFloat(f); err == nil {
				return b, nil
			}
		}
	case complexKind:
		if c, err := strconv.ParseComplex(strings.ReplaceAll(text, "j", "i"), bits); err == nil {
			if b, err := t.encodeComplex(c); err == nil {
				return b, nil
			}
		}
	}
	return nil, t.notOne(text)
}

// EncodeValue returns the little-endian bytes of a Go value: a number, a bool or a text for
// Encode. A floating-point value means its exact binary value, not the decimal that it prints
// as; if it is integral, it can be encoded in an integer type. The error wraps ErrDType if v
// does not fit the type.
func (t DType) EncodeValue(v any) ([]byte, error) {
	switch x := v.(type) {
	case F16:
		return t.encodeFloat(x.Float64())
	case BF16:
		return t.encodeFloat(x.Float64())
	case float32:
		return t.encodeFloat(float64(x))
	case float64:
		return t.encodeFloat(x)
	case complex64:
		return t.encodeComplex(complex128(x))
	case complex128:
		return t.encodeComplex(x)
	}
	return t.Encode(fmt.Sprint(v))
}

// encodeFloat rounds f to t. A finite f that would become an infinity is an error.
func (t DType) encodeFloat(f float64) ([]byte, error) {
	switch {
	case t.IsComplex():
		return t.encodeComplex(complex(f, 0))
	case !t.IsFloat():
		return t.Encode(strconv.FormatFloat(f, 'g', -1, 64))
	}
	b := t.pack(t.floatBits(f))
	if math.IsInf(t.float(b), 0) && !math.IsInf(f, 0) {
		return nil, t.notOne(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return b, nil
}

// encodeComplex rounds both parts of c as encodeFloat does.
func (t DType) encodeComplex(c complex128) ([]byte, error) {
	if !t.IsComplex() {
		return nil, t.notOne(strconv.FormatComplex(c, 'g', -1, 128))
	}
	re, err := t.half().encodeFloat(real(c))
	if err != nil {
		return nil, err
	}
	im, err := t.half().encodeFloat(imag(c))
	if err != nil {
		return nil, err
	}
	return append(re, im...), nil
}

// notOne returns the error for a text that is not a value of type t.
func (t DType) notOne(text string) error {
	limits := ""
	switch bits := 8 * t.Size(); {
	case !t.Valid():
	case types[t].kind == intKind:
		limits = fmt.Sprintf(", an integer from %d to %d", int64(-1)<<(bits-1), uint64(1)<<(bits-1)-1)
	case types[t].kind == uintKind:
		limits = fmt.Sprintf(", an integer from 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	case t == Float32:
		limits = fmt.Sprintf(", a number from %.8g to %.8g", -math.MaxFloat32, math.MaxFloat32)
	case t == Float16:
		limits = ", a number from -65504 to 65504"
	}
	return errkind.Errorf(ErrDType, "%q is no %v%s", text, t, limits)
}

// Format returns the element in b as text, which Encode converts back to the same bytes.
func (t DType) Format(b []byte) string {
	switch types[t].kind {
	case boolKind:
		return strconv.FormatBool(b[0] != 0)
	case intKind:
		return strconv.FormatInt(t.signed(b), 10)
	case uintKind:
		return strconv.FormatUint(t.unpack(b), 10)
	case floatKind:
		return t.formatFloat(b)
	default:
		half := t.half()
		re, im := half.formatFloat(b[:half.Size()]), half.formatFloat(b[half.Size():t.Size()])
		if strings.HasPrefix(re, "0x") || strings.HasPrefix(im, "0x") {
			return t.formatBits(b)
		}
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + re + im + "i)"
	}
}

// Float64 returns the element in b as a float64: the nearest one for 64-bit
// integers, the modulus for complex numbers, 0 or 1 for a bool.
func (t DType) Float64(b []byte) float64 {
	switch types[t].kind {
	case intKind:
		return float64(t.signed(b))
	case floatKind:
		return t.float(b)
	case complexKind:
		half := t.half()
		return math.Hypot(half.float(b), half.float(b[half.Size():]))
	default:
		return float64(t.unpack(b))
	}
}

// parseFloat also accepts NaN with a sign, as C prints it, and drops the sign.
func parseFloat(text string, precision int) (float64, error) {
	if len(text) == 4 && (text[0] == '-' || text[0] == '+') && strings.EqualFold(text[1:], "nan") {
		text = text[1:]
	}
	return strconv.ParseFloat(text, precision)
}

// parseInt parses an integer, also in the notation 1e6 or 3.0. In that notation it must be below
// 2^53, because larger float64 values cannot represent every integer.
func parseInt(text string, bits int) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, bits); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	limit := math.Ldexp(1, bits-1)
	if err != nil || f != math.Trunc(f) || f < -limit || f >= limit || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func parseUint(text string, bits int) (uint64, bool) {
	if n, err := strconv.ParseUint(text, 10, bits); err == nil {
		return n, true
	}
	n, ok := parseInt(text, 64)
	if !ok || n < 0 || (bits < 64 && n >= 1<<bits) {
		return 0, false
	}
	return uint64(n), true
}
