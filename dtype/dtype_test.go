package dtype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, typ := range All() {
		if back, err := Parse(typ.String()); err != nil || back != typ {
			t.Errorf("%v reads as %v, %v", typ, back, err)
		}
		if seen[typ.String()] || !typ.Valid() {
			t.Errorf("%v comes twice or is not valid", typ)
		}
		seen[typ.String()] = true
	}
	if len(seen) != 15 {
		t.Errorf("%d types, want 15", len(seen))
	}
	for _, name := range []string{"", "none", "Int8", "float", "dtype(0)"} {
		_, err := Parse(name)
		if !errors.Is(err, ErrDType) || !strings.Contains(err.Error(), "bfloat16") {
			t.Errorf("%q: %v, want an error wrapping ErrDType that lists the names", name, err)
		}
	}
}

func TestInvalidTypes(t *testing.T) {
	for _, typ := range []DType{0, Complex128 + 1, 255} {
		if typ.Valid() || typ.Size() != 0 || typ.IsFloat() || typ.IsComplex() {
			t.Errorf("%v: valid %v, size %d", typ, typ.Valid(), typ.Size())
		}
		b := []byte{1, 2, 3}
		typ.Swap(b) // there are no units to swap: must return
		if !bytes.Equal(b, []byte{1, 2, 3}) {
			t.Errorf("%v: Swap gave %v", typ, b)
		}
	}
}

// checkOf compares Of and Bytes with encoding/binary.
func checkOf[T Element](t *testing.T, want DType, values ...T) {
	t.Helper()
	if Of[T]() != want {
		t.Errorf("Of says %v, want %v", Of[T](), want)
	}
	native, err := binary.Append(nil, binary.NativeEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	got := Bytes(values)
	if !bytes.Equal(got, native) || len(got) != len(values)*want.Size() {
		t.Errorf("%v: bytes %x, want %x", want, got, native)
	}
	clear(got)
	if values[len(values)-1] != *new(T) {
		t.Errorf("%v: Bytes gave a copy of the memory", want)
	}
	if Bytes([]T{}) != nil || Bytes[T](nil) != nil {
		t.Errorf("%v: the bytes of nothing are not nil", want)
	}
	little, _ := binary.Append(nil, binary.LittleEndian, values)
	want.ToLittle(got)
	if !bytes.Equal(got, little) {
		t.Errorf("%v: ToLittle gave %x, want %x", want, got, little)
	}
}

func TestOfBytes(t *testing.T) {
	checkOf(t, Bool, true, false, true)
	checkOf[int8](t, Int8, 1, -2)
	checkOf[int16](t, Int16, 1, -300)
	checkOf[int32](t, Int32, 1, -70000)
	checkOf[int64](t, Int64, 1, -1<<40)
	checkOf[uint8](t, Uint8, 1, 200)
	checkOf[uint16](t, Uint16, 1, 60000)
	checkOf[uint32](t, Uint32, 1, 1<<31)
	checkOf[uint64](t, Uint64, 1, 1<<63)
	checkOf[F16](t, Float16, 1, 0x7c00)
	checkOf[BF16](t, BFloat16, 1, 0x7f80)
	checkOf[float32](t, Float32, 1, -2.5)
	checkOf[float64](t, Float64, 1, -2.5)
	checkOf[complex64](t, Complex64, 1, 2-3i)
	checkOf[complex128](t, Complex128, 1, 2-3i)
}

func TestSwap(t *testing.T) {
	for _, c := range []struct {
		typ      DType
		in, want string
	}{
		{Bool, "ab", "ab"},
		{Int8, "ab", "ab"},
		{Uint16, "abcd", "badc"},
		{BFloat16, "abcd", "badc"},
		{Float32, "abcdefgh", "dcbahgfe"},
		{Int64, "abcdefgh", "hgfedcba"},
		{Complex64, "abcdefgh", "dcbahgfe"},
		{Complex128, "abcdefghijklmnop", "hgfedcbaponmlkji"},
		{Int32, "", ""},
	} {
		b := []byte(c.in)
		if c.typ.Swap(b); string(b) != c.want {
			t.Errorf("%v: %q swapped is %q, want %q", c.typ, c.in, b, c.want)
		}
	}
}

func TestSwapTwice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		typ := rapid.SampledFrom(All()).Draw(r, "type")
		n := rapid.IntRange(0, 20).Draw(r, "elements")
		b := rapid.SliceOfN(rapid.Byte(), n*typ.Size(), n*typ.Size()).Draw(r, "bytes")
		twice := bytes.Clone(b)
		typ.Swap(twice)
		typ.Swap(twice)
		if !bytes.Equal(twice, b) {
			r.Fatalf("%v: %x swapped twice is %x", typ, b, twice)
		}
	})
}
