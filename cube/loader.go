package cube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drx/axial"
	"drx/nd"
)

// A Combine says what becomes of a cell that a row meets and that is not empty.
type Combine uint8

// The ways to combine.
const (
	Replace Combine = iota // the row's value takes its place; of several rows the last one counts
	Add                    // the row's value is added to it
)

// batchRows is how many rows a Loader keeps before it writes them.
const batchRows = 1 << 18

// A Loader writes rows to a cube: a value, and a coordinate in each dimension, which grows
// when the coordinate is new. It keeps a limited number of rows and writes them grouped by
// chunk.
//
// New labels get the next indices, in the order in which they appear. A dimension that has
// indices but no labels does not grow: its coordinates are indices.
//
// A value that is blank, or the fill value, stands for an empty cell if there are any in the
// cube: Replace empties the cell that it meets, Add leaves that alone.
//
// After an error the array holds a part of the rows; drx.Array.Discard takes them back, up
// to the last Commit. The cube is of no more use then.
type Loader struct {
	c       *Cube
	add     func(cell, by []byte) error // nil for Replace
	fill    []byte
	rank    int
	labeled []bool
	index   []int  // of the rows kept, one after the other
	values  []byte // theirs
	rows    []placed
	buf     []byte
}

// A placed is a row of a Loader and the chunk that it belongs to.
type placed struct {
	chunk axial.Number
	row   int
}

// Loader returns a Loader for the cube, whose array must be open for writing. The error wraps
// drx.ErrDType when Add is asked for and there are no sums of the type: bool and complex.
func (c *Cube) Loader(combine Combine) (*Loader, error) {
	l := &Loader{c: c, fill: c.a.FillValue(), rank: len(c.axes), labeled: make([]bool, len(c.axes))}
	if combine == Add {
		var err error
		if l.add, err = adder(c.a.DType()); err != nil {
			return nil, err
		}
	}
	for d, r := range c.a.Bounds() {
		l.labeled[d] = r.Len() == 0 || len(c.axes[d].names) > 0
	}
	return l, nil
}

// Add takes a row: a coordinate per dimension, and the value as dtype.DType.Encode reads it.
// The error wraps drx.ErrDType for the value; for a coordinate, ErrLabel or drx.ErrBounds;
// drx.ErrRank; or is that of writing the rows kept. A row at fault changes nothing.
func (l *Loader) Add(coords []string, value string) error {
	if err := l.take(coords, value); err != nil {
		return err
	}
	return l.flushFull()
}

// flushFull writes the rows kept if there are many.
func (l *Loader) flushFull() error {
	if len(l.index) < batchRows*l.rank {
		return nil
	}
	return l.Flush()
}

// take is Add without writing.
func (l *Loader) take(coords []string, value string) error {
	if err := nd.CheckRank("coordinates", len(coords), l.rank); err != nil {
		return err
	}
	cell, err := l.encode(value)
	if err != nil {
		return err
	}
	for d, label := range coords { // all are checked before one becomes a label
		if err := l.check(d, label); err != nil {
			return err
		}
	}
	for d, label := range coords {
		i, err := l.place(d, label)
		if err != nil {
			return err
		}
		l.index = append(l.index, i)
	}
	l.values = append(l.values, cell...)
	return nil
}

// encode returns a value as the element that it becomes.
func (l *Loader) encode(value string) ([]byte, error) {
	if value == "" && l.c.empty != nil {
		return l.fill, nil
	}
	cell, err := l.c.a.DType().Encode(value)
	if err != nil {
		return nil, fmt.Errorf("value %w", err)
	}
	return cell, nil
}

// check returns an error if a text is no coordinate of a dimension.
func (l *Loader) check(dim int, label string) error {
	x := &l.c.axes[dim]
	if _, ok := x.index[label]; ok {
		return nil
	}
	if !l.labeled[dim] {
		_, err := l.c.Index(dim, label)
		return err
	}
	if err := x.check(label); err != nil {
		return fmt.Errorf("dimension %s: %w", l.c.dimName(dim), err)
	}
	return nil
}

// place returns the index of a coordinate, a new one if it has none.
func (l *Loader) place(dim int, label string) (int, error) {
	x := &l.c.axes[dim]
	if i, ok := x.index[label]; ok {
		return i, nil
	}
	if !l.labeled[dim] {
		return l.c.Index(dim, label)
	}
	if err := x.add(label); err != nil {
		return 0, err
	}
	return x.next() - 1, nil
}

// Flush writes the rows kept. They are not durable before Commit.
func (l *Loader) Flush() error {
	if err := l.grow(); err != nil {
		return err
	}
	l.sort()
	for len(l.rows) > 0 {
		n := 1
		for n < len(l.rows) && l.rows[n].chunk == l.rows[0].chunk {
			n++
		}
		if err := l.write(l.rows[:n]); err != nil {
			return err
		}
		l.rows = l.rows[n:]
	}
	l.index, l.values = l.index[:0], l.values[:0]
	return nil
}

// Commit writes the rows kept and the new labels and makes them durable, all together with
// whatever else was changed in the array.
func (l *Loader) Commit() error {
	if err := l.Flush(); err != nil {
		return err
	}
	for d := range l.c.axes {
		if err := l.c.axes[d].store(l.c.a, d); err != nil {
			return err
		}
	}
	return l.c.a.Sync()
}

// grow extends the dimensions that have more labels than indices, each once: the record of
// an extension is for ever.
func (l *Loader) grow() error {
	for d, r := range l.c.a.Bounds() {
		if by := l.c.axes[d].next() - r.Hi; by > 0 {
			if _, err := l.c.a.Extend(d, by); err != nil {
				return err
			}
		}
	}
	return nil
}

// row returns the index of a row.
func (l *Loader) row(i int) []int { return l.index[i*l.rank : (i+1)*l.rank] }

// sort finds the chunks of the rows and sorts these by them, in file order. Rows of one chunk
// stay in their order: a later one replaces an earlier one.
func (l *Loader) sort() {
	grid, extents, chunk := l.c.a.Grid(), l.c.a.ChunkShape(), make([]int, l.rank)
	l.rows = l.rows[:0]
	for i := range len(l.index) / l.rank {
		for d, x := range l.row(i) {
			chunk[d] = nd.FloorDiv(x, extents[d])
		}
		q, _ := grid.Number(chunk) // grow has seen to it that there is one
		l.rows = append(l.rows, placed{q, i})
	}
	slices.SortFunc(l.rows, func(p, q placed) int {
		return cmp.Or(cmp.Compare(p.chunk, q.chunk), cmp.Compare(p.row, q.row))
	})
}

// write writes rows of one chunk: it reads the box that they span, puts them in and writes it.
func (l *Loader) write(rows []placed) error {
	lo, hi := slices.Clone(l.row(rows[0].row)), slices.Clone(l.row(rows[0].row))
	for _, r := range rows {
		for d, x := range l.row(r.row) {
			lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
		}
	}
	for d := range hi {
		hi[d]++
	}
	box, size := nd.Box(lo, hi), l.c.a.DType().Size()
	n, err := box.Len()
	if err != nil {
		return err
	}
	l.buf = slices.Grow(l.buf[:0], n*size)[:n*size]
	if n > 1 || l.add != nil { // a single cell is replaced unseen
		if err := l.c.a.ReadBytes(box, l.buf, nil); err != nil {
			return err
		}
	}
	strides := nd.RowMajor.Strides(box.Shape())
	for _, r := range rows {
		at := 0
		for d, x := range l.row(r.row) {
			at += (x - lo[d]) * strides[d]
		}
		if err := l.put(l.buf[at*size:][:size], l.values[r.row*size:][:size]); err != nil {
			return fmt.Errorf("cell %s: %w", l.cell(r.row), err)
		}
	}
	return l.c.a.WriteBytes(box, l.buf, nil)
}

// put combines a value with a cell.
func (l *Loader) put(cell, value []byte) error {
	isEmpty := func(cell []byte) bool { return l.c.empty != nil && l.c.empty(cell) }
	switch {
	case l.add == nil || isEmpty(cell):
		copy(cell, value)
	case !isEmpty(value):
		return l.add(cell, value)
	}
	return nil
}

// cell names the cell of a row by its labels.
func (l *Loader) cell(row int) string {
	names := make([]string, l.rank)
	for d, x := range l.row(row) {
		names[d] = l.c.Label(d, x)
	}
	return strings.Join(names, ", ")
}
