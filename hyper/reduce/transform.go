package reduce

import (
	"fmt"
	"math"
	"slices"

	"drx/hyper/derived"
	"drx/hyper/scene"
	"drx/internal/gemm"

	"gonum.org/v1/gonum/mat"
)

// A Transform maps spectra x of b bands to k components y, and back: y = Forward (x - Mean), x =
// Mean + Inverse y. It can be kept as JSON.
type Transform struct {
	// Mean has b numbers.
	Mean []float64 `json:"mean"`
	// Forward has k rows of b numbers.
	Forward [][]float64 `json:"forward"`
	// Inverse has b rows of k numbers. With k = b it is the inverse of Forward. With fewer
	// components, spectra lose the part in the other components.
	Inverse [][]float64 `json:"inverse"`
	// Values has one number for each component before Keep, in descending order: see PCT, MNF and
	// Whiten.
	Values []float64 `json:"values"`
}

// newTransform returns a transform with fixed signs.
func newTransform(mean []float64, forward, inverse mat.Matrix, values []float64) *Transform {
	t := &Transform{slices.Clone(mean), rows(forward), rows(inverse), values}
	for k, f := range t.Forward {
		largest := 0
		for i, v := range f {
			if math.Abs(v) > math.Abs(f[largest]) {
				largest = i
			}
		}
		if f[largest] >= 0 {
			continue
		}
		for i := range f {
			f[i] = -f[i]
			t.Inverse[i][k] = -t.Inverse[i][k]
		}
	}
	return t
}

// rows returns the rows of a matrix.
func rows(a mat.Matrix) [][]float64 {
	n, _ := a.Dims()
	all := make([][]float64, n)
	for i := range all {
		all[i] = mat.Row(nil, i, a)
	}
	return all
}

// dense returns the matrix with these rows.
func dense(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// Bands returns the number of bands of spectra.
func (t *Transform) Bands() int { return len(t.Mean) }

// Components returns the number of components.
func (t *Transform) Components() int { return len(t.Forward) }

// Keep returns the transform with only the first k components. It is an error if there are fewer,
// or if k is less than 1.
func (t *Transform) Keep(k int) (*Transform, error) {
	if k < 1 || k > t.Components() {
		return nil, fmt.Errorf("%d components: there are 1 to %d", k, t.Components())
	}
	kept := &Transform{t.Mean, t.Forward[:k], nil, t.Values}
	for _, r := range t.Inverse {
		kept.Inverse = append(kept.Inverse, r[:k])
	}
	return kept, nil
}

// Explained returns, for each component, the fraction of the sum of all values that this component
// and the earlier ones have: for PCT, the fraction of the variance. Negative values, which come
// from rounding, count as zero.
func (t *Transform) Explained() []float64 {
	explained, sum := make([]float64, len(t.Values)), 0.0
	for i, v := range t.Values {
		sum += max(0, v)
		explained[i] = sum
	}
	for i := range explained {
		explained[i] /= sum
	}
	return explained[:t.Components()]
}

// Enough returns the smallest number of components that explain the given part of the sum of all
// values, such as 0.999. It is an error if part is not above 0 and at most 1, or if all components
// of the transform together explain less.
func (t *Transform) Enough(part float64) (int, error) {
	if !(part > 0 && part <= 1) {
		return 0, fmt.Errorf("a part of %v of the variance: it must be above 0 and at most 1", part)
	}
	explained := t.Explained()
	for i, e := range explained {
		if e >= part {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("the %d components explain %v of the variance, less than %v: keep more", len(explained), explained[len(explained)-1], part)
}

// Covariance returns the covariance of the components, Forward K Forward', for spectra with
// covariance K.
func (t *Transform) Covariance(k mat.Symmetric) *mat.SymDense {
	f := dense(t.Forward)
	var half, full mat.Dense
	half.Mul(f, k)
	full.Mul(&half, f.T())
	n := t.Components()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return s
}

// Apply stores the components of n spectra, one after the other, in dst, which has n times
// Components numbers. The result of a spectrum does not depend on the others.
func (t *Transform) Apply(dst, spectra []float64) {
	b, k := t.Bands(), t.Components()
	centred := make([]float64, len(spectra))
	for i, v := range spectra {
		centred[i] = v - t.Mean[i%b]
	}
	clear(dst)
	forward := gemm.Matrix{Data: slices.Concat(t.Forward...), Stride: b}
	gemm.Mul(1, len(spectra)/b, k, b, 1, gemm.Matrix{Data: centred, Stride: b}, forward.T(), dst, k)
}

// Invert stores the spectra that have these components, one after the other, in dst, which has n
// times Bands numbers. If the transform has fewer components than bands, the noise and everything
// else in the omitted components is missing.
func (t *Transform) Invert(dst, components []float64) {
	b, k := t.Bands(), t.Components()
	for i := range dst {
		dst[i] = t.Mean[i%b]
	}
	inverse := gemm.Matrix{Data: slices.Concat(t.Inverse...), Stride: k}
	gemm.Mul(1, len(components)/k, b, k, 1, gemm.Matrix{Data: components, Stride: k}, inverse.T(), dst, b)
}

// Scene returns the scene of the components of each pixel of a cube. It is an error if the numbers
// of bands differ.
func (t *Transform) Scene(c *scene.Cube) (*scene.Cube, error) {
	return derived.Project(c, &derived.Projection{Axes: t.Forward, Offset: t.Mean})
}
