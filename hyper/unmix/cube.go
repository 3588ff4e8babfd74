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
	return s.cube(ctx, c, within, abundances, rmse, scene.Map[unmixed])
}

// CubeByProcs is Cube by the procs of the cube, collective: they divide the tiles, and the first
// proc writes to its sinks and returns the summary, with the same bits; that of the others is zero.
func (s *Solver) CubeByProcs(ctx context.Context, c *scene.Cube, within scene.Block, abundances, rmse scene.Sink) (Summary, error) {
	return s.cube(ctx, c, within, abundances, rmse, scene.MapGather[unmixed])
}

// An unmixed tile has the abundances and the RMSE of its pixels. The fields are exported for gob.
type unmixed struct {
	Block             scene.Block
	Abundances, Error []float64
	Pixels            int
	Squares           float64 // the sum of the squares of Error
}

// mapping is the type of scene.Map.
type mapping func(ctx context.Context, c *scene.Cube, within scene.Block, f func(*scene.Tile) (unmixed, error), merge func(unmixed) error) error

func (s *Solver) cube(ctx context.Context, c *scene.Cube, within scene.Block, abundances, rmse scene.Sink, over mapping) (Summary, error) {
	if err := s.checkCube(c, abundances, rmse); err != nil {
		return Summary{}, err
	}
	var sum Summary
	squares := 0.0
	err := over(ctx, c, within, func(t *scene.Tile) (unmixed, error) { return s.tile(t), nil }, func(r unmixed) error {
		sum.Pixels += r.Pixels
		sum.LeftOut += r.Block.Pixels() - r.Pixels
		squares += r.Squares
		if err := abundances.Write(ctx, r.Block, r.Abundances); err != nil || rmse == nil {
			return err
		}
		return rmse.Write(ctx, r.Block, r.Error)
	})
	if sum.Pixels > 0 {
		sum.RMSE = math.Sqrt(squares / float64(sum.Pixels))
	}
	return sum, err
}

// tile finds the abundances of the pixels of a tile.
func (s *Solver) tile(t *scene.Tile) unmixed {
	n, p := t.Block.Pixels(), len(s.endmembers)
	r := unmixed{Block: t.Block, Abundances: make([]float64, n*p), Error: make([]float64, n)}
	for i, ok := range t.Valid {
		if ok {
			r.Error[i] = s.Solve(t.Spectrum(i), r.Abundances[i*p:][:p])
			r.Pixels++
			r.Squares += r.Error[i] * r.Error[i]
			continue
		}
		r.Error[i] = math.NaN()
		for j := range p {
			r.Abundances[i*p+j] = math.NaN()
		}
	}
	return r
}

// checkCube returns an error if the cube or a sink does not fit the endmembers.
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
