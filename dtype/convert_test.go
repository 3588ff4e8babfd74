package dtype

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// convertAll converts elements in place, as a copy does: they are at the end of the memory of the
// result.
func convertAll(t *testing.T, from, to DType, clip bool, fill, data []byte) ([]byte, error) {
	t.Helper()
	c, err := NewConverter(from, to, clip, fill)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return data, nil
	}
	n := len(data) / from.Size()
	buf := make([]byte, n*max(from.Size(), to.Size()))
	raw := buf[n*max(0, to.Size()-from.Size()):][:len(data)]
	copy(raw, data)
	err = c.Apply(buf[:n*to.Size()], raw)
	return buf[:n*to.Size()], err
}

// exact returns the value of a real element, nil for NaN and infinities.
func exact(dt DType, b []byte) *big.Rat {
	if dt == Bool {
		return new(big.Rat).SetInt64(int64(b[0]))
	}
	v, ok := new(big.Rat).SetString(dt.Format(b))
	if !ok {
		return nil
	}
	if dt.IsFloat() { // the text of a float is rounded
		return new(big.Rat).SetFloat64(dt.Float64(b))
	}
	return v
}

func isReal(dt DType) bool { return !dt.IsComplex() }

func isInteger(dt DType) bool { return isReal(dt) && !dt.IsFloat() }

// interesting returns elements of a type: random bits, small numbers and limits.
func interesting(r *rand.Rand, dt DType, n int) []byte {
	var data []byte
	for range n {
		b := make([]byte, dt.Size())
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		text := []string{
			"0", "1", "-1", "127", "-128", "255", "256", "65504", "65519", "65520", "2.5", "-0.5", "3.5",
			"9223372036854775807", "9223372036854775808", "18446744073709551615", "1e300", "NaN", "-Inf",
		}[r.IntN(19)]
		if v, err := dt.Encode(text); r.IntN(2) == 0 && err == nil {
			b = v
		}
		if dt == Bool {
			b[0] &= 1
		}
		data = append(data, b...)
	}
	return data
}

// For every pair of real types, values become the nearest one, and values that do not fit are
// reported or clipped, as judged by exact arithmetic.
func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	misfits := 0
	for _, from := range slices.DeleteFunc(All(), DType.IsComplex) {
		for _, to := range slices.DeleteFunc(All(), DType.IsComplex) {
			n := 200
			data := interesting(r, from, n)
			fill, _ := to.Encode("1")
			clipped, err := convertAll(t, from, to, true, fill, data)
			if err != nil {
				t.Fatalf("%v to %v: %v", from, to, err)
			}
			for i := range n {
				one := data[i*from.Size():][:from.Size()]
				got := clipped[i*to.Size():][:to.Size()]
				fits := checkNearest(t, from, to, one, got, fill)
				strict, err := convertAll(t, from, to, false, nil, one)
				if fits != (err == nil) || err != nil && !errors.Is(err, ErrDType) || fits && !slices.Equal(strict, got) {
					t.Errorf("%v %s to %v: %v, fits: %v", from, from.Format(one), to, err, fits)
				}
				if !fits {
					misfits++
				}
			}
		}
	}
	if misfits < 1200 {
		t.Errorf("only %d misfits", misfits)
	}
}

// checkNearest checks a converted value, and reports whether the value fits the type.
func checkNearest(t *testing.T, from, to DType, one, got, fill []byte) bool {
	t.Helper()
	if from == to {
		return true
	}
	bad := func() {
		t.Errorf("%v %s became %v %s", from, from.Format(one), to, to.Format(got))
	}
	v := exact(from, one)
	if v == nil { // NaN and infinities
		f := from.Float64(one)
		switch {
		case to.IsFloat():
			if g := to.Float64(got); g != f && !(math.IsNaN(f) && math.IsNaN(g)) {
				bad()
			}
			return true
		case math.IsNaN(f):
			if !slices.Equal(got, fill) {
				bad()
			}
		default:
			if lo, hi := integerLimits(to); exact(to, got).Cmp(map[bool]*big.Rat{true: lo, false: hi}[f < 0]) != 0 {
				bad()
			}
		}
		return false
	}
	g := exact(to, got)
	if g == nil {
		bad()
		return false
	}
	if isInteger(to) {
		return nearestInteger(to, v, g, bad)
	}
	return nearestFloat(to, v, got, g, bad)
}

func integerLimits(dt DType) (lo, hi *big.Rat) {
	bits := uint(8 * dt.Size())
	one := big.NewInt(1)
	switch dt {
	case Bool:
		return new(big.Rat), big.NewRat(1, 1)
	case Int8, Int16, Int32, Int64:
		half := new(big.Int).Lsh(one, bits-1)
		return new(big.Rat).SetInt(new(big.Int).Neg(half)), new(big.Rat).SetInt(half.Sub(half, one))
	}
	all := new(big.Int).Lsh(one, bits)
	return new(big.Rat), new(big.Rat).SetInt(all.Sub(all, one))
}

func nearestInteger(to DType, v, g *big.Rat, bad func()) bool {
	half := big.NewRat(1, 2)
	lo, hi := integerLimits(to)
	switch {
	case v.Cmp(new(big.Rat).Sub(lo, half)) < 0:
		if g.Cmp(lo) != 0 {
			bad()
		}
		return false
	case v.Cmp(new(big.Rat).Add(hi, half)) >= 0: // the limits are odd: ties round up, beyond them
		// The largest float64 below the limit of 64 bits is used in its place.
		if d := new(big.Rat).Sub(hi, g); d.Sign() != 0 {
			bad()
		}
		return false
	}
	distance := new(big.Rat).Sub(v, g)
	c := distance.Abs(distance).Cmp(half)
	if c > 0 || c == 0 && g.Num().Bit(0) != 0 {
		bad()
	}
	return true
}

// nearestFloat compares the distance with that of the two neighbours, whose bits are one more and
// less.
func nearestFloat(to DType, v *big.Rat, got []byte, g *big.Rat, bad func()) bool {
	distance := func(x *big.Rat) *big.Rat { d := new(big.Rat).Sub(v, x); return d.Abs(d) }
	beyond := false
	for _, by := range []int{-1, 1} {
		b := slices.Clone(got)
		carry := by
		for i := range b {
			n := int(b[i]) + carry
			b[i] = byte(n)
			carry = n >> 8
		}
		if x := exact(to, b); x == nil { // the largest finite number
			// From half a step beyond it, values round to infinity.
			c := slices.Clone(got)
			c[0]--
			step := new(big.Rat).Sub(g, exact(to, c))
			over := new(big.Rat).Sub(v, g)
			if g.Sign() < 0 {
				step.Neg(step)
				over.Neg(over)
			}
			beyond = over.Cmp(step.Abs(step).Quo(step, big.NewRat(2, 1))) >= 0
		} else if distance(x).Cmp(distance(g)) < 0 && g.Sign() != 0 {
			bad()
		}
	}
	return !beyond
}

func TestConvertComplex(t *testing.T) {
	data := []float32{1.5, -2, 0x1p100, 0}
	got, err := convertAll(t, Float32, Complex128, false, nil, Bytes(data))
	if want := Bytes([]complex128{1.5, -2, 0x1p100, 0}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	back, err := convertAll(t, Complex128, Complex64, false, nil, got)
	if want := Bytes([]complex64{1.5, -2, 0x1p100, 0}); err != nil || !slices.Equal(back, want) {
		t.Errorf("%v, %v", back, err)
	}
	large := Bytes([]complex128{complex(1, -1e300)})
	if _, err := convertAll(t, Complex128, Complex64, false, nil, large); !errors.Is(err, ErrDType) {
		t.Error(err)
	}
	clipped, err := convertAll(t, Complex128, Complex64, true, nil, large)
	if want := Bytes([]complex64{complex(1, -math.MaxFloat32)}); err != nil || !slices.Equal(clipped, want) {
		t.Errorf("%v, %v", clipped, err)
	}
}

func BenchmarkConvert(b *testing.B) {
	for _, types := range [][2]DType{{Float64, Float32}, {Int16, Float32}, {Float32, Uint8}} {
		b.Run(types[0].String()+"_"+types[1].String(), func(b *testing.B) {
			c, err := NewConverter(types[0], types[1], true, make([]byte, 16))
			if err != nil {
				b.Fatal(err)
			}
			src, dst := make([]byte, 1<<16*types[0].Size()), make([]byte, 1<<16*types[1].Size())
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := c.convert(dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
