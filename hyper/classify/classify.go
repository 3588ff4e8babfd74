// Package classify assigns each pixel of a scene to the class with the nearest spectrum.
//
// Nearest means the smallest spectral angle, spectral information divergence, or distance.
// Distances are useful if the noise is independent and has the same variance in all bands, as after
// a minimum noise fraction transform: then classify the projected scene with projected spectra.
//
// Class spectra may be moved to the means of the pixels assigned to them, in rounds, as in k-means
// (Lloyd, IEEE Trans. Information Theory 28, 1982).
package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"drx/hyper/scene"
)

// A Classifier holds the spectra of classes. It is safe for concurrent use. Classes are numbered
// from 1, in the order of the spectra; 0 means none.
type Classifier struct {
	measure *Measure
	spectra [][]float64
	ready   []preparedSpectrum // the spectra
	limit   float64
}

// New returns the classifier for class spectra with the same number of bands. A pixel further away
// than limit from all of them has no class; 0 means no limit. It is an error if a spectrum has
// another number of bands, a value that is not finite, or nothing that the measure can compare.
func New(measure *Measure, spectra [][]float64, limit float64) (*Classifier, error) {
	if measure == nil {
		return nil, errors.New("no measure is given")
	}
	if limit < 0 || math.IsNaN(limit) {
		return nil, fmt.Errorf("a limit of %g: it must be above 0, or 0 for none", limit)
	}
	bands := 0
	if len(spectra) > 0 {
		bands = len(spectra[0])
	}
	if err := scene.CheckSpectra("class spectrum", spectra, bands); err != nil {
		return nil, err
	}
	c := &Classifier{measure: measure, limit: limit}
	for i, s := range spectra {
		if !c.add(s) {
			return nil, fmt.Errorf("class spectrum %d cannot be compared by %s: it has only zeros, or a sum that is not positive", i, measure)
		}
	}
	return c, nil
}

// add adds a class if the measure can compare its spectrum, and reports whether it can.
func (c *Classifier) add(spectrum []float64) bool {
	var p preparedSpectrum
	ok := c.measure.prepare(spectrum, &p)
	if ok {
		c.spectra, c.ready = append(c.spectra, slices.Clone(spectrum)), append(c.ready, p)
	}
	return ok
}

// Spectra returns copies of the class spectra.
func (c *Classifier) Spectra() [][]float64 {
	s := make([][]float64, len(c.spectra))
	for i := range s {
		s[i] = slices.Clone(c.spectra[i])
	}
	return s
}

// Class returns the class of a spectrum and its distance to it; of equally near classes it returns
// the first one. The class is 0 if the distance exceeds the limit. The distance is NaN if the
// measure cannot compare the spectrum.
func (c *Classifier) Class(spectrum []float64) (class int, distance float64) {
	return c.class(spectrum, new(preparedSpectrum))
}

// class is Class with p as scratch memory.
func (c *Classifier) class(spectrum []float64, p *preparedSpectrum) (class int, distance float64) {
	if !c.measure.prepare(spectrum, p) {
		return 0, math.NaN()
	}
	least := math.Inf(1)
	for i := range c.ready {
		if d := c.measure.compare(p, &c.ready[i]); d < least {
			class, least = i+1, d
		}
	}
	if class == 0 {
		return 0, math.NaN()
	}
	if distance = c.measure.value(least); c.limit != 0 && distance > c.limit {
		class = 0
	}
	return class, distance
}

// Cube writes the class of each pixel of a cube within a block to a sink with one value per pixel,
// NaN for unusable pixels. counts has the number of pixels of each class, from class 0. It is an
// error if the cube has another number of bands; other errors are those of cube or sink.
func (c *Classifier) Cube(ctx context.Context, cube *scene.Cube, within scene.Block, sink scene.Sink) (counts []int, err error) {
	if sink.Values() != 1 {
		return nil, fmt.Errorf("the result for classes has %d values per pixel instead of 1", sink.Values())
	}
	counts = make([]int, len(c.spectra)+1)
	err = c.run(ctx, cube, within, func(r result) error {
		for _, class := range r.classes {
			if !math.IsNaN(class) {
				counts[int(class)]++
			}
		}
		return sink.Write(ctx, r.block, r.classes)
	})
	return counts, err
}

// Refine moves each class spectrum to the mean of the pixels of its class, at most rounds times,
// and returns the classifier with the new spectra. moved has the largest move of each round, in the
// unit of the measure; Refine ends early when no spectrum moves. A class keeps its spectrum if it
// has no pixels or if the measure cannot compare their mean. The limit does not change. The result
// has the same bits for any number of goroutines.
func (c *Classifier) Refine(ctx context.Context, cube *scene.Cube, within scene.Block, rounds int) (refined *Classifier, moved []float64, err error) {
	if rounds < 0 {
		return nil, nil, fmt.Errorf("%d rounds: the number must not be negative", rounds)
	}
	for range rounds {
		next, err := c.means(ctx, cube, within)
		if err != nil {
			return nil, nil, err
		}
		most := 0.0
		for i := range next.ready {
			most = max(most, c.measure.value(c.measure.compare(&next.ready[i], &c.ready[i])))
		}
		same := slices.EqualFunc(next.spectra, c.spectra, slices.Equal)
		c, moved = next, append(moved, most)
		if same {
			break
		}
	}
	return c, moved, nil
}

// means returns the classifier with the means of the pixels of each class.
func (c *Classifier) means(ctx context.Context, cube *scene.Cube, within scene.Block) (*Classifier, error) {
	bands := len(c.spectra[0])
	sums, counts := make([]float64, len(c.spectra)*bands), make([]int, len(c.spectra))
	err := c.run(ctx, cube, within, func(r result) error {
		for i, n := range r.counts {
			counts[i] += n
		}
		for i, v := range r.sums {
			sums[i] += v
		}
		return nil
	})
	next := &Classifier{measure: c.measure, limit: c.limit}
	for i, n := range counts {
		mean := sums[i*bands:][:bands]
		for b := range mean {
			mean[b] /= float64(n)
		}
		if n == 0 || !next.add(mean) {
			next.add(c.spectra[i])
		}
	}
	return next, err
}

// A result has the class of each pixel of a tile.
type result struct {
	block   scene.Block
	classes []float64 // NaN for unusable pixels
	counts  []int     // pixels per class, from class 1
	sums    []float64 // of their spectra
}

// run classifies the pixels of a block, tile by tile, in order.
func (c *Classifier) run(ctx context.Context, cube *scene.Cube, within scene.Block, merge func(result) error) error {
	bands := len(c.spectra[0])
	if cube.Bands() != bands {
		return fmt.Errorf("the class spectra have %d bands, the cube %d", bands, cube.Bands())
	}
	return scene.Map(ctx, cube, within, func(t *scene.Tile) (result, error) {
		r := result{t.Block, make([]float64, t.Block.Pixels()), make([]int, len(c.spectra)), make([]float64, len(c.spectra)*bands)}
		var p preparedSpectrum
		for i, ok := range t.Valid {
			r.classes[i] = math.NaN()
			if !ok {
				continue
			}
			class, _ := c.class(t.Spectrum(i), &p)
			r.classes[i] = float64(class)
			if class > 0 {
				r.counts[class-1]++
				for b, v := range t.Spectrum(i) {
					r.sums[(class-1)*bands+b] += v
				}
			}
		}
		return r, nil
	}, merge)
}
