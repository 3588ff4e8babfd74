package endmember

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/scene"

	"gonum.org/v1/gonum/mat"
)

// plainSISAL is SISAL as in its paper: Q as a vector of p^2 numbers, column by column, with
// Kronecker products.
func plainSISAL(y, q *mat.Dense, weight float64, rounds int) *mat.Dense {
	p, n := y.Dims()
	mu := float64(p) * 1000 / float64(n)
	eye := func(n int) *mat.Dense { return mat.DenseCopyOf(mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))) }
	vec := func(m mat.Matrix) *mat.VecDense {
		return mat.NewVecDense(p*p, slices.Clone(mat.DenseCopyOf(m.T()).RawMatrix().Data))
	}
	unvec := func(v *mat.VecDense) *mat.Dense { return mat.DenseCopyOf(mat.NewDense(p, p, v.RawVector().Data).T()) }
	inverse := func(m mat.Matrix) *mat.Dense {
		var r mat.Dense
		if err := r.Inverse(m); err != nil {
			panic(err)
		}
		return &r
	}
	var yy, f, bMat, ones, qm mat.Dense
	yy.Mul(y, y.T())
	f.Kronecker(&yy, eye(p))
	f.Scale(mu, &f)
	h := eye(p * p)
	h.Scale(1e-6, h)
	f.Add(&f, h)
	inv := inverse(&f)
	bMat.Kronecker(eye(p), mat.NewDense(1, p, slices.Repeat([]float64{1}, p)))
	ones.Mul(y, mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)))
	qm.Mul(inverse(&yy), &ones)
	var fb, bfb, g, g2 mat.Dense
	fb.Mul(inv, bMat.T())
	bfb.Mul(&bMat, &fb)
	g.Mul(&fb, inverse(&bfb))
	var offset mat.Dense
	offset.Mul(&g, &qm)
	g2.Mul(&g, &bMat)
	g2.Mul(mat.DenseCopyOf(&g2), inv)
	g2.Sub(inv, mat.DenseCopyOf(&g2))

	hinge := func(q *mat.Dense) (s float64) {
		var m mat.Dense
		m.Mul(q, y)
		for _, v := range m.RawMatrix().Data {
			s += max(0, -v)
		}
		return weight * s
	}
	value := func(q *mat.Dense) float64 { return hinge(q) - math.Log(math.Abs(mat.Det(q))) }
	var z mat.Dense
	z.Mul(q, y)
	b := mat.NewDense(p, n, nil)
	for k := range rounds {
		inner := 3
		if k == rounds-1 {
			inner = 99
		}
		q0 := q
		gradient := vec(inverse(q0).T())
		gradient.ScaleVec(-1, gradient)
		quad := func(q *mat.Dense) float64 {
			var d mat.VecDense
			d.SubVec(vec(q), vec(q0))
			return mat.Dot(gradient, &d) + 1e-6/2*mat.Dot(&d, &d) + hinge(q)
		}
		for {
			for range inner {
				var zb, zby mat.Dense
				zb.Add(&z, b)
				zby.Mul(&zb, y.T())
				right := vec(&zby)
				right.ScaleVec(mu, right)
				var hq mat.VecDense
				hq.MulVec(h, vec(q0))
				right.AddVec(right, &hq)
				right.SubVec(right, gradient)
				var v mat.VecDense
				v.MulVec(&g2, right)
				v.AddVec(&v, offset.ColView(0))
				q = unvec(&v)
				var qy mat.Dense
				qy.Mul(q, y)
				z.Apply(func(i, j int, x float64) float64 {
					x -= b.At(i, j)
					t := weight / mu
					if m := max(math.Abs(x+t/2)-t/2, 0); m > 0 {
						return m / (m + t/2) * (x + t/2)
					}
					return 0
				}, &qy)
				qy.Sub(&qy, &z)
				b.Sub(b, &qy)
			}
			if quad(q0) >= quad(q) {
				break
			}
		}
		for value(q) > value(q0) {
			half := mat.NewDense(p, p, nil)
			half.Add(q, q0)
			half.Scale(0.5, half)
			q = half
		}
	}
	return q
}

func TestSplittingAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 20 {
		p, n := 2+rng.IntN(3), 50+rng.IntN(50)
		pixels := make([]float64, n*p)
		start := make([][]float64, p)
		for i := range n {
			y := pixels[i*p:][:p]
			for j := range y {
				y[j] = rng.NormFloat64()
			}
			y[p-1] = math.Sqrt(1 / float64(p))
			if i < p {
				start[i] = y
			}
		}
		q := expand(start)
		src, err := scene.InMemory(scene.Block{}, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		cube, err := scene.New(src, scene.Options{Workers: 1 + rng.IntN(3)})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := newSplitSolver(pixels, p, 1, cube).minimize(t.Context(), q, 6)
		if err != nil {
			t.Fatal(err)
		}
		want := plainSISAL(mat.DenseCopyOf(mat.NewDense(n, p, pixels).T()), q, 1, 6)
		if !mat.EqualApprox(got, want, 1e-6*mat.Norm(want, 2)) {
			t.Fatalf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
		}
	}
}

func TestDraw(t *testing.T) {
	b := scene.Block{Lo: scene.Pixel{Line: -20, Sample: -70}, Hi: scene.Pixel{Line: 20, Sample: 70}}
	data := slices.Repeat([]float64{1}, b.Pixels())
	data[7] = math.NaN()
	src, err := scene.InMemory(b, 1, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		c, err := scene.New(src, scene.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := draw(t.Context(), c, 2, 500, 9)
		if err != nil {
			t.Fatal(err)
		}
		all, err := draw(t.Context(), c, 1, b.Pixels()+5, 9)
		if err != nil || len(all[0]) != b.Pixels()-1 || !slices.Equal(all[0][:500], drawn[0]) {
			t.Fatalf("%d pixels of %d drawn, error %v", len(all[0]), b.Pixels(), err)
		}
		if slices.Equal(drawn[0], drawn[1]) {
			t.Error("two draws are the same")
		}
		// 500 of 5600 are drawn: about 125 in each quarter, with a standard deviation below 10.
		var quarters [4]int
		for _, p := range drawn[0] {
			q := 0
			if p.Line >= 0 {
				q++
			}
			if p.Sample >= 0 {
				q += 2
			}
			quarters[q]++
			if p == b.At(7) {
				t.Error("an unusable pixel is drawn")
			}
		}
		for _, n := range quarters {
			if n < 80 || n > 170 {
				t.Errorf("the quarters of the scene have %v pixels", quarters)
			}
		}
	}
}
