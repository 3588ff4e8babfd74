package stats

import (
	"fmt"
	"math"

	"drx/hyper/internal/eigen"

	"gonum.org/v1/gonum/mat"
)

// Noise returns the covariances of the noise: half the covariances of differences between
// neighbouring pixels. It assumes that the signal is the same in both pixels and the noise
// independent, so edges in the scene count as noise. differences has moments of the kind Right,
// Below or Neighbours: Neighbours has most pairs; Right or Below alone avoids stripes across its
// direction. It returns the error of Covariance.
func Noise(differences *Moments) (*mat.SymDense, error) {
	k, err := differences.Covariance()
	if err != nil {
		return nil, err
	}
	k.ScaleSym(0.5, k)
	return k, nil
}

// SNR returns the signal-to-noise ratio of each band: the absolute mean divided by the standard
// deviation of the noise, whose covariances are noise. It is a ratio of amplitudes; in decibels it
// is 20 log10 of it. It is infinite if there is a mean but no noise. It is an error if there are no
// spectra or if the numbers of bands differ.
func SNR(spectra *Moments, noise mat.Symmetric) ([]float64, error) {
	if n := noise.SymmetricDim(); n != spectra.Bands() {
		return nil, fmt.Errorf("the noise has %d bands, the spectra %d", n, spectra.Bands())
	}
	snr, err := spectra.Mean()
	if err != nil {
		return nil, err
	}
	for i, m := range snr {
		if m != 0 {
			snr[i] = math.Abs(m) / math.Sqrt(noise.At(i, i))
		}
	}
	return snr, nil
}

// Residual returns the noise of each band as the part that the other bands do not predict: the
// variance of the band around its linear regression on all others, 1 / inv(K)[i,i] with the
// covariance K (Roger, Remote Sensing of Environment 1996). Noise that bands share counts as
// signal, so the result is diagonal. The error is that of Covariance or says that K is singular.
func Residual(spectra *Moments) (*mat.SymDense, error) {
	k, err := spectra.Covariance()
	if err != nil {
		return nil, err
	}
	inverse, err := eigen.Inverse("covariance", k)
	if err != nil {
		return nil, err
	}
	noise := mat.NewSymDense(spectra.Bands(), nil)
	for i := range spectra.Bands() {
		noise.SetSym(i, i, 1/inverse.At(i, i))
	}
	return noise, nil
}
