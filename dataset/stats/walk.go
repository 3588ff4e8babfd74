package stats

import (
	"context"
	"slices"
	"sort"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
)

// A tile is a part of the result: a range of pieces of each dimension that remains.
type tile struct {
	lo, hi []int // range of pieces, for each dimension in plan.kept
	at     []int // position of the first piece, for each dimension in plan.kept
	origin []int // first cell in the result, for each dimension in plan.out
	shape  []int // extents in cells, for each dimension in plan.out
	stride []int // in cells, for each dimension of the array; 0 for reduced dimensions
	cells  int
	number int
}

// tile returns tile number i.
func (p *plan) tile(i int) *tile {
	n := len(p.kept)
	t := &tile{number: i, lo: make([]int, n), hi: make([]int, n), at: make([]int, n), stride: make([]int, len(p.axes))}
	extent := make([]int, len(p.axes))
	for k := n - 1; k >= 0; k-- {
		x := &p.axes[p.kept[k]]
		t.lo[k] = i % p.tiles[k] * p.perTile[k]
		t.hi[k] = min(t.lo[k]+p.perTile[k], x.count())
		i /= p.tiles[k]
		t.at[k] = x.position(t.lo[k])
		extent[p.kept[k]] = x.position(t.hi[k]) - t.at[k]
	}
	t.cells = 1
	t.shape, t.origin = make([]int, len(p.out)), make([]int, len(p.out))
	for k := len(p.out) - 1; k >= 0; k-- {
		d := p.out[k]
		if g := p.groups[d]; g != nil {
			extent[d] = len(g.Names)
		}
		if i := slices.Index(p.kept, d); i >= 0 {
			t.origin[k] = t.at[i]
		}
		t.shape[k], t.stride[d] = extent[d], t.cells
		t.cells *= extent[d]
	}
	return t
}

// tileCount returns the number of tiles.
func (p *plan) tileCount() int {
	n := 1
	for _, k := range p.tiles {
		n *= k
	}
	return n
}

// A walker reduces the elements of tiles and segments, one at a time.
type walker[T number, R reducer[T, R]] struct {
	*plan
	source  *source[T]
	weights *companion // nil for none
	mask    *companion // nil for none

	box   nd.Section // the present piece of each dimension
	at    []int      // the position of its first index, for each dimension
	index []int      // of the present row within the part
	run   run[T]
	runs  []groupRun // the groups along the last dimension, if it has groups
}

func newWalker[T number, R reducer[T, R]](p *plan) (*walker[T, R], error) {
	rank := len(p.axes)
	w := &walker[T, R]{
		plan: p, source: newSource[T](p.a, p.of),
		box: make(nd.Section, rank), at: make([]int, rank), index: make([]int, rank),
	}
	var err error
	if w.weights, err = p.weights(); err != nil {
		return nil, err
	}
	w.mask, err = p.mask()
	return w, err
}

// blocksOf reduces the blocks lo to hi-1 of a tile.
func (w *walker[T, R]) blocksOf(ctx context.Context, t *tile, lo, hi int, to R) error {
	if w.written != nil {
		return w.writtenOf(ctx, t, lo, hi, to)
	}
	for block := lo; block < hi; block++ {
		w.setBlock(block)
		if err := w.tilePieces(ctx, t, 0, to); err != nil {
			return err
		}
	}
	return nil
}

// setBlock sets the box to the pieces of a block in the reduced dimensions.
func (w *walker[T, R]) setBlock(block int) {
	for k := len(w.reduced) - 1; k >= 0; k-- {
		d := w.reduced[k]
		n := w.axes[d].count()
		w.box[d], w.at[d] = w.axes[d].piece(block % n)
		block /= n
	}
}

// tilePieces reduces all pieces of a tile in the present block, starting at dimension k of kept.
func (w *walker[T, R]) tilePieces(ctx context.Context, t *tile, k int, to R) error {
	if k == len(w.kept) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return w.piece(t, to)
	}
	d := w.kept[k]
	for i := t.lo[k]; i < t.hi[k]; i++ {
		w.box[d], w.at[d] = w.axes[d].piece(i)
		if err := w.tilePieces(ctx, t, k+1, to); err != nil {
			return err
		}
	}
	return nil
}

// writtenOf reduces the written chunks of the blocks lo to hi-1 of a tile.
func (w *walker[T, R]) writtenOf(ctx context.Context, t *tile, lo, hi int, to R) error {
	first := sort.Search(len(w.written), func(i int) bool {
		at := w.written[i]
		return at.tile > t.number || at.tile == t.number && at.block >= lo
	})
	for _, at := range w.written[first:] {
		if at.tile != t.number || at.block >= hi {
			break
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		w.setBlock(at.block)
		i := at.piece
		for _, d := range slices.Backward(w.kept) {
			n := w.axes[d].count()
			w.box[d], w.at[d] = w.axes[d].piece(i % n)
			i /= n
		}
		if err := w.piece(t, to); err != nil {
			return err
		}
	}
	return nil
}

// partElements is the number of elements of a piece that are in memory at once.
const partElements = 1 << 18

// piece reduces the present piece part by part.
func (w *walker[T, R]) piece(t *tile, to R) error {
	if len(w.box) == 0 {
		return w.part(w.box, nil, t, to)
	}
	at := make([]int, len(w.at))
	return cube.Box(w.box).Parts(nil, 1, partElements, func(part cube.Selection) error {
		sec, _ := part.Section() // parts of a box are boxes
		for d, r := range sec {
			at[d] = w.at[d] + (r.Lo-w.box[d].Lo)/w.box[d].Stride()
		}
		return w.part(sec, at, t, to)
	})
}

// part reads a section and reduces its rows. at are the positions of its first element.
func (w *walker[T, R]) part(sec nd.Section, at []int, t *tile, to R) error {
	n, err := sec.Len()
	if err != nil {
		return err
	}
	if err := w.source.load(sec, n); err != nil {
		return err
	}
	if err := w.loadCompanions(sec, n); err != nil {
		return err
	}
	w.rows(sec.Shape(), at, t, to)
	w.report(n)
	return nil
}

// loadCompanions reads the weights and the mask for a section and flags the elements that the mask
// excludes. A missing weight is an error, because the weighted mean would be undefined, and so is a
// negative one, with which it need not lie between the values.
func (w *walker[T, R]) loadCompanions(sec nd.Section, n int) error {
	if w.weights != nil {
		if err := w.weights.load(sec, n); err != nil {
			return err
		}
		if i := slices.IndexFunc(w.weights.flags, func(flag uint8) bool { return flag != 0 }); i >= 0 {
			return errkind.Errorf(drx.ErrBounds, "%s: section %v has weights that are missing: fill them", w.req.Weights.Array.Name(), sec)
		}
		if a := w.req.Weights.Array; a != nil {
			if err := w.weights.checkSigns(a.Name(), sec); err != nil {
				return err
			}
		}
	}
	if w.mask == nil {
		return nil
	}
	if err := w.mask.load(sec, n); err != nil {
		return err
	}
	counts := comparisons[w.req.Where.Op]
	for i, v := range w.mask.values {
		if w.mask.flags[i] != 0 || !counts(v, w.req.Where.Value) {
			w.source.flag(i, isMasked)
		}
	}
	return nil
}

// rows reduces the rows of the loaded section, which has the given shape.
func (w *walker[T, R]) rows(shape, at []int, t *tile, to R) {
	rank := len(shape)
	if rank == 0 {
		w.addRow(0, 1, 0, 0, to, 0, 0)
		return
	}
	last := rank - 1
	if g := w.groups[last]; g != nil {
		w.runs = groupRuns(w.runs[:0], g.of[at[last]:][:shape[last]])
	}
	index, lo := w.index[:last], make([]int, last)
	clear(index)
	base := 0
	for k, d := range w.kept {
		base += (at[d] - t.at[k]) * t.stride[d]
	}
	for from, n := 0, shape[last]; from < len(w.source.values); from += n {
		cell, pos := base, at[last]
		for d, i := range index {
			if w.groups[d] == nil {
				cell += i * t.stride[d]
			}
			if d == w.along {
				pos = at[d] + i
			}
		}
		w.row(w.grouped, from, n, cell, pos, at, t, to)
		nd.Next(index, lo, shape[:last])
	}
}

// row reduces a row of n loaded elements that begins at number from, for all groups that it belongs
// to along the dimensions in grouped. cell is the first cell, without the groups of these.
func (w *walker[T, R]) row(grouped []int, from, n, cell, pos int, at []int, t *tile, to R) {
	last := len(w.axes) - 1
	if len(grouped) > 0 && grouped[0] < last {
		d := grouped[0]
		s := w.groups[d].of[at[d]+w.index[d]]
		for g := s.lo; g < s.hi; g++ {
			w.row(grouped[1:], from, n, cell+g*t.stride[d], pos, at, t, to)
		}
		return
	}
	step := 0
	if w.along == last {
		step = 1
	}
	if len(grouped) == 0 {
		w.addRow(from, n, cell, pos, to, min(1, t.stride[last]), step)
		return
	}
	for _, r := range w.runs {
		w.addRow(from+r.from, r.n, cell+r.group*t.stride[last], pos+r.from, to, 0, step)
	}
}

// addRow adds n loaded elements that begin at number from to the reducer.
func (w *walker[T, R]) addRow(from, n, cell, pos int, to R, stride, step int) {
	r := &w.run
	*r = run[T]{values: w.source.values[from:][:n], pos: pos, step: step}
	if w.source.dirty {
		r.flags = w.source.flags[from:][:n]
	}
	if w.weights != nil {
		r.weights = w.weights.values[from:][:n]
	}
	to.add(r, cell, stride)
}

// A groupRun holds consecutive elements of a row that belong to one group.
type groupRun struct{ group, from, n int }

// groupRuns appends the runs of a row. of are the groups of each element.
func groupRuns(runs []groupRun, of []span) []groupRun {
	open := map[int]int{} // the last run of each group
	for i, s := range of {
		for g := s.lo; g < s.hi; g++ {
			if k, ok := open[g]; ok && runs[k].from+runs[k].n == i {
				runs[k].n++
				continue
			}
			open[g] = len(runs)
			runs = append(runs, groupRun{g, i, 1})
		}
	}
	return runs
}
