package hyper

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/option"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/optionerr"
)

// Moments holds the sums from which statistics, reductions, numbers of materials and detectors are
// computed.
type Moments struct {
	Spectra *stats.Moments // of the usable pixels
	// Differences has the moments of differences between neighbouring pixels, for the noise; nil
	// unless Measure was called with noise.
	Differences *stats.Moments
}

// Measure reads a cube once for the moments of its spectra and, with noise, once more for the
// moments of the differences between neighbours. The errors are those of reading.
func Measure(ctx context.Context, c *scene.Cube, noise bool) (*Moments, error) {
	b := c.Bounds()
	m := &Moments{}
	var err error
	if m.Spectra, err = stats.Sum(ctx, c, stats.Spectra, b, b); err != nil || !noise {
		return m, err
	}
	m.Differences, err = stats.Sum(ctx, c, stats.Neighbours, b, b)
	return m, err
}

// A Band has the statistics of one band over the usable pixels.
type Band struct {
	Band       int      `json:"band"` // its number in the source
	Wavelength *float64 `json:"wavelength,omitempty"`
	Mean       float64  `json:"mean"`
	Deviation  float64  `json:"deviation"` // standard deviation
	// Noise is the standard deviation of the noise, from differences between neighbouring pixels.
	Noise float64 `json:"noise"`
	// SNR is |mean| / noise; +Inf without noise, NaN without mean and noise.
	SNR float64 `json:"snr"`
}

// Bands returns the statistics of the bands of a cube that was measured with its noise. It is an
// error if there are fewer than two usable pixels, or no two neighbours.
func (m *Moments) Bands(c *scene.Cube) ([]Band, error) {
	mean, covariance, err := m.meanAndCovariance()
	if err != nil {
		return nil, err
	}
	noise, err := stats.Noise(m.Differences)
	if err != nil {
		return nil, fmt.Errorf("the noise, from neighbouring pixels: %w", err)
	}
	snr, err := stats.SNR(m.Spectra, noise)
	if err != nil {
		return nil, err
	}
	waves, _ := c.Wavelengths()
	list := make([]Band, len(mean))
	for i, number := range c.SourceBands() {
		list[i] = Band{Band: number, Mean: mean[i], Deviation: math.Sqrt(covariance.At(i, i)), Noise: math.Sqrt(noise.At(i, i)), SNR: snr[i]}
		if waves != nil {
			list[i].Wavelength = &waves[i]
		}
	}
	return list, nil
}

func (m *Moments) meanAndCovariance() ([]float64, *mat.SymDense, error) {
	mean, err := m.Spectra.Mean()
	if err != nil {
		return nil, nil, err
	}
	covariance, err := m.Spectra.Covariance()
	return mean, covariance, err
}

// A Reduction is a transform of spectra to a few components. The zero value means none.
type Reduction struct {
	Method     *reduce.Method // nil for none
	Components int            // 0 means all
}

// ParseReduction parses a reduction: mnf:10 or pct:10 for 10 components, mnf or pct for all
// components, or none.
func ParseReduction(text string) (Reduction, error) {
	if text == "none" || text == "" {
		return Reduction{}, nil
	}
	name, number, counted := strings.Cut(text, ":")
	method, err := option.Find("reduction", reduce.Methods(), name)
	r := Reduction{Method: method}
	if counted && err == nil {
		r.Components, err = strconv.Atoi(number)
	}
	if err != nil || counted && r.Components < 1 {
		return r, optionerr.Wrong("reduction", text,
			"want %s, with a number of components of at least 1, as in %s:10, or none", strings.Join(option.Names(reduce.Methods()), " or "), reduce.ByMNF)
	}
	return r, nil
}

// String returns the text that ParseReduction parses.
func (r Reduction) String() string {
	switch {
	case r.Method == nil:
		return "none"
	case r.Components == 0:
		return r.Method.Name
	}
	return fmt.Sprintf("%s:%d", r.Method, r.Components)
}

// Transform returns the transform of a reduction, computed from the moments of a scene, or nil for
// no reduction. MNF needs the moments of the noise. ridge is the fraction of the mean variance of
// the noise that is added to each band, see reduce.MNF. The errors are those of package reduce, or
// an error if the scene has fewer components.
func (m *Moments) Transform(r Reduction, ridge float64) (*reduce.Transform, error) {
	if r.Method == nil {
		return nil, nil
	}
	mean, covariance, err := m.meanAndCovariance()
	if err != nil {
		return nil, err
	}
	var noise *mat.SymDense
	if r.Method.Noise {
		if noise, err = stats.Noise(m.Differences); err != nil {
			return nil, err
		}
	}
	t, err := r.Method.New(mean, covariance, noise, ridge)
	if err != nil || r.Components == 0 {
		return t, err
	}
	if t, err = t.Keep(r.Components); err != nil {
		return nil, fmt.Errorf("reduction %v: %w", r, err)
	}
	return t, nil
}

// Reduce measures a cube and returns the transform of a reduction, or nil for no reduction. The
// errors are those of Measure and Transform.
func Reduce(ctx context.Context, c *scene.Cube, r Reduction, ridge float64) (*reduce.Transform, error) {
	if r.Method == nil {
		return nil, nil
	}
	m, err := Measure(ctx, c, r.Method.Noise)
	if err != nil {
		return nil, err
	}
	return m.Transform(r, ridge)
}

// Matrices returns the covariances and the correlations of the bands, row by row. The errors are
// those of package stats.
func (m *Moments) Matrices() (covariance, correlation [][]float64, err error) {
	k, err := m.Spectra.Covariance()
	if err != nil {
		return nil, nil, err
	}
	r, err := m.Spectra.Correlation()
	if err != nil {
		return nil, nil, err
	}
	return matrixRows(k), matrixRows(r), nil
}

func matrixRows(m *mat.SymDense) [][]float64 {
	list := make([][]float64, m.SymmetricDim())
	for i := range list {
		list[i] = mat.Row(nil, i, m)
	}
	return list
}
