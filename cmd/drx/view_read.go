package main

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"drx"
	"drx/dtype"
	"drx/nd"
)

const (
	slabBytes   = 8 << 20 // read at a time
	mostOfSlice = 1 << 28 // elements of a slice that are looked at; beyond, every n-th
)

// stat counts the elements of a slice. Min and max are those of the finite values, NaN
// where there is none.
type stat struct {
	count, missing int
	min, max       float64
}

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

// join adds what another slice counted.
func (s *stat) join(other stat) {
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

// String is the line that view prints below a picture.
func (s *stat) String() string {
	return fmt.Sprintf("min %s, max %s, missing %d of %d", number(s.min), number(s.max), s.missing, s.count)
}

// number writes a value with six digits, an integer with all of them.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.6g", v)
}

// A slice holds what is to be drawn: row-major values, each the mean of a square block of
// elements, NaN left out.
type slice struct {
	rows, cols int
	values     []float64
	stat       stat // of the elements, before they were averaged
	step       int  // every step-th element of both dimensions was read
}

// readSlice reads the section, of which only the dimensions of p are longer than one, and
// reduces it to at most side values each way. It holds a slab of the slice at a time, so
// that memory does not grow with the slice.
func readSlice(ctx context.Context, a *drx.Array, sec nd.Section, p plane, side int, bar func(bytes int64) *progress) (*slice, error) {
	r := newSliceReader(a, sec, p, side)
	b := bar(int64(r.rows) * int64(r.cols) * int64(a.DType().Size()))
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
	for i, n := range r.n {
		mean := r.out.values[i] / float64(n) // NaN where nothing was added
		if !math.IsInf(mean, 0) {            // rounding takes no mean beyond its elements
			mean = min(max(mean, r.out.stat.min), r.out.stat.max)
		}
		r.out.values[i] = mean
	}
	return &r.out, nil
}

// sliceReader adds up the elements of a slice in blocks of block x block.
type sliceReader struct {
	a                  *drx.Array
	sec                nd.Section
	p                  plane
	order              nd.Order
	decode             func([]byte) float64
	rows, cols         int // after the step
	block              int
	slabRows, slabCols int // multiples of block
	buf                []byte
	n                  []int // elements added per block
	out                slice
}

func newSliceReader(a *drx.Array, sec nd.Section, p plane, side int) *sliceReader {
	r := &sliceReader{a: a, sec: append(nd.Section(nil), sec...), p: p, decode: decoder(a), rows: 1}
	r.out.step = r.stepFor()
	if p.rows >= 0 {
		r.rows = r.stride(p.rows)
	}
	r.cols = r.stride(p.cols)
	r.block = nd.CeilDiv(max(r.rows, r.cols), side)
	r.out.rows, r.out.cols = nd.CeilDiv(r.rows, r.block), nd.CeilDiv(r.cols, r.block)
	r.out.values, r.n = make([]float64, r.out.rows*r.out.cols), make([]int, r.out.rows*r.out.cols)
	r.out.stat = stat{min: math.NaN(), max: math.NaN()}

	band := min(r.block, r.rows) * a.DType().Size() // bytes of a column of a row of blocks
	r.slabCols = min(nd.CeilDiv(r.cols, r.block), max(1, slabBytes/(band*r.block))) * r.block
	r.slabRows = max(1, slabBytes/(band*r.slabCols)) * r.block
	for d := range sec {
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

// stepFor returns the least step with which at most mostOfSlice elements remain.
func (r *sliceReader) stepFor() int {
	rows, cols := 1, r.sec[r.p.cols].Len()
	if r.p.rows >= 0 {
		rows = r.sec[r.p.rows].Len()
	}
	for step := 1; ; step *= 2 {
		n, ok := nd.Mul(nd.CeilDiv(rows, step), nd.CeilDiv(cols, step))
		if ok && n <= mostOfSlice {
			return step
		}
	}
}

// stride applies the step to a dimension and returns the number of indices left.
func (r *sliceReader) stride(d int) int {
	step, ok := nd.Mul(r.sec[d].Stride(), r.out.step)
	if !ok { // further than any index
		step = math.MaxInt
	}
	r.sec[d] = r.sec[d].By(step)
	return r.sec[d].Len()
}

// slab reads the slab whose first element is (y, x), adds it to its blocks and returns its
// bytes.
func (r *sliceReader) slab(y, x int) (int, error) {
	h, w := min(r.slabRows, r.rows-y), min(r.slabCols, r.cols-x)
	sec := append(nd.Section(nil), r.sec...)
	if r.p.rows >= 0 {
		sec[r.p.rows] = part(r.sec[r.p.rows], y, h)
	}
	sec[r.p.cols] = part(r.sec[r.p.cols], x, w)
	size := r.a.DType().Size()
	if cap(r.buf) < h*w*size {
		r.buf = make([]byte, h*w*size)
	}
	buf := r.buf[:h*w*size]
	if err := r.a.ReadBytes(sec, buf, r.order); err != nil {
		return 0, err
	}
	for i := range h {
		first := (y+i)/r.block*r.out.cols + x/r.block
		for j := range w {
			v := r.decode(buf[(i*w+j)*size:][:size])
			r.out.stat.add(v)
			if !math.IsNaN(v) {
				r.out.values[first+j/r.block] += v
				r.n[first+j/r.block]++
			}
		}
	}
	return len(buf), nil
}

// part returns n indices of a range from the i-th on.
func part(r nd.Range, i, n int) nd.Range {
	lo := r.Lo + i*r.Step
	return nd.Span(lo, lo+(n-1)*r.Step+1).By(r.Step)
}

// decoder returns the value of an element for drawing: the modulus of a complex number,
// NaN for an element that equals the fill value when that is other than zero. For such a
// value was chosen to mean that there are no data.
func decoder(a *drx.Array) func([]byte) float64 {
	t, fill := a.DType(), a.FillValue()
	if t == dtype.Bool || t.Float64(fill) == 0 {
		return t.Float64
	}
	return func(b []byte) float64 {
		if bytes.Equal(b, fill) {
			return math.NaN()
		}
		return t.Float64(b)
	}
}
