package search

import (
	"context"
	"math"
	"slices"
	"sync"

	"drx/hyper/derived"
	"drx/hyper/scene"
	_ "drx/internal/gemm" // gonum's matrix products

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A Range is the pixels where a linear form has its largest and its smallest value.
type Range struct {
	High Extreme `json:"high"`
	Low  Extreme `json:"low"` // its value is the smallest one, negated
}

// Merge includes the pixels of another range.
func (r *Range) Merge(o Range) {
	r.High.Merge(o.High)
	r.Low.Merge(o.Low)
}

// formsAtOnce is the number of forms in one matrix product. With a tile of 1024 pixels the result
// has 2 MiB. With fewer forms, packing the pixels would take a noticeable part of the time.
const formsAtOnce = 256

// Ranges returns the range of each linear form over the usable pixels of a block: form i has the
// coefficients forms[i*bands : (i+1)*bands]. One pass reads the block, shared by the procs of the
// cube (see scene.Fold). The errors are those of reading.
func Ranges(ctx context.Context, c *scene.Cube, within scene.Block, forms []float64) ([]Range, error) {
	bands := c.Bands()
	norms := make([]float64, len(forms)/bands)
	for i := range norms {
		norms[i] = blas64.Nrm2(vector(forms[i*bands:][:bands]))
	}
	so := newExtremes(len(norms))
	found, err := scene.Fold(ctx, c, within, func(t *scene.Tile) ([]Range, error) {
		return tileRanges(t, forms, norms, so), nil
	}, func(all, part []Range) []Range {
		for i := range part {
			all[i].Merge(part[i])
		}
		return all
	})
	if found == nil {
		found = make([]Range, len(norms))
	}
	return found, err
}

// extremes has, for each form, its smallest and largest value in the tiles so far. Pixels of later
// tiles with values between them need not be examined.
type extremes struct {
	mu        sync.Mutex
	high, low []float64
}

func newExtremes(forms int) *extremes {
	return &extremes{high: slices.Repeat([]float64{math.Inf(-1)}, forms), low: slices.Repeat([]float64{math.Inf(1)}, forms)}
}

// now returns the present values.
func (r *extremes) now() (high, low []float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.high), slices.Clone(r.low)
}

// add includes the ranges over a tile.
func (r *extremes) add(found []Range) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, f := range found {
		if f.High.Found {
			r.high[i] = max(r.high[i], f.High.Value)
		}
		if f.Low.Found {
			r.low[i] = min(r.low[i], -f.Low.Value)
		}
	}
}

// tileRanges returns the ranges of the forms over the usable pixels of a tile, as far as they
// exceed those in so. norms has the norms of the forms.
func tileRanges(t *scene.Tile, forms, norms []float64, so *extremes) []Range {
	x, pixels, _, largest := usable(t)
	n, bands := len(pixels), t.Bands
	found := make([]Range, len(norms))
	if n == 0 {
		return found
	}
	highs, lows := so.now()
	values := make([]float64, min(formsAtOnce, len(norms))*n)
	for first := 0; first < len(norms); first += formsAtOnce {
		m := min(formsAtOnce, len(norms)-first)
		multiply(values[:m*n], forms[first*bands:][:m*bands], x, bands)
		for k := range m {
			f := first + k
			w := forms[f*bands:][:bands]
			// Twice the error: of the candidate and of the true extreme.
			margin := 4 * float64(bands+2) * unit * norms[f] * largest
			candidates(values[k*n:][:n], margin, highs[f], lows[f], func(i int) {
				exact := derived.Dot(w, x[i*bands:][:bands])
				found[f].High.Add(exact, pixels[i])
				found[f].Low.Add(-exact, pixels[i])
			})
		}
	}
	so.add(found)
	return found
}

// candidates calls f for all values within margin of the largest or the smallest value, or beyond
// them; hi and lo count as values, too. It first scans runs of values, and then only the runs that
// may have candidates.
func candidates(values []float64, margin, hi, lo float64, f func(i int)) {
	// Spectra may be so long that products are NaN; then all are candidates.
	all := math.IsInf(margin, 0) || math.IsNaN(margin)
	if !all && between(values, lo+margin, hi-margin) {
		return
	}
	const stretch = 64
	highs, lows := make([]float64, 0, 32), make([]float64, 0, 32)
	for first := 0; first < len(values); first += stretch {
		h, l := math.Inf(-1), math.Inf(1)
		for _, v := range values[first:min(first+stretch, len(values))] {
			if v > h {
				h = v
			}
			if v < l {
				l = v
			}
		}
		highs, lows = append(highs, h), append(lows, l)
		hi, lo = max(hi, h), min(lo, l)
	}
	high, low := hi-margin, lo+margin
	for n, h := range highs {
		if h < high && lows[n] > low && !all {
			continue
		}
		for i := n * stretch; i < min((n+1)*stretch, len(values)); i++ {
			if v := values[i]; v >= high || v <= low || all {
				f(i)
			}
		}
	}
}

// between reports whether all values lie between low and high. Most tiles do not exceed the earlier
// ones, so the processor predicts these branches.
func between(values []float64, low, high float64) bool {
	for len(values) >= 4 {
		a, b, c, d := values[0], values[1], values[2], values[3]
		if !(a < high && a > low && b < high && b > low && c < high && c > low && d < high && d > low) {
			return false
		}
		values = values[4:]
	}
	for _, v := range values {
		if !(v < high && v > low) {
			return false
		}
	}
	return true
}

// multiply stores the scalar products of the rows of a with the rows of b, row by row of a. All
// rows have n numbers.
func multiply(dst, a, b []float64, n int) {
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, matrix(a, n), matrix(b, n), 0, matrix(dst, len(b)/n))
}

func matrix(data []float64, columns int) blas64.General {
	return blas64.General{Rows: len(data) / columns, Cols: columns, Stride: columns, Data: data}
}

func vector(data []float64) blas64.Vector {
	return blas64.Vector{N: len(data), Inc: 1, Data: data}
}

// Largest returns the extreme of the absolute value of a form, from its range.
func (r Range) Largest() Extreme {
	e := r.High
	e.Value = math.Abs(e.Value)
	low := r.Low
	low.Value = math.Abs(low.Value)
	e.Merge(low)
	return e
}
