package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// elements draws the bytes of one element: every pattern is possible, special ones are frequent.
func elements(t DType) *rapid.Generator[[]byte] {
	return rapid.Custom(func(r *rapid.T) []byte {
		if t == Bool {
			return []byte{rapid.SampledFrom([]byte{0, 1}).Draw(r, "bool")}
		}
		b := rapid.SliceOfN(rapid.Byte(), t.Size(), t.Size()).Draw(r, "bytes")
		if rapid.IntRange(0, 2).Draw(r, "special") == 0 && (t.IsFloat() || t.IsComplex()) {
			for part := b; len(part) > 0; part = part[t.word():] {
				part[t.word()-1] |= 0x7f // an exponent of ones: infinities and NaNs
				part[t.word()-2] |= 0xf0
			}
		}
		return b
	})
}

func TestTextRoundTrip(t *testing.T) {
	for _, typ := range All() {
		t.Run(typ.String(), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				b := elements(typ).Draw(r, "element")
				text := typ.Format(b)
				if back, err := typ.Encode(text); err != nil || !bytes.Equal(back, b) {
					r.Fatalf("%x prints as %s, which reads as %x (%v)", b, text, back, err)
				}
				raw := typ.ToJSON(b)
				if !json.Valid(raw) {
					r.Fatalf("%x becomes %s, which is no JSON", b, raw)
				}
				if back, err := typ.FromJSON(raw); err != nil || !bytes.Equal(back, b) {
					r.Fatalf("%x becomes the JSON %s, which reads as %x (%v)", b, raw, back, err)
				}
			})
		})
	}
}

// TestTextRoundTripOfHalves tries every pattern.
func TestTextRoundTripOfHalves(t *testing.T) {
	for _, typ := range []DType{Float16, BFloat16} {
		for n := range 1 << 16 {
			b := binary.LittleEndian.AppendUint16(nil, uint16(n))
			if back, err := typ.Encode(typ.Format(b)); err != nil || !bytes.Equal(back, b) {
				t.Fatalf("%v %#04x prints as %s, which reads as %x (%v)", typ, n, typ.Format(b), back, err)
			}
			if back, err := typ.FromJSON(typ.ToJSON(b)); err != nil || !bytes.Equal(back, b) {
				t.Fatalf("%v %#04x becomes %s, which reads as %x (%v)", typ, n, typ.ToJSON(b), back, err)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		typ  DType
		text string
		want string // the bytes
	}{
		{Bool, "true", "\x01"},
		{Bool, "False", "\x00"},
		{Bool, "1", "\x01"},
		{Int8, "-128", "\x80"},
		{Int8, "-128.0", "\x80"},
		{Int8, "1.27e2", "\x7f"},
		{Uint8, "255", "\xff"},
		{Uint8, "-0", "\x00"},
		{Int16, "-2", "\xfe\xff"},
		{Uint16, "1e3", "\xe8\x03"},
		{Int32, "0x1p4", "\x10\x00\x00\x00"},
		{Int64, "-9223372036854775808", "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{Int64, "9007199254740991.0", "\xff\xff\xff\xff\xff\xff\x1f\x00"},
		{Uint64, "18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{Float16, "1.5", "\x00\x3e"},
		{Float16, "65519.99", "\xff\x7b"},
		{Float16, "0x7e01", "\x01\x7e"},
		{Float16, "0x1p-4", "\x00\x2c"}, // four characters after 0x, but not bits
		{Float16, "-inf", "\x00\xfc"},
		{BFloat16, "1", "\x80\x3f"},
		{Float32, "0.1", "\xcd\xcc\xcc\x3d"},
		{Float32, "NaN", "\x00\x00\xc0\x7f"},
		{Float32, "-nan", "\x00\x00\xc0\x7f"},
		{Float32, "0xffc00000", "\x00\x00\xc0\xff"},
		{Float32, "-Infinity", "\x00\x00\x80\xff"},
		{Float64, "nan", "\x00\x00\x00\x00\x00\x00\xf8\x7f"},
		{Float64, "-0", "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{Float64, "1e-400", "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{Complex64, "(1+2j)", "\x00\x00\x80\x3f\x00\x00\x00\x40"},
		{Complex64, "-1", "\x00\x00\x80\xbf\x00\x00\x00\x00"},
		{Complex64, "inf-nani", ""},
		{Complex64, "inf+nanj", "\x00\x00\x80\x7f\x00\x00\xc0\x7f"},
		{Complex64, "0x7fc000013f800000", "\x01\x00\xc0\x7f\x00\x00\x80\x3f"},
		{Complex128, "2i", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40"},
	} {
		b, err := c.typ.Encode(c.text)
		if c.want == "" {
			if !errors.Is(err, ErrDType) {
				t.Errorf("%v %q: %x, %v, want an error", c.typ, c.text, b, err)
			}
		} else if err != nil || string(b) != c.want {
			t.Errorf("%v %q: %x, %v, want %x", c.typ, c.text, b, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for typ, texts := range map[DType][]string{
		Bool:       {"", "2", "yes"},
		Int8:       {"", "128", "-129", "1.5", "1e9", "true", "NaN", "Inf", " 1", "0x10"},
		Int64:      {"9223372036854775808", "-9223372036854775809", "9007199254740993.0", "1e300"},
		Uint8:      {"-1", "256", "-0.5", "256.0"},
		Uint64:     {"18446744073709551616", "-1", "-1e3", "1e18"},
		Float16:    {"65520", "-1e9", "x", "0x7e0g"},
		BFloat16:   {"3.4e38", "1+2i"},
		Float32:    {"3.5e38", "-1e39", "", "0x12345"},
		Float64:    {"1e309", "1,5", "+-nan", "nano"},
		Complex64:  {"1e39+1i", "1+1e39i", "i", "(1+2i", "[1,2]"},
		Complex128: {"1e309", ""},
		DType(0):   {"0"},
		DType(200): {"0", "0x"},
	} {
		for _, text := range texts {
			b, err := typ.Encode(text)
			if !errors.Is(err, ErrDType) {
				t.Errorf("%v %q: %x, %v, want an error wrapping ErrDType", typ, text, b, err)
				continue
			}
			if !strings.Contains(err.Error(), typ.String()) || !strings.Contains(err.Error(), text) {
				t.Errorf("%v %q: the error %q names not both", typ, text, err)
			}
		}
	}
}

func TestEncodeValue(t *testing.T) {
	for _, c := range []struct {
		typ  DType
		v    any
		want any // encoded with binary.Write; nil for an error
	}{
		{Int16, 300, int16(300)},
		{Int16, -7.0, int16(-7)},
		{Int16, 0.5, nil},
		{Int16, 70000, nil},
		{Int32, F16(0x7bff), int32(65504)},        // prints as 6.55e+04
		{Int32, float32(1 << 30), int32(1 << 30)}, // prints as 1.0737418e+09
		{Int64, uint64(1) << 62, int64(1) << 62},
		{Uint64, uint64(math.MaxUint64), uint64(math.MaxUint64)},
		{Uint8, -1, nil},
		{Float64, float32(0.1), float64(float32(0.1))},
		{Float64, BF16(0x3dcd), BF16(0x3dcd).Float64()},
		{Float64, math.Pi, math.Pi},
		{Float64, 7, 7.0},
		{Float32, 1 + math.Ldexp(1, -24), float32(1)}, // half-way: to even
		{Float32, 1e39, nil},
		{Float32, math.Inf(-1), float32(math.Inf(-1))},
		{Float16, 0.5, uint16(0x3800)},
		{Float16, F16(1), uint16(1)},
		{Float16, 65520.0, nil},
		{Complex64, 2.5, complex64(2.5)},
		{Complex64, complex(1, 1e39), nil},
		{Complex64, complex(1e39, 1), nil},
		{Complex128, complex64(1 + 0.1i), complex128(complex64(1 + 0.1i))},
		{Float64, 1 + 2i, nil},
		{Bool, true, true},
		{Bool, 2, nil},
		{Int8, true, nil},
		{Int8, "12", int8(12)},
		{Int8, json.Number("12"), int8(12)},
		{Int8, nil, nil},
		{DType(0), 1.5, nil},
	} {
		b, err := c.typ.EncodeValue(c.v)
		if c.want == nil {
			if !errors.Is(err, ErrDType) {
				t.Errorf("%v of %T %v: %x, %v, want an error", c.typ, c.v, c.v, b, err)
			}
			continue
		}
		want, _ := binary.Append(nil, binary.LittleEndian, c.want)
		if err != nil || !bytes.Equal(b, want) {
			t.Errorf("%v of %T %v: %x, %v, want %x", c.typ, c.v, c.v, b, err, want)
		}
	}
}

// TestEncodeValueIsConversion compares with the conversions of Go.
func TestEncodeValueIsConversion(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := rapid.Float32().Draw(r, "f")
		if b, err := Float64.EncodeValue(f); err != nil || Float64.Float64(b) != float64(f) {
			r.Fatalf("float64 of float32 %v: %x, %v", f, b, err)
		}
		d := rapid.Float64Range(-math.MaxFloat32, math.MaxFloat32).Draw(r, "d")
		if b, err := Float32.EncodeValue(d); err != nil || Float32.Float64(b) != float64(float32(d)) {
			r.Fatalf("float32 of float64 %v: %x, %v", d, b, err)
		}
		n := rapid.Int64().Draw(r, "n")
		if b, err := Int64.EncodeValue(n); err != nil || int64(binary.LittleEndian.Uint64(b)) != n {
			r.Fatalf("int64 %d: %x, %v", n, b, err)
		}
	})
}

func TestFromJSON(t *testing.T) {
	for _, c := range []struct {
		typ  DType
		raw  string
		want string // as Format writes it; empty for an error
	}{
		{Int16, " 7 ", "7"},
		{Int16, `"7"`, "7"},
		{Int16, "7.5", ""},
		{Int16, "null", ""},
		{Int16, "", ""},
		{Int16, "[7]", ""},
		{Int16, `"7`, ""},
		{Bool, "true", "true"},
		{Float32, `"Infinity"`, "+Inf"},
		{Float32, `"-Infinity"`, "-Inf"},
		{Float32, `"NaN"`, "NaN"},
		{Float32, "1e39", ""},
		{Float64, "1e308", "1e+308"},
		{Complex64, "[1, -2.5]", "(1-2.5i)"},
		{Complex64, `["NaN","-Infinity"]`, "(NaN-Infi)"},
		{Complex64, "3", "(3+0i)"},
		{Complex64, `"1+2i"`, "(1+2i)"},
		{Complex64, "[1]", ""},
		{Complex64, "[1,2,3]", ""},
		{Complex64, "[1,[2,3]]", ""},
		{Complex64, "[1,2", ""},
		{Complex64, "[1,1e39]", ""},
	} {
		b, err := c.typ.FromJSON(json.RawMessage(c.raw))
		switch {
		case c.want == "":
			if !errors.Is(err, ErrDType) {
				t.Errorf("%v from %s: %x, %v, want an error wrapping ErrDType", c.typ, c.raw, b, err)
			}
		case err != nil || c.typ.Format(b) != c.want:
			t.Errorf("%v from %s: %x, %v, want %s", c.typ, c.raw, b, err, c.want)
		}
	}
}

func TestToJSON(t *testing.T) {
	for _, c := range []struct {
		typ        DType
		text, want string
	}{
		{Bool, "true", "true"},
		{Int64, "-9223372036854775808", "-9223372036854775808"},
		{Float32, "0.1", "0.1"},
		{Float64, "Inf", `"Infinity"`},
		{Float16, "-Inf", `"-Infinity"`},
		{BFloat16, "NaN", `"NaN"`},
		{Float32, "0xffc00000", `"0xffc00000"`},
		{Complex64, "1-Infi", `[1,"-Infinity"]`},
	} {
		b, err := c.typ.Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.typ.ToJSON(b)); got != c.want {
			t.Errorf("%v %s becomes %s, want %s", c.typ, c.text, got, c.want)
		}
	}
}

func TestFloat64(t *testing.T) {
	for _, c := range []struct {
		typ  DType
		text string
		want float64
	}{
		{Bool, "true", 1},
		{Int8, "-128", -128},
		{Int16, "-1", -1},
		{Int64, "9223372036854775807", 1 << 63},
		{Uint64, "18446744073709551615", 1 << 64},
		{Uint16, "65535", 65535},
		{Float16, "-0.5", -0.5},
		{BFloat16, "3", 3},
		{Float32, "0.1", float64(float32(0.1))},
		{Complex64, "3-4i", 5},
		{Complex128, "0x1.8p601+0x1p602i", math.Ldexp(5, 600)}, // no overflow on the way,
	} {
		b, err := c.typ.Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.typ.Float64(b); got != c.want {
			t.Errorf("%v %s is %g as a float64, want %g", c.typ, c.text, got, c.want)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, text := range []string{"0", "-1", "1e3", "NaN", "-inf", "0x7fc00001", "(1+2i)", "0x1p-4", "true"} {
		f.Add(uint8(Float32), text)
		f.Add(uint8(Complex64), text)
	}
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		typ := DType(n)
		b, err := typ.Encode(text)
		if err != nil {
			if !errors.Is(err, ErrDType) {
				t.Fatalf("%v %q: %v, which is not ErrDType", typ, text, err)
			}
			return
		}
		if len(b) != typ.Size() {
			t.Fatalf("%v %q: %d bytes", typ, text, len(b))
		}
		if back, err := typ.Encode(typ.Format(b)); err != nil || !bytes.Equal(back, b) {
			t.Fatalf("%v %q: %x prints as %s, which reads as %x (%v)", typ, text, b, typ.Format(b), back, err)
		}
	})
}
