package reduce

import (
	"fmt"
	"math"

	"drx/hyper/internal/eigen"

	"gonum.org/v1/gonum/mat"
)

// PCT returns the principal components for spectra with a mean and a covariance, largest variance
// first. It is an error if the numbers of bands differ, or if the covariance is not finite or is
// zero.
func PCT(mean []float64, covariance mat.Symmetric) (*Transform, error) {
	if err := sameBands(mean, "covariance", covariance); err != nil {
		return nil, err
	}
	values, vectors, err := eigen.Symmetric("covariance", covariance)
	if err != nil {
		return nil, err
	}
	if !(values[0] > 0) {
		return nil, fmt.Errorf("all %d bands have the same value everywhere: there are no components", len(mean))
	}
	return newTransform(mean, vectors.T(), vectors, values), nil
}

// MNF returns the minimum noise fractions for spectra with a mean, a covariance and a noise
// covariance (see package stats), largest ratio of signal to noise first. ridge is the fraction of
// the mean variance of the noise that is added to the noise of each band; if it is 0, a singular
// noise covariance is an error. It is also an error if ridge is negative, if the numbers of bands
// differ or if a matrix is not finite.
func MNF(mean []float64, covariance, noise mat.Symmetric, ridge float64) (*Transform, error) {
	if err := sameBands(mean, "covariance", covariance); err != nil {
		return nil, err
	}
	white, err := Whiten(mean, noise, ridge)
	if err != nil {
		return nil, err
	}
	values, vectors, err := eigen.Symmetric("covariance with white noise", white.Covariance(covariance))
	if err != nil {
		return nil, err
	}
	var forward, inverse mat.Dense
	forward.Mul(vectors.T(), dense(white.Forward))
	inverse.Mul(dense(white.Inverse), vectors)
	return newTransform(mean, &forward, &inverse, values), nil
}

// Whiten returns the transform that whitens noise with the given covariance: afterwards components
// are uncorrelated and have variance 1. The values of the components are the former variances of
// the noise, largest first. ridge and the errors are those of MNF.
func Whiten(mean []float64, noise mat.Symmetric, ridge float64) (*Transform, error) {
	if err := sameBands(mean, "noise covariance", noise); err != nil {
		return nil, err
	}
	if !(ridge >= 0) || math.IsInf(ridge, 0) {
		return nil, fmt.Errorf("a ridge of %v: it must be 0 or a positive number", ridge)
	}
	n := len(mean)
	regular := mat.NewSymDense(n, nil)
	regular.CopySym(noise)
	add := ridge * mat.Trace(noise) / float64(n)
	for i := range n {
		regular.SetSym(i, i, regular.At(i, i)+add)
	}
	values, vectors, err := eigen.Positive("noise covariance", regular)
	if err != nil {
		return nil, err
	}
	forward, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for k, v := range values {
		d := math.Sqrt(v)
		for i := range n {
			forward.Set(k, i, vectors.At(i, k)/d)
			inverse.Set(i, k, vectors.At(i, k)*d)
		}
	}
	return newTransform(mean, forward, inverse, values), nil
}

// sameBands returns an error if a matrix and the mean differ in their numbers of bands.
func sameBands(mean []float64, name string, a mat.Symmetric) error {
	if n := a.SymmetricDim(); n != len(mean) {
		return fmt.Errorf("the %s has %d bands, the mean %d", name, n, len(mean))
	}
	return nil
}
