package scene

import (
	"context"
	"slices"
)

// tilesPerProc is the largest number of tiles whose results a proc holds before it sends them to
// the first proc. It bounds the memory for them.
const tilesPerProc = 16

// MapGather is Map by all procs of the cube, collective: they divide the tiles, and the first proc
// merges the results, which are sent as by Exchange, in the order of the tiles. merge is not called
// on the others. An error of one proc is the error of all.
func MapGather[R any](ctx context.Context, c *Cube, within Block, f func(*Tile) (R, error), merge func(R) error) error {
	comm := c.opts.Comm
	if comm == nil {
		return Map(ctx, c, within, f, merge)
	}
	toFirst := func(data []byte) ([][]byte, error) { return comm.Gather(data, 0) }
	for tiles := range slices.Chunk(slices.Collect(Tiles(within.Intersect(c.Bounds()))), tilesPerProc*comm.Procs()) {
		lo, hi := c.Share(len(tiles))
		var mine []R
		err := mapTiles(ctx, c, standard, slices.Values(tiles[lo:hi]), func(t *Tile, _ Block) (R, error) { return f(t) }, func(r R) error {
			mine = append(mine, r)
			return nil
		})
		parts, err := exchange(comm, toFirst, "results of tiles", mine, err)
		if err != nil {
			return err
		}
		for _, r := range slices.Concat(parts...) {
			if err == nil {
				err = merge(r)
			}
		}
		if err := comm.Agree("merged results of tiles", err); err != nil {
			return err
		}
	}
	return nil
}
