package view

import (
	"context"
	"fmt"
	"math"
	"slices"

	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cube"
	"drx/nd"
)

const (
	slabBytes = 8 << 20 // bytes to read at a time
	// largest number of elements of a slice to read; of larger slices only every n-th row and
	// column is read, which bounds the time
	maxSliceElements = 1 << 28
)

// stat counts the elements of a slice. min and max are over the finite values, NaN without any.
type stat struct {
	count, missing int
	min, max       float64
}

// NoStat returns the stat of no elements.
func NoStat() stat { return stat{min: math.NaN(), max: math.NaN()} }

func (s *stat) Add(v float64) {
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
	return fmt.Sprintf("min %s, max %s, missing %d of %d", scaled.FormatValue(s.min), scaled.FormatValue(s.max), s.missing, s.count)
}

// A Slice is the data of a picture: row-major values, each the mean of a block of elements without
// its NaNs.
type Slice struct {
	Rows, Cols int
	Values     []float64
	colors     [3][]float64 // red, green and blue, likewise, if the elements are indices of a palette
	Stat       stat         // of the elements, before they were averaged
	Step       int          // every step-th element of both dimensions was read
	Down       Reduction    // of the rows
	Across     Reduction    // of the columns
	ends       []ends       // of each block of a line; nil if a block is one element
}

// A Reduction says how many indices of a drawn dimension a value stands for.
type Reduction struct {
	Step  int // every Step-th index was read
	Block int // number of read indices per block
}

// span returns the number of indices that a value stands for.
func (r Reduction) span() int { return r.Step * r.Block }

// ends are the least and the greatest value of a block, in the order of their indices. They are NaN
// if all values are missing.
type ends struct{ first, last float64 }

// add includes the value of the next element of the block.
func (e *ends) add(v float64) {
	least, most := min(e.first, e.last), max(e.first, e.last)
	switch {
	case math.IsNaN(e.first):
		e.first, e.last = v, v
	case v < least && e.first == least, v > most && e.first == most:
		e.first, e.last = e.last, v // the other end came later
	case v < least, v > most:
		e.last = v
	}
}

// readSlice reads a selection, which has extent 1 outside of the dimensions of p, and reduces it to
// at most side values in each direction. It holds one slab at a time, so that memory does not grow
// with the slice.
func readSlice(ctx context.Context, c *cube.Cube, sel cube.Selection, p display.Plane, m scaled.Meaning, side int, bar func(bytes int64) *progress.Progress) (*Slice, error) {
	r := newSliceReader(c, sel, p, m, side)
	b := bar(int64(r.rows) * int64(r.cols) * int64(r.size))
	defer b.End()
	for y := 0; y < r.rows; y += r.slabRows {
		for x := 0; x < r.cols; x += r.slabCols {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n, err := r.slab(y, x)
			if err != nil {
				return nil, err
			}
			b.Add(n)
		}
	}
	for i, n := range r.added {
		for _, part := range r.out.colors {
			if part != nil {
				part[i] /= float64(n)
			}
		}
		mean := r.out.Values[i] / float64(n) // NaN where nothing was added
		if !math.IsInf(mean, 0) {            // rounding must not move a mean beyond the elements
			mean = min(max(mean, r.out.Stat.min), r.out.Stat.max)
		}
		r.out.Values[i] = mean
	}
	return &r.out, nil
}

// sliceReader sums the elements of a slice in blocks of block x block.
type sliceReader struct {
	c     *cube.Cube
	sel   cube.Selection
	size  int // bytes of an element
	p     display.Plane
	order nd.Order
	scaled.Meaning
	rows, cols         int // after the step
	slabRows, slabCols int // multiples of the blocks
	buf, less          []byte
	added              []int // elements added per block
	// decode for each index of a drawn dimension, if each has a scale
	scales []func([]byte) float64
	out    Slice
}

func newSliceReader(c *cube.Cube, sel cube.Selection, p display.Plane, m scaled.Meaning, side int) *sliceReader {
	a := c.Array()
	r := &sliceReader{c: c, sel: slices.Clone(sel), size: a.DType().Size(), p: p, Meaning: m.Within(sel), rows: 1}
	r.out.Step = r.stepFor()
	r.out.Down = Reduction{1, 1}
	if p.Rows >= 0 {
		r.rows, r.out.Down = r.stride(p.Rows, side)
	}
	r.cols, r.out.Across = r.stride(p.Cols, side)
	r.setBlocks(side)
	for k := range r.scaledIndices() {
		r.scales = append(r.scales, r.Meaning.At(r.sel[r.Meaning.Dim].At(k)).Decode)
	}
	down, across := r.out.Down.Block, r.out.Across.Block
	r.out.Rows, r.out.Cols = nd.CeilDiv(r.rows, down), nd.CeilDiv(r.cols, across)
	r.out.Values, r.added = make([]float64, r.out.Rows*r.out.Cols), make([]int, r.out.Rows*r.out.Cols)
	r.out.Stat = NoStat()
	if p.Rows < 0 && across > 1 {
		r.out.ends = slices.Repeat([]ends{{math.NaN(), math.NaN()}}, r.out.Cols)
	}
	for k := range r.out.colors {
		if m.Palette != nil {
			r.out.colors[k] = make([]float64, len(r.added))
		}
	}

	band := min(down, r.rows) * r.size // bytes of one column within a row of blocks
	r.slabCols = min(nd.CeilDiv(r.cols, across), max(1, slabBytes/(band*across))) * across
	r.slabRows = max(1, slabBytes/(band*r.slabCols)) * down
	for d := range sel {
		if !p.Has(d) {
			r.order = append(r.order, d)
		}
	}
	if p.Rows >= 0 {
		r.order = append(r.order, p.Rows)
	}
	r.order = append(r.order, p.Cols)
	return r
}

// stepFor returns the least step, a power of two, that leaves at most maxSliceElements elements.
func (r *sliceReader) stepFor() int {
	rows, cols := 1, r.sel[r.p.Cols].Len()
	if r.p.Rows >= 0 {
		rows = r.sel[r.p.Rows].Len()
	}
	for step := 1; ; step *= 2 {
		n, ok := nd.Mul(nd.CeilDiv(rows, step), nd.CeilDiv(cols, step))
		if ok && n <= maxSliceElements {
			return step
		}
	}
}

// stride applies the step to a dimension and returns the number of indices left. A dimension with
// labels gets a larger step if it does not fit: labels have no mean, so its indices are left out
// rather than combined in blocks.
func (r *sliceReader) stride(d, side int) (int, Reduction) {
	step := r.out.Step
	if r.hasLabels(d) {
		step = max(step, nd.CeilDiv(r.sel[d].Len(), side))
	}
	r.sel[d] = r.sel[d].Every(step)
	return r.sel[d].Len(), Reduction{step, 1}
}

// hasLabels reports whether a dimension has labels.
func (r *sliceReader) hasLabels(d int) bool {
	_, labels := r.c.Labels(d)
	return len(labels) > 0
}

// setBlocks sets the blocks for directions that exceed side. The other direction gets the same
// blocks, so that elements stay square, unless it has at most side/2 indices: a long table of a few
// columns keeps all columns. Dimensions with labels are never averaged.
func (r *sliceReader) setBlocks(side int) {
	block := nd.CeilDiv(max(r.rows, r.cols), side)
	if r.p.Rows >= 0 && r.rows > side/2 && !r.hasLabels(r.p.Rows) {
		r.out.Down.Block = block
	}
	if r.cols > side/2 && !r.hasLabels(r.p.Cols) {
		r.out.Across.Block = block
	}
}

// slab reads the slab whose first element is (y, x), adds it to the blocks and returns its size in
// bytes.
func (r *sliceReader) slab(y, x int) (int, error) {
	h, w := min(r.slabRows, r.rows-y), min(r.slabCols, r.cols-x)
	sel, size := slices.Clone(r.sel), r.size
	if r.p.Rows >= 0 {
		sel[r.p.Rows] = r.sel[r.p.Rows].Slice(y, h)
	}
	sel[r.p.Cols] = r.sel[r.p.Cols].Slice(x, w)
	if cap(r.buf) < h*w*size {
		r.buf = make([]byte, h*w*size)
	}
	buf := r.buf[:h*w*size]
	if err := r.c.Read(sel, buf, r.order); err != nil {
		return 0, err
	}
	minus, err := r.readMinus(sel, h*w)
	if err != nil {
		return 0, err
	}
	for i := range h {
		across := r.out.Across.Block
		first := (y+i)/r.out.Down.Block*r.out.Cols + x/across
		for j := range w {
			decode := r.Decode
			switch {
			case r.scales == nil:
			case r.Meaning.Dim == r.p.Cols:
				decode = r.scales[x+j]
			default:
				decode = r.scales[y+i]
			}
			v := decode(buf[(i*w+j)*size:][:size])
			if minus != nil {
				v -= minus(i*w + j)
			}
			r.out.Stat.Add(v)
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

// readMinus reads the values to subtract from n elements, and returns a function of the element's
// number; nil without --diff.
func (r *sliceReader) readMinus(sel cube.Selection, n int) (func(i int) float64, error) {
	if r.Minus == nil {
		return nil, nil
	}
	size := r.Minus.Cube.Array().DType().Size()
	r.less = slices.Grow(r.less[:0], n*size)[:n*size]
	if err := r.Minus.Cube.Read(sel, r.less, r.order); err != nil {
		return nil, err
	}
	return func(i int) float64 { return r.Minus.Decode(r.less[i*size:][:size]) }, nil
}

// scaledIndices returns the number of indices of the drawn dimension that has a scale per index, 0
// if there is none.
func (r *sliceReader) scaledIndices() int {
	if d := r.Meaning.Dim; r.Meaning.PerIndex() && r.p.Has(d) {
		return r.sel[d].Len()
	}
	return 0
}

// add adds the value of an element to a block.
func (r *sliceReader) add(block int, v float64) {
	r.out.Values[block] += v
	r.added[block]++
	if r.Palette == nil {
		return
	}
	c := r.Palette[int(v)]
	for k, part := range [3]uint8{c.R, c.G, c.B} {
		r.out.colors[k][block] += float64(part)
	}
}
