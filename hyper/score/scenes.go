package score

import (
	"context"
	"fmt"
	"math"

	"drx/hyper/scene"
)

// pairs calls f with the values of each tile of two scenes with the same pixels, in order. It is an
// error if their pixels differ.
func pairs(ctx context.Context, truth, result scene.Source, f func(b scene.Block, truth, result []float64) error) error {
	if truth.Bounds() != result.Bounds() {
		return fmt.Errorf("the truth has %s, the result %s: both must have the same pixels", truth.Bounds(), result.Bounds())
	}
	for b := range scene.Tiles(truth.Bounds()) {
		t, r := make([]float64, b.Pixels()*truth.Bands()), make([]float64, b.Pixels()*result.Bands())
		if err := truth.Read(ctx, b, t); err != nil {
			return fmt.Errorf("the truth: %w", err)
		}
		if err := result.Read(ctx, b, r); err != nil {
			return fmt.Errorf("the result: %w", err)
		}
		if err := f(b, t, r); err != nil {
			return err
		}
	}
	return nil
}

// oneBand returns an error if a scene has several values per pixel.
func oneBand(what string, s scene.Source) error {
	if n := s.Bands(); n != 1 {
		return fmt.Errorf("%s has %d values per pixel instead of 1", what, n)
	}
	return nil
}

// Detection returns the area under the curve of scores, see AUC. The true targets are the pixels
// whose value in truth is not 0. Both scenes have one value per pixel. It needs 9 bytes of memory
// per pixel. It is an error if the pixels differ; other errors are those of AUC.
func Detection(ctx context.Context, truth, scores scene.Source) (float64, error) {
	if err := oneBand("the truth", truth); err != nil {
		return 0, err
	}
	if err := oneBand("the result of the detector", scores); err != nil {
		return 0, err
	}
	var all []float64
	var target []bool
	err := pairs(ctx, truth, scores, func(_ scene.Block, t, r []float64) error {
		all = append(all, r...)
		for _, v := range t {
			target = append(target, v != 0)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return AUC(all, target)
}

// Abundances returns the RMSE of the abundances of each true endmember, and of all of them
// together, out of core. found has, per true endmember, the number of its match (Matching.Found);
// nil means the same number. An endmember without a match, -1, counts with abundances of 0. Pixels
// that are unusable in the result do not count. It is an error if pixels or endmembers differ, or
// if no pixel is left.
func Abundances(ctx context.Context, truth, result scene.Source, found []int) (each []float64, all float64, err error) {
	p, n := truth.Bands(), result.Bands()
	if found == nil {
		for i := range p {
			found = append(found, i)
		}
	}
	if len(found) != p {
		return nil, 0, fmt.Errorf("%d pairs for %d true endmembers: there must be one for each", len(found), p)
	}
	for i, j := range found {
		if j < -1 || j >= n {
			return nil, 0, fmt.Errorf("true endmember %d is paired with number %d: the result has 0 to %d", i, j, n-1)
		}
	}
	each = make([]float64, p)
	pixels := 0
	err = pairs(ctx, truth, result, func(b scene.Block, t, r []float64) error {
		for i := range b.Pixels() {
			if math.IsNaN(r[i*n]) {
				continue
			}
			pixels++
			for k, j := range found {
				d := t[i*p+k]
				if j >= 0 {
					d -= r[i*n+j]
				}
				each[k] += d * d
			}
		}
		return nil
	})
	if err == nil && pixels == 0 {
		err = fmt.Errorf("the result has no abundances: all pixels were left out")
	}
	for k, squares := range each {
		all += squares / float64(p)
		each[k] = math.Sqrt(squares / float64(pixels))
	}
	return each, math.Sqrt(all / float64(pixels)), err
}
