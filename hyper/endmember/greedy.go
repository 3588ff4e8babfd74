package endmember

import (
	"context"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/scene"
)

// A Step is one endmember of a greedy search, which depends on the steps before it.
type Step struct {
	Value float64     `json:"value"` // maximal value of the function, which this pixel has
	Pixel scene.Pixel `json:"pixel"`
	Point []float64   `json:"point"` // its values in the space of the search
}

// points returns the points of steps.
func points(steps []Step) [][]float64 {
	list := make([][]float64, len(steps))
	for i, s := range steps {
		list[i] = s.Point
	}
	return list
}

// pixels returns the pixels of steps.
func pixels(steps []Step) []scene.Pixel {
	list := make([]scene.Pixel, len(steps))
	for i, s := range steps {
		list[i] = s.Pixel
	}
	return list
}

// A greedy search adds pixels one by one: always the one with the largest value of a function that
// depends on the pixels added before.
type greedy struct {
	space *scene.Cube
	count int
	// best returns, for each list of earlier steps, the pixel of a block with the largest value of
	// its function.
	best func(ctx context.Context, within scene.Block, earlier [][]Step) ([]search.Extreme, error)
	// hull reports whether points are independent.
	hull func(points [][]float64) (*search.Hull, bool)
}

// update returns the steps of a search in the whole space. steps are those from before the pixels
// of a block changed. As long as no changed pixel wins a step, it reads only the block; from the
// first such step on it searches the whole space.
func (g *greedy) update(ctx context.Context, steps []Step, changed scene.Block) ([]Step, error) {
	for _, s := range steps {
		if err := same("values per endmember", len(s.Point), g.space.Bands()); err != nil {
			return nil, err
		}
	}
	steps, err := g.keep(ctx, slices.Clone(steps[:min(len(steps), g.count)]), changed)
	for err == nil && len(steps) < g.count {
		var best []search.Extreme
		if best, err = g.best(ctx, g.space.Bounds(), [][]Step{steps}); err == nil {
			steps, err = g.add(ctx, steps, best[0])
		}
	}
	return steps, err
}

// keep returns the leading steps that are still valid; the last of them may be new.
func (g *greedy) keep(ctx context.Context, steps []Step, changed scene.Block) ([]Step, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	earlier := make([][]Step, len(steps))
	for k := range steps {
		earlier[k] = steps[:k]
	}
	best, err := g.best(ctx, changed, earlier)
	if err != nil {
		return nil, err
	}
	for k, s := range steps {
		old := search.Extreme{Value: s.Value, Pixel: s.Pixel, Found: true}
		switch {
		case best[k].Found && !old.Beats(best[k]):
			kept, err := g.add(ctx, steps[:k:k], best[k])
			if err != nil || best[k] != old || !slices.Equal(kept[k].Point, s.Point) {
				return kept, err
			}
		case changed.Contains(s.Pixel): // the value of the winner has decreased
			return steps[:k], nil
		}
	}
	return steps, nil
}

// add appends a step. It is an error if its pixel is a mixture of the earlier pixels.
func (g *greedy) add(ctx context.Context, steps []Step, e search.Extreme) ([]Step, error) {
	if !e.Found {
		return nil, tooFlat(ctx, g.space, len(steps), g.count)
	}
	x, err := spectrum(ctx, g.space, e.Pixel)
	if err != nil {
		return nil, err
	}
	longer := append(steps, Step{e.Value, e.Pixel, x})
	if _, ok := g.hull(points(longer)); !ok {
		return nil, tooFlat(ctx, g.space, len(steps), g.count)
	}
	return longer, nil
}

// farthest returns the pixels of a block that are farthest from the hulls of lists of steps.
func (g *greedy) farthest(ctx context.Context, within scene.Block, earlier [][]Step) ([]search.Extreme, error) {
	hulls := make([]*search.Hull, len(earlier))
	for i, steps := range earlier {
		hulls[i] = &search.Hull{}
		if len(steps) > 0 {
			hulls[i], _ = g.hull(points(steps))
		}
	}
	found, err := search.Farthest(ctx, g.space, within, hulls)
	if err != nil {
		return nil, err
	}
	best := make([]search.Extreme, len(found))
	for i, f := range found {
		best[i] = f[0]
	}
	return best, nil
}

// newGreedy returns the search for pixels that are farthest from the hull of the earlier ones,
// which hull computes. The first pixel is the longest one.
func newGreedy(space *scene.Cube, count int, hull func([][]float64) (*search.Hull, bool)) *greedy {
	g := &greedy{space: space, count: count, hull: hull}
	g.best = g.farthest
	return g
}

// grow is the Update of ATGP and SGA, which differ only in the hull.
func grow(ctx context.Context, cube *scene.Cube, changed scene.Block, o Options, state *State, steps *[]Step, more int, hull func([][]float64) (*search.Hull, bool)) error {
	space, err := state.begin(cube, o, more)
	if err != nil {
		return err
	}
	found, err := newGreedy(space, o.Count, hull).update(ctx, *steps, changed)
	if err != nil {
		return err
	}
	if err := state.end(ctx, cube, pixels(found)); err != nil {
		return err
	}
	*steps = found
	return nil
}
