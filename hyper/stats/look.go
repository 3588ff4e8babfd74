package stats

import (
	"context"
	"hash/crc32"
	"slices"
	"sync"

	"drx/dtype"
	"drx/hyper/scene"
)

// A finding is what a look at a tile has found.
type finding struct {
	Number int    // of the tile in its block
	Check  uint64 // the checksum of its values as they are
	Other  bool   // the tile had other values before
	Summed bool   // its moments are among After
}

// Findings are what looks at tiles of a block have found, with the moments of the tiles as they were and as they are.
type findings struct {
	Tiles         []finding
	Before, After []*Moments // by kind
}

// different reports whether a tile had other values before.
func (f *findings) different() bool {
	return slices.ContainsFunc(f.Tiles, func(t finding) bool { return t.Other })
}

// A part is what a proc has found in its share of a block.
type part struct {
	Block int // its number
	Found *findings
}

// look reads the tiles of blocks that are to be looked at, by all procs together: each takes a stretch of the tiles of all blocks in a row, so that it
// has to do with few blocks. Tiles that are as they were are summed only if all are to be.
func (u *update) look(ctx context.Context, blocks []*block, all bool) error {
	n := 0
	for _, b := range blocks {
		b.found = &findings{Before: u.empty(), After: u.empty()}
		n += len(b.look)
	}
	if n == 0 {
		return nil
	}
	lo, hi := u.cube.Share(n)
	var mine []part
	var err error
	first := 0
	for i, b := range blocks {
		tiles := b.look[max(0, min(lo-first, len(b.look))):max(0, min(hi-first, len(b.look)))]
		first += len(b.look)
		if len(tiles) == 0 || err != nil {
			continue
		}
		var f *findings
		f, err = u.lookAt(ctx, b.group, tiles, b.rec.Checks, all)
		mine = append(mine, part{i, f})
	}
	parts, err := scene.Exchange(u.cube, "moments of tiles", mine, err)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(parts...) {
		b := blocks[p.Block]
		b.found.Tiles = append(b.found.Tiles, p.Found.Tiles...)
		if err := errorsOf(merge(b.found.Before, p.Found.Before), merge(b.found.After, p.Found.After)); err != nil {
			return err
		}
	}
	return nil
}

// lookAt reads tiles by as many goroutines as the cube has. Sums are exact, so it does not matter which one adds a tile.
func (u *update) lookAt(ctx context.Context, g group, tiles []scene.Block, checks []uint64, all bool) (*findings, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := &findings{Before: u.empty(), After: u.empty()}
	next := make(chan scene.Block)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(len(tiles), u.cube.Workers()) {
		workers.Go(func() {
			before, after := u.summers(), u.summers()
			var list []finding
			for t := range next {
				f, err := u.lookAtOne(ctx, t, u.number(g, t), checks, all, before, after)
				if err != nil {
					cancel(err)
				}
				list = append(list, f)
			}
			mu.Lock()
			defer mu.Unlock()
			found.Tiles = append(found.Tiles, list...)
			for i := range u.Kinds {
				if err := errorsOf(found.Before[i].Add(before[i].moments), found.After[i].Add(after[i].moments)); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, t := range tiles {
		select {
		case next <- t:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	slices.SortFunc(found.Tiles, func(a, b finding) int { return a.Number - b.Number })
	return found, context.Cause(ctx)
}

func (u *update) summers() []*summer {
	list := make([]*summer, len(u.Kinds))
	for i := range list {
		list[i] = newSummer(u.cube.Bands())
	}
	return list
}

// lookAtOne reads a tile and says what has become of it.
func (u *update) lookAtOne(ctx context.Context, tile scene.Block, number int, checks []uint64, all bool, before, after []*summer) (finding, error) {
	near, e := tile.Grow(u.halo), u.extents
	was, is := tile.Intersect(e.Old), tile.Intersect(u.now)
	saw, sees := near.Intersect(e.Old), near.Intersect(u.now)
	f := finding{Number: number}
	if is.Pixels() == 0 {
		f.Other, f.Summed = was.Pixels() > 0, true
		return f, nil
	}
	t, err := u.cube.Read(ctx, near)
	if err != nil {
		return f, err
	}
	f.Check = checksum(t, sees)
	whole := saw == near.Intersect(e.Kept)
	f.Other = was.Pixels() > 0 && (!whole || checksum(t, saw) != checks[number])
	if !f.Other && !all && was == is && saw == sees {
		return f, nil
	}
	f.Summed = true
	for i, kind := range u.Kinds {
		if was.Pixels() > 0 && !f.Other && !all {
			before[i].tile(t, was, e.Old, kind.steps())
		}
		after[i].tile(t, is, u.now, kind.steps())
	}
	return f, nil
}

// checksum returns two CRCs, of different polynomials, of the values of a block within a tile; never 0.
func checksum(t *scene.Tile, b scene.Block) uint64 {
	var c, ieee uint32
	row := b.Samples() * t.Bands
	for line := range b.Lines() {
		from := t.Block.Index(scene.Pixel{Line: b.Lo.Line + line, Sample: b.Lo.Sample}) * t.Bands
		values := dtype.Bytes(t.Data[from:][:row])
		c, ieee = crc32.Update(c, castagnoli, values), crc32.Update(ieee, crc32.IEEETable, values)
	}
	return max(1, uint64(c)<<32|uint64(ieee))
}
