package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// gram returns x'x for random x, whose columns have very different units.
func gram(rng *rand.Rand, n int, units float64) *mat.SymDense {
	x := mat.NewDense(2*n, n, nil)
	x.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * math.Pow(units, float64(j)) }, x)
	var a mat.SymDense
	a.SymOuterK(1, x.T())
	return &a
}

func TestSymmetricAndValues(t *testing.T) {
	for n := 1; n < 40; n += 3 {
		a := gram(rand.New(rand.NewPCG(uint64(n), 1)), n, 1)
		values, v, err := Symmetric("matrix", a)
		if err != nil {
			t.Fatal(err)
		}
		var av, vd, one mat.Dense
		av.Mul(a, v)
		vd.Mul(v, mat.NewDiagDense(n, values))
		one.Mul(v.T(), v)
		if !mat.EqualApprox(&av, &vd, 1e-10*values[0]) || !mat.EqualApprox(&one, mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)), 1e-12) {
			t.Errorf("%d: not the eigenvectors", n)
		}
		only, err := Values("matrix", a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if math.Abs(only[i]-values[i]) > 1e-11*values[0] || i > 0 && only[i] > only[i-1] {
				t.Errorf("%d: values %v without vectors, %v with them", n, only, values)
			}
		}
	}
}

// Inverse is accurate for units that differ by 10^60.
func TestInverse(t *testing.T) {
	for _, units := range []float64{1, 1e-10} {
		a := gram(rand.New(rand.NewPCG(1, 2)), 7, units)
		inverse, err := Inverse("matrix", a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 7 {
			for j := range 7 {
				sum, want := 0.0, 0.0
				if i == j {
					want = 1
				}
				for k := range 7 {
					sum += a.At(i, k) * inverse.At(k, j)
				}
				// Compare in units in which the diagonal of a is 1.
				if sum *= math.Sqrt(a.At(j, j) / a.At(i, i)); math.Abs(sum-want) > 1e-12 {
					t.Errorf("units %v: element %d, %d of the product is %v", units, i, j, sum)
				}
			}
		}
	}
}

// TestWhitening: W a W' is the unit matrix, in all units.
func TestWhitening(t *testing.T) {
	for _, units := range []float64{1, 1e-10} {
		const n = 7
		a := gram(rand.New(rand.NewPCG(1, 4)), n, units)
		rows, err := Whitening("matrix", a)
		if err != nil {
			t.Fatal(err)
		}
		w := mat.NewDense(n, n, nil)
		for i, row := range rows {
			for j, v := range row {
				w.Set(i, j, v)
			}
		}
		var wa, one mat.Dense
		wa.Mul(w, a)
		one.Mul(&wa, w.T())
		if !mat.EqualApprox(&one, mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)), 1e-12) {
			t.Errorf("units %v: %v", units, mat.Formatted(&one))
		}
	}
}

func TestSingular(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	x := mat.NewDense(9, 4, nil)
	for i := range 9 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, c, a - b + 2*c})
	}
	var a mat.SymDense
	a.SymOuterK(1, x.T())
	if _, err := Inverse("matrix", &a); err == nil || !strings.HasPrefix(err.Error(), "the matrix of 4 bands is singular") {
		t.Errorf("Inverse: %v", err)
	}
	if _, _, err := Positive("matrix", &a); err == nil || !strings.HasPrefix(err.Error(), "the matrix of 4 bands is singular") {
		t.Errorf("Positive: %v", err)
	}
	for _, wrong := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		a := gram(rng, 3, 1)
		a.SetSym(2, 2, wrong)
		if _, err := Inverse("matrix", a); err == nil {
			t.Errorf("Inverse with %v in the diagonal: no error", wrong)
		}
		if _, err := Whitening("matrix", a); err == nil {
			t.Errorf("Whitening with %v in the diagonal: no error", wrong)
		}
		if _, _, err := Positive("matrix", a); err == nil {
			t.Errorf("Positive with %v in the diagonal: no error", wrong)
		}
	}
	broken := gram(rng, 3, 1)
	broken.SetSym(0, 1, math.NaN())
	if _, err := Inverse("matrix", broken); err == nil {
		t.Error("Inverse with NaN: no error")
	}
	if _, err := Values("matrix", broken); err == nil {
		t.Error("Values with NaN: no error")
	}
}
