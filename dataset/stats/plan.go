package stats

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"drx"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/par"
)

// A plan fixes the order in which elements are reduced. For each result that order depends only on
// the array and the request, not on the memory or the number of goroutines, so that floating-point
// results are reproducible. The reduced dimensions consist of blocks, one per chunk, which are
// divided into segments. The blocks of a segment are reduced in order, and the segments are merged
// in order. The dimensions that remain are divided into independent tiles, as large as the memory
// allows.
type plan struct {
	a        *drx.Array
	req      *Request
	team     par.Comm // the processes that compute the result; nil for this one alone
	of       *meaning.Meaning
	axes     []axis      // one for each dimension
	kept     []int       // the dimensions that remain, except those with groups
	reduced  []int       // the others
	out      []int       // the dimensions of the result, including those with groups
	groups   []*Grouping // of each dimension, nil for one without groups
	grouped  []int       // the dimensions with groups, ascending
	names    int         // the number of combinations of groups; 1 without
	along    int         // the only reduced dimension; -1 if there are several
	blocks   int         // the number of blocks of the reduced dimensions
	segments int         // the number of segments into which the blocks are divided
	per      int         // the number of elements per result, without groups
	perTile  []int       // pieces per tile, for each dimension in kept
	tiles    []int       // tiles along each dimension in kept
	needs    needs
	passes   bool   // quantiles need extra passes, because their values do not fit in memory
	written  []step // the written chunks in the order of the plan; nil if all chunks are read

	progress sync.Mutex
	seen     int // elements so far
}

// A span is a range of groups, lo to hi-1, to which the elements at a position belong.
type span struct{ lo, hi int }

// A step is the turn of a chunk in the order of a plan.
type step struct{ tile, block, piece int }

func (p step) compare(q step) int {
	return cmp.Or(cmp.Compare(p.tile, q.tile), cmp.Compare(p.block, q.block), cmp.Compare(p.piece, q.piece))
}

// newPlan checks a request and plans it, for this process alone if team is nil.
func newPlan(a *drx.Array, req *Request, team par.Comm) (*plan, error) {
	p := &plan{a: a, req: req, team: team, groups: make([]*Grouping, a.Rank()), names: 1, along: -1, per: 1}
	for _, check := range []func() error{p.setMeaning, p.setSelection, p.setDims, p.setFuncs, p.setSegments, p.setPasses, p.setTiles} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name(), err)
		}
	}
	return p, nil
}

// setMeaning sets the meaning of the elements.
func (p *plan) setMeaning() (err error) {
	if p.a.DType().IsComplex() {
		return errkind.Errorf(drx.ErrDType, "statistics of %v: want real numbers", p.a.DType())
	}
	isValue := func(f Func) bool { return !f.IsCount() }
	if p.a.Attrs()["import.strings"] != nil && slices.ContainsFunc(p.req.Funcs, isValue) {
		return errkind.Errorf(drx.ErrDType, "the elements are numbers of strings, those of the attribute import.strings, which can only be counted")
	}
	p.of, err = meaningOf(p.a)
	return err
}

// meaningOf returns the meaning of the elements of an array. The error wraps drx.ErrDType if the
// attributes do not define it for all elements.
func meaningOf(a *drx.Array) (*meaning.Meaning, error) {
	of, err := meaning.Of(a.DType(), a.FillValue(), a.Attrs(), nil)
	if err != nil {
		return nil, err
	}
	if n := of.Indices(); n > 0 && of.Dim(a.Shape(), a.Dims()) < 0 {
		return nil, errkind.Errorf(drx.ErrDType, "scale_factor or nodata has %d numbers, and no dimension has as many indices: correct the attribute", n)
	}
	return of, nil
}

// setSelection checks the selection.
func (p *plan) setSelection() error {
	bounds := p.a.Bounds()
	sel := p.req.Select
	if sel == nil {
		sel = cube.Box(bounds)
	}
	if err := sel.Check(bounds, p.dimName); err != nil {
		return err
	}
	for d, ranges := range sel {
		p.axes = append(p.axes, newAxis(ranges, p.a.ChunkShape()[d]))
	}
	return nil
}

// setDims divides the dimensions into those that are reduced and those that remain.
func (p *plan) setDims() error {
	over := p.req.Over
	if over == nil && len(p.req.Groups) == 0 {
		over = allDims(len(p.axes))
	}
	reduced := make([]bool, len(p.axes))
	for _, d := range over {
		if d < 0 || d >= len(p.axes) {
			return errkind.Errorf(drx.ErrRank, "dimension %d is not one of 0 to %d", d, len(p.axes)-1)
		}
		if reduced[d] {
			return errkind.Errorf(drx.ErrRank, "dimension %s is given twice", p.dimName(d))
		}
		reduced[d] = true
	}
	for _, g := range p.req.Groups {
		if err := p.setGroups(g); err != nil {
			return err
		}
		reduced[g.Dim] = false
	}
	for d := range p.axes {
		switch {
		case p.groups[d] != nil:
			p.grouped = append(p.grouped, d)
			p.reduced = append(p.reduced, d)
		case reduced[d]:
			p.reduced = append(p.reduced, d)
		default:
			p.kept = append(p.kept, d)
		}
		if !reduced[d] {
			p.out = append(p.out, d)
		}
	}
	if len(p.reduced) == 1 {
		p.along = p.reduced[0]
	}
	return nil
}

func allDims(rank int) []int {
	dims := make([]int, rank)
	for d := range dims {
		dims[d] = d
	}
	return dims
}

// setGroups checks the groups of a dimension and sets them.
func (p *plan) setGroups(g *Grouping) error {
	if g.Dim < 0 || g.Dim >= len(p.axes) {
		return errkind.Errorf(drx.ErrRank, "dimension %d is not one of 0 to %d", g.Dim, len(p.axes)-1)
	}
	if n := p.axes[g.Dim].len(); n != len(g.of) {
		return errkind.Errorf(drx.ErrSize, "dimension %s: groups of %d indices for %d that are selected", p.dimName(g.Dim), len(g.of), n)
	}
	if p.groups[g.Dim] != nil {
		return errkind.Errorf(drx.ErrRank, "dimension %s is divided into groups twice", p.dimName(g.Dim))
	}
	var ok bool
	if p.names, ok = nd.Mul(p.names, len(g.Names)); !ok {
		return fmt.Errorf("groups of %d dimensions: %w", len(p.req.Groups), drx.ErrOverflow)
	}
	p.groups[g.Dim] = g
	return nil
}

// setFuncs checks the statistics.
func (p *plan) setFuncs() error {
	if len(p.req.Funcs) == 0 {
		return errkind.Errorf(drx.ErrBounds, "no statistic is asked for: name one, as mean")
	}
	for _, f := range p.req.Funcs {
		switch {
		case int(f.Op) >= len(kinds) || f.Op == Quantile && !(f.Percent >= 0 && f.Percent <= 100):
			return errkind.Errorf(drx.ErrBounds, "statistic %v is unknown", f)
		case f.alongOne() && p.along < 0 && len(p.reduced) != 0:
			return errkind.Errorf(drx.ErrRank, "%v goes over one dimension, not over %d: choose one", f, len(p.reduced))
		case p.req.Weights != nil && f.Op == Quantile:
			return errkind.Errorf(drx.ErrDType, "%v knows no weights: compute it without them", f)
		case p.req.Weights != nil && p.req.DDOF != 0 && (f.Op == Std || f.Op == Var):
			return errkind.Errorf(drx.ErrBounds, "%v with weights divides by their sum: want 0 degrees of freedom less, not %d", f, p.req.DDOF)
		}
	}
	if m := p.req.Where; m != nil && comparisons[m.Op] == nil {
		return errkind.Errorf(drx.ErrBounds, "comparison %q: want >, >=, <, <=, == or !=", m.Op)
	}
	p.needs = needsOf(p.req.Funcs)
	p.needs.weights, p.needs.missing = p.req.Weights != nil, p.req.Where != nil
	return nil
}

// mergeShare is the smallest number of elements per cell of a segment. It keeps the time for
// merging small against the time for reducing. mostSegments limits the number of segments.
const (
	mergeShare   = 32
	mostSegments = 64
)

// mostListed is the largest number of values per result whose quantiles are found by listing them
// in one segment, so that lists need not be merged. Many results make many tiles, which keep all
// goroutines busy without segments.
const mostListed = 1 << 20

// setSegments divides the reduced dimensions into blocks and segments.
func (p *plan) setSegments() error {
	p.blocks = 1
	for _, d := range p.reduced {
		var ok bool
		n := p.axes[d].len()
		if p.blocks, ok = nd.Mul(p.blocks, p.axes[d].count()); !ok {
			return fmt.Errorf("%d chunks along dimension %s: %w", p.axes[d].count(), p.dimName(d), drx.ErrOverflow)
		}
		if p.per, ok = nd.Mul(p.per, n); !ok {
			return fmt.Errorf("%d elements along dimension %s: %w", n, p.dimName(d), drx.ErrOverflow)
		}
	}
	p.segments = max(1, min(p.blocks, mostSegments, p.per/(mergeShare*max(1, p.names))))
	if p.needs.lists && p.perGroup() <= mostListed {
		p.segments = 1
	}
	return nil
}

// maxCells is the largest number of values of each statistic in a Result.
const maxCells = 1 << 28

// setTiles divides the remaining dimensions so that the states of all goroutines fit in the memory.
// A tile starts with one piece of each dimension. If that is too large, the pieces become fractions
// of chunks; otherwise the tile grows by further pieces, first along the last dimensions.
func (p *plan) setTiles() error {
	shape := p.shape()
	if n, err := nd.Product(shape...); err != nil || n > maxCells {
		return fmt.Errorf("a result of shape %v: %w: at most %d values", shape, drx.ErrOverflow, maxCells)
	}
	most := p.mostCells()
	for d := 0; p.cellsOfPiece() > most; d++ { // halve the dimensions in turn
		if d == len(p.kept) {
			if d = 0; !p.canHalve() {
				break
			}
		}
		x := &p.axes[p.kept[d]]
		*x = newAxis(x.ranges, max(1, x.extent/2))
	}
	p.perTile, p.tiles = make([]int, len(p.kept)), make([]int, len(p.kept))
	cells := p.cellsOfPiece()
	for i, d := range slices.Backward(p.kept) {
		n := max(1, min(p.axes[d].count(), most/max(1, cells)))
		p.perTile[i], p.tiles[i] = n, nd.CeilDiv(p.axes[d].count(), n)
		cells *= n
	}
	return nil
}

// cellsOfPiece returns the largest number of cells of a tile with one piece of each dimension.
func (p *plan) cellsOfPiece() int {
	n := p.names
	for _, d := range p.kept {
		n *= min(p.axes[d].extent, max(1, p.axes[d].len()))
	}
	return n
}

func (p *plan) canHalve() bool {
	return slices.ContainsFunc(p.kept, func(d int) bool { return min(p.axes[d].extent, p.axes[d].len()) > 1 })
}

// defaultMemory replaces a Request.Memory of 0, in bytes.
const defaultMemory = 256 << 20

func (p *plan) memory() int {
	if p.req.Memory > 0 {
		return p.req.Memory
	}
	return defaultMemory
}

func (p *plan) goroutines() int {
	if p.req.Goroutines > 0 {
		return p.req.Goroutines
	}
	return runtime.GOMAXPROCS(0)
}

// workers returns the number of goroutines of all processes.
func (p *plan) workers() int {
	if p.team == nil {
		return p.goroutines()
	}
	return p.goroutines() * p.team.Procs()
}

// leastTile is the size in bytes below which a tile is not divided for the sake of idle goroutines.
const leastTile = 1 << 18

// mostCells returns the largest number of cells of a tile. Each goroutine has a state, and one more
// holds the merged segments. The process that merges segments holds the states of all processes.
// With a single segment per tile, only several tiles keep all goroutines busy, which limits the
// cells further.
func (p *plan) mostCells() int {
	bytes := p.needs.bytesPerCell()
	if p.passes {
		bytes += p.bytesPerQuantile()
	} else if p.needs.lists {
		bytes += 8 * p.perGroup()
	}
	states := p.workers()
	if p.segments == 1 && !p.passes {
		states = p.goroutines()
	}
	most := p.memory() / 2 / (states + 2) / bytes
	if p.segments == 1 {
		all, _ := nd.Product(p.shape()...) // setTiles has checked the product
		most = min(most, max(leastTile/bytes, all/(4*p.workers())))
	}
	return max(1, most)
}

// perGroup returns the largest number of elements of a result.
func (p *plan) perGroup() int {
	n := p.per
	for _, d := range p.grouped {
		n = n / max(1, len(p.groups[d].of)) * slices.Max(p.groups[d].size())
	}
	return n
}

// rowsInCell reports whether neighbours along the last dimension belong to one result.
func (p *plan) rowsInCell() bool {
	last := len(p.axes) - 1
	return last < 0 || slices.Contains(p.reduced, last)
}

// setPasses decides how quantiles are computed. The values of a result are listed if they are in
// one segment, and their list takes at most a quarter of a goroutine's share of the memory;
// otherwise they are found in several passes.
func (p *plan) setPasses() error {
	if p.needs.lists && (p.segments > 1 || 8*p.perGroup() > p.memory()/4/(p.goroutines()+2)) {
		p.needs.lists, p.passes = false, true
	}
	return nil
}

// report adds to the progress.
func (p *plan) report(elements int) {
	p.progress.Lock()
	defer p.progress.Unlock()
	if p.seen += elements; p.req.Progress != nil {
		p.req.Progress(elements)
	}
}

// shape returns the extents of the result.
func (p *plan) shape() []int {
	shape := make([]int, 0, len(p.out))
	for _, d := range p.out {
		n := p.axes[d].len()
		if g := p.groups[d]; g != nil {
			n = len(g.Names)
		}
		shape = append(shape, n)
	}
	return shape
}

// dimName returns the quoted name of a dimension, or its number if it has none.
func (p *plan) dimName(d int) string { return dimName(p.a, d) }

// radixBits is the number of bits of a key that a pass finds.
const radixBits = 16

// bytesPerQuantile returns the memory of the passes per cell in each goroutine, in bytes. Each
// quantile needs two values and thus up to two histograms.
func (p *plan) bytesPerQuantile() int { return 2 * p.quantiles() * 8 << radixBits }

// quantiles returns the number of requested quantiles.
func (p *plan) quantiles() (n int) {
	for _, f := range p.req.Funcs {
		if f.Op == Quantile {
			n++
		}
	}
	return n
}
