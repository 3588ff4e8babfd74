package stats

import (
	"context"
	"hash/crc32"
	"slices"
	"sync"

	"drx/dtype"
	"drx/hyper/scene"
)

// A tileResult is the result of reading a tile.
type tileResult struct {
	Number int    // of the tile in its block
	Check  uint64 // the checksum of its present values
	Other  bool   // its values have changed
	Summed bool   // its moments are part of After
}

// findings has the results of tiles of a block, with the previous and the present moments of the
// tiles.
type findings struct {
	Tiles         []tileResult
	Before, After []*Moments // by kind
	// More has the new vectors of grown tiles that are not part of After, see scanner.sum.
	More []*Moments
}

func (u *update) noFindings() *findings {
	return &findings{Before: u.empty(), After: u.empty(), More: u.empty()}
}

// different reports whether the values of a tile have changed.
func (f *findings) different() bool {
	return slices.ContainsFunc(f.Tiles, func(t tileResult) bool { return t.Other })
}

// A part has the results of a proc for its share of a block.
type part struct {
	Block int // its number
	Found *findings
}

// scan reads the given tiles of blocks, shared by all procs: each proc reads a run of consecutive
// tiles, and so handles few blocks. Unchanged tiles are summed only if all is set.
func (u *update) scan(ctx context.Context, blocks []*block, all bool) error {
	n := 0
	for _, b := range blocks {
		b.found = u.noFindings()
		n += len(b.scan)
	}
	if n == 0 {
		return nil
	}
	lo, hi := u.cube.Share(n)
	var mine []part
	var err error
	first := 0
	for i, b := range blocks {
		tiles := b.scan[max(0, min(lo-first, len(b.scan))):max(0, min(hi-first, len(b.scan)))]
		first += len(b.scan)
		if len(tiles) == 0 || err != nil {
			continue
		}
		var f *findings
		f, err = u.scanTiles(ctx, b.group, tiles, b.rec.Checks, all)
		mine = append(mine, part{i, f})
	}
	parts, err := scene.Exchange(u.cube, "moments of tiles", mine, err)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(parts...) {
		b := blocks[p.Block]
		b.found.Tiles = append(b.found.Tiles, p.Found.Tiles...)
		if err := errorsOf(merge(b.found.Before, p.Found.Before), merge(b.found.After, p.Found.After), merge(b.found.More, p.Found.More)); err != nil {
			return err
		}
	}
	return nil
}

// scanTiles reads tiles with the number of goroutines of the cube. Sums are exact, so any goroutine
// may add any tile.
func (u *update) scanTiles(ctx context.Context, g group, tiles []scene.Block, checks []uint64, all bool) (*findings, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := u.noFindings()
	next := make(chan scene.Block)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(len(tiles), u.cube.Workers()) {
		workers.Go(func() {
			l := scanner{update: u, all: all, before: u.summers(), after: u.summers(), more: u.summers(), tile: idleTile()}
			var list []tileResult
			for t := range next {
				n := u.number(g, t)
				f, err := l.scan(ctx, t, n, checks[n])
				if err != nil {
					cancel(err)
				}
				list = append(list, f)
			}
			mu.Lock()
			defer mu.Unlock()
			found.Tiles = append(found.Tiles, list...)
			if err := errorsOf(addSummers(found.Before, l.before), addSummers(found.After, l.after), addSummers(found.More, l.more)); err != nil {
				cancel(err)
			}
			idleTiles.Put(l.tile)
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
	slices.SortFunc(found.Tiles, func(a, b tileResult) int { return a.Number - b.Number })
	return found, context.Cause(ctx)
}

func (u *update) summers() []*summer {
	list := make([]*summer, len(u.Kinds))
	for i := range list {
		list[i] = newSummer(u.cube.Bands())
	}
	return list
}

// addSummers adds the moments of summers and releases them.
func addSummers(to []*Moments, from []*summer) error {
	for i, s := range from {
		if err := to[i].Add(s.moments); err != nil {
			return err
		}
		s.release()
	}
	return nil
}

// A scanner reads tiles one by one.
type scanner struct {
	*update
	all  bool // unchanged tiles are summed, too
	tile *scene.Tile

	before, after, more []*summer // by kind
}

// idleTiles keeps memory for later tiles.
var idleTiles sync.Pool

func idleTile() *scene.Tile {
	if t, ok := idleTiles.Get().(*scene.Tile); ok {
		return t
	}
	return &scene.Tile{}
}

// scan reads a tile and returns its result. check is the last checksum of the tile.
func (l *scanner) scan(ctx context.Context, tile scene.Block, number int, check uint64) (tileResult, error) {
	near, e := tile.Grow(l.halo), l.extents
	was, is := tile.Intersect(e.Old), tile.Intersect(l.now)
	saw, sees := near.Intersect(e.Old), near.Intersect(l.now)
	f := tileResult{Number: number}
	if is.Pixels() == 0 {
		f.Other, f.Summed = was.Pixels() > 0, true
		return f, nil
	}
	if err := l.cube.ReadTile(ctx, near, l.tile); err != nil {
		return f, err
	}
	f.Check = checksum(l.tile, sees)
	switch {
	case was.Pixels() == 0:
	case saw != near.Intersect(e.Kept):
		f.Other = true
	case saw == sees:
		f.Other = f.Check != check
	default:
		f.Other = checksum(l.tile, saw) != check
	}
	if !f.Other && !l.all && was == is && saw == sees {
		return f, nil
	}
	f.Summed = l.sum(was, is, was.Pixels() > 0 && !f.Other && !l.all)
	return f, nil
}

// sum adds the vectors of a tile to the present moments. If the tile has grown, it adds the vectors
// of the previous tile to the previous moments. Sums of integers are exact for parts of a tile,
// too: for integers it adds only the new vectors, and returns false.
func (l *scanner) sum(was, is scene.Block, grown bool) bool {
	old := l.extents.Old
	if grown && l.cube.Integers16() {
		l.add(l.more, is, l.now, old)
		return false
	}
	if grown {
		l.add(l.before, was, old, scene.Block{})
	}
	l.add(l.after, is, l.now, scene.Block{})
	return true
}

// add adds vectors of the tile to summers, see summer.tile.
func (l *scanner) add(to []*summer, core, within, known scene.Block) {
	for i, kind := range l.Kinds {
		to[i].tile(l.tile, core, within, known, kind.steps())
	}
}

// checksum returns two CRCs, of different polynomials, of the values of a block within a tile;
// never 0.
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
