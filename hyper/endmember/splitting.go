package endmember

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"drx/hyper/scene"

	"gonum.org/v1/gonum/mat"
)

// The author's constants for SISAL.
const (
	quadratic   = 1e-6 // of the quadratic term in place of the curvature of -log |det Q|
	inner       = 3    // iterations of the splitting in each convex problem
	innerLast   = 99   // in the last one
	mostRepeats = 100  // repetitions of the inner iterations until the value decreases
	chunkPixels = 4096 // pixels whose sums are formed by one goroutine
)

// Criteria for ending the iteration, if the number of convex problems is not given. The author's 80
// are far too few for scenes whose bright pixels stretch the first simplex: there the function
// keeps falling for hundreds of problems.
const (
	stretch    = 50   // problems between two checks of the progress
	progress   = 1e-4 // least relative decrease of the function in a stretch
	mostRounds = 3000
)

// A splitSolver solves the convex problems of SISAL:
//
//	minimize over Q:  g'(q - q0) + quadratic/2 |q - q0|^2 + weight * hinge(Q Y),  such that 1'Q = qm'
//
// with q the numbers of Q, g the gradient of -log |det Q| at Q0, hinge the sum of max(-x, 0), and
// qm such that the columns of QY sum to 1. Z stands for Q Y in the hinge, and the multipliers B for
// the constraint Z = Q Y with the penalty mu.
type splitSolver struct {
	p       int
	y       []float64 // pixels, p numbers each, the last one sqrt(1/p)
	b       []float64 // multipliers, the same shape
	weight  float64
	mu      float64
	cube    *scene.Cube // for sharing sums among procs and goroutines
	stop    func() error
	err     error      // the first error of stop or of exchanging sums; later values are undefined
	inverse *mat.Dense // of quadratic I + mu Y Y'
	zbY     *mat.Dense // (Z + B) Y'
}

func newSplitSolver(y []float64, p int, weight float64, cube *scene.Cube) *splitSolver {
	s := &splitSolver{p: p, y: y, b: make([]float64, len(y)), weight: weight, cube: cube, stop: func() error { return nil }}
	s.mu = float64(p) * 1000 / float64(len(y)/p)
	return s
}

// minimize returns Q after a number of convex problems, from an initial Q, and its value; with
// rounds 0 it iterates until it converges. It is collective if the cube has procs.
func (s *splitSolver) minimize(ctx context.Context, q *mat.Dense, rounds int) (*mat.Dense, float64, error) {
	s.stop = ctx.Err
	q, err := s.iterate(q, rounds)
	if s.err != nil || err != nil {
		return nil, 0, cmp.Or(s.err, err)
	}
	value := s.value(q)
	return q, value, s.err
}

// iterate returns the Q of minimize.
func (s *splitSolver) iterate(q *mat.Dense, rounds int) (*mat.Dense, error) {
	if q == nil || !s.begin(q) {
		return nil, errors.New("SISAL cannot begin: the pixels of VCA are a flat simplex")
	}
	last, before := cmp.Or(rounds, mostRounds)-1, math.Inf(1)
	for k := 0; k <= last; k++ {
		if s.err != nil {
			return nil, s.err
		}
		if rounds == 0 && k%stretch == 0 {
			value := s.value(q)
			if before-value < progress*max(1, math.Abs(value)) {
				last = k
			}
			before = value
		}
		n := inner
		if k == last {
			n = innerLast
		}
		next, ok := s.round(q, n)
		if !ok {
			return nil, errors.New("SISAL does not converge: its simplex has become flat")
		}
		q = next
	}
	return q, nil
}

// begin sets Z = Q Y and B = 0.
func (s *splitSolver) begin(q *mat.Dense) bool {
	yy := s.sum(func(_ int, y, add []float64) {
		for i, v := range y {
			for j, u := range y {
				add[i*s.p+j] += v * u
			}
		}
	})
	s.zbY = mat.NewDense(s.p, s.p, nil)
	s.zbY.Mul(q, yy)
	f := mat.NewDense(s.p, s.p, nil)
	f.Scale(s.mu, yy)
	for i := range s.p {
		f.Set(i, i, f.At(i, i)+quadratic)
	}
	s.inverse = mat.NewDense(s.p, s.p, nil)
	return s.inverse.Inverse(f) == nil
}

// round solves the convex problem at q0 by n iterations, repeated until its value decreases. It
// returns the solution, or a point between it and q0 at which the original function does not exceed
// its value at q0.
func (s *splitSolver) round(q0 *mat.Dense, n int) (*mat.Dense, bool) {
	var g mat.Dense
	if err := g.Inverse(q0); err != nil {
		return nil, false
	}
	gradient := mat.DenseCopyOf(g.T())
	gradient.Scale(-1, gradient)
	h0 := s.weight * s.hinge(q0)
	value0 := s.value(q0)
	q := q0
	for range mostRepeats {
		for range n {
			q = s.solve(q0, gradient)
			s.split(q)
		}
		var step mat.Dense
		step.Sub(q, q0)
		norm := mat.Norm(&step, 2)
		step.MulElem(&step, gradient)
		h := s.weight * s.hinge(q)
		if model := mat.Sum(&step) + quadratic/2*norm*norm + h; model > h0 {
			continue
		}
		value := s.value(q)
		for range 100 {
			if value <= value0 {
				break
			}
			half := mat.NewDense(s.p, s.p, nil)
			half.Add(q, q0)
			half.Scale(0.5, half)
			q = half
			value = s.value(q)
		}
		return q, true
	}
	return q0, true
}

// solve returns the Q that minimises the quadratic function for given Z and B, with the constraint.
// Without the constraint, Q (quadratic I + mu Y Y') = quadratic Q0 - gradient + mu (Z + B) Y'. The
// constraint 1'Q = qm' then shifts each column by one number.
func (s *splitSolver) solve(q0, gradient *mat.Dense) *mat.Dense {
	right := mat.NewDense(s.p, s.p, nil)
	right.Scale(s.mu, s.zbY)
	right.Sub(right, gradient)
	var old mat.Dense
	old.Scale(quadratic, q0)
	right.Add(right, &old)
	q := mat.NewDense(s.p, s.p, nil)
	q.Mul(right, s.inverse)
	for j := range s.p {
		sum := 0.0
		for i := range s.p {
			sum += q.At(i, j)
		}
		want := 0.0
		if j == s.p-1 { // the last value of each pixel is sqrt(1/p): the sum over i of (Q y)_i is 1
			want = math.Sqrt(float64(s.p))
		}
		for i := range s.p {
			q.Set(i, j, q.At(i, j)-(sum-want)/float64(s.p))
		}
	}
	return q
}

// split sets Z to the minimum of weight hinge(Z) + mu/2 |Z - (Q Y - B)|^2, and then B to B - (Q Y -
// Z).
func (s *splitSolver) split(q *mat.Dense) {
	limit := s.weight / s.mu
	s.zbY = s.sum(func(n int, y, add []float64) {
		b := s.b[n*s.p:][:s.p]
		for i := range b {
			x := product(q.RawRowView(i), y)
			z := x - b[i]
			switch {
			case z < -limit:
				z += limit
			case z < 0:
				z = 0
			}
			b[i] -= x - z
			for j, v := range y {
				add[i*s.p+j] += (z + b[i]) * v
			}
		}
	})
}

// value returns the function that SISAL minimizes.
func (s *splitSolver) value(q *mat.Dense) float64 {
	l, _ := mat.LogDet(q)
	return s.weight*s.hinge(q) - l
}

// hinge returns the sum of max(-x, 0) over all numbers x of Q Y.
func (s *splitSolver) hinge(q *mat.Dense) float64 {
	return s.sum(func(_ int, y, add []float64) {
		for i := range s.p {
			add[0] += max(0, -product(q.RawRowView(i), y))
		}
	}).At(0, 0)
}

func product(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// sum returns the p x p sums that f accumulates over all pixels; f gets the number and the values
// of pixels. Chunks of pixels have their own sums, which are added in order. So the bits do not
// depend on the goroutines and procs that share the chunks.
func (s *splitSolver) sum(f func(n int, y, add []float64)) *mat.Dense {
	total := mat.NewDense(s.p, s.p, nil)
	if s.err != nil {
		return total
	}
	pixels := len(s.y) / s.p
	lo, hi := s.cube.Share((pixels + chunkPixels - 1) / chunkPixels)
	n := s.p * s.p
	mine := make([]float64, (hi-lo)*n) // the sums of each chunk
	workers := s.cube.Workers()
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for c := lo + w; c < hi; c += workers {
				for i := c * chunkPixels; i < min((c+1)*chunkPixels, pixels); i++ {
					f(i, s.y[i*s.p:][:s.p], mine[(c-lo)*n:][:n])
				}
			}
		})
	}
	group.Wait()
	parts, err := scene.Exchange(s.cube, "sums of SISAL", mine, s.stop())
	if s.err = err; err != nil {
		return total
	}
	for i, v := range slices.Concat(parts...) {
		total.RawMatrix().Data[i%n] += v
	}
	return total
}
