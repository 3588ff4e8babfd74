package cube

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
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

// A Loader writes rows to a cube, or to several arrays with the same dimensions. A row has one
// coordinate per dimension, and a value for each array. A new coordinate extends its dimension. The
// Loader buffers a limited number of rows and writes them grouped by chunk.
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
	c       *Cube // nil for a Loader of NewLoader
	axes    []Axis
	columns []column
	rank    int
	index   []int // indices of the buffered rows, rank numbers per row
	rows    []chunkRow
	buf     []byte
}

// An Axis maps the coordinates of rows to indices of a dimension.
type Axis interface {
	// Check returns an error if a text is neither a coordinate nor a possible new one.
	Check(text string) error
	// Index returns the index of a text that Check accepts. New coordinates get the next indices.
	Index(text string) (int, error)
	// Grow extends the arrays so that they have all indices that Index has returned.
	Grow() error
	// Label returns the coordinate of an index.
	Label(index int) string
}

// A column is an array and its values in the buffered rows.
type column struct {
	a      *drx.Array
	name   string                          // of several arrays, for errors
	add    func(cellName, by []byte) error // nil for Replace
	empty  func(cell []byte) bool          // nil if no cell is empty
	fill   []byte
	values []byte // elements
}

// A chunkRow is the number of a buffered row and the chunk that it belongs to.
type chunkRow struct {
	chunk axial.Number
	row   int
}

// Loader returns a Loader for the cube, whose array must be open for writing. The error wraps
// drx.ErrDType if combine is Add and the type has no sums: bool and complex.
func (c *Cube) Loader(combine Combine) (*Loader, error) {
	axes := make([]Axis, len(c.axes))
	for d, r := range c.a.Bounds() {
		axes[d] = &labelAxis{c, d, r.Len() == 0 || len(c.axes[d].names) > 0}
	}
	l, err := NewLoader(axes, combine, c.a)
	if err != nil {
		return nil, err
	}
	l.c, l.columns[0].empty = c, c.empty
	return l, nil
}

// NewLoader returns a Loader for arrays of the dimensions that the axes have, all of which are open
// for writing. The caller commits the arrays after Flush. The error is that of Cube.Loader.
func NewLoader(axes []Axis, combine Combine, arrays ...*drx.Array) (*Loader, error) {
	l := &Loader{axes: axes, rank: len(axes)}
	for _, a := range arrays {
		col := column{a: a, fill: a.FillValue(), empty: EmptyCell(a.DType(), a.FillValue())}
		if len(arrays) > 1 {
			col.name = a.Name()
		}
		if combine == Add {
			var err error
			if col.add, err = adder(a.DType()); err != nil {
				return nil, err
			}
		}
		l.columns = append(l.columns, col)
	}
	return l, nil
}

// Add adds a row: one coordinate per dimension, and a value for each array as text for
// dtype.DType.Encode. The error wraps drx.ErrRank for a wrong number of coordinates, ErrLabel or
// drx.ErrBounds for a wrong coordinate, drx.ErrDType for a wrong value; such a row changes nothing.
// Add also returns errors of writing buffered rows.
func (l *Loader) Add(coords []string, values ...string) error {
	if err := l.addRow(coords, values, nil); err != nil {
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

// addRow buffers a row. exact says which values must not be rounded; nil is none.
func (l *Loader) addRow(coords, values []string, exact []bool) error {
	if err := nd.CheckRank("coordinates", len(coords), l.rank); err != nil {
		return err
	}
	if len(values) != len(l.columns) {
		return errkind.Errorf(drx.ErrRank, "%d values for %d arrays", len(values), len(l.columns))
	}
	rows := len(l.index) / max(1, l.rank)
	err := l.addValues(values, exact)
	for d, label := range coords { // check all coordinates before adding any label
		if err == nil {
			err = l.axes[d].Check(label)
		}
	}
	if err != nil {
		for i := range l.columns {
			c := &l.columns[i]
			c.values = c.values[:rows*c.a.DType().Size()]
		}
		return err
	}
	for d, label := range coords {
		i, err := l.axes[d].Index(label)
		if err != nil {
			return err
		}
		l.index = append(l.index, i)
	}
	return nil
}

// addValues buffers the values of a row.
func (l *Loader) addValues(values []string, exact []bool) error {
	for i, value := range values {
		c := &l.columns[i]
		cell, err := c.encode(value)
		if err == nil && exact != nil && exact[i] {
			err = c.checkExact(value, cell)
		}
		if err != nil && c.name != "" {
			err = fmt.Errorf("%s: %w", c.name, err)
		}
		if err != nil {
			return err
		}
		c.values = append(c.values, cell...)
	}
	return nil
}

// encode encodes a value; a blank one becomes the fill value.
func (c *column) encode(value string) ([]byte, error) {
	t := c.a.DType()
	if strings.EqualFold(value, "nan") && !t.IsFloat() {
		value = ""
	}
	if value == "" && c.empty != nil {
		return c.fill, nil
	}
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

// checkExact returns an error if an element is not the number that a text says.
func (c *column) checkExact(text string, cell []byte) error {
	t := c.a.DType()
	if text == "" || !t.IsFloat() {
		return nil // integers are exact, or Encode refuses them
	}
	x := t.Float64(cell)
	if f, err := strconv.ParseFloat(text, 64); err == nil && f == x {
		if math.Abs(x) < 1<<53 || strings.ContainsAny(text, ".e") {
			return nil
		}
		if whole, ok := new(big.Int).SetString(text, 10); !ok || new(big.Float).SetInt(whole).Cmp(big.NewFloat(x)) == 0 {
			return nil
		}
	}
	return errkind.Errorf(drx.ErrDType, "value %s is none of %v, whose nearest is %s: an array of another type has it", text, t, t.Format(cell))
}

// A labelAxis maps labels to indices of a cube, or indices as text in a dimension without labels.
type labelAxis struct {
	c       *Cube
	dim     int
	labeled bool
}

// Check implements Axis.
func (x *labelAxis) Check(label string) error {
	labels := &x.c.axes[x.dim]
	if _, ok := labels.index[label]; ok {
		return nil
	}
	if !x.labeled {
		_, err := x.c.Index(x.dim, label)
		return err
	}
	if err := labels.check(label); err != nil {
		return fmt.Errorf("dimension %s: %w", x.c.dimName(x.dim), err)
	}
	return nil
}

// Index implements Axis. It adds an unknown label.
func (x *labelAxis) Index(label string) (int, error) {
	labels := &x.c.axes[x.dim]
	if i, ok := labels.index[label]; ok {
		return i, nil
	}
	if !x.labeled {
		return x.c.Index(x.dim, label)
	}
	if err := labels.add(label); err != nil {
		return 0, err
	}
	return labels.nextIndex() - 1, nil
}

// Grow implements Axis. It extends the dimension only once per batch, because every extension adds
// a record to the history.
func (x *labelAxis) Grow() error {
	by := x.c.axes[x.dim].nextIndex() - x.c.a.Bounds()[x.dim].Hi
	if by <= 0 {
		return nil
	}
	_, err := x.c.a.Extend(x.dim, by)
	return err
}

// Label implements Axis.
func (x *labelAxis) Label(index int) string { return x.c.Label(x.dim, index) }

// Flush writes the buffered rows. They are not durable before Commit.
func (l *Loader) Flush() error {
	for _, x := range l.axes {
		if err := x.Grow(); err != nil {
			return err
		}
	}
	for i := range l.columns {
		if err := l.flush(&l.columns[i]); err != nil {
			return err
		}
		l.columns[i].values = l.columns[i].values[:0]
	}
	l.index = l.index[:0]
	return nil
}

// flush writes the buffered values of one array.
func (l *Loader) flush(c *column) error {
	l.sort(c.a)
	for rows := l.rows; len(rows) > 0; {
		n := 1
		for n < len(rows) && rows[n].chunk == rows[0].chunk {
			n++
		}
		if err := l.write(c, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// Commit writes the buffered rows and the new labels of a Loader of a Cube and makes them durable,
// together with all other changes of the array, in one commit.
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

// rowIndex returns the element index of buffered row i.
func (l *Loader) rowIndex(i int) []int { return l.index[i*l.rank : (i+1)*l.rank] }

// sort sorts the rows by chunk number. Rows of one chunk keep their order, because a later row
// replaces an earlier one.
func (l *Loader) sort(a *drx.Array) {
	grid, extents, chunk := a.Grid(), a.ChunkShape(), make([]int, l.rank)
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
func (l *Loader) write(c *column, rows []chunkRow) error {
	lo, hi := slices.Clone(l.rowIndex(rows[0].row)), slices.Clone(l.rowIndex(rows[0].row))
	for _, r := range rows {
		for d, x := range l.rowIndex(r.row) {
			lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
		}
	}
	for d := range hi {
		hi[d]++
	}
	box, size := nd.Box(lo, hi), c.a.DType().Size()
	n, err := box.Len()
	if err != nil {
		return err
	}
	l.buf = slices.Grow(l.buf[:0], n*size)[:n*size]
	if n > 1 || c.add != nil { // a single cell can be replaced without reading it
		if err := c.a.ReadBytes(box, l.buf, nil); err != nil {
			return err
		}
	}
	strides := nd.RowMajor.Strides(box.Shape())
	for _, r := range rows {
		at := 0
		for d, x := range l.rowIndex(r.row) {
			at += (x - lo[d]) * strides[d]
		}
		if err := c.combine(l.buf[at*size:][:size], c.values[r.row*size:][:size]); err != nil {
			return fmt.Errorf("cell %s: %w", l.cellName(r.row), err)
		}
	}
	return c.a.WriteBytes(box, l.buf, nil)
}

// combine combines a value with a cell.
func (c *column) combine(cell, value []byte) error {
	isEmpty := func(cell []byte) bool { return c.empty != nil && c.empty(cell) }
	switch {
	case c.add == nil || isEmpty(cell):
		copy(cell, value)
	case !isEmpty(value):
		return c.add(cell, value)
	}
	return nil
}

// cellName formats the labels of a row's cell for errors.
func (l *Loader) cellName(row int) string {
	names := make([]string, l.rank)
	for d, x := range l.rowIndex(row) {
		names[d] = l.axes[d].Label(x)
	}
	return strings.Join(names, ", ")
}
