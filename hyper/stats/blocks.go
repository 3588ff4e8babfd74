package stats

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"slices"

	"drx/hyper/scene"
)

// A Store keeps the state of Blocks between updates, by name.
type Store interface {
	// Get returns the last value that was stored with Put for a name, or nil. The error is one of
	// reading.
	Get(name string) ([]byte, error)
	// Put stores data for a name. The error is one of writing.
	Put(name string, data []byte) error
	// Delete removes a name. The error is one of writing.
	Delete(name string) error
}

// Blocks has the moments of a scene that grows, shrinks and is overwritten: their total, and those
// of each block of adjacent tiles of Map, with a checksum of the values of every tile. An update
// reads the tiles that may have changed:
//
//   - if a tile has grown and its old part has the same checksum, its old moments are subtracted
//     and its new ones added; of integers of at most 16 bits only the moments of the new vectors
//     are added;
//   - if the values of a tile have changed, its earlier contribution is unknown, so the sums of its
//     block are formed anew.
//
// All sums are exact, so the results have the bits of Sum over the whole scene. If the cube has
// procs, Update is collective and they share the reading.
type Blocks struct {
	Kinds []Kind
	Store Store // nil on all procs except proc 0
	// Lines and Samples are the number of tiles of a block in each direction; 0 means 8 and 4: 128
	// lines and 256 samples.
	Lines, Samples int
}

// A record is the stored state of a block.
type record struct {
	Sums []*Moments // by Kinds
	// Checks has, by tile, line by line, the checksum of the values within the bounds, with a halo;
	// 0 for a tile without pixels.
	Checks []uint64
}

// Extents are the bounds of a scene before and after a change.
type Extents struct {
	Old  scene.Block // at the last update
	Kept scene.Block // the part of Old, and of the present cube, that was not cut off in between
}

// Update updates the moments to the present cube. suspects has the pixels within Extents.Kept that
// may have new values since the last update. It returns the totals by Kinds, and the parts of Kept
// that have new values: whole tiles, cut to the bounds. The errors are those of reading and of the
// store, or that sums are not finite; the store is then inconsistent.
func (k *Blocks) Update(ctx context.Context, c *scene.Cube, e Extents, suspects []scene.Block) (totals []*Moments, changed []scene.Block, err error) {
	u := &update{Blocks: k, cube: c, extents: e, now: c.Bounds(), halo: k.halo()}
	if err := u.load("total", &totals); err != nil {
		return nil, nil, err
	}
	if totals == nil {
		totals = u.empty()
	}
	for _, batch := range u.batches(u.groups(suspects)) {
		other, err := u.bring(ctx, batch, totals)
		if err != nil {
			return nil, nil, err
		}
		changed = append(changed, other...)
	}
	return totals, changed, u.save("total", totals)
}

// halo returns the largest distance at which a pixel changes the contribution of other pixels to
// any kind.
func (k *Blocks) halo() int {
	h := 0
	for _, kind := range k.Kinds {
		h = max(h, kind.Halo())
	}
	return h
}

// An update has the state of one call of Update.
type update struct {
	*Blocks
	cube    *scene.Cube
	extents Extents
	now     scene.Block
	halo    int
}

func (u *update) empty() []*Moments {
	list := make([]*Moments, len(u.Kinds))
	for i := range list {
		list[i] = New(u.cube.Bands())
	}
	return list
}

// load returns, on all procs, a value that proc 0 has stored. If there is none, value is unchanged.
func (u *update) load(name string, value any) error {
	var data []byte
	var err error
	if u.Store != nil {
		data, err = u.Store.Get(name)
	}
	all, err := scene.Exchange(u.cube, "state of "+name, data, err)
	if err != nil || len(all[0]) == 0 {
		return err
	}
	if err := gob.NewDecoder(bytes.NewReader(all[0])).Decode(value); err != nil {
		return fmt.Errorf("the state of %s is damaged: %w", name, err)
	}
	return nil
}

// save stores a value, on proc 0.
func (u *update) save(name string, value any) error {
	var err error
	if u.Store != nil {
		var data bytes.Buffer
		if err = gob.NewEncoder(&data).Encode(value); err == nil {
			err = u.Store.Put(name, data.Bytes())
		}
	}
	return u.agree(name, err)
}

// agree makes the error of one proc about a part of the state an error of all procs.
func (u *update) agree(name string, err error) error {
	if comm := u.cube.Options().Comm; comm != nil {
		return comm.Agree("state of "+name, err)
	}
	return err
}

// A group is a block with the tiles that an update must read.
type group struct {
	name string
	all  scene.Block   // the block, whole tiles
	scan []scene.Block // whole tiles
}

// groups returns the blocks with tiles that have changed or may have.
func (u *update) groups(suspects []scene.Block) []group {
	suspect := map[scene.Pixel]bool{}
	for _, b := range suspects {
		for t := range scene.Tiles(scene.Cover(b.Grow(u.halo))) {
			suspect[t.Lo] = true
		}
	}
	size := scene.Pixel{Line: scene.TileLines * orElse(u.Lines, 8), Sample: scene.TileSamples * orElse(u.Samples, 4)}
	var list []group
	number := map[string]int{}
	for _, part := range apart(scene.Cover(u.extents.Old), scene.Cover(u.now)) {
		for t := range scene.Tiles(part) {
			near := t.Grow(u.halo)
			if near.Intersect(u.extents.Old) == near.Intersect(u.now) && near.Intersect(u.extents.Old) == near.Intersect(u.extents.Kept) && !suspect[t.Lo] {
				continue
			}
			l, s := floorDiv(t.Lo.Line, size.Line), floorDiv(t.Lo.Sample, size.Sample)
			name := fmt.Sprintf("block %d,%d", l, s)
			n, ok := number[name]
			if !ok {
				n = len(list)
				number[name] = n
				lo := scene.Pixel{Line: l * size.Line, Sample: s * size.Sample}
				list = append(list, group{name: name, all: scene.Block{Lo: lo, Hi: scene.Pixel{Line: lo.Line + size.Line, Sample: lo.Sample + size.Sample}}})
			}
			list[n].scan = append(list[n].scan, t)
		}
	}
	return list
}

// apart returns disjoint blocks that together have the pixels of both.
func apart(a, b scene.Block) []scene.Block {
	both := a.Intersect(b)
	return slices.Concat([]scene.Block{a}, Without(b, both))
}

// Without returns up to four disjoint blocks that together have the pixels of b outside of cut.
func Without(b, cut scene.Block) []scene.Block {
	if cut = b.Intersect(cut); cut.Pixels() == 0 {
		cut = scene.Block{Lo: b.Hi, Hi: b.Hi}
	}
	var list []scene.Block
	for _, part := range []scene.Block{
		{Lo: b.Lo, Hi: scene.Pixel{Line: cut.Lo.Line, Sample: b.Hi.Sample}},
		{Lo: scene.Pixel{Line: cut.Lo.Line, Sample: b.Lo.Sample}, Hi: scene.Pixel{Line: cut.Hi.Line, Sample: cut.Lo.Sample}},
		{Lo: scene.Pixel{Line: cut.Lo.Line, Sample: cut.Hi.Sample}, Hi: scene.Pixel{Line: cut.Hi.Line, Sample: b.Hi.Sample}},
		{Lo: scene.Pixel{Line: cut.Hi.Line, Sample: b.Lo.Sample}, Hi: b.Hi},
	} {
		if part.Pixels() > 0 {
			list = append(list, part)
		}
	}
	return list
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// tilesPerProc is the largest number of tiles that each proc reads before the procs exchange
// results.
const tilesPerProc = 4

// batches divides the groups into batches whose tiles are read together: single groups, or, with
// several procs, enough groups to keep all procs busy.
func (u *update) batches(groups []group) [][]group {
	enough := 1
	if comm := u.cube.Options().Comm; comm != nil {
		enough = tilesPerProc * comm.Procs()
	}
	var list [][]group
	tiles := enough
	for _, g := range groups {
		if tiles >= enough {
			list, tiles = append(list, nil), 0
		}
		last := len(list) - 1
		list[last] = append(list[last], g)
		tiles += len(g.scan)
	}
	return list
}

// A block is a group with its record and the results of its tiles.
type block struct {
	group
	rec   *record
	found *findings
}

// bring updates the records of blocks and the totals. It returns the tiles whose values have
// changed.
func (u *update) bring(ctx context.Context, batch []group, totals []*Moments) (changed []scene.Block, err error) {
	var blocks, different []*block
	for _, g := range batch {
		if u.now.Intersect(g.all).Pixels() == 0 {
			if err := u.drop(g, totals); err != nil {
				return nil, err
			}
			continue
		}
		rec, err := u.record(g)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, &block{group: g, rec: rec})
	}
	if err := u.scan(ctx, blocks, false); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if b.found.different() {
			again := &block{group: b.group, rec: b.rec}
			again.group.scan = u.others(b.group, b.found)
			different = append(different, again)
		}
	}
	if err := u.scan(ctx, different, true); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		var rest *findings
		if b.found.different() {
			rest, different = different[0].found, different[1:]
		}
		other, err := u.finish(b, rest, totals)
		if err != nil {
			return nil, err
		}
		changed = append(changed, other...)
	}
	return changed, nil
}

// finish updates the record of a block and the totals, after its tiles were read. rest has the
// moments of unchanged tiles, if any tile has changed. It returns the tiles whose values have
// changed.
func (u *update) finish(b *block, rest *findings, totals []*Moments) ([]scene.Block, error) {
	g, rec, found := b.group, b.rec, b.found
	before := rec.Sums
	if rest == nil {
		rec.Sums = u.empty()
		if err := errorsOf(merge(rec.Sums, before), subtract(rec.Sums, found.Before), merge(rec.Sums, found.After), merge(rec.Sums, found.More)); err != nil {
			return nil, err
		}
	} else {
		found.Tiles = append(found.Tiles, rest.Tiles...)
		rec.Sums = found.After
		if err := merge(rec.Sums, rest.After); err != nil {
			return nil, err
		}
	}
	var changed []scene.Block
	for _, t := range found.Tiles {
		rec.Checks[t.Number] = t.Check
		if t.Other {
			changed = append(changed, u.tile(g, t.Number).Intersect(u.now).Intersect(u.extents.Kept))
		}
	}
	if err := errorsOf(subtract(totals, before), merge(totals, rec.Sums)); err != nil {
		return nil, err
	}
	changed = slices.DeleteFunc(changed, func(b scene.Block) bool { return b.Pixels() == 0 })
	return changed, u.save(g.name, rec)
}

// drop removes a block that no longer has pixels.
func (u *update) drop(g group, totals []*Moments) error {
	rec, err := u.record(g)
	if err == nil {
		err = subtract(totals, rec.Sums)
	}
	if err == nil && u.Store != nil {
		err = u.Store.Delete(g.name)
	}
	return u.agree(g.name, err)
}

// record returns the stored state of a block, or an empty record for a new block.
func (u *update) record(g group) (*record, error) {
	rec := &record{}
	if err := u.load(g.name, rec); err != nil {
		return nil, err
	}
	if rec.Checks == nil {
		if g.all.Intersect(u.extents.Old).Pixels() > 0 {
			return nil, fmt.Errorf("the state of %s is missing: begin anew", g.name)
		}
		rec.Checks, rec.Sums = make([]uint64, u.tiles(g)), u.empty()
	}
	if len(rec.Checks) != u.tiles(g) || len(rec.Sums) != len(u.Kinds) {
		return nil, fmt.Errorf("the state of %s has %d tiles and %d sums, not %d and %d: begin anew", g.name, len(rec.Checks), len(rec.Sums), u.tiles(g), len(u.Kinds))
	}
	return rec, nil
}

func (u *update) tiles(g group) int { return g.all.Pixels() / (scene.TileLines * scene.TileSamples) }

// tile returns the tile with the given number in a block.
func (u *update) tile(g group, number int) scene.Block {
	across := g.all.Samples() / scene.TileSamples
	lo := scene.Pixel{Line: g.all.Lo.Line + number/across*scene.TileLines, Sample: g.all.Lo.Sample + number%across*scene.TileSamples}
	return scene.Block{Lo: lo, Hi: scene.Pixel{Line: lo.Line + scene.TileLines, Sample: lo.Sample + scene.TileSamples}}
}

// number is the inverse of tile.
func (u *update) number(g group, t scene.Block) int {
	across := g.all.Samples() / scene.TileSamples
	return (t.Lo.Line-g.all.Lo.Line)/scene.TileLines*across + (t.Lo.Sample-g.all.Lo.Sample)/scene.TileSamples
}

// others returns the tiles of a block whose present moments are not in found.
func (u *update) others(g group, found *findings) []scene.Block {
	have := map[int]bool{}
	for _, t := range found.Tiles {
		have[t.Number] = t.Summed
	}
	found.Tiles = slices.DeleteFunc(found.Tiles, func(t tileResult) bool { return !t.Summed })
	var list []scene.Block
	for n := range u.tiles(g) {
		if !have[n] {
			list = append(list, u.tile(g, n))
		}
	}
	return list
}

func merge(to, more []*Moments) error {
	for i, m := range more {
		if err := to[i].Add(m); err != nil {
			return err
		}
	}
	return nil
}

func subtract(from, less []*Moments) error {
	for i, m := range less {
		if err := from[i].Subtract(m); err != nil {
			return err
		}
	}
	return nil
}

// errorsOf returns the first error.
func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
