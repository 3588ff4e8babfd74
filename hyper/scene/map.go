package scene

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// TileLines and TileSamples are the extents of the tiles of Map.
const (
	TileLines   = 16
	TileSamples = 64
)

// DefaultMemory is used if Options.Memory is 0, in bytes.
const DefaultMemory = 64 << 20

// A Tiling divides a scene into tiles, which begin at multiples of their extents, counted from
// Origin.
type Tiling struct {
	Lines, Samples int
	Origin         Pixel
	// Halo is the number of further lines and samples that a tile has on all sides, as far as the
	// cube has them.
	Halo int
	// Extra is the number of bytes that the caller needs per pixel of a tile with its halo, in
	// addition to the spectra. They count as memory.
	Extra int64
}

// standard is the tiling of Map.
var standard = Tiling{Lines: TileLines, Samples: TileSamples}

// Tiles returns the blocks of the tiles that have pixels of b, cut to b, line by line.
func Tiles(b Block) iter.Seq[Block] { return standard.tiles(b) }

func (s Tiling) tiles(b Block) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		first := Pixel{floor(b.Lo.Line-s.Origin.Line, s.Lines) + s.Origin.Line, floor(b.Lo.Sample-s.Origin.Sample, s.Samples) + s.Origin.Sample}
		for line := first.Line; line < b.Hi.Line; line += s.Lines {
			for sample := first.Sample; sample < b.Hi.Sample; sample += s.Samples {
				tile := Block{Pixel{line, sample}, Pixel{line + s.Lines, sample + s.Samples}}.Intersect(b)
				if tile.Pixels() > 0 && !yield(tile) {
					return
				}
			}
		}
	}
}

// floor returns the largest multiple of n not above i.
func floor(i, n int) int {
	return i - ((i%n)+n)%n
}

// Map calls f for each tile of the block within, with the number of goroutines in the options of
// the cube, and merge with the results, one at a time, in the order of the tiles. f may change the
// tile but must not keep it. Map ends at the first error of f, merge, reading or the context. Tiles
// are cut at the bounds of the cube and of the block.
func Map[R any](ctx context.Context, c *Cube, within Block, f func(*Tile) (R, error), merge func(R) error) error {
	return MapTiling(ctx, c, within, standard, func(t *Tile, _ Block) (R, error) { return f(t) }, merge)
}

// MapTiling is Map with tiles of other extents, which may have a halo. f also gets the block of the
// tile without its halo, which is cut at the bounds of the cube and of the block within; the halo
// is cut at the bounds of the cube.
func MapTiling[R any](ctx context.Context, c *Cube, within Block, s Tiling, f func(*Tile, Block) (R, error), merge func(R) error) error {
	return mapTiles(ctx, c, s, s.tiles(within.Intersect(c.Bounds())), f, merge)
}

// mapTiles is MapTiling for some of the tiles.
func mapTiles[R any](ctx context.Context, c *Cube, s Tiling, tiles iter.Seq[Block], f func(*Tile, Block) (R, error), merge func(R) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type job struct {
		block Block
		done  chan R
	}
	workers := c.workers(s)
	jobs := make(chan job)
	merging := make(chan chan R, 2*workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			var t Tile
			for j := range jobs {
				err := c.ReadTile(ctx, j.block.Grow(s.Halo), &t)
				var r R
				if err == nil {
					r, err = f(&t, j.block)
				}
				if err != nil {
					cancel(err)
				}
				j.done <- r
			}
		})
	}
	go func() {
		defer close(merging)
		defer close(jobs)
		for b := range tiles {
			j := job{b, make(chan R, 1)}
			select {
			case <-ctx.Done():
				return
			case merging <- j.done:
				jobs <- j
			}
		}
	}()
	for done := range merging {
		if r := <-done; ctx.Err() == nil {
			if err := merge(r); err != nil {
				cancel(err)
			}
		}
	}
	group.Wait()
	return context.Cause(ctx)
}

// Workers returns the number of goroutines of Map.
func (c *Cube) Workers() int { return c.workers(standard) }

// workers returns the number of goroutines that the memory permits, at least one.
func (c *Cube) workers(s Tiling) int {
	n, memory := c.opts.Workers, c.opts.Memory
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if memory <= 0 {
		memory = DefaultMemory
	}
	tile := int64(s.Lines+2*s.Halo) * int64(s.Samples+2*s.Halo) * (8*int64(c.source.Bands()) + s.Extra)
	return int(max(1, min(int64(n), memory/tile)))
}
