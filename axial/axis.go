package axial

import "sort"

// An axis finds, for one dimension, the latest segment adjoined along it that covers an index. For
// indices that no extension of this dimension covers, it returns segment 0, the initial allocation,
// in place of the papers' sentinel records.
//
// There are two methods, and the axis chooses the better one:
//
//	table   the auxiliary array (Otoo and Merrett 1983; Otoo and Rotem 2006, 2.3):
//	        one segment per chunk index, found by one load
//	search  the axial vectors (2007, III.B), one for each side, binary searched
//
// The table is kept while it holds at most tableFactor entries per record, so that
// memory stays proportional to the history, never to the number of chunks.
type axis struct {
	table    []uint32 // table[i-origin] is the segment of index i; nil means search
	origin   int
	*records // shared with other grids until own
}

// records holds the data by which an axis finds its segments when it grows or has no table. They
// are separate from it, so that the axes of a grid, which F* reads, are close together in memory.
type records struct {
	high []mark // in the order they were adjoined: starts ascend
	low  []mark // starts descend

	buf   []uint32 // contains the table, with unused entries on both sides
	first int      // buf index of table[0]
}

// own replaces the records by copies that no other grid uses.
func (a *axis) own() {
	r := *a.records
	a.records = &r
}

// A mark is the beginning of a segment along the dimension: the segment covers start and all
// indices outwards from there until the next mark.
type mark struct {
	start int
	seg   uint32
}

const (
	tableFactor  = 64   // table entries per record, at most
	tableMinimum = 1024 // a table of this size is always kept
)

// lookup returns the segment that covers index i, which must be within the bounds.
func (a *axis) lookup(i int) uint32 {
	switch {
	case a.table != nil:
		return a.table[i-a.origin]
	case len(a.high) > 0 && i >= a.high[0].start:
		return a.high[a.highBefore(i)].seg
	case len(a.low) > 0 && i <= a.low[0].start:
		return a.low[a.lowBefore(i)].seg
	}
	return 0
}

// highBefore returns the last high mark with start <= i, -1 when there is none.
func (a *axis) highBefore(i int) int {
	return sort.Search(len(a.high), func(n int) bool { return a.high[n].start > i }) - 1
}

// lowBefore returns the last low mark with start >= i, -1 when there is none.
func (a *axis) lowBefore(i int) int {
	return sort.Search(len(a.low), func(n int) bool { return a.low[n].start < i }) - 1
}

// covering appends to segs the segments, other than segment 0, that cover any index of
// the non-empty range [lo, hi).
func (a *axis) covering(lo, hi int, segs []uint32) []uint32 {
	for n := max(0, a.highBefore(lo)); n < len(a.high) && a.high[n].start < hi; n++ {
		segs = append(segs, a.high[n].seg)
	}
	for n := max(0, a.lowBefore(hi-1)); n < len(a.low) && a.low[n].start >= lo; n++ {
		segs = append(segs, a.low[n].seg)
	}
	return segs
}

// reset makes the axis of the range [lo, hi) covered by segment 0.
func (a *axis) reset(lo, hi int) {
	*a = axis{records: new(records)}
	a.tabulate(lo, hi)
}

// grow records that the range has grown on one side to [lo, hi), and that the new indices belong
// to segment seg; fresh is set if the segment begins there.
func (a *axis) grow(by int, side Side, seg uint32, fresh bool, lo, hi int) {
	if fresh && side == Low {
		a.low = append(a.low, mark{lo + by - 1, seg})
	} else if fresh {
		a.high = append(a.high, mark{hi - by, seg})
	}
	switch {
	case !a.affordable(hi - lo):
		a.table, a.buf = nil, nil
	case a.table == nil:
		a.tabulate(lo, hi)
	case side == Low:
		a.prepend(by, seg)
	default:
		a.append(by, seg)
	}
}

func (a *axis) affordable(indices int) bool {
	return indices <= tableMinimum || indices/tableFactor <= len(a.high)+len(a.low)
}

// tabulate builds the table for [lo, hi) from the marks, if it is small enough.
func (a *axis) tabulate(lo, hi int) {
	if !a.affordable(hi - lo) {
		return
	}
	table := make([]uint32, hi-lo)
	a.table = nil
	for i := range table {
		table[i] = a.lookup(lo + i)
	}
	a.buf, a.table, a.first, a.origin = table, table, 0, lo
}

func (a *axis) append(by int, seg uint32) {
	end := a.first + len(a.table)
	if end+by > len(a.buf) {
		a.rehouse(a.first, by+len(a.table))
		end = a.first + len(a.table)
	}
	fill(a.buf[end:end+by], seg)
	a.table = a.buf[a.first : end+by]
}

func (a *axis) prepend(by int, seg uint32) {
	end := a.first + len(a.table)
	if by > a.first {
		a.rehouse(by+len(a.table), len(a.buf)-end)
		end = a.first + len(a.table)
	}
	fill(a.buf[a.first-by:a.first], seg)
	a.first -= by
	a.origin -= by
	a.table = a.buf[a.first:end]
}

// rehouse moves the table to a new buffer with unused entries before and after it. The old buffer
// does not change, because other grids may use it.
func (a *axis) rehouse(before, behind int) {
	buf := make([]uint32, before+len(a.table)+behind)
	copy(buf[before:], a.table)
	a.buf, a.first = buf, before
	a.table = buf[before : before+len(a.table)]
}

// unshared returns the axis without the unused entries, so that it cannot grow in place.
func (a axis) unshared() axis {
	a.own()
	a.high, a.low = a.high[:len(a.high):len(a.high)], a.low[:len(a.low):len(a.low)]
	if a.table != nil {
		a.rehouse(0, 0)
	}
	return a
}

func fill(s []uint32, v uint32) {
	for i := range s {
		s[i] = v
	}
}
