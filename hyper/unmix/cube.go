package unmix

import (
	"context"
	"fmt"
	"math"

	"drx/hyper/scene"
)

// rmse returns the root of the mean squared difference between a spectrum and its reconstruction.
func (s *Solver) rmse(spectrum, abundances []float64) float64 {
	sum := 0.0
	for b, v := range spectrum {
		for j, e := range s.endmembers {
			v -= abundances[j] * e[b]
		}
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(spectrum)))
}

// A Summary describes how well the endmembers explain a scene.
type Summary struct {
	Pixels  int // number of unmixed pixels
	LeftOut int // pixels without a usable spectrum
	// RMSE is the root of the mean squared difference between spectrum and reconstruction, over all
	// pixels and bands.
	RMSE float64
}

// Cube finds the abundances of the pixels of a cube within a block and writes them to a sink with
// one value per endmember. It writes the RMSE of each pixel to the sink rmse with one value per
// pixel, if that is not nil. Unusable pixels get NaN. The results have the same bits for any number
// of goroutines.
func (s *Solver) Cube(ctx context.Context, c *scene.Cube, within scene.Block, abundances, rmse scene.Sink) (Summary, error) {
	if err := s.checkCube(c, abundances, rmse); err != nil {
		return Summary{}, err
	}
	type result struct {
		block    scene.Block
		a, error []float64
		pixels   int
		squares  float64
	}
	p := len(s.endmembers)
	var sum Summary
	squares := 0.0
	err := scene.Map(ctx, c, within, func(t *scene.Tile) (result, error) {
		n := t.Block.Pixels()
		r := result{block: t.Block, a: make([]float64, n*p), error: make([]float64, n)}
		for i, ok := range t.Valid {
			if ok {
				r.error[i] = s.Solve(t.Spectrum(i), r.a[i*p:][:p])
				r.pixels++
				r.squares += r.error[i] * r.error[i]
				continue
			}
			r.error[i] = math.NaN()
			for j := range p {
				r.a[i*p+j] = math.NaN()
			}
		}
		return r, nil
	}, func(r result) error {
		sum.Pixels += r.pixels
		sum.LeftOut += r.block.Pixels() - r.pixels
		squares += r.squares
		if err := abundances.Write(ctx, r.block, r.a); err != nil || rmse == nil {
			return err
		}
		return rmse.Write(ctx, r.block, r.error)
	})
	if sum.Pixels > 0 {
		sum.RMSE = math.Sqrt(squares / float64(sum.Pixels))
	}
	return sum, err
}

// checkCube returns an error if the cube or a sink does not match the endmembers.
func (s *Solver) checkCube(c *scene.Cube, abundances, rmse scene.Sink) error {
	if c.Bands() != s.bands {
		return fmt.Errorf("the endmembers have %d bands, the cube %d", s.bands, c.Bands())
	}
	if n := abundances.Values(); n != len(s.endmembers) {
		return fmt.Errorf("the result has %d values per pixel for %d endmembers", n, len(s.endmembers))
	}
	if rmse != nil && rmse.Values() != 1 {
		return fmt.Errorf("the result for the RMSE has %d values per pixel instead of 1", rmse.Values())
	}
	return nil
}
