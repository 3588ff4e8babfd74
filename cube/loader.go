package cube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/axial"
	"drx/internal/errkind"
	"drx/nd"
)

// A Combine determines how a row changes a cell that is not empty.
type Combine uint8

// The ways to combine.
const (
	Replace Combine = iota // the row's value replaces the cell's; the last of several rows wins
	Add                    // the row's value is added to the cell's
)

// batchRows is the number of rows that a Loader buffers before it writes them.
const batchRows = 1 << 18

// A Loader writes rows to a cube. A row is a value and one coordinate per dimension. A new
// coordinate extends its dimension. The Loader buffers a limited number of rows and writes them
// grouped by chunk.
//
// New labels get the next indices, in order of appearance. A dimension that has indices but no
// labels does not grow: its coordinates are indices.
//
// A blank value, or the fill value, means an empty cell, unless the fill value is zero: Replace
// empties the cell, Add leaves it unchanged.
//
// After an error the array may hold some of the rows; drx.Array.Discard undoes everything since
// the last Commit. The Cube must not be used afterwards.
type Loader struct {
	c       *Cube
	add     func(cellName, by []byte) error // nil for Replace
	fill    []byte
	rank    int
	labeled []bool
	index   []int  // indices of the buffered rows, rank numbers per row
	values  []byte // elements of the buffered rows
	rows    []chunkRow
	buf     []byte
}

// A chunkRow is the number of a buffered row and the chunk that it belongs to.
type chunkRow struct {
	chunk axial.Number
	row   int
}

// Loader returns a Loader for the cube, whose array must be open for writing. The error wraps
// drx.ErrDType if combine is Add and the type has no sums: bool and complex.
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

// Add adds a row: one coordinate per dimension, and the value as text for dtype.DType.Encode. The
// error wraps drx.ErrRank for a wrong number of coordinates, ErrLabel or drx.ErrBounds for a wrong
// coordinate, drx.ErrDType for a wrong value; such a row changes nothing. Add also returns errors
// of writing buffered rows.
func (l *Loader) Add(coords []string, value string) error {
	if err := l.addRow(coords, value); err != nil {
		return err
	}
	return l.flushFull()
}

// flushFull writes the buffered rows if the buffer is full.
func (l *Loader) flushFull() error {
	if len(l.index) < batchRows*l.rank {
		return nil
	}
	return l.Flush()
}

// addRow buffers a row.
func (l *Loader) addRow(coords []string, value string) error {
	if err := nd.CheckRank("coordinates", len(coords), l.rank); err != nil {
		return err
	}
	cell, err := l.encode(value)
	if err != nil {
		return err
	}
	for d, label := range coords { // check all coordinates before adding any label
		if err := l.check(d, label); err != nil {
			return err
		}
	}
	for d, label := range coords {
		i, err := l.indexOf(d, label)
		if err != nil {
			return err
		}
		l.index = append(l.index, i)
	}
	l.values = append(l.values, cell...)
	return nil
}

// encode encodes a value; a blank one becomes the fill value.
func (l *Loader) encode(value string) ([]byte, error) {
	if strings.EqualFold(value, "nan") && !l.c.a.DType().IsFloat() {
		value = ""
	}
	if value == "" && l.c.empty != nil {
		return l.fill, nil
	}
	t := l.c.a.DType()
	if value == "" && t.IsFloat() {
		value = "NaN" // NaN is missing in every array of floats
	}
	if value == "" {
		return nil, errkind.Errorf(drx.ErrDType, "a missing value, and no %v of the array stands for one: create it with a fill value", t)
	}
	cell, err := t.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("value %w", err)
	}
	return cell, nil
}

// check returns an error if a text is neither a coordinate of a dimension nor a possible new label.
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

// indexOf returns the index of a coordinate. It adds an unknown label.
func (l *Loader) indexOf(dim int, label string) (int, error) {
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
	return x.nextIndex() - 1, nil
}

// Flush writes the buffered rows. They are not durable before Commit.
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

// Commit writes the buffered rows and the new labels and makes them durable, together with all
// other changes of the array, in one commit.
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

// grow extends the dimensions that have more labels than indices. It extends each only once per
// batch, because every extension adds a record to the history.
func (l *Loader) grow() error {
	for d, r := range l.c.a.Bounds() {
		if by := l.c.axes[d].nextIndex() - r.Hi; by > 0 {
			if _, err := l.c.a.Extend(d, by); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowIndex returns the element index of buffered row i.
func (l *Loader) rowIndex(i int) []int { return l.index[i*l.rank : (i+1)*l.rank] }

// sort sorts the rows by chunk number. Rows of one chunk keep their order, because a later row
// replaces an earlier one.
func (l *Loader) sort() {
	grid, extents, chunk := l.c.a.Grid(), l.c.a.ChunkShape(), make([]int, l.rank)
	l.rows = l.rows[:0]
	for i := range len(l.index) / l.rank {
		for d, x := range l.rowIndex(i) {
			chunk[d] = nd.FloorDiv(x, extents[d])
		}
		q, _ := grid.Number(chunk) // it exists: grow has extended the array
		l.rows = append(l.rows, chunkRow{q, i})
	}
	slices.SortFunc(l.rows, func(p, q chunkRow) int {
		return cmp.Or(cmp.Compare(p.chunk, q.chunk), cmp.Compare(p.row, q.row))
	})
}

// write writes the rows of one chunk: it reads their bounding box, changes the cells and writes the
// box back.
func (l *Loader) write(rows []chunkRow) error {
	lo, hi := slices.Clone(l.rowIndex(rows[0].row)), slices.Clone(l.rowIndex(rows[0].row))
	for _, r := range rows {
		for d, x := range l.rowIndex(r.row) {
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
	if n > 1 || l.add != nil { // a single cell can be replaced without reading it
		if err := l.c.a.ReadBytes(box, l.buf, nil); err != nil {
			return err
		}
	}
	strides := nd.RowMajor.Strides(box.Shape())
	for _, r := range rows {
		at := 0
		for d, x := range l.rowIndex(r.row) {
			at += (x - lo[d]) * strides[d]
		}
		if err := l.combine(l.buf[at*size:][:size], l.values[r.row*size:][:size]); err != nil {
			return fmt.Errorf("cell %s: %w", l.cellName(r.row), err)
		}
	}
	return l.c.a.WriteBytes(box, l.buf, nil)
}

// combine combines a value with a cell.
func (l *Loader) combine(cell, value []byte) error {
	isEmpty := func(cell []byte) bool { return l.c.empty != nil && l.c.empty(cell) }
	switch {
	case l.add == nil || isEmpty(cell):
		copy(cell, value)
	case !isEmpty(value):
		return l.add(cell, value)
	}
	return nil
}

// cellName formats the labels of a row's cell for errors.
func (l *Loader) cellName(row int) string {
	names := make([]string, l.rank)
	for d, x := range l.rowIndex(row) {
		names[d] = l.c.Label(d, x)
	}
	return strings.Join(names, ", ")
}
