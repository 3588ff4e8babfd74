package detect

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"drx/hyper/scene"
)

// A Detector computes scores of spectra. It is safe for concurrent use.
type Detector struct {
	mean   []float64   // subtracted from the spectrum, if not nil
	rows   [][]float64 // factors of the difference: lower triangular, or a single row
	square func(y []float64) float64
}

// Bands returns the number of bands of its spectra.
func (d *Detector) Bands() int { return len(d.rows[len(d.rows)-1]) }

// Score returns the score of a spectrum with Bands values. It equals the score by Cube up to
// rounding.
func (d *Detector) Score(spectrum []float64) float64 {
	x, y := make([]float64, d.Bands()), make([]float64, len(d.rows))
	d.centre(spectrum, x)
	for i, row := range d.rows {
		y[i] = dot(row, x)
	}
	return d.square(y)
}

// centre stores a spectrum without the mean in x.
func (d *Detector) centre(spectrum, x []float64) {
	copy(x, spectrum)
	for i, v := range d.mean {
		x[i] -= v
	}
}

// dot returns the inner product of a row and the first values of x. Four sums at a time keep the
// processor busy.
func dot(row, x []float64) float64 {
	x = x[:len(row)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		s0 += row[i] * x[i]
		s1 += row[i+1] * x[i+1]
		s2 += row[i+2] * x[i+2]
		s3 += row[i+3] * x[i+3]
	}
	for ; i < len(row); i++ {
		s0 += row[i] * x[i]
	}
	return s0 + s1 + (s2 + s3)
}

// Cube writes the score of each pixel of a cube within a block to a sink with one value per pixel,
// NaN for unusable pixels. The scores have the same bits for any number of goroutines, and a score
// does not depend on other pixels. It is an error if the cube has another number of bands; other
// errors are those of cube or sink.
func (d *Detector) Cube(ctx context.Context, c *scene.Cube, within scene.Block, sink scene.Sink) error {
	if err := checkCube(c, d.Bands(), sink); err != nil {
		return err
	}
	w := blas64.General{Rows: len(d.rows), Cols: d.Bands(), Stride: d.Bands(), Data: make([]float64, len(d.rows)*d.Bands())}
	for i, row := range d.rows {
		copy(w.Data[i*w.Stride:], row)
	}
	return scene.Transform(ctx, c, within, sink, func(t *scene.Tile, dst []float64) error {
		d.tile(t, w, dst)
		return nil
	})
}

// together is the number of pixels in one matrix product. It is constant, so that the order of the
// sums for a pixel does not depend on the number of other pixels.
const together = 64

// tile stores the scores of the pixels of a tile. w is the matrix of the rows.
func (d *Detector) tile(t *scene.Tile, w blas64.General, dst []float64) {
	x := blas64.General{Rows: together, Cols: w.Cols, Stride: w.Cols, Data: make([]float64, together*w.Cols)}
	y := blas64.General{Rows: together, Cols: w.Rows, Stride: w.Rows, Data: make([]float64, together*w.Rows)}
	var pixels []int // numbers of the pixels in x
	flush := func() {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, w, 0, y)
		for i, n := range pixels {
			dst[n] = d.square(y.Data[i*y.Stride:][:y.Cols])
		}
		pixels = pixels[:0]
	}
	for n, ok := range t.Valid {
		if !ok {
			continue
		}
		d.centre(t.Spectrum(n), x.Data[len(pixels)*x.Stride:][:x.Cols])
		if pixels = append(pixels, n); len(pixels) == together {
			flush()
		}
	}
	if len(pixels) > 0 {
		flush()
	}
}

// checkCube returns an error if a cube has another number of bands, or a sink more than one value.
func checkCube(c *scene.Cube, bands int, sink scene.Sink) error {
	if c.Bands() != bands {
		return fmt.Errorf("the detector has %d bands, the cube %d", bands, c.Bands())
	}
	if sink.Values() != 1 {
		return fmt.Errorf("the result for scores has %d values per pixel instead of 1", sink.Values())
	}
	return nil
}

// sumOfSquares returns |y|^2.
func sumOfSquares(y []float64) float64 { return dot(y, y) }

// RX returns the detector of pixels that differ from a background with the given mean and
// covariance. It is an error if their numbers of bands differ, a value is not finite, or the
// covariance is singular.
func RX(mean []float64, covariance mat.Symmetric) (*Detector, error) {
	rows, err := whitening("covariance", covariance, len(mean))
	if err == nil {
		err = scene.CheckSpectra("mean", [][]float64{mean}, covariance.SymmetricDim())
	}
	if err != nil {
		return nil, err
	}
	return &Detector{mean: append([]float64(nil), mean...), rows: rows, square: sumOfSquares}, nil
}

// MatchedFilter returns the detector of a target against a background with the given mean and
// covariance. The errors are those of RX, and that the target equals the mean.
func MatchedFilter(mean []float64, covariance mat.Symmetric, target []float64) (*Detector, error) {
	d, _, filter, err := filters(mean, covariance, target)
	if err != nil {
		return nil, err
	}
	return &Detector{mean: d.mean, rows: [][]float64{filter}, square: first}, nil
}

// first returns the only value.
func first(y []float64) float64 { return y[0] }

// ACE returns the adaptive coherence estimator of a target against a background with the given mean
// and covariance, with the sign of the matched filter. A pixel equal to the mean has the score 0.
// It returns the errors of MatchedFilter.
func ACE(mean []float64, covariance mat.Symmetric, target []float64) (*Detector, error) {
	d, white, _, err := filters(mean, covariance, target)
	if err != nil {
		return nil, err
	}
	size := sumOfSquares(white)
	d.square = func(y []float64) float64 {
		along, all := dot(white, y), sumOfSquares(y)
		if all == 0 {
			return 0
		}
		return math.Copysign(along*along/(size*all), along)
	}
	return d, nil
}

// filters returns the RX detector of a background, the target after whitening, and the matched
// filter: the vector whose product with a centred spectrum is 1 for the target.
func filters(mean []float64, covariance mat.Symmetric, target []float64) (d *Detector, white, filter []float64, err error) {
	if d, err = RX(mean, covariance); err != nil {
		return nil, nil, nil, err
	}
	if err = scene.CheckSpectra("target", [][]float64{target}, len(mean)); err != nil {
		return nil, nil, nil, err
	}
	centred := make([]float64, len(mean))
	for i, v := range target {
		centred[i] = v - mean[i]
	}
	white, filter = matched(d.rows, centred)
	if filter == nil {
		return nil, nil, nil, fmt.Errorf("the target is the mean of the background: nothing tells them apart")
	}
	return d, white, filter, nil
}

// matched returns y = W t and W' y / |y|^2, or nil if t is 0.
func matched(w [][]float64, t []float64) (y, filter []float64) {
	y, filter = make([]float64, len(w)), make([]float64, len(t))
	for i, row := range w {
		y[i] = dot(row, t)
	}
	size := sumOfSquares(y)
	if size == 0 {
		return nil, nil
	}
	for i, row := range w {
		for j, v := range row {
			filter[j] += v * y[i] / size
		}
	}
	return y, filter
}

// CEM returns the constrained energy minimisation detector of a target, for the correlation of the
// scene (the mean of x x'). It is an error if the numbers of bands differ, a value is not finite,
// the correlation is singular, or the target has only zeros.
func CEM(correlation mat.Symmetric, target []float64) (*Detector, error) {
	w, err := whitening("correlation", correlation, len(target))
	if err == nil {
		err = scene.CheckSpectra("target", [][]float64{target}, correlation.SymmetricDim())
	}
	if err != nil {
		return nil, err
	}
	_, filter := matched(w, target)
	if filter == nil {
		return nil, fmt.Errorf("the target has only zeros")
	}
	return &Detector{rows: [][]float64{filter}, square: first}, nil
}

// inTheSpan is a relative length: if the part of a target outside of the span of the undesired
// spectra is shorter, the target counts as their combination.
const inTheSpan = 1e-10

// OSP returns the orthogonal subspace projection detector of a target, which suppresses the
// undesired spectra: at least one, and fewer than the bands. It is an error if numbers of bands
// differ, a value is not finite, or the target is a combination of the undesired spectra.
func OSP(target []float64, undesired [][]float64) (*Detector, error) {
	bands := len(target)
	if err := scene.CheckSpectra("target", [][]float64{target}, bands); err != nil {
		return nil, err
	}
	if err := scene.CheckSpectra("undesired spectrum", undesired, bands); err != nil {
		return nil, err
	}
	u := mat.NewDense(bands, len(undesired), nil)
	for j, s := range undesired {
		u.SetCol(j, s)
	}
	var svd mat.SVD
	if !svd.Factorize(u, mat.SVDThinU) {
		return nil, fmt.Errorf("the singular values of %d undesired spectra cannot be computed", len(undesired))
	}
	var basis mat.Dense
	svd.UTo(&basis)
	left := append([]float64(nil), target...)
	values := svd.Values(nil)
	for range 2 { // twice, to remove rounding errors, too
		for j, v := range values {
			if v <= 1e-12*values[0] {
				continue // skip spectra that depend on the ones before
			}
			b := mat.Col(nil, j, &basis)
			f := dot(b, left)
			for i := range left {
				left[i] -= f * b[i]
			}
		}
	}
	if math.Sqrt(dot(left, left)) <= inTheSpan*math.Sqrt(dot(target, target)) {
		return nil, fmt.Errorf("the target is a combination of the %d undesired spectra: nothing tells it from them", len(undesired))
	}
	size := dot(left, target)
	for i := range left {
		left[i] /= size
	}
	return &Detector{rows: [][]float64{left}, square: first}, nil
}
