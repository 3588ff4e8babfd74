package detect

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/scene"
)

// A Local is the RX detector with a background per pixel: the pixels of a square window around it,
// without a smaller window in the middle, which would contain the object itself. Windows are cut at
// the bounds of the scene.
//
// Each pixel needs a covariance and its factors. The time per pixel grows with the number of pixels
// in the ring times bands squared, plus bands cubed. So Local suits scenes reduced to about ten
// bands, for which the ring may also be small.
type Local struct {
	Inner int // lines and samples of the smaller window, odd, at least 1
	Outer int // lines and samples of the larger window, odd
	// Loading is added to the variances, as a share of their mean. It makes the covariance regular
	// if the ring has too few pixels; 0 adds nothing.
	Loading float64
}

// check returns an error for windows that do not suit each other or the number of bands.
func (l Local) check(bands int) error {
	if l.Inner < 1 || l.Inner%2 == 0 || l.Outer%2 == 0 || l.Outer <= l.Inner {
		return fmt.Errorf("windows of %d and %d pixels: both must be odd, the inner one at least 1 and the outer one larger", l.Inner, l.Outer)
	}
	if l.Loading < 0 || math.IsNaN(l.Loading) || math.IsInf(l.Loading, 0) {
		return fmt.Errorf("a loading of %g: it must be 0 or above", l.Loading)
	}
	if n := l.Outer*l.Outer - l.Inner*l.Inner; l.Loading == 0 && n <= bands {
		return fmt.Errorf("a ring of %d pixels for %d bands: it needs more pixels than bands; take a larger window, fewer bands or a loading", n, bands)
	}
	return nil
}

// Cube writes the score of each pixel of a cube within a block to a sink with one value per pixel.
// without is the number of pixels whose background has a singular covariance, because it has too
// few usable pixels. Such pixels get NaN, like unusable ones. The scores have the same bits for any
// number of goroutines. It is an error if the windows are invalid; other errors are those of cube
// or sink.
func (l Local) Cube(ctx context.Context, c *scene.Cube, within scene.Block, sink scene.Sink) (without int, err error) {
	if err := l.check(c.Bands()); err != nil {
		return 0, err
	}
	if err := checkCube(c, c.Bands(), sink); err != nil {
		return 0, err
	}
	tiling := scene.Tiling{Lines: scene.TileLines, Samples: scene.TileSamples, Halo: l.Outer / 2}
	err = scene.MapTiling(ctx, c, within, tiling, func(t *scene.Tile, core scene.Block) (scores, error) {
		return l.scores(t, core), nil
	}, func(s scores) error {
		without += s.without
		return sink.Write(ctx, s.block, s.values)
	})
	return without, err
}

// scores has the scores of the pixels of a block; they may be missing.
type scores struct {
	block   scene.Block
	values  []float64
	without int
}

// scores computes the scores of the pixels of a block, from a tile that includes their backgrounds.
func (l Local) scores(t *scene.Tile, core scene.Block) scores {
	s := scores{block: core, values: make([]float64, core.Pixels())}
	w := newRing(t.Bands, l.Outer*l.Outer)
	for i := range s.values {
		p := core.At(i)
		s.values[i] = math.NaN()
		at := t.Block.Index(p)
		if !t.Valid[at] {
			continue
		}
		w.gather(t, p, l)
		var ok bool
		if s.values[i], ok = w.score(t.Spectrum(at), l.Loading); !ok {
			s.without++
		}
	}
	return s
}

// leastVariance is the smallest variance in any direction, relative to the largest, for which the
// covariance is inverted: smaller ones are rounding errors.
const leastVariance = 1e-13

// A ring holds the background spectra of a pixel and their statistics.
type ring struct {
	bands, n   int
	spectra    []float64 // of the n pixels of the background
	mean       []float64
	covariance *mat.SymDense
	centred    *mat.VecDense
	solved     *mat.VecDense
}

// newRing returns memory for the background of n pixels.
func newRing(bands, pixels int) *ring {
	return &ring{
		bands: bands, spectra: make([]float64, pixels*bands), mean: make([]float64, bands),
		covariance: mat.NewSymDense(bands, nil), centred: mat.NewVecDense(bands, nil), solved: mat.NewVecDense(bands, nil),
	}
}

// gather copies the background of a pixel from a tile.
func (r *ring) gather(t *scene.Tile, p scene.Pixel, l Local) {
	r.n = 0
	at := scene.Block{Lo: p, Hi: scene.Pixel{Line: p.Line + 1, Sample: p.Sample + 1}}
	inner := at.Grow(l.Inner / 2)
	outer := at.Grow(l.Outer / 2).Intersect(t.Block)
	for i := range outer.Pixels() {
		q := outer.At(i)
		if n := t.Block.Index(q); t.Valid[n] && !inner.Contains(q) {
			copy(r.spectra[r.n*r.bands:], t.Spectrum(n))
			r.n++
		}
	}
}

// score returns the score of a spectrum against the background, or NaN and false if the covariance
// of the background is singular.
func (r *ring) score(x []float64, loading float64) (float64, bool) {
	if r.n < 2 || loading == 0 && r.n <= r.bands {
		return math.NaN(), false
	}
	clear(r.mean)
	for i := range r.n {
		for b, v := range r.spectra[i*r.bands:][:r.bands] {
			r.mean[b] += v
		}
	}
	for b := range r.mean {
		r.mean[b] /= float64(r.n)
		r.centred.SetVec(b, x[b]-r.mean[b])
	}
	for i := range r.n {
		for b := range r.bands {
			r.spectra[i*r.bands+b] -= r.mean[b]
		}
	}
	centred := mat.NewDense(r.n, r.bands, r.spectra[:r.n*r.bands])
	r.covariance.SymOuterK(1/float64(r.n-1), centred.T())
	if loading > 0 {
		more := loading * mat.Trace(r.covariance) / float64(r.bands)
		for b := range r.bands {
			r.covariance.SetSym(b, b, r.covariance.At(b, b)+more)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(r.covariance) || chol.Cond()*leastVariance > 1 || chol.SolveVecTo(r.solved, r.centred) != nil {
		return math.NaN(), false
	}
	return mat.Dot(r.centred, r.solved), true
}
