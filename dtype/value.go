package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Encode reads one value written as text and returns its little-endian bytes.
// It takes what Go, C and Python print: decimal integers, floating-point numbers
// with NaN, Inf and Infinity, complex ones like 1+2i, true and false. A
// floating-point value may also be given by its bits, 0x and two digits per byte,
// which is how a NaN that carries a payload is written. The error wraps ErrDType
// when the text is no value of the type or does not fit it.
func (t DType) Encode(text string) ([]byte, error) {
	fail := func() ([]byte, error) {
		return nil, fmt.Errorf("%q is no %v: %w", text, t, ErrDType)
	}
	if !t.Valid() {
		return fail()
	}
	bits := 8 * t.Size()
	switch types[t].kind {
	case boolKind:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fail()
		}
		return t.pack(b2u(b)), nil
	case intKind:
		n, ok := parseInt(text, bits)
		if !ok {
			return fail()
		}
		return t.pack(uint64(n)), nil
	case uintKind:
		n, ok := parseUint(text, bits)
		if !ok {
			return fail()
		}
		return t.pack(n), nil
	case floatKind:
		if digits, ok := strings.CutPrefix(text, "0x"); ok && len(digits) == 2*t.Size() {
			n, err := strconv.ParseUint(digits, 16, bits)
			if err != nil {
				return fail()
			}
			return t.pack(n), nil
		}
		// Halves are rounded once, from float64; strconv rounds the others.
		precision := 64
		if t == Float32 {
			precision = 32
		}
		f, err := strconv.ParseFloat(text, precision)
		b := t.pack(t.floatBits(f))
		if err != nil || math.IsInf(t.float(b), 0) != math.IsInf(f, 0) {
			return fail()
		}
		return b, nil
	default:
		c, err := strconv.ParseComplex(strings.ReplaceAll(text, "j", "i"), bits)
		if err != nil {
			return fail()
		}
		half := t.half()
		return append(half.pack(half.floatBits(real(c))), half.pack(half.floatBits(imag(c)))...), nil
	}
}

// EncodeValue returns the little-endian bytes of a Go value: a number, a bool or
// a text as Encode reads it. Integral floating-point values are good for integer
// types. The error wraps ErrDType when v does not fit the type.
func (t DType) EncodeValue(v any) ([]byte, error) {
	return t.Encode(fmt.Sprint(v))
}

// Format writes the element in b as text that Encode reads back to the same bytes.
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
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + re + im + "i)"
	}
}

// FromJSON returns the element that a JSON value stands for: a number, true or
// false, a string as Encode reads it ("NaN", "Infinity", "-Infinity"), or for a
// complex type an array of two such.
func (t DType) FromJSON(raw json.RawMessage) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	if t.IsComplex() && len(raw) > 0 && raw[0] == '[' {
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil || len(parts) != 2 {
			return nil, fmt.Errorf("%s is no %v: %w", raw, t, ErrDType)
		}
		var out []byte
		for _, part := range parts {
			b, err := t.half().FromJSON(part)
			if err != nil {
				return nil, err
			}
			out = append(out, b...)
		}
		return out, nil
	}
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fmt.Errorf("%s is no %v: %w", raw, t, ErrDType)
		}
	}
	return t.Encode(text)
}

// ToJSON is the inverse of FromJSON.
func (t DType) ToJSON(b []byte) json.RawMessage {
	if t.IsComplex() {
		half := t.half()
		return fmt.Appendf(nil, "[%s,%s]", half.ToJSON(b[:half.Size()]), half.ToJSON(b[half.Size():]))
	}
	text := t.Format(b)
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	switch text {
	case "+Inf":
		text = "Infinity"
	case "-Inf":
		text = "-Infinity"
	}
	return fmt.Appendf(nil, "%q", text)
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

// half is the type of the parts of a complex type.
func (t DType) half() DType {
	if t == Complex64 {
		return Float32
	}
	return Float64
}

func (t DType) pack(n uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, n)[:t.Size():t.Size()]
}

func (t DType) unpack(b []byte) uint64 {
	var n uint64
	for i := range t.Size() {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

func (t DType) signed(b []byte) int64 {
	shift := 64 - 8*t.Size()
	return int64(t.unpack(b)<<shift) >> shift
}

// floatBits returns the bits of f rounded to t; every NaN becomes the quiet one
// without payload, so that a fill value means the same wherever it came from.
func (t DType) floatBits(f float64) uint64 {
	switch t {
	case Float16:
		return uint64(ToF16(f))
	case BFloat16:
		return uint64(ToBF16(f))
	case Float32:
		if math.IsNaN(f) {
			return 0x7fc00000
		}
		return uint64(math.Float32bits(float32(f)))
	}
	if math.IsNaN(f) {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

func (t DType) float(b []byte) float64 {
	n := t.unpack(b)
	switch t {
	case Float16:
		return F16(n).Float64()
	case BFloat16:
		return BF16(n).Float64()
	case Float32:
		return float64(math.Float32frombits(uint32(n)))
	}
	return math.Float64frombits(n)
}

func (t DType) formatFloat(b []byte) string {
	f, bits := t.float(b), t.unpack(b)
	switch {
	case math.IsNaN(f) && bits != t.floatBits(math.NaN()):
		return fmt.Sprintf("0x%0*x", 2*t.Size(), bits)
	case math.IsNaN(f) || math.IsInf(f, 0):
		return strconv.FormatFloat(f, 'g', -1, 64)
	case t == Float16:
		return F16(bits).String()
	case t == BFloat16:
		return BF16(bits).String()
	}
	return strconv.FormatFloat(f, 'g', -1, 8*t.Size())
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// parseInt reads an integer, also one written like 1e6 or 3.0.
func parseInt(text string, bits int) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, bits); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	limit := math.Ldexp(1, bits-1)
	if err != nil || f != math.Trunc(f) || f < -limit || f >= limit || math.Abs(f) > 1<<53 {
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
