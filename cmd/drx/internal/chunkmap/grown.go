package chunkmap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/axial"
	"drx/cmd/drx/internal/cli"
)

// A growthStep extends a dimension by a number of elements.
type growthStep struct{ dim, by int }

// grownBox returns the order of a box that grew from one element.
func (o orderOptions) grownBox(shape []int) (orderedBox, error) {
	steps, err := o.growthSteps(shape)
	if err != nil {
		return orderedBox{}, err
	}
	grid, err := axial.New(make([]int, len(shape)), slices.Repeat([]int{1}, len(shape)))
	text := make([]string, len(steps))
	for i := 0; i < len(steps) && err == nil; i++ {
		text[i] = fmt.Sprintf("%d+%d", steps[i].dim, steps[i].by)
		grid, err = grid.Extend(steps[i].dim, steps[i].by, axial.High)
	}
	if err != nil {
		return orderedBox{}, err
	}
	if !slices.Equal(grid.Shape(), shape) {
		return orderedBox{}, cli.Usagef("--grow %s: one element grows to %s, not to %s", o.grow, cli.FormatShape(grid.Shape()), cli.FormatShape(shape))
	}
	b := orderedBox{Order: gridOrder{grid}, history: ", grown by " + strings.Join(text, ",")}
	b.segment = func(index []int) int { s, _ := grid.SegmentOf(index); return s }
	return b, nil
}

// growthSteps parses --grow. Without the flag all dimensions grow in turn, the last one first, by 1
// element each in the first round, 2 in the second and so on, until the shape is reached.
func (o orderOptions) growthSteps(shape []int) ([]growthStep, error) {
	if o.grow != "" {
		return parseGrowth(o.grow, len(shape))
	}
	var steps []growthStep
	left := slices.Clone(shape)
	for by, d := 1, len(shape)-1; slices.Max(left) > 1; d = (d + len(shape) - 1) % len(shape) {
		if n := min(by, left[d]-1); n > 0 {
			steps = append(steps, growthStep{d, n})
			left[d] -= n
			by++
		}
	}
	return steps, nil
}

// parseGrowth parses a list of DIM+BY.
func parseGrowth(text string, rank int) ([]growthStep, error) {
	var steps []growthStep
	for field := range strings.SplitSeq(text, ",") {
		dim, by, _ := strings.Cut(strings.TrimSpace(field), "+")
		d, dimErr := strconv.Atoi(dim)
		n, byErr := strconv.Atoi(by)
		if dimErr != nil || byErr != nil || d < 0 || d >= rank || n < 1 {
			return nil, cli.Usagef("--grow %s: %q: want DIM+BY, dimensions 0 to %d, BY at least 1", text, field, rank-1)
		}
		steps = append(steps, growthStep{d, n})
	}
	return steps, nil
}

// gridOrder is the order of the chunks of a grid whose low bounds are zero.
type gridOrder struct{ *axial.Grid }

// Len returns the number of chunks. Len, Position and Index implement curve.Order.
func (g gridOrder) Len() int { return int(g.Chunks()) }

// Position returns the number of the chunk at index, and false if index is out of bounds.
func (g gridOrder) Position(index []int) (int, bool) {
	q, ok := g.Number(index)
	return int(q), ok
}

// Index stores the index of chunk number place. It returns false if there is no such chunk.
func (g gridOrder) Index(position int, index []int) bool {
	return g.Grid.Index(axial.Number(position), index)
}
