package chunkmap

import (
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/axial"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/curve"
	"drx/nd"
)

// A mapResult is the chunk grid of an array, or a part of it, as JSON.
type mapResult struct {
	Name   string      `json:"name"`
	Grid   []int       `json:"grid"`    // extents, in chunks
	GridLo []int       `json:"grid_lo"` // low bounds, in chunks
	Map    []chunkInfo `json:"map"`     // in row-major order
}

// A chunkInfo is a chunk as JSON.
type chunkInfo struct {
	Chunk   []int        `json:"chunk"` // its index
	Number  axial.Number `json:"number"`
	Segment int          `json:"segment"`
	Written bool         `json:"written"`
}

// printMapJSON prints the chunks that --at selects, all by default.
func printMapJSON(cmd *cobra.Command, a *drx.Array, at string) error {
	grid, sec, err := chosenChunks(a, at)
	if err != nil {
		return err
	}
	n, err := sec.Len()
	if err != nil || n > maxMapChunks {
		return fmt.Errorf("%s: chunk map %v: more than %d chunks; choose with --at", a.Name(), sec, maxMapChunks)
	}
	r := mapResult{Name: a.Name(), Grid: grid.Shape(), GridLo: grid.Lo(), Map: []chunkInfo{}}
	shape, zero := sec.Shape(), make([]int, len(sec))
	position := make([]int, len(sec))
	for range n {
		c := chunkInfo{Chunk: make([]int, len(sec))}
		for d, i := range position {
			c.Chunk[d] = sec[d].Lo + i*sec[d].Stride()
		}
		c.Number, _ = grid.Number(c.Chunk)
		c.Segment, _ = grid.SegmentOf(c.Chunk)
		if c.Written, err = a.Written(c.Number); err != nil {
			return err
		}
		r.Map = append(r.Map, c)
		nd.Next(position, zero, shape)
	}
	return cli.PrintJSON(cmd.OutOrStdout(), r)
}

// An ordersResult has orders of the elements of a box as JSON.
type ordersResult struct {
	Shape  []int       `json:"shape"`
	Orders []orderInfo `json:"orders"`
}

// An orderInfo is one order as JSON.
type orderInfo struct {
	Order     string       `json:"order"`
	Positions []int        `json:"places"`  // of the elements, which are listed row-major
	Stretch   result.Float `json:"stretch"` // average distance of neighbours
	Jumps     int          `json:"jumps"`
}

// printJSON prints the orders that --order names.
func (o orderOptions) printJSON(cmd *cobra.Command) error {
	names, shape, err := o.check()
	if err != nil {
		return err
	}
	r := ordersResult{Shape: shape}
	for _, name := range names {
		b, err := o.box(name, shape)
		if err != nil {
			return cli.Usagef("--shape %s: %w", o.shape, err)
		}
		stretch, err := curve.Stretch(b)
		if err != nil {
			return err
		}
		info := orderInfo{Order: name, Stretch: result.Float(stretch), Jumps: b.countJumps()}
		index, zero := make([]int, len(shape)), make([]int, len(shape))
		for range b.Len() {
			position, _ := b.Position(index)
			info.Positions = append(info.Positions, position)
			nd.Next(index, zero, shape)
		}
		r.Orders = append(r.Orders, info)
	}
	return cli.PrintJSON(cmd.OutOrStdout(), r)
}
