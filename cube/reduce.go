package cube

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// An Op is the operation of Reduce.
type Op uint8

// The operations. They ignore empty cells.
const (
	Sum   Op = iota
	Mean     // the sum divided by the count
	Min      // the smallest value; NaN if a value is NaN and NaN is not the fill value
	Max      // the largest value, with NaN as in Min
	Count    // the number of cells
)

// String returns the name of the operation in lower case.
func (op Op) String() string {
	if op > Count {
		return fmt.Sprintf("op(%d)", uint8(op))
	}
	return [...]string{"sum", "mean", "min", "max", "count"}[op]
}

// Over holds the dimensions that Reduce reduces, and further options.
type Over struct {
	Dims []int // the dimensions to reduce; nil means all
	// Progress, if not nil, is called after every part of a chunk with its number of cells.
	Progress func(cells int)
	// Empty, if not nil, decides which cells are empty, instead of a comparison with the fill
	// value.
	Empty func(cell []byte) bool
	// OtherSign reinterprets integers as the type of the same size with the other signedness.
	OtherSign bool
}

// A Result is the result of Reduce: one value per combination of indices in the remaining
// dimensions, dense and row-major.
type Result struct {
	Op    Op
	DType dtype.DType // int64, uint64 or float64
	Dims  []int       // the remaining dimensions, ascending
	Cells Selection   // the indices in each of them
	Count []int64     // for each value, the number of cells that it was computed from
	Data  []byte      // the values, little-endian; a value without cells is NaN, or 0 for integers
}

// Text returns value i as text. The text is empty for a value without cells, unless it is a count.
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
	return strconv.FormatFloat(v, 'f', -1, 64) // without exponent, which suits amounts of money
}

// maxGroups limits the number of values in a Result, which is in memory with 16 bytes per value.
const maxGroups = 1 << 28

// Reduce applies an operation to the cells of a selection, over some dimensions. It reads each
// chunk once, in file order, and needs memory for the result and one chunk. It counts unwritten
// chunks without reading them: the time depends on the written chunks and the size of the result.
// Sums of integers are exact, as int64 or uint64. Floating-point numbers are added one by one as
// float64, in file order. A mean is a float64, a count an int64, and Min and Max have the type of
// the sum. A cell that is selected twice counts twice.
//
// The error is that of ctx or drx.Array.ReadBytes, or wraps drx.ErrRank for a dimension that does
// not exist or is given twice, drx.ErrBounds for a selection outside the bounds, drx.ErrDType for
// complex elements, and drx.ErrOverflow for a sum that does not fit or for more than 2^28 values.
func (c *Cube) Reduce(ctx context.Context, sel Selection, op Op, over Over) (*Result, error) {
	t, err := sumType(c.a.DType())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.a.Name(), err)
	}
	if over.OtherSign {
		switch t {
		case dtype.Int64:
			t = dtype.Uint64
		case dtype.Uint64:
			t = dtype.Int64
		}
	}
	if op > Count {
		return nil, errkind.Errorf(drx.ErrBounds, "%s: operation %d is not one of 0 to %d", c.a.Name(), op, Count)
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

// newWalk checks the arguments of Reduce and prepares the result.
func (c *Cube) newWalk(sel Selection, over Over, r *Result) (*chunkWalk, error) {
	if err := sel.Check(c.a.Bounds(), c.dimName); err != nil {
		return nil, err
	}
	summed := make([]bool, len(sel))
	for _, d := range over.Dims {
		if d < 0 || d >= len(sel) {
			return nil, errkind.Errorf(drx.ErrRank, "dimension %d is not one of 0 to %d", d, len(sel)-1)
		}
		if summed[d] {
			return nil, errkind.Errorf(drx.ErrRank, "dimension %s is given twice", c.dimName(d))
		}
		summed[d] = true
	}
	w := &chunkWalk{c: c, sel: sel, strides: make([]int, len(sel)), reduced: summed, progress: over.Progress, empty: c.empty}
	if over.Empty != nil {
		w.empty = over.Empty
	}
	for d := range sel {
		if summed[d] = summed[d] || over.Dims == nil; !summed[d] {
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

// An accumulator computes the values of one result.
type accumulator[A number] struct {
	op     Op
	values []A
	counts []int64
	// left counts the empty cells of each value. It is nil if unwritten cells are empty as well;
	// otherwise addAbsent needs it, because unwritten cells are values and must be distinguished
	// from empty ones.
	left  []int64
	value func(cell []byte) A
	empty func(cell []byte) bool
	size  int
}

// reduce accumulates all cells and fills the result.
func reduce[A number](ctx context.Context, w *chunkWalk, r *Result, value func(cell []byte) A) error {
	t := &accumulator[A]{
		op: r.Op, values: make([]A, len(r.Count)), counts: r.Count,
		value: value, empty: w.empty, size: w.c.a.DType().Size(),
	}
	if t.empty != nil && !t.empty(w.c.a.FillValue()) {
		t.left = make([]int64, len(r.Count))
	}
	if err := w.rows(ctx, t.row); err != nil {
		return err
	}
	if err := t.addAbsent(w); err != nil {
		return err
	}
	r.encode(func(i int) (exact any, rounded float64) { return t.values[i], float64(t.values[i]) })
	return nil
}

// row adds a row of cells: cell i belongs to value to+i*stride. With a stride of 0 all belong to
// one value.
func (t *accumulator[A]) row(cells []byte, to, stride int) error {
	for ; len(cells) > 0; cells, to = cells[t.size:], to+stride {
		cell := cells[:t.size]
		if t.empty != nil && t.empty(cell) {
			if t.left != nil {
				t.left[to]++
			}
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

// addAbsent adds the unwritten cells. They have the fill value, which is a value here and not an
// empty cell. For Min and Max one of them has the same effect as all.
func (t *accumulator[A]) addAbsent(w *chunkWalk) error {
	zero := w.c.a.FillValue()
	if t.empty != nil && t.empty(zero) {
		return nil
	}
	var reduced []int
	for d, x := range w.sel {
		if w.reduced[d] {
			reduced = append(reduced, x.Len())
		}
	}
	n, err := nd.Product(reduced...)
	if err != nil {
		return fmt.Errorf("%v cells of one value: %w", reduced, drx.ErrOverflow)
	}
	for to, have := range t.counts {
		want := int64(n)
		if t.left != nil {
			want -= t.left[to]
		}
		if have == want {
			continue
		}
		if err := t.row(zero, to, 0); err != nil {
			return err
		}
		t.counts[to] = want
	}
	return nil
}

// encode encodes the values of the result.
func (r *Result) encode(value func(i int) (exact any, rounded float64)) {
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
		cell, _ := r.DType.EncodeValue(exact) // no error: exact has this type
		r.Data = append(r.Data, cell...)
	}
}

// Shape returns the extents of the result.
func (r *Result) Shape() []int { return slices.Clone(r.Cells.Shape()) }

// Float64s returns the values rounded to float64. A value without cells is NaN, also in a result of
// integers; a count never is.
func (r *Result) Float64s() []float64 {
	values := make([]float64, len(r.Count))
	size := r.DType.Size()
	for i, n := range r.Count {
		if values[i] = r.DType.Float64(r.Data[i*size:][:size]); n == 0 && r.Op != Count {
			values[i] = math.NaN()
		}
	}
	return values
}
