package reduce_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/hyper/reduce"
	"drx/hyper/scene"

	"gonum.org/v1/gonum/mat"
)

// covariance returns a random covariance of n bands, and a mean.
func covariance(rng *rand.Rand, n int) ([]float64, *mat.SymDense) {
	x, mean := mat.NewDense(n, 2*n, nil), make([]float64, n)
	for i := range n {
		mean[i] = 10 * rng.NormFloat64()
		for j := range 2 * n {
			x.Set(i, j, rng.NormFloat64()*math.Exp(rng.NormFloat64()))
		}
	}
	var k mat.SymDense
	k.SymOuterK(1, x)
	return mean, &k
}

// jacobi returns the eigenvalues of a symmetric matrix, largest first, by rotations that each make
// one element zero.
func jacobi(a mat.Symmetric) []float64 {
	n := a.SymmetricDim()
	m := mat.DenseCopyOf(a)
	for range 100 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if m.At(p, q) == 0 {
					continue
				}
				angle := math.Atan2(2*m.At(p, q), m.At(q, q)-m.At(p, p)) / 2
				c, s := math.Cos(angle), math.Sin(angle)
				for i := range n {
					x, y := m.At(i, p), m.At(i, q)
					m.Set(i, p, c*x-s*y)
					m.Set(i, q, s*x+c*y)
				}
				for i := range n {
					x, y := m.At(p, i), m.At(q, i)
					m.Set(p, i, c*x-s*y)
					m.Set(q, i, s*x+c*y)
				}
			}
		}
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = m.At(i, i)
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func dense(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// checkTransform checks that the covariances of the components equal their values, and checks the
// inverse, the signs and the order.
func checkTransform(t *testing.T, tr *reduce.Transform, k mat.Symmetric, values []float64) {
	t.Helper()
	n := tr.Bands()
	y := tr.Covariance(k)
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = values[i]
			}
			if !near(y.At(i, j), want, 1e-10*values[0]) {
				t.Errorf("covariance of components %d and %d: %v, want %v", i, j, y.At(i, j), want)
			}
		}
		row := tr.Forward[i]
		least, largest := slices.Min(row), slices.Max(row)
		if -least > largest {
			t.Errorf("component %d has the wrong sign: from %v to %v", i, least, largest)
		}
	}
	var one mat.Dense
	one.Mul(dense(tr.Forward), dense(tr.Inverse))
	for i := range n {
		one.Set(i, i, one.At(i, i)-1)
	}
	if mat.Norm(&one, 1) > 1e-9 {
		t.Errorf("the inverse is none: off by %v", mat.Norm(&one, 1))
	}
	if !slices.IsSortedFunc(tr.Values, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("values %v do not descend", tr.Values)
	}
}

func TestPCT(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(9)
		mean, k := covariance(rng, n)
		tr, err := reduce.PCT(mean, k)
		if err != nil {
			t.Fatal(err)
		}
		values := jacobi(k)
		checkTransform(t, tr, k, values)
		for i, row := range tr.Forward {
			if !near(mat.Norm(mat.NewVecDense(n, row), 2), 1, 1e-12) || !near(tr.Values[i], values[i], 1e-10*values[0]) {
				t.Errorf("component %d: %v, value %v, want %v", i, row, tr.Values[i], values[i])
			}
		}
	}
}

// The values of MNF are the eigenvalues of inv(L) K inv(L)' with the Cholesky factor L of the
// noise, and the noise of the components is white.
func TestMNF(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(9)
		mean, k := covariance(rng, n)
		_, noise := covariance(rng, n)
		tr, err := reduce.MNF(mean, k, noise, 0)
		if err != nil {
			t.Fatal(err)
		}
		var ch mat.Cholesky
		if !ch.Factorize(noise) {
			t.Fatal("no factor")
		}
		var l mat.TriDense
		ch.LTo(&l)
		var inv, half, full mat.Dense
		if err := inv.Inverse(&l); err != nil {
			t.Fatal(err)
		}
		half.Mul(&inv, k)
		full.Mul(&half, inv.T())
		values := jacobi(mat.NewSymDense(n, full.RawMatrix().Data))
		checkTransform(t, tr, k, values)
		white := tr.Covariance(noise)
		for i := range n {
			if !near(tr.Values[i], values[i], 1e-8*values[0]) || !near(white.At(i, i), 1, 1e-9) {
				t.Errorf("seed %d, component %d: value %v, want %v; noise %v", seed, i, tr.Values[i], values[i], white.At(i, i))
			}
			for j := range i {
				if !near(white.At(i, j), 0, 1e-9) {
					t.Errorf("seed %d: the noise of components %d and %d is correlated: %v", seed, i, j, white.At(i, j))
				}
			}
		}
	}
}

func TestApplyAndInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	const n, pixels = 7, 30
	mean, k := covariance(rng, n)
	_, noise := covariance(rng, n)
	tr, err := reduce.MNF(mean, k, noise, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, n*pixels)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	y, back := make([]float64, n*pixels), make([]float64, n*pixels)
	tr.Apply(y, x)
	tr.Invert(back, y)
	for p := range pixels {
		for i, f := range tr.Forward {
			want := 0.0
			for b, v := range f {
				want += v * (x[p*n+b] - mean[b])
			}
			if !near(y[p*n+i], want, 1e-11) || !near(back[p*n+i], x[p*n+i], 1e-10) {
				t.Fatalf("pixel %d, component %d: %v, want %v; back %v, want %v", p, i, y[p*n+i], want, back[p*n+i], x[p*n+i])
			}
		}
	}
	few, err := tr.Keep(3)
	if err != nil {
		t.Fatal(err)
	}
	y3, all := make([]float64, 3*pixels), slices.Clone(y)
	few.Apply(y3, x)
	for i := range all {
		if i%n >= 3 {
			all[i] = 0
		} else if all[i] != y3[i/n*3+i%n] {
			t.Fatalf("number %d of three components is %v, of all %v", i, y3[i/n*3+i%n], all[i])
		}
	}
	want := make([]float64, n*pixels)
	tr.Invert(want, all) // without the components that few does not have
	few.Invert(back, y3)
	for i := range want {
		if !near(back[i], want[i], 1e-11) {
			t.Fatalf("spectrum from three components: %v, want %v", back[i], want[i])
		}
	}
}

// The scene of components equals Apply, the restored scene equals Invert; both have the same
// unusable pixels.
func TestScene(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	b := scene.Block{Lo: scene.Pixel{Line: -3}, Hi: scene.Pixel{Line: 20, Sample: 70}}
	data := make([]float64, b.Pixels()*3)
	for i := range data {
		data[i] = rng.NormFloat64()
	}
	data[100] = math.NaN()
	src, err := scene.InMemory(b, 3, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean, k := covariance(rng, 3)
	tr, err := reduce.PCT(mean, k)
	if err != nil {
		t.Fatal(err)
	}
	few, err := tr.Keep(2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := few.Scene(c)
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := few.Restore(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := r.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	y, x := make([]float64, 2), make([]float64, 3)
	for i := range b.Pixels() {
		if out.Valid[i] != in.Valid[i] || back.Valid[i] != in.Valid[i] {
			t.Fatalf("pixel %d: valid is %v, computed back %v", i, out.Valid[i], back.Valid[i])
		}
		few.Apply(y, in.Spectrum(i))
		few.Invert(x, y)
		for j, v := range back.Spectrum(i) {
			if in.Valid[i] && !near(v, x[j], 1e-12) {
				t.Fatalf("pixel %d: computed back %v, want %v", i, back.Spectrum(i), x)
			}
		}
		few.Apply(y, in.Spectrum(i))
		for j, v := range out.Spectrum(i) {
			if in.Valid[i] && !near(v, y[j], 1e-12) {
				t.Fatalf("pixel %d: %v, want %v", i, out.Spectrum(i), y)
			}
		}
	}
	two, err := scene.InMemory(b, 2, make([]float64, b.Pixels()*2))
	if err != nil {
		t.Fatal(err)
	}
	if c, err = scene.New(two, scene.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Scene(c); err == nil {
		t.Error("no error for a scene of other bands")
	}
}

func TestExplainedAndEnough(t *testing.T) {
	tr, err := reduce.PCT(make([]float64, 3), mat.NewDiagDense(3, []float64{1, 6, 3}))
	if err != nil {
		t.Fatal(err)
	}
	if e := tr.Explained(); !slices.Equal(e, []float64{0.6, 0.9, 1}) {
		t.Errorf("explained %v", e)
	}
	for part, want := range map[float64]int{0.1: 1, 0.6: 1, 0.61: 2, 0.9: 2, 1: 3} {
		if n, err := tr.Enough(part); n != want || err != nil {
			t.Errorf("%d components explain %v, want %d; error %v", n, part, want, err)
		}
	}
	few, err := tr.Keep(2)
	if err != nil {
		t.Fatal(err)
	}
	_, err = few.Enough(0.95)
	wantError(t, err, "the 2 components explain 0.9 of the variance, less than 0.95: keep more")
	for _, part := range []float64{0, -1, 1.1, math.NaN()} {
		if _, err := tr.Enough(part); err == nil {
			t.Errorf("no error for a part of %v", part)
		}
	}
	for _, k := range []int{0, 4} {
		if _, err := tr.Keep(k); err == nil {
			t.Errorf("no error for %d components", k)
		}
	}
	text, err := json.Marshal(few)
	if err != nil {
		t.Fatal(err)
	}
	back := &reduce.Transform{}
	if err := json.Unmarshal(text, back); err != nil || !reflect.DeepEqual(back, few) {
		t.Errorf("%s becomes %v, error %v", text, back, err)
	}
}

func TestSingularAndWrongMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	mean, k := covariance(rng, 3)
	zero := mat.NewSymDense(3, nil)
	_, err := reduce.PCT(mean, zero)
	wantError(t, err, "all 3 bands have the same value everywhere: there are no components")
	_, err = reduce.PCT(mean[:2], k)
	wantError(t, err, "the covariance has 3 bands, the mean 2")
	_, err = reduce.MNF(mean, k, mat.NewSymDense(2, nil), 0)
	wantError(t, err, "the noise covariance has 2 bands, the mean 3")
	_, err = reduce.MNF(mean, k, k, math.NaN())
	wantError(t, err, "a ridge of NaN: it must be 0 or a positive number")
	broken := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, math.NaN(), 0, 0, 1})
	_, err = reduce.PCT(mean, broken)
	wantError(t, err, "element 1, 2 of the covariance is NaN: it must be finite")

	// Rank 2: band 2 is the sum of the others.
	x := mat.NewDense(3, 5, nil)
	for j := range 5 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetCol(j, []float64{a, b, a + b})
	}
	var singular mat.SymDense
	singular.SymOuterK(1, x)
	if _, err := reduce.MNF(mean, k, &singular, 0); err == nil || !strings.HasPrefix(err.Error(), "the noise covariance of 3 bands is singular (eigenvalues from ") {
		t.Errorf("singular noise: %v", err)
	}
	if _, err := reduce.MNF(mean, k, zero, 0.1); err == nil {
		t.Error("no error without any noise")
	}
	tr, err := reduce.MNF(mean, k, &singular, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	ridge := 0.01 * mat.Trace(&singular) / 3
	for i := range 3 {
		singular.SetSym(i, i, singular.At(i, i)+ridge)
	}
	white := tr.Covariance(&singular)
	for i := range 3 {
		if !near(white.At(i, i), 1, 1e-9) {
			t.Errorf("noise of component %d: %v", i, white.At(i, i))
		}
	}
	if tr, err := reduce.PCT(mean, &singular); err != nil || tr.Components() != 3 {
		t.Errorf("components of a singular covariance: error %v", err)
	}
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Errorf("error %v, want %s", err, text)
	}
}
