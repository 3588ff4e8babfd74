package dtype

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// A format is one of the two 16-bit formats, as the standards define it.
type format struct {
	name           string
	exponent, frac int // bits
	round          func(float64) uint16
	widen          func(uint16) float64
	text           func(uint16) string
}

var formats = []format{
	{
		"float16", 5, 10,
		func(f float64) uint16 { return uint16(ToF16(f)) },
		func(h uint16) float64 { return F16(h).Float64() },
		func(h uint16) string { return F16(h).String() },
	},
	{
		"bfloat16", 8, 7,
		func(f float64) uint16 { return uint16(ToBF16(f)) },
		func(h uint16) float64 { return BF16(h).Float64() },
		func(h uint16) string { return BF16(h).String() },
	},
}

func (f format) infinity() uint16 { return (1<<f.exponent - 1) << f.frac }

func (f format) sign() uint16 { return 1 << (f.exponent + f.frac) }

// exact returns the value of a bit pattern without sign, as the standard defines it. The pattern of
// infinity counts as the next power of two.
func (f format) exact(h uint16) *big.Float {
	bias := 1<<(f.exponent-1) - 1
	exp, frac := int(h>>f.frac), int64(h&(1<<f.frac-1))
	if exp == 0 {
		exp = 1
	} else {
		frac += 1 << f.frac
	}
	return new(big.Float).SetMantExp(big.NewFloat(float64(frac)), exp-bias-f.frac)
}

func TestHalfWidensExactly(t *testing.T) {
	for _, f := range formats {
		for h := range f.infinity() {
			want, _ := f.exact(h).Float64()
			if got := f.widen(h); got != want || math.Signbit(got) {
				t.Fatalf("%s %#04x is %g, want %g", f.name, h, got, want)
			}
			if got := f.widen(h | f.sign()); got != -want || !math.Signbit(got) {
				t.Fatalf("%s %#04x is %g, want %g", f.name, h|f.sign(), got, -want)
			}
		}
	}
}

func TestHalfEveryPatternRoundTrips(t *testing.T) {
	for _, f := range formats {
		for n := range 1 << 16 {
			h := uint16(n)
			wide, magnitude := f.widen(h), h&^f.sign()
			switch back := f.round(wide); {
			case magnitude > f.infinity(): // NaN: the sign stays, the payload does not
				if quiet := h&f.sign() | f.infinity() | 1<<(f.frac-1); !math.IsNaN(wide) || back != quiet {
					t.Fatalf("%s %#04x is %g and then %#04x, want NaN and %#04x", f.name, h, wide, back, quiet)
				}
			case back != h:
				t.Fatalf("%s %#04x is %g and then %#04x", f.name, h, wide, back)
			}
		}
		if !math.IsInf(f.widen(f.infinity()), 1) || !math.IsInf(f.widen(f.infinity()|f.sign()), -1) {
			t.Errorf("%s: the patterns of infinity are none", f.name)
		}
	}
}

func TestBF16IsHalfOfFloat32(t *testing.T) {
	for n := range 1 << 16 {
		want := float64(math.Float32frombits(uint32(n) << 16))
		if got := BF16(n).Float64(); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("bfloat16 %#04x is %g, want %g", n, got, want)
		}
	}
}

// TestHalfMidpoints rounds the midpoint of every two neighbours, and the closest float64 on either
// side of it. The last pair is the largest number and the power of two in the place of infinity,
// the first pair is zero and the smallest subnormal number.
func TestHalfMidpoints(t *testing.T) {
	for _, f := range formats {
		for h := range f.infinity() {
			sum := new(big.Float).Add(f.exact(h), f.exact(h+1))
			middle, accuracy := sum.Quo(sum, big.NewFloat(2)).Float64()
			if accuracy != big.Exact {
				t.Fatalf("%s: the middle above %#04x is no float64", f.name, h)
			}
			even := h + h&1
			for _, c := range []struct {
				value float64
				want  uint16
			}{
				{middle, even},
				{math.Nextafter(middle, 0), h},
				{math.Nextafter(middle, math.Inf(1)), h + 1},
			} {
				if got := f.round(c.value); got != c.want {
					t.Fatalf("%s of %g is %#04x, want %#04x", f.name, c.value, got, c.want)
				}
				if got := f.round(-c.value); got != c.want|f.sign() {
					t.Fatalf("%s of %g is %#04x, want %#04x", f.name, -c.value, got, c.want|f.sign())
				}
			}
		}
	}
}

// TestHalfNearest rounds numbers of any size and compares the distances.
func TestHalfNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats {
		for range 20000 {
			v := math.Abs(math.Float64frombits(random.Uint64()))
			if random.IntN(4) > 0 { // mostly within the range of the format
				v = math.Ldexp(1+random.Float64(), random.IntN(1<<f.exponent+8)-1<<(f.exponent-1)-f.frac)
			}
			got := f.round(v)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			far := func(h uint16) *big.Float {
				d := new(big.Float).SetPrec(4000).Sub(f.exact(h), big.NewFloat(v))
				return d.Abs(d)
			}
			if got > f.infinity() {
				t.Fatalf("%s of %g is %#04x, no number", f.name, v, got)
			}
			if got > 0 && far(got-1).Cmp(far(got)) < 0 {
				t.Fatalf("%s of %g is %#04x, but the one below is closer", f.name, v, got)
			}
			if got < f.infinity() && far(got+1).Cmp(far(got)) < 0 {
				t.Fatalf("%s of %g is %#04x, but the one above is closer", f.name, v, got)
			}
		}
	}
}

func TestHalfOverflowsToInfinity(t *testing.T) {
	for _, f := range formats {
		for _, v := range []float64{math.MaxFloat64, math.Inf(1), 1e39} {
			if got := f.round(v); got != f.infinity() {
				t.Errorf("%s of %g is %#04x, want infinity", f.name, v, got)
			}
			if got := f.round(-v); got != f.infinity()|f.sign() {
				t.Errorf("%s of %g is %#04x, want -infinity", f.name, -v, got)
			}
		}
		if got := f.round(math.SmallestNonzeroFloat64); got != 0 {
			t.Errorf("%s of the smallest float64 is %#04x, want 0", f.name, got)
		}
		if got := f.round(math.Copysign(0, -1)); got != f.sign() {
			t.Errorf("%s of -0 is %#04x, want %#04x", f.name, got, f.sign())
		}
	}
	if ToF16(65519.99) != 0x7bff || ToF16(65520) != 0x7c00 {
		t.Errorf("float16 of 65519.99 and 65520 are %#04x and %#04x", ToF16(65519.99), ToF16(65520))
	}
}

func TestHalfTextIsShort(t *testing.T) {
	for _, f := range formats {
		for h := range f.infinity() {
			text := f.text(h)
			back, err := strconv.ParseFloat(text, 64)
			if err != nil || f.round(back) != h {
				t.Fatalf("%s %#04x prints as %s, which reads as %#04x (%v)", f.name, h, text, f.round(back), err)
			}
			// 5 digits distinguish all float16 numbers, 4 digits all bfloat16 numbers.
			if digits := int(math.Ceil(1 + float64(f.frac+1)*math.Log10(2))); digitsOf(text) > digits {
				t.Fatalf("%s %#04x prints as %s, more than %d digits", f.name, h, text, digits)
			}
		}
	}
	for text, h := range map[string]F16{"0.1": 0x2e66, "1": 0x3c00, "-2": 0xc000, "6e-08": 1, "6.55e+04": 0x7bff, "+Inf": 0x7c00, "NaN": 0x7e00} {
		if h.String() != text {
			t.Errorf("float16 %#04x prints as %s, want %s", uint16(h), h, text)
		}
	}
}

// digitsOf counts the significant digits of a decimal number.
func digitsOf(text string) int {
	n := 0
	for _, c := range text {
		if c == 'e' {
			break
		}
		if c > '0' && c <= '9' || c == '0' && n > 0 {
			n++
		}
	}
	return n
}
