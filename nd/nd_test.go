package nd

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyInt draws ints of every size, the limits and their neighbours often.
var anyInt = rapid.OneOf(
	rapid.Int(),
	rapid.IntRange(-9, 9),
	rapid.SampledFrom([]int{math.MinInt, math.MinInt + 1, math.MaxInt - 1, math.MaxInt, math.MaxInt/2 + 1}),
	rapid.Custom(func(r *rapid.T) int { // about the square root of the limit
		return 3037000499 % math.MaxInt * rapid.IntRange(0, 2).Draw(r, "times")
	}),
)

func abs(n int) int {
	if n == math.MinInt {
		return math.MaxInt
	}
	return max(n, -n)
}

func whole(n int) *big.Int { return big.NewInt(int64(n)) }

// checkFits compares a result, which may overflow, with the exact one.
func checkFits(t *rapid.T, what string, got int, ok bool, exact *big.Int) {
	fits := exact.IsInt64() && exact.Int64() >= math.MinInt && exact.Int64() <= math.MaxInt
	if ok != fits || (ok && int64(got) != exact.Int64()) {
		t.Fatalf("%s is %d, %v, want %v", what, got, ok, exact)
	}
}

func TestMulAdd(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := anyInt.Draw(r, "a"), anyInt.Draw(r, "b")
		sum, ok := Add(a, b)
		checkFits(r, "sum", sum, ok, new(big.Int).Add(whole(a), whole(b)))
		a, b = abs(a), abs(b)
		product, ok := Mul(a, b)
		checkFits(r, "product", product, ok, new(big.Int).Mul(whole(a), whole(b)))
	})
}

func TestProduct(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		factors := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 9), anyInt), 0, 6).Draw(r, "factors")
		exact := big.NewInt(1)
		for i, f := range factors {
			factors[i] = abs(f)
			exact.Mul(exact, whole(factors[i]))
		}
		got, err := Product(factors...)
		checkFits(r, "product", got, err == nil, exact)
		if err != nil && !errors.Is(err, ErrOverflow) {
			r.Fatalf("%v: %v, which is not ErrOverflow", factors, err)
		}
	})
}

func TestProductLimits(t *testing.T) {
	const big = math.MaxInt
	for _, c := range []struct {
		factors []int
		want    int // -1 for an overflow
	}{
		{nil, 1},
		{[]int{0}, 0},
		{[]int{big}, big},
		{[]int{big, 1, 1}, big},
		{[]int{big, 2}, -1},
		{[]int{big, big, big}, -1},
		{[]int{big, big, 0}, 0}, // a zero after the overflow
		{[]int{0, big, big}, 0},
		{[]int{math.MaxInt/2 + 1, 2}, -1},
		{[]int{math.MaxInt / 2, 2}, big - 1},
	} {
		got, err := Product(c.factors...)
		if c.want < 0 {
			if !errors.Is(err, ErrOverflow) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: %d, %v, want an error wrapping ErrOverflow", c.factors, got, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%v: %d, %v, want %d", c.factors, got, err, c.want)
		}
	}
}

func TestDivision(t *testing.T) {
	check := func(fatalf func(string, ...any), a, b int) {
		// big.Int.DivMod is the Euclidean division: for b > 0 it rounds down.
		floor, rest := new(big.Int).DivMod(whole(a), whole(b), new(big.Int))
		ceil := floor.Int64()
		if rest.Sign() > 0 {
			ceil++
		}
		if got := FloorDiv(a, b); int64(got) != floor.Int64() {
			fatalf("floor of %d/%d is %d, want %d", a, b, got, floor)
		}
		if got := CeilDiv(a, b); int64(got) != ceil {
			fatalf("ceiling of %d/%d is %d, want %d", a, b, got, ceil)
		}
	}
	for a := -30; a <= 30; a++ {
		for b := 1; b <= 12; b++ {
			check(t.Fatalf, a, b)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		check(r.Fatalf, anyInt.Draw(r, "a"), max(1, abs(anyInt.Draw(r, "b"))))
	})
}

func TestShape(t *testing.T) {
	if got := Shape([]int{-3, 0, 5}, []int{4, 0, 6}); !slices.Equal(got, []int{7, 0, 1}) {
		t.Errorf("shape %v, want [7 0 1]", got)
	}
}

func TestCheckIndex(t *testing.T) {
	lo, hi := []int{-2, 0}, []int{3, 1}
	for _, c := range []struct {
		index []int
		want  error
	}{
		{[]int{-2, 0}, nil},
		{[]int{2, 0}, nil},
		{[]int{-3, 0}, ErrBounds},
		{[]int{3, 0}, ErrBounds},
		{[]int{0, 1}, ErrBounds},
		{[]int{0, -1}, ErrBounds},
		{[]int{0}, ErrRank},
		{[]int{0, 0, 0}, ErrRank},
		{nil, ErrRank},
	} {
		if err := CheckIndex(c.index, lo, hi); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.index, err, c.want)
		}
	}
	if err := CheckIndex(nil, nil, nil); err != nil {
		t.Errorf("rank 0: %v", err)
	}
	err := CheckIndex([]int{0, 7}, lo, hi)
	if want := "dimension 1: index 7 outside [0, 1)"; err == nil || err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
}

// TestNext counts through boxes and compares with the digits of a number.
func TestNext(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		lo := rapid.SliceOfN(rapid.IntRange(-5, 5), 0, 4).Draw(r, "lo")
		hi := make([]int, len(lo))
		total := 1
		for d := range lo {
			n := rapid.IntRange(1, 4).Draw(r, "extent")
			hi[d] = lo[d] + n
			total *= n
		}
		index := slices.Clone(lo)
		for n := range total {
			for d, rest := len(lo)-1, n; d >= 0; d-- {
				extent := hi[d] - lo[d]
				if want := lo[d] + rest%extent; index[d] != want {
					r.Fatalf("position %d of [%v, %v) is %v: dimension %d should be %d", n, lo, hi, index, d, want)
				}
				rest /= extent
			}
			if more := Next(index, lo, hi); more != (n < total-1) {
				r.Fatalf("after position %d of %d: more is %v", n, total, more)
			}
		}
		if !slices.Equal(index, lo) {
			r.Fatalf("after the last position: %v, want %v", index, lo)
		}
	})
}
