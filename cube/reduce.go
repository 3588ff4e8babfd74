package cube

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// An Op says what Reduce makes of many cells.
type Op uint8

// The operations, all of cells that are not empty.
const (
	Sum   Op = iota
	Mean     // the sum over the count
	Min      // the smallest value, NaN if one is NaN and no empty cell
	Max      // the largest, likewise
	Count    // the number of cells
)

// String returns the name of the operation in lower case.
func (op Op) String() string {
	if op > Count {
		return fmt.Sprintf("op(%d)", uint8(op))
	}
	return [...]string{"sum", "mean", "min", "max", "count"}[op]
}

// Over says what Reduce does besides.
type Over struct {
	Dims []int // the dimensions that disappear; nil is all of them
	// Progress, if not nil, is called after every chunk with the number of cells seen in it.
	Progress func(cells int)
}

// A Result is what Reduce returns: a value per cell of the dimensions that are left, dense
// and row-major.
type Result struct {
	Op    Op
	DType dtype.DType // int64, uint64 or float64
	Dims  []int       // the dimensions left, ascending
	Cells Selection   // the indices in each of them
	Count []int64     // how many cells are in each value
	Data  []byte      // the values, little-endian; what has no cells is NaN or, without NaN, 0
}

// Text returns value i as text; it is empty if there are no cells in it, except for a count,
// which is 0 then.
func (r *Result) Text(i int) string {
	if r.Count[i] == 0 && r.Op != Count {
		return ""
	}
	cell := r.Data[i*r.DType.Size():][:r.DType.Size()]
	if r.DType != dtype.Float64 {
		return r.DType.Format(cell)
	}
	v := float(r.DType)(cell)
	if size := math.Abs(v); size >= 1e21 || size > 0 && size < 1e-6 {
		return r.DType.Format(cell)
	}
	return strconv.FormatFloat(v, 'f', -1, 64) // a sum of money is easier to read so
}

// maxGroups is how many values a Result has at most: they are in memory, 16 bytes each.
const maxGroups = 1 << 28

// Reduce sums the cells of a selection, or does another operation, over some dimensions. It
// goes through the chunks in the order of the file, each read once, and needs memory for the
// result and a chunk. Sums of integers are exact, int64 or uint64; those of floating-point
// numbers are added one by one as float64, in the order of the file. A mean is a float64, a
// count an int64, and Min and Max are of the type of the sum. A cell selected twice counts
// twice.
//
// The error is ctx's, wraps drx.ErrRank, drx.ErrBounds, drx.ErrDType for complex elements, drx.ErrOverflow
// for a sum that does not fit or a result of more than 2^28 values, or is that of
// drx.Array.ReadBytes.
func (c *Cube) Reduce(ctx context.Context, sel Selection, op Op, over Over) (*Result, error) {
	t, err := kind(c.a.DType())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.a.Name(), err)
	}
	if op > Count {
		return nil, fmt.Errorf("%s: operation %d is not one of 0 to %d: %w", c.a.Name(), op, Count, drx.ErrBounds)
	}
	r := &Result{Op: op, DType: t}
	w, err := c.newWalk(sel, over, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.a.Name(), err)
	}
	switch t {
	case dtype.Int64:
		err = reduce(ctx, w, r, signed(c.a.DType()))
	case dtype.Uint64:
		err = reduce(ctx, w, r, unsigned(c.a.DType()))
	default:
		err = reduce(ctx, w, r, float(c.a.DType()))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// newWalk checks what to reduce and prepares the result.
func (c *Cube) newWalk(sel Selection, over Over, r *Result) (*walk, error) {
	if err := c.check(sel); err != nil {
		return nil, err
	}
	gone := make([]bool, len(sel))
	for _, d := range over.Dims {
		if d < 0 || d >= len(sel) {
			return nil, fmt.Errorf("dimension %d is not one of 0 to %d: %w", d, len(sel)-1, drx.ErrRank)
		}
		if gone[d] {
			return nil, fmt.Errorf("dimension %s is given twice: %w", c.dimName(d), drx.ErrRank)
		}
		gone[d] = true
	}
	w := &walk{c: c, sel: sel, strides: make([]int, len(sel)), progress: over.Progress}
	for d := range sel {
		if over.Dims != nil && !gone[d] {
			r.Dims, r.Cells = append(r.Dims, d), append(r.Cells, sel[d])
		}
	}
	shape := r.Cells.Shape()
	n, err := nd.Product(shape...)
	if err != nil || n > maxGroups {
		return nil, fmt.Errorf("a result of shape %v: %w: at most %d values", shape, drx.ErrOverflow, maxGroups)
	}
	for i, stride := range nd.RowMajor.Strides(shape) {
		w.strides[r.Dims[i]] = stride
	}
	r.Count = make([]int64, n)
	return w, nil
}

// A tally gathers the values of one result.
type tally[A number] struct {
	op     Op
	values []A
	counts []int64
	value  func(cell []byte) A
	empty  func(cell []byte) bool
	size   int
}

// reduce goes through the cells and fills the result.
func reduce[A number](ctx context.Context, w *walk, r *Result, value func(cell []byte) A) error {
	t := &tally[A]{
		op: r.Op, values: make([]A, len(r.Count)), counts: r.Count,
		value: value, empty: w.c.empty, size: w.c.a.DType().Size(),
	}
	if err := w.rows(ctx, t.row); err != nil {
		return err
	}
	r.finish(func(i int) (exact any, rounded float64) { return t.values[i], float64(t.values[i]) })
	return nil
}

// row adds cells to the values from to on, each of which has the next cell or, if stride is
// 0, all of them.
func (t *tally[A]) row(cells []byte, to, stride int) error {
	for ; len(cells) > 0; cells, to = cells[t.size:], to+stride {
		cell := cells[:t.size]
		if t.empty != nil && t.empty(cell) {
			continue
		}
		v := t.value(cell)
		t.counts[to]++
		switch {
		case t.op == Count:
		case t.counts[to] == 1:
			t.values[to] = v
		case t.op == Min:
			t.values[to] = min(t.values[to], v)
		case t.op == Max:
			t.values[to] = max(t.values[to], v)
		default:
			s, ok := sum(t.values[to], v)
			if !ok {
				return fmt.Errorf("sum of %v and %v: %w", t.values[to], v, drx.ErrOverflow)
			}
			t.values[to] = s
		}
	}
	return nil
}

// finish encodes the values.
func (r *Result) finish(value func(i int) (exact any, rounded float64)) {
	switch r.Op {
	case Mean:
		r.DType = dtype.Float64
	case Count:
		r.DType = dtype.Int64
	}
	r.Data = make([]byte, 0, len(r.Count)*r.DType.Size())
	for i, n := range r.Count {
		exact, rounded := value(i)
		switch {
		case r.Op == Count:
			exact = n
		case r.Op == Mean && n > 0:
			exact = rounded / float64(n)
		case n == 0 && r.DType == dtype.Float64:
			exact = math.NaN()
		}
		cell, _ := r.DType.EncodeValue(exact) // has that type
		r.Data = append(r.Data, cell...)
	}
}

// Shape returns the extents of the result.
func (r *Result) Shape() []int { return slices.Clone(r.Cells.Shape()) }
