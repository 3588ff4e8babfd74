package axial

import (
	"cmp"
	"slices"
)

// A Record is an expansion record of the axial vectors. It describes the chunks adjoined by one
// uninterrupted extension of one side of a dimension. The initial allocation has a record as
// well, with dimension Rank()-1 and the coefficients of row-major order.
type Record struct {
	Dim    int    // the dimension extended
	Side   Side   // the side it grew on
	Start  int    // first index along Dim; on the low side the highest one, numbers run outwards
	Number Number // M, the number of its first chunk
	Coef   []int  // C, one per dimension, none negative
}

// Records returns the expansion records in the order of their numbers.
func (g *Grid) Records() []Record {
	records := make([]Record, len(g.segs))
	for s, seg := range g.segs {
		r := Record{Dim: int(seg.dim), Side: seg.side, Start: seg.start, Number: seg.number, Coef: make([]int, g.Rank())}
		for d, c := range g.mapOf(s)[1:] {
			r.Coef[d] = max(int(c), -int(c))
		}
		records[s] = r
	}
	return records
}

// Segments returns the number of segments, which is the number of records.
func (g *Grid) Segments() int { return len(g.segs) }

// SegmentOf returns the segment (0 to Segments()-1, in the order of their numbers) that
// holds the chunk at index, and false when the index is outside the bounds.
func (g *Grid) SegmentOf(index []int) (int, bool) { return g.segmentOf(index) }

// A Run is the part of one segment inside a box: the chunks with indices [Lo, Hi). Their numbers
// are Base plus the sum of Factor[d] times the index in dimension d. A walk of the dimensions in
// Order, from the slowest to the fastest, with dimension Order[0] downwards if Down is set, visits
// the numbers in ascending order.
type Run struct {
	Segment int // its number, as returned by SegmentOf
	Lo, Hi  []int
	Base    int64
	Factor  []int64
	Order   []int
	Down    bool
}

// Number returns the number of the chunk at index, which must lie in [Lo, Hi).
func (r *Run) Number(index []int) Number {
	q := r.Base
	for d, i := range index {
		q += r.Factor[d] * int64(i)
	}
	return Number(q)
}

// A Span is the chunks with the numbers From to From+N-1.
type Span struct {
	From Number
	N    int64
}

// AppendSpans appends the spans of the run's chunks to spans, ascending, and stops when spans has
// most entries. Chunks with consecutive numbers form one span.
func (r *Run) AppendSpans(spans []Span, most int) []Span {
	lo, hi := slices.Clone(r.Lo), slices.Clone(r.Hi)
	n := int64(1)
	for _, d := range slices.Backward(r.Order) { // from the fastest
		extent, down := int64(hi[d]-lo[d]), r.Factor[d] < 0
		if extent > 1 && max(r.Factor[d], -r.Factor[d]) != n {
			break
		}
		n *= extent
		if down {
			lo[d] = hi[d] - 1
		}
		hi[d] = lo[d] + 1
	}
	first := len(spans)
	index := slices.Clone(lo)
	for more := true; more && len(spans) < most; more = nextIn(r.Order, index, lo, hi) {
		spans = append(spans, Span{r.Number(index), n})
	}
	slices.SortFunc(spans[first:], func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	return spans
}

// nextIn is nd.Next for dimensions in the given order, from the slowest to the fastest.
func nextIn(order, index, lo, hi []int) bool {
	for _, d := range slices.Backward(order) {
		index[d]++
		if index[d] < hi[d] {
			return true
		}
		index[d] = lo[d]
	}
	return false
}

// Runs cuts the box of chunk indices [lo, hi), which must lie within the bounds, by the expansion
// records, and returns one Run per segment that intersects the box, in the order of their numbers.
// It examines only the records of these indices.
func (g *Grid) Runs(lo, hi []int) []Run {
	for d := range lo {
		if lo[d] >= hi[d] {
			return nil
		}
	}
	segs := []uint32{0}
	for d := range lo {
		segs = g.axes[d].covering(lo[d], hi[d], segs)
	}
	slices.Sort(segs)
	runs := make([]Run, 0, len(segs))
	for _, s := range segs {
		if r, ok := g.run(int(s), lo, hi); ok {
			runs = append(runs, r)
		}
	}
	return runs
}

// run intersects segment s with the box [lo, hi).
func (g *Grid) run(s int, lo, hi []int) (Run, bool) {
	k := g.Rank()
	seg := &g.segs[s]
	slo, shi := g.boundsOf(s)
	from, to := 0, 0
	own := -1 // the segment's dimension, whose bounds are not in slo and shi
	if !seg.plain {
		own = int(seg.dim)
		from, to = g.reach(s)
	}
	for d := range k { // check before allocating, because most segments may not intersect the box
		if d == own {
			if max(lo[d], from) >= min(hi[d], to) {
				return Run{}, false
			}
		} else if max(lo[d], slo[d]) >= min(hi[d], shi[d]) {
			return Run{}, false
		}
	}
	m := g.mapOf(s)
	ints := make([]int, 3*k)
	r := Run{Segment: s, Lo: ints[:k:k], Hi: ints[k : 2*k : 2*k], Order: ints[2*k:], Base: m[0], Factor: m[1:]}
	for d := range k {
		r.Lo[d], r.Hi[d], r.Order[d] = max(lo[d], slo[d]), min(hi[d], shi[d]), d
		if d == own {
			r.Lo[d], r.Hi[d] = max(lo[d], from), min(hi[d], to)
		}
	}
	if !seg.plain {
		l := int(seg.dim)
		copy(r.Order[1:l+1], r.Order[:l])
		r.Order[0] = l
		r.Down = seg.side == Low
	}
	return r, true
}

// reach returns the indices [from, to) that segment s covers along its own dimension: the number of
// its chunks divided by the number per index.
func (g *Grid) reach(s int) (from, to int) {
	seg := &g.segs[s]
	end := g.chunks
	if s+1 < len(g.segs) {
		end = g.segs[s+1].number
	}
	c := g.mapOf(s)[1+int(seg.dim)]
	if seg.side == Low {
		return seg.start + 1 - int(int64(end-seg.number)/-c), seg.start + 1
	}
	return seg.start, seg.start + int(int64(end-seg.number)/c)
}
