package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"drx/cube"
	"drx/nd"
)

const (
	slabBytes        = 8 << 20 // bytes to read at a time
	maxSliceElements = 1 << 28 // elements of a slice to read; of larger slices only every n-th row and column is read
)

// stat counts the elements of a slice. min and max are those of the finite values, NaN if there are none.
type stat struct {
	count, missing int
	min, max       float64
}

// noStat returns the stat of no elements.
func noStat() stat { return stat{min: math.NaN(), max: math.NaN()} }

func (s *stat) add(v float64) {
	s.count++
	switch {
	case math.IsNaN(v):
		s.missing++
	case math.IsInf(v, 0):
	case math.IsNaN(s.min):
		s.min, s.max = v, v
	default:
		s.min, s.max = min(s.min, v), max(s.max, v)
	}
}

// merge adds the counts of another slice.
func (s *stat) merge(other stat) {
	s.count += other.count
	s.missing += other.missing
	switch {
	case math.IsNaN(other.min):
	case math.IsNaN(s.min):
		s.min, s.max = other.min, other.max
	default:
		s.min, s.max = min(s.min, other.min), max(s.max, other.max)
	}
}

// String returns the line that view prints below a picture.
func (s *stat) String() string {
	return fmt.Sprintf("min %s, max %s, missing %d of %d", formatValue(s.min), formatValue(s.max), s.missing, s.count)
}

// formatValue formats a value with six digits, an integer with all its digits.
func formatValue(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.6g", v)
}

// A slice is the data of a picture: row-major values, each the mean of a block of elements without
// its NaNs.
type slice struct {
	rows, cols int
	values     []float64
	colors     [3][]float64 // red, green and blue, likewise, if the elements are indices of a palette
	stat       stat         // of the elements, before they were averaged
	step       int          // every step-th element of both dimensions was read
	down       reduction    // of the rows
	across     reduction    // of the columns
	ends       []ends       // of each block of a line; nil if a block is one element
}

// A reduction says how many indices of a drawn dimension a value stands for.
type reduction struct {
	step  int // every step-th was read
	block int // as many of these are in a block
}

// span returns how many indices of a dimension a value stands for.
func (r reduction) span() int { return r.step * r.block }

// ends are the least and the greatest value of a block, in the order of their indices. They are NaN if
// all values are missing.
type ends struct{ first, last float64 }

// add adds the value of an element that comes after those before.
func (e *ends) add(v float64) {
	least, most := min(e.first, e.last), max(e.first, e.last)
	switch {
	case math.IsNaN(e.first):
		e.first, e.last = v, v
	case v < least && e.first == least, v > most && e.first == most:
		e.first, e.last = e.last, v // the other one came later
	case v < least, v > most:
		e.last = v
	}
}

// readSlice reads a selection, which has extent 1 outside of the dimensions of p, and reduces it to at most
// side values in each direction. It holds one slab at a time, so that memory does not grow with the slice.
func readSlice(ctx context.Context, c *cube.Cube, sel cube.Selection, p plane, m meaning, side int, bar func(bytes int64) *progress) (*slice, error) {
	r := newSliceReader(c, sel, p, m, side)
	b := bar(int64(r.rows) * int64(r.cols) * int64(r.size))
	defer b.end()
	for y := 0; y < r.rows; y += r.slabRows {
		for x := 0; x < r.cols; x += r.slabCols {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n, err := r.slab(y, x)
			if err != nil {
				return nil, err
			}
			b.add(n)
		}
	}
	for i, n := range r.added {
		for _, part := range r.out.colors {
			if part != nil {
				part[i] /= float64(n)
			}
		}
		mean := r.out.values[i] / float64(n) // NaN where nothing was added
		if !math.IsInf(mean, 0) {            // rounding must not take a mean beyond the elements
			mean = min(max(mean, r.out.stat.min), r.out.stat.max)
		}
		r.out.values[i] = mean
	}
	return &r.out, nil
}

// sliceReader sums the elements of a slice in blocks of block x block.
type sliceReader struct {
	c     *cube.Cube
	sel   cube.Selection
	size  int // bytes of an element
	p     plane
	order nd.Order
	meaning
	rows, cols         int // after the step
	slabRows, slabCols int // multiples of the blocks
	buf                []byte
	added              []int                  // elements added per block
	scales             []func([]byte) float64 // decode for each index of a drawn dimension, if each has a scale
	out                slice
}

func newSliceReader(c *cube.Cube, sel cube.Selection, p plane, m meaning, side int) *sliceReader {
	a := c.Array()
	r := &sliceReader{c: c, sel: slices.Clone(sel), size: a.DType().Size(), p: p, meaning: m.within(sel), rows: 1}
	r.out.step = r.stepFor()
	r.out.down = reduction{1, 1}
	if p.rows >= 0 {
		r.rows, r.out.down = r.stride(p.rows, side)
	}
	r.cols, r.out.across = r.stride(p.cols, side)
	r.setBlocks(side)
	for k := range r.scaledIndices() {
		r.scales = append(r.scales, r.meaning.at(r.sel[r.meaning.dim].At(k)).decode)
	}
	down, across := r.out.down.block, r.out.across.block
	r.out.rows, r.out.cols = nd.CeilDiv(r.rows, down), nd.CeilDiv(r.cols, across)
	r.out.values, r.added = make([]float64, r.out.rows*r.out.cols), make([]int, r.out.rows*r.out.cols)
	r.out.stat = noStat()
	if p.rows < 0 && across > 1 {
		r.out.ends = slices.Repeat([]ends{{math.NaN(), math.NaN()}}, r.out.cols)
	}
	for k := range r.out.colors {
		if m.palette != nil {
			r.out.colors[k] = make([]float64, len(r.added))
		}
	}

	band := min(down, r.rows) * r.size // bytes of a column of a row of blocks
	r.slabCols = min(nd.CeilDiv(r.cols, across), max(1, slabBytes/(band*across))) * across
	r.slabRows = max(1, slabBytes/(band*r.slabCols)) * down
	for d := range sel {
		if !p.has(d) {
			r.order = append(r.order, d)
		}
	}
	if p.rows >= 0 {
		r.order = append(r.order, p.rows)
	}
	r.order = append(r.order, p.cols)
	return r
}

// stepFor returns the least power of two with which, as a step, at most maxSliceElements remain.
func (r *sliceReader) stepFor() int {
	rows, cols := 1, r.sel[r.p.cols].Len()
	if r.p.rows >= 0 {
		rows = r.sel[r.p.rows].Len()
	}
	for step := 1; ; step *= 2 {
		n, ok := nd.Mul(nd.CeilDiv(rows, step), nd.CeilDiv(cols, step))
		if ok && n <= maxSliceElements {
			return step
		}
	}
}

// stride applies the step to a dimension and returns the number of indices left. Of labels, which
// have no mean, as many are left out as do not fit.
func (r *sliceReader) stride(d, side int) (int, reduction) {
	step := r.out.step
	if r.hasLabels(d) {
		step = max(step, nd.CeilDiv(r.sel[d].Len(), side))
	}
	r.sel[d] = r.sel[d].Every(step)
	return r.sel[d].Len(), reduction{step, 1}
}

// hasLabels reports whether a dimension has labels.
func (r *sliceReader) hasLabels(d int) bool {
	_, labels := r.c.Labels(d)
	return len(labels) > 0
}

// setBlocks reduces the directions that do not fit. One that fits is reduced with the other only if it
// has more than half of the values that fit, so that a picture keeps the proportions of its elements:
// a table of a few columns has all of them. Labels are never averaged.
func (r *sliceReader) setBlocks(side int) {
	block := nd.CeilDiv(max(r.rows, r.cols), side)
	if r.p.rows >= 0 && r.rows > side/2 && !r.hasLabels(r.p.rows) {
		r.out.down.block = block
	}
	if r.cols > side/2 && !r.hasLabels(r.p.cols) {
		r.out.across.block = block
	}
}

// slab reads the slab whose first element is (y, x), adds it to the blocks and returns its size in bytes.
func (r *sliceReader) slab(y, x int) (int, error) {
	h, w := min(r.slabRows, r.rows-y), min(r.slabCols, r.cols-x)
	sel, size := slices.Clone(r.sel), r.size
	if r.p.rows >= 0 {
		sel[r.p.rows] = r.sel[r.p.rows].Slice(y, h)
	}
	sel[r.p.cols] = r.sel[r.p.cols].Slice(x, w)
	if cap(r.buf) < h*w*size {
		r.buf = make([]byte, h*w*size)
	}
	buf := r.buf[:h*w*size]
	if err := r.c.Read(sel, buf, r.order); err != nil {
		return 0, err
	}
	for i := range h {
		across := r.out.across.block
		first := (y+i)/r.out.down.block*r.out.cols + x/across
		for j := range w {
			decode := r.decode
			switch {
			case r.scales == nil:
			case r.meaning.dim == r.p.cols:
				decode = r.scales[x+j]
			default:
				decode = r.scales[y+i]
			}
			v := decode(buf[(i*w+j)*size:][:size])
			r.out.stat.add(v)
			if !math.IsNaN(v) {
				r.add(first+j/across, v)
				if r.out.ends != nil {
					r.out.ends[x/across+j/across].add(v)
				}
			}
		}
	}
	return len(buf), nil
}

// scaledIndices returns how many indices of a drawn dimension have a scale each.
func (r *sliceReader) scaledIndices() int {
	if d := r.meaning.dim; r.meaning.perIndex() && r.p.has(d) {
		return r.sel[d].Len()
	}
	return 0
}

// add adds the value of an element to a block.
func (r *sliceReader) add(block int, v float64) {
	r.out.values[block] += v
	r.added[block]++
	if r.palette == nil {
		return
	}
	c := r.palette[int(v)]
	for k, part := range [3]uint8{c.R, c.G, c.B} {
		r.out.colors[k][block] += float64(part)
	}
}

// subrange returns the n indices of a range that begin with the i-th.
func subrange(r nd.Range, i, n int) nd.Range {
	lo := r.Lo + i*r.Step
	return nd.Span(lo, lo+(n-1)*r.Step+1).By(r.Step)
}
