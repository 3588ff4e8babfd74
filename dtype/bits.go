package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// half returns the type of the real and the imaginary part of a complex type.
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

// floatBits returns the bits of f rounded to t. Every NaN becomes the quiet NaN without payload, so
// that equal fill values have equal bits.
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
		return t.formatBits(b)
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

// encodeBits parses 0x and the digits of a floating-point or complex value, the high byte of each
// part first.
func (t DType) encodeBits(text string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || len(digits) != 2*t.Size() || !t.IsFloat() && !t.IsComplex() {
		return nil, false
	}
	b, err := hex.DecodeString(digits)
	if err != nil { // perhaps C's hexadecimal notation, 0x1p-4
		return nil, false
	}
	t.Swap(b)
	return b, true
}

// formatBits is the inverse of encodeBits.
func (t DType) formatBits(b []byte) string {
	b = bytes.Clone(b[:t.Size()])
	t.Swap(b)
	return "0x" + hex.EncodeToString(b)
}
