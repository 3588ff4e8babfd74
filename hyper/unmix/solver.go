// Package unmix finds the abundances of pixels: the share of every endmember in each pixel.
//
// The model is linear: a spectrum x of n bands is E a, with the p endmembers as the columns of E
// and their abundances a, plus noise. Each method minimises |x - E a| under other constraints on
// the abundances:
//
//   - UCLS, none;
//   - NNLS, no abundance below 0 (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter
//     23);
//   - FCLS, no abundance below 0 and a sum of 1 (Heinz and Chang, IEEE TGRS 39, 2001).
//
// FCLS is exact here. Heinz and Chang add the sum as a further band of large weight to NNLS, so the
// sum is only approximately 1, and a larger weight worsens the condition of the problem. Here the
// method of Lawson and Hanson runs on the plane of abundances with the sum 1: one endmember of the
// active set gets 1 minus the others, which removes the constraint from each step.
package unmix

import (
	"errors"
	"fmt"
	"sync"

	"drx/hyper/option"
	"drx/hyper/scene"
)

// A Method is a set of constraints on abundances.
type Method struct {
	option.Choice
	positive bool // no abundance is below 0
	sumOne   bool // the sum is 1, and no abundance below 0
}

// The methods, see the package comment.
var (
	FCLS = &Method{option.Choice{Name: "fcls", Help: "at least 0, with the sum 1: parts of an area"}, true, true}
	NNLS = &Method{option.Choice{Name: "nnls", Help: "at least 0: parts, if pixels are brighter or darker than the endmembers"}, true, false}
	UCLS = &Method{option.Choice{
		Name: "ucls", Help: "any numbers; the fastest, and a check of the model: negative ones show that it does not fit",
	}, false, false}
)

// Methods returns all methods.
func Methods() []*Method { return []*Method{FCLS, NNLS, UCLS} }

// dependent is a relative length: if the part of an endmember outside of the span of the others is
// shorter, relative to the largest endmember, it counts as their combination. Its abundances would
// be rounding errors.
const dependent = 1e-10

// A Solver finds the abundances of spectra. It is safe for concurrent use.
type Solver struct {
	method     *Method
	bands      int
	endmembers [][]float64
	basis      [][]float64 // orthonormal vectors that span the endmembers
	reduced    [][]float64 // the endmembers in that basis: upper triangular if they are independent
	norms      []float64   // lengths of the endmembers
	scratch    sync.Pool   // *work
}

// New returns a solver for endmembers: spectra with the same number of bands. It is an error if
// there is no method, a value is not finite, or an endmember is a combination of earlier ones. For
// FCLS only combinations with the sum 1 count, so one endmember may be all zeros (shade).
func New(method *Method, endmembers [][]float64) (*Solver, error) {
	if method == nil {
		return nil, errors.New("no method of unmixing is given")
	}
	s := &Solver{method: method}
	if len(endmembers) > 0 {
		s.bands = len(endmembers[0])
	}
	if err := scene.CheckSpectra("endmember", endmembers, s.bands); err != nil {
		return nil, err
	}
	for _, e := range endmembers {
		s.endmembers = append(s.endmembers, append([]float64(nil), e...))
	}
	if err := s.checkIndependent(); err != nil {
		return nil, err
	}
	s.basis, _ = orthonormal(s.endmembers)
	for _, e := range s.endmembers {
		r := make([]float64, len(s.basis))
		for i, q := range s.basis {
			r[i] = dot(q, e)
		}
		s.reduced = append(s.reduced, r)
		s.norms = append(s.norms, norm(e))
	}
	s.scratch.New = func() any { return newWork(len(s.basis), len(s.endmembers)) }
	return s, nil
}

// checkIndependent returns an error for an endmember that is a combination of earlier ones.
func (s *Solver) checkIndependent() error {
	vectors, limit, sum := s.endmembers, s.bands, ""
	if s.method.sumOne { // relative to the first one, as origin
		limit, sum = s.bands+1, " with the sum 1"
		vectors = nil
		for _, e := range s.endmembers[1:] {
			d := append([]float64(nil), e...)
			axpy(d, -1, s.endmembers[0])
			vectors = append(vectors, d)
		}
	}
	if len(s.endmembers) > limit {
		return fmt.Errorf("%d endmembers of %d bands: %s has one solution only for at most %d", len(s.endmembers), s.bands, s.method, limit)
	}
	if _, bad := orthonormal(vectors); bad >= 0 {
		bad += len(s.endmembers) - len(vectors)
		return fmt.Errorf("endmember %d is a combination%s of those before it: leave it out", bad, sum)
	}
	return nil
}

// Endmembers returns the number of endmembers, and of the abundances of a spectrum.
func (s *Solver) Endmembers() int { return len(s.endmembers) }

// Bands returns the number of bands of the endmembers.
func (s *Solver) Bands() int { return s.bands }

// Solve stores the abundances of a spectrum of Bands values, one per endmember, and returns the
// RMSE: the root of the mean, over the bands, of the squared differences between the spectrum and
// its reconstruction. If a value is not finite, neither is the RMSE, and the abundances have no
// meaning.
func (s *Solver) Solve(spectrum, abundances []float64) (rmse float64) {
	w := s.scratch.Get().(*work)
	defer s.scratch.Put(w)
	for i, q := range s.basis {
		w.y[i] = dot(q, spectrum)
	}
	if s.method.positive {
		w.activeSet(s)
		copy(abundances, w.a)
	} else {
		s.backSubstitute(w.y, abundances)
	}
	return s.rmse(spectrum, abundances)
}

// backSubstitute solves the triangular problem of the reduced endmembers.
func (s *Solver) backSubstitute(y, a []float64) {
	for i := len(a) - 1; i >= 0; i-- {
		v := y[i]
		for j := i + 1; j < len(a); j++ {
			v -= s.reduced[j][i] * a[j]
		}
		a[i] = v / s.reduced[i][i]
	}
}
