package reduce

import (
	"context"
	"fmt"
	"math"

	"drx/hyper/scene"
)

// Restore returns the scene restored from the components of each pixel of a cube. With fewer
// components than bands, it lacks the noise and everything else in the omitted components. Unusable
// pixels stay unusable. It is an error if the numbers of bands differ.
func (t *Transform) Restore(c *scene.Cube) (*scene.Cube, error) {
	if c.Bands() != t.Bands() {
		return nil, fmt.Errorf("a transform of %d bands for a scene of %d", t.Bands(), c.Bands())
	}
	w, unit := c.Wavelengths()
	return scene.New(&restoredSource{c, t}, scene.Options{
		Wavelengths: w, Unit: unit, KeepZero: true, Memory: c.Options().Memory, Workers: c.Workers(), Comm: c.Options().Comm,
	})
}

type restoredSource struct {
	cube *scene.Cube
	t    *Transform
}

// Bounds returns the bounds of the cube.
func (r *restoredSource) Bounds() scene.Block { return r.cube.Bounds() }

// Bands returns the number of bands of the cube.
func (r *restoredSource) Bands() int { return r.cube.Bands() }

// Integers16 returns false: restored values are fractions.
func (r *restoredSource) Integers16() bool { return false }

// Read restores the pixels of a block.
func (r *restoredSource) Read(ctx context.Context, b scene.Block, dst []float64) error {
	tile, err := r.cube.Read(ctx, b)
	if err != nil {
		return err
	}
	y := make([]float64, len(tile.Valid)*r.t.Components())
	r.t.Apply(y, tile.Data)
	r.t.Invert(dst, y)
	for i, valid := range tile.Valid {
		if valid {
			continue
		}
		for band := range tile.Bands {
			dst[i*tile.Bands+band] = math.NaN()
		}
	}
	return nil
}
