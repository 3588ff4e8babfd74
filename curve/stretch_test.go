package curve

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"drx/nd"
)

// TestStretchOfSmallBoxes: values that can be added up by hand.
func TestStretchOfSmallBoxes(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		want  *big.Rat
	}{
		{"row", []int{1}, big.NewRat(0, 1)},
		{"hilbert", []int{1, 1, 1}, big.NewRat(0, 1)},
		{"row", []int{7}, big.NewRat(1, 1)},
		{"row", []int{2, 2}, big.NewRat(3, 2)},       // 1 and 2 everywhere
		{"hilbert", []int{2, 2}, big.NewRat(3, 2)},   // 1 and 3 at the ends, 1 and 1 between
		{"row", []int{2, 3}, big.NewRat(17, 9)},      // (1+3)/2 four times, (1+1+3)/3 twice
		{"col", []int{2, 2, 2}, big.NewRat(7, 3)},    // 1, 2 and 4
		{"morton", []int{2, 2, 2}, big.NewRat(7, 3)}, // the same order
		{"shell", []int{2, 2}, big.NewRat(3, 2)},
	} {
		o, err := New(c.name, c.shape)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := exactStretch(o); err != nil || got.Cmp(c.want) != 0 {
			t.Errorf("%s of %v: stretch %v, %v, want %v", c.name, c.shape, got, err, c.want)
		}
	}
}

// TestStretch compares with the definition: it considers all pairs of elements with distance one.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(r, "shape")
		o, err := New(rapid.SampledFrom(Names()).Draw(r, "order"), shape)
		if err != nil {
			r.Fatal(err)
		}
		want := stretchByDefinition(o)
		got, err := Stretch(o)
		if exact, _ := exactStretch(o); err != nil || exact.Cmp(want) != 0 {
			r.Fatalf("stretch of %v is %v, %v, want %v", shape, exact, err, want)
		}
		if rounded, _ := want.Float64(); got != rounded {
			r.Fatalf("stretch of %v is %v, want %v", shape, got, rounded)
		}
	})
}

func stretchByDefinition(o Order) *big.Rat {
	k, sum := o.Rank(), new(big.Rat)
	a, b := make([]int, k), make([]int, k)
	for p := range o.Len() {
		o.Index(p, a)
		mean, neighbours := new(big.Rat), int64(0)
		for q := range o.Len() {
			o.Index(q, b)
			steps := 0
			for d := range a {
				steps += max(a[d]-b[d], b[d]-a[d])
			}
			if steps == 1 {
				mean.Add(mean, big.NewRat(int64(max(p-q, q-p)), 1))
				neighbours++
			}
		}
		if neighbours > 0 {
			sum.Add(sum, mean.Quo(mean, big.NewRat(neighbours, 1)))
		}
	}
	return sum.Quo(sum, big.NewRat(int64(o.Len()), 1))
}

// TestStretchOfLargeCubes: Xu and Tirthapura (2012) prove that in k dimensions no order of n
// elements has a stretch below 2/(3k) times n^(1-1/k), and that the stretches of the row-major and
// the Z order tend to 1/k times n^(1-1/k). Hilbert's is larger than both from 8 x 8 on; section
// 5.4.2 of the thesis says the opposite.
func TestStretchOfLargeCubes(t *testing.T) {
	for _, shape := range [][]int{{8, 8}, {64, 64}, {256, 256}, {8, 8, 8}, {32, 32, 32}, {16, 16, 16, 16}} {
		k, n := float64(len(shape)), float64(shape[0])
		scale := math.Pow(n, k-1) / k
		of := map[string]float64{}
		for _, name := range Names() {
			o, err := New(name, shape)
			if err != nil {
				t.Fatal(err)
			}
			if of[name], err = Stretch(o); err != nil {
				t.Fatal(err)
			}
			if of[name] < scale*2/3*(1-math.Pow(n, -2*k)) {
				t.Errorf("%s of %v: stretch %v below the least possible", name, shape, of[name])
			}
		}
		for _, name := range []string{"row", "col", "morton"} {
			if off := math.Abs(of[name]/scale - 1); off > 2/n {
				t.Errorf("%s of %v: stretch %v is off the limit %v by %v", name, shape, of[name], scale, off)
			}
			if of[name] >= of["hilbert"] {
				t.Errorf("%v: stretch of %s %v, of hilbert %v", shape, name, of[name], of["hilbert"])
			}
		}
	}
}

// TestStretchLimit: too many elements are refused before any work is done.
func TestStretchLimit(t *testing.T) {
	o, err := Row([]int{1<<28 + 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Stretch(o); !errors.Is(err, nd.ErrOverflow) || s != 0 {
		t.Errorf("stretch of %d elements: %v, %v", o.Len(), s, err)
	}
}
