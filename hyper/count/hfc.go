package count

import (
	"fmt"
	"math"

	"drx/hyper/internal/eigen"
	"drx/hyper/reduce"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

// A Test is the result of HFC or NWHFC.
type Test struct {
	// Count is the number of differences above their thresholds.
	Count int `json:"count"`
	// Autocorrelation and Covariance are the eigenvalues of these matrices, largest first, one per
	// band.
	Autocorrelation []float64 `json:"autocorrelation"`
	Covariance      []float64 `json:"covariance"`
	// Threshold has the threshold of each difference of eigenvalues.
	Threshold []float64 `json:"threshold"`
}

// HFC tests moments of the kind Spectra. falseAlarm is the probability that noise counts as a
// material, such as 1e-3. It is an error if falseAlarm is not between 0 and 0.5, or if there are
// not more pixels than bands.
func HFC(spectra *stats.Moments, falseAlarm float64) (*Test, error) {
	r, k, err := matrices(spectra)
	if err != nil {
		return nil, err
	}
	return test(r, k, spectra.Count(), falseAlarm)
}

// NWHFC is HFC after whitening the noise, whose covariance is noise; Chang and Du use
// stats.Residual. The errors are those of HFC, or say that noise is singular or has another number
// of bands.
func NWHFC(spectra *stats.Moments, noise mat.Symmetric, falseAlarm float64) (*Test, error) {
	r, k, err := matrices(spectra)
	if err != nil {
		return nil, err
	}
	white, err := reduce.Whiten(make([]float64, spectra.Bands()), noise, 0)
	if err != nil {
		return nil, err
	}
	return test(white.Covariance(r), white.Covariance(k), spectra.Count(), falseAlarm)
}

// matrices returns the autocorrelation and the covariance of spectra.
func matrices(spectra *stats.Moments) (r, k *mat.SymDense, err error) {
	if spectra.Count() <= int64(spectra.Bands()) {
		return nil, nil, fmt.Errorf("%d usable pixels of %d bands: more pixels than bands are needed", spectra.Count(), spectra.Bands())
	}
	if r, err = spectra.Autocorrelation(); err != nil {
		return nil, nil, err
	}
	k, err = spectra.Covariance()
	return r, k, err
}

// test compares the eigenvalues of an autocorrelation and a covariance of n pixels.
func test(r, k mat.Symmetric, n int64, falseAlarm float64) (*Test, error) {
	if !(falseAlarm > 0 && falseAlarm < 0.5) {
		return nil, fmt.Errorf("a probability of false alarms of %v: it must be above 0 and below 0.5", falseAlarm)
	}
	t := &Test{}
	var err error
	if t.Autocorrelation, err = eigen.Values("autocorrelation", r); err != nil {
		return nil, err
	}
	if t.Covariance, err = eigen.Values("covariance", k); err != nil {
		return nil, err
	}
	quantile := math.Sqrt2 * math.Erfcinv(2*falseAlarm)
	// Smaller eigenvalues are rounding errors.
	rounding := t.Autocorrelation[0] * float64(len(t.Autocorrelation)) * 0x1p-52
	for i, a := range t.Autocorrelation {
		threshold := quantile * math.Sqrt(2/float64(n)*(a*a+t.Covariance[i]*t.Covariance[i]))
		t.Threshold = append(t.Threshold, threshold)
		if a > rounding && a-t.Covariance[i] > threshold {
			t.Count++
		}
	}
	return t, nil
}
