package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

// number returns a random float64 whose exponent is within spread bits of 0.
func number(rng *rand.Rand, spread int) float64 {
	return math.Ldexp(rng.Float64()-0.5, rng.IntN(2*spread+1)-spread)
}

// Sums equal those of rational numbers, in whatever order terms are added, subtracted and merged,
// and their planes do not depend on the order.
func TestSumsAreExact(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		spread := []int{0, 20, 100, 900}[seed%4]
		const n = 5
		a, b, gone := New(n), New(n), New(n)
		want := make([]big.Rat, n)
		for range 1 + rng.IntN(200) {
			at := rng.IntN(n)
			x := make([]float64, rng.IntN(n-at)+1)
			for i := range x {
				x[i] = number(rng, spread)
				r := new(big.Rat).SetFloat64(x[i])
				want[at+i].Add(&want[at+i], r)
			}
			switch rng.IntN(3) {
			case 0:
				a.Add(at, x)
			case 1:
				b.Add(at, x)
			default: // added; half of it is also added to the part that is subtracted at the end
				a.Add(at, x)
				a.Add(at, x)
				gone.Add(at, x)
			}
		}
		other := New(n)
		other.Unmerge(gone)
		other.Merge(a)
		other.Merge(b)
		a.Merge(b)
		a.Unmerge(gone)
		var v big.Float
		for i := range want {
			a.Value(&v, i)
			if got, _ := v.Rat(nil); got.Cmp(&want[i]) != 0 {
				t.Fatalf("seed %d: sum %d is %v, want %v", seed, i, got, &want[i])
			}
		}
		planes := a.Planes()
		if !reflect.DeepEqual(planes, other.Planes()) {
			t.Fatalf("seed %d: the planes depend on the order", seed)
		}
		back, err := FromPlanes(planes)
		if err != nil || !reflect.DeepEqual(planes, back.Planes()) {
			t.Fatalf("seed %d: other planes after FromPlanes, error %v", seed, err)
		}
		if rounded, _ := want[0].Float64(); planes[0][0] != rounded {
			t.Fatalf("seed %d: plane 0 has %v, want %v", seed, planes[0][0], rounded)
		}
	}
}

func TestSumsThatAreNotFinite(t *testing.T) {
	for name, x := range map[string][]float64{
		"infinite": {math.Inf(1)}, "NaN": {math.NaN()}, "too large": {math.MaxFloat64, math.MaxFloat64}, "taken back": {math.Inf(1), math.Inf(-1)},
	} {
		s := New(2)
		for _, v := range x {
			s.Add(1, []float64{v})
		}
		all := New(2)
		all.Merge(s)
		if s.Finite() || all.Finite() {
			t.Errorf("%s: finite", name)
		}
	}
	if _, err := FromPlanes([][]float64{{1, math.NaN()}}); err == nil {
		t.Error("NaN accepted")
	}
	if _, err := FromPlanes([][]float64{{1, 2}, {1}}); err == nil {
		t.Error("planes of different lengths accepted")
	}
	if _, err := FromPlanes([][]float64{{math.MaxFloat64}, {math.MaxFloat64}}); err == nil {
		t.Error("a sum that is too large accepted")
	}
}

func BenchmarkAdd(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 224 * 225 / 2
	for name, round := range map[string]func(float64) float64{"integers": math.Round, "floats": func(v float64) float64 { return v }} {
		b.Run(name, func(b *testing.B) {
			s, x := New(n), make([]float64, n)
			for i := range x {
				x[i] = round(rng.Float64() * 1e9)
			}
			b.SetBytes(8 * n)
			for range b.N {
				s.Add(0, x)
			}
		})
	}
}
