package count

import (
	"cmp"
	"slices"

	"drx/hyper/internal/eigen"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

// ridge is the fraction of the mean power of the signal that is added to the variance of the noise,
// as in the authors' program. Without it, rounding errors would decide about directions with
// neither noise nor signal.
const ridge = 1e-5

// A Subspace is the result of HySime.
type Subspace struct {
	// Count is the number of dimensions of the signal.
	Count int `json:"count"`
	// Noise is the variance of the noise of each band.
	Noise []float64 `json:"noise"`
	// Cost has, for each direction, the change of the mean squared error if it is kept, in
	// ascending order: the first Count are negative.
	Cost []float64 `json:"cost"`
	// Basis has Count orthogonal spectra of length 1, in the order of Cost.
	Basis [][]float64 `json:"basis"`
}

// HySime estimates the subspace of the signal from moments of the kind Spectra. It is an error if
// there are not more pixels than bands, if a band is zero everywhere, or if a band is an exact
// combination of others and thus has no noise.
func HySime(spectra *stats.Moments) (*Subspace, error) {
	r, _, err := matrices(spectra)
	if err != nil {
		return nil, err
	}
	precision, err := eigen.Inverse("autocorrelation", r)
	if err != nil {
		return nil, err
	}
	bands := spectra.Bands()
	s := &Subspace{Noise: make([]float64, bands)}
	for i := range s.Noise {
		s.Noise[i] = 1 / precision.At(i, i)
	}
	signal := signalOf(r, precision, s.Noise)
	_, vectors, err := eigen.Symmetric("autocorrelation of the signal", signal)
	if err != nil {
		return nil, err
	}
	s.choose(r, vectors, ridge*mat.Trace(signal)/float64(bands))
	return s, nil
}

// signalOf returns the autocorrelation of the spectra without their noise. The noise of a pixel x
// is w = D P x, where P is the inverse of the autocorrelation R, and D is diagonal with the
// elements 1/P[i,i]: w[i] is the residual of the regression of band i on all others. So the
// autocorrelation of x - w is R - 2 D + D P D.
func signalOf(r, p mat.Symmetric, noise []float64) *mat.SymDense {
	n := len(noise)
	signal := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			signal.SetSym(i, j, r.At(i, j)+noise[i]*p.At(i, j)*noise[j])
		}
		signal.SetSym(i, i, signal.At(i, i)-2*noise[i])
	}
	return signal
}

// choose keeps the directions with more than twice the power of their noise.
func (s *Subspace) choose(r mat.Symmetric, vectors *mat.Dense, more float64) {
	type direction struct {
		cost   float64
		vector []float64
	}
	var all []direction
	for k := range s.Noise {
		v := mat.Col(nil, k, vectors)
		x := mat.NewVecDense(len(v), v)
		cost := -mat.Inner(x, r, x)
		for i, e := range v {
			cost += 2 * e * e * (s.Noise[i] + more)
		}
		all = append(all, direction{cost, v})
	}
	slices.SortStableFunc(all, func(a, b direction) int { return cmp.Compare(a.cost, b.cost) })
	for _, d := range all {
		s.Cost = append(s.Cost, d.cost)
		if d.cost < 0 {
			s.Count++
			s.Basis = append(s.Basis, d.vector)
		}
	}
}
