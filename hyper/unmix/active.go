package unmix

import (
	"math"
	"slices"
)

// optimal is the gain per unit of an abundance, relative to the lengths of its endmember and of the
// spectrum, up to which the gain may be a rounding error.
const optimal = 1e-13

// work is memory for one spectrum. Vectors are in the basis of the solver.
type work struct {
	y        []float64 // the spectrum
	a        []float64 // the abundances
	residual []float64 // y minus the reconstruction from a
	active   []int     // the endmembers whose abundances may be above 0, in ascending order
	refused  []bool    // per endmember: adding it to the active set does not help

	z        []float64 // abundances of the active set without the bound
	before   []float64 // a before the last step
	were     []int     // active before the last step
	memory   []float64 // of columns
	columns  [][]float64
	rhs, r   []float64
	solution []float64
}

// newWork returns memory for p endmembers in a basis of k vectors.
func newWork(k, p int) *work {
	return &work{
		y: make([]float64, k), a: make([]float64, p), residual: make([]float64, k), refused: make([]bool, p),
		z: make([]float64, p), before: make([]float64, p), memory: make([]float64, k*p),
		rhs: make([]float64, k), r: make([]float64, p*p), solution: make([]float64, p),
	}
}

// activeSet finds the abundances of y for NNLS or FCLS. It adds endmembers to the active set one by
// one, in each step the one with the largest gain. An endmember whose abundance falls to 0 leaves
// the set. Each step either reduces the residual or is undone. So no set recurs, and the search
// ends.
func (w *work) activeSet(s *Solver) {
	w.start(s)
	size := norm(w.y)
	best := w.reconstruct(s)
	for {
		add := w.mostGain(s, size)
		if add < 0 {
			return
		}
		copy(w.before, w.a)
		w.were = append(w.were[:0], w.active...)
		w.activate(add)
		for !w.step(s) {
		}
		if now := w.reconstruct(s); now < best {
			best = now
			clear(w.refused)
			continue
		}
		copy(w.a, w.before)
		w.active = append(w.active[:0], w.were...)
		w.reconstruct(s)
		w.refused[add] = true
	}
}

// start begins with no abundances for NNLS, and for FCLS with only the endmember that is nearest to
// the spectrum.
func (w *work) start(s *Solver) {
	clear(w.a)
	clear(w.refused)
	w.active = w.active[:0]
	if !s.method.sumOne {
		return
	}
	nearest, least := 0, math.Inf(1)
	for j, e := range s.reduced {
		d := 0.0
		for i, v := range e {
			d += (v - w.y[i]) * (v - w.y[i])
		}
		if d < least {
			nearest, least = j, d
		}
	}
	w.a[nearest] = 1
	w.activate(nearest)
}

// activate adds an endmember to the active set.
func (w *work) activate(j int) {
	at, _ := slices.BinarySearch(w.active, j)
	w.active = slices.Insert(w.active, at, j)
}

// reconstruct computes the residual and returns its squared length.
func (w *work) reconstruct(s *Solver) float64 {
	copy(w.residual, w.y)
	for _, j := range w.active {
		axpy(w.residual, -w.a[j], s.reduced[j])
	}
	return dot(w.residual, w.residual)
}

// mostGain returns the endmember outside of the active set with the largest gain when its abundance
// grows from 0, or -1 if none gains. For FCLS the abundances of the active set shrink in exchange:
// their gain, which is equal for all of them at a minimum, is subtracted.
func (w *work) mostGain(s *Solver, size float64) int {
	shared := 0.0
	if s.method.sumOne {
		for _, j := range w.active {
			shared += w.a[j] * dot(s.reduced[j], w.residual)
		}
	}
	most, best := -1, 0.0
	for j, e := range s.reduced {
		if w.refused[j] || slices.Contains(w.active, j) {
			continue
		}
		gain := dot(e, w.residual) - shared
		if gain > optimal*s.norms[j]*size && gain > best || s.norms[j] == 0 && gain > best {
			most, best = j, gain
		}
	}
	return most
}

// step moves to the minimum for the active set without the bound. If an abundance would fall below
// 0, it stops where the first one becomes 0, removes that endmember from the set, and returns
// false.
func (w *work) step(s *Solver) bool {
	w.minimum(s)
	leaves, share := -1, 1.0
	for i, j := range w.active {
		if w.z[i] <= 0 {
			if f := w.a[j] / (w.a[j] - w.z[i]); leaves < 0 || f < share {
				leaves, share = i, f
			}
		}
	}
	if leaves >= 0 && w.a[w.active[leaves]] == 0 { // also if 0/0 is NaN
		share = 0
	}
	for i, j := range w.active {
		if w.a[j] += share * (w.z[i] - w.a[j]); leaves < 0 {
			w.a[j] = w.z[i]
		}
	}
	if leaves < 0 {
		return true
	}
	w.a[w.active[leaves]] = 0
	w.active = slices.Delete(w.active, leaves, leaves+1)
	for i := len(w.active) - 1; i >= 0; i-- { // others that became 0 at the same time
		if j := w.active[i]; w.a[j] <= 0 && (!s.method.sumOne || len(w.active) > 1) {
			w.a[j] = 0
			w.active = slices.Delete(w.active, i, i+1)
		}
	}
	return false
}

// minimum stores in z the abundances of the active set that minimise the residual without the
// bound. For FCLS their sum is 1: the first one is 1 minus the others.
func (w *work) minimum(s *Solver) {
	active := w.active
	if len(active) == 0 {
		return
	}
	copy(w.rhs, w.y)
	var origin []float64
	if s.method.sumOne {
		origin = s.reduced[active[0]]
		axpy(w.rhs, -1, origin)
		active = active[1:]
	}
	k := len(w.y)
	w.columns = w.columns[:0]
	for i, j := range active {
		c := w.memory[i*k:][:k]
		copy(c, s.reduced[j])
		if origin != nil {
			axpy(c, -1, origin)
		}
		w.columns = append(w.columns, c)
	}
	x := w.solution[:len(active)]
	leastSquares(w.columns, w.rhs, w.r, x)
	if origin == nil {
		copy(w.z, x)
		return
	}
	w.z[0] = 1
	for i, v := range x {
		w.z[0] -= v
		w.z[i+1] = v
	}
}
