package relayout

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A problem is one pass: from source chunks to target chunks. It is pure arithmetic.
type problem struct {
	axes []axis
	elem int   // bytes of an element of the target, and of all buffers but stages
	from int   // bytes of an element of the source
	src  int64 // bytes of a source chunk
	dst  int64 // bytes of a target chunk

	known map[axis][]candidate // of axes that were looked at, maybe for other problems
}

// newProblem returns the pass from one grid to another of the same extents.
func newProblem(src, dst Grid) *problem {
	p := &problem{
		elem: dst.Elem, from: src.Elem, src: int64(src.Elem), dst: int64(dst.Elem), known: map[axis][]candidate{},
	}
	for d := range src.Lo {
		p.axes = append(p.axes, newAxis(src.Lo[d], src.Hi[d], src.Chunk[d], dst.Lo[d], dst.Chunk[d]))
		p.src = mul(p.src, int64(src.Chunk[d]))
		p.dst = mul(p.dst, int64(dst.Chunk[d]))
	}
	return p
}

// A choice is what a pass leaves open: per dimension the target chunks of a template and
// the least number of elements that a step writes.
type choice struct {
	blocks  []int
	atLeast []int
	halved  int // how often the part of a source chunk that is read at once is halved
}

// A layout is the buffers that a choice needs, in elements.
type layout struct {
	problem   *problem
	profiles  []profile
	traversal []int // dimensions, the fastest first
	work      int64 // what a step writes
	layers    []int64
	stage     int64 // what is read at once of a source chunk; 0 if it is read to its place
	part      []int // its extents
}

// layout returns the buffers for templates and steps with such profiles. Elements that
// become smaller are converted in a stage; all others at their place.
func (p *problem) layout(profiles []profile, halved int) layout {
	l := layout{
		problem: p, profiles: profiles, traversal: traversal(profiles),
		work: 1, layers: make([]int64, len(profiles)), part: make([]int, len(profiles)),
	}
	if p.from > p.elem {
		l.stage = 1
	}
	for d, p := range profiles {
		l.work = mul(l.work, int64(p.block))
		l.part[d] = p.stage
		if p.unused > 0 {
			l.stage = 1
		}
	}
	halve(l.part, halved)
	for _, extent := range l.part {
		l.stage = mul(l.stage, int64(extent))
	}
	for i, d := range l.traversal {
		l.layers[d] = 1
		for j, e := range l.traversal {
			l.layers[d] = mul(l.layers[d], int64(profiles[e].inLayer(i, j)))
		}
	}
	return l
}

// halve halves the first extent that is more than one, n times.
func halve(shape []int, n int) {
	for d := 0; d < len(shape) && n > 0; n-- {
		for d < len(shape)-1 && shape[d] == 1 {
			d++
		}
		shape[d] = (shape[d] + 1) / 2
	}
}

// inLayer returns the extent, along the dimension at place j of the traversal, of the layer
// of the one at place i.
func (p profile) inLayer(i, j int) int {
	switch {
	case j < i:
		return p.templ
	case j > i:
		return p.fresh
	}
	return p.unused
}

// traversal returns the order of the dimensions that makes the layers smallest. Exchanging
// two neighbours i, j changes no layer but theirs, and U_i F_j + T_i U_j < U_j F_i + T_j U_i
// (figure 3 of the paper) is U_i / (T_i - F_i) > U_j / (T_j - F_j), which is an order.
func traversal(profiles []profile) []int {
	dims := make([]int, len(profiles))
	for d := range dims {
		dims[d] = d
	}
	slices.SortStableFunc(dims, func(i, j int) int {
		p, q := profiles[i], profiles[j]
		if p.unused == 0 || q.unused == 0 {
			return cmp.Compare(q.unused, p.unused) // without a layer it is best traversed last
		}
		return cmp.Compare(mul(int64(q.unused), int64(p.templ-p.fresh)), mul(int64(p.unused), int64(q.templ-q.fresh)))
	})
	return dims
}

// bytes returns what the buffers take with so many of the two kinds that there may be
// several of.
func (l *layout) bytes(works, stages int) int64 {
	sum := mul(l.work, int64(works))
	for _, n := range l.layers {
		sum = add(sum, n)
	}
	p := l.problem
	return add(mul(sum, int64(p.elem)), mul(mul(l.stage, int64(stages)), int64(max(p.elem, p.from))))
}

// profilesOf returns the profile of every axis for a choice.
func (p *problem) profilesOf(c choice) []profile {
	profiles := make([]profile, len(p.axes))
	for d, a := range p.axes {
		profiles[d] = a.profile(c.blocks[d], c.atLeast[d])
	}
	return profiles
}

// cost returns what templates with such profiles read and write.
func (p *problem) cost(profiles []profile) Cost {
	c := Cost{Reads: 1, Writes: 1}
	for d, a := range p.axes {
		c.Reads = mul(c.Reads, int64(profiles[d].reads))
		c.Writes = mul(c.Writes, int64(a.blocks()))
	}
	c.BytesRead, c.BytesWritten = mul(c.Reads, p.src), mul(c.Writes, p.dst)
	return c
}

// A Cost is what a copy reads and writes. An operation moves one chunk, and a chunk is
// moved as a whole, also where it reaches outside the bounds.
type Cost struct {
	Reads, Writes           int64 // chunks
	BytesRead, BytesWritten int64
}

// Bytes returns the bytes moved in both directions.
func (c Cost) Bytes() int64 { return add(c.BytesRead, c.BytesWritten) }

// Operations returns the chunks moved in both directions.
func (c Cost) Operations() int64 { return add(c.Reads, c.Writes) }

// plus returns the sum of two costs.
func (c Cost) plus(o Cost) Cost {
	return Cost{
		add(c.Reads, o.Reads), add(c.Writes, o.Writes),
		add(c.BytesRead, o.BytesRead), add(c.BytesWritten, o.BytesWritten),
	}
}

// compare orders costs by bytes, then by operations.
func (c Cost) compare(o Cost) int {
	return cmp.Or(cmp.Compare(c.Bytes(), o.Bytes()), cmp.Compare(c.Operations(), o.Operations()))
}

// mul multiplies numbers that are not negative; what does not fit is math.MaxInt64, more
// than any bound.
func mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// add is mul for sums.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// volume returns the number of elements of a shape.
func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}
