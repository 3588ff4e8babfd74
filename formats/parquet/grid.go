//go:build parquet

package parquet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/raster"
	"drx/internal/errkind"
	"drx/nd"
)

// A grid is the box of indices of which a table that is written has a row for each.
type grid struct {
	path    string
	dims    []string
	shape   []int
	rows    int
	columns []*outColumn
	attrs   map[string]any
	missing bool // some elements were not written
}

// An outColumn is a column of a table that is written.
type outColumn struct {
	info    formats.Info
	strides []int    // per dimension of the grid, in elements; 0 where the variable does not have it
	held    []byte   // the elements, if they are in memory
	waiting *os.File // the elements otherwise, in the order of rows
}

// create implements formats.Format.CreatePath.
func create(path string, c formats.Content) (_ []formats.Writer, err error) {
	g, err := newGrid(c)
	if err != nil {
		return nil, err
	}
	g.path = path
	memory := c.Memory
	if memory == 0 {
		memory = raster.DefaultMemory
	}
	var outputs []cformat.Output
	for _, info := range c.Vars {
		o := g.columns[slices.IndexFunc(g.columns, func(o *outColumn) bool { return o.info.Name == info.Name })]
		if err := o.open(g, &memory); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", info.Name, err), g.drop())
		}
		outputs = append(outputs, cformat.Output{Info: info, Path: info.Name, To: sink{g, o}})
	}
	return cformat.Writers(enter, g, outputs), nil
}

// newGrid returns the grid of the largest variable and the columns of its table: a coordinate or
// the indices of each dimension, and then the others. The error wraps formats.ErrVariable if a
// variable has other dimensions, or formats.ErrType for complex numbers.
func newGrid(c formats.Content) (*grid, error) {
	g := &grid{rows: 1, attrs: c.Attrs}
	largest := -1
	for i := range c.Vars {
		v := &c.Vars[i]
		if err := cformat.CheckInfo(v, "parquet"); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		if v.DType.IsComplex() {
			return nil, errkind.Errorf(formats.ErrType, "%s: a table has no column of %v: write real and imaginary parts as variables of their own", v.Name, v.DType)
		}
		if largest < 0 || len(v.Shape) > len(c.Vars[largest].Shape) {
			largest = i
		}
	}
	if largest < 0 {
		return nil, errkind.Errorf(formats.ErrVariable, "a table without variables")
	}
	g.shape, g.dims = c.Vars[largest].Shape, dimNames(c.Vars[largest])
	for d, name := range g.dims {
		g.rows *= g.shape[d]
		if slices.Contains(g.dims[:d], name) {
			return nil, errkind.Errorf(nd.ErrRank, "%s has the dimension %s twice: a table has one column for it", c.Vars[largest].Name, name)
		}
		g.addDim(c, d)
	}
	for _, v := range c.Vars {
		if isCoordinate(v) && slices.Contains(g.dims, v.Name) {
			continue
		}
		if slices.Contains(g.dims, v.Name) {
			return nil, errkind.Errorf(formats.ErrVariable, "%s is the name of a variable and of a dimension, whose values are a column", v.Name)
		}
		if err := g.add(v); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// dimNames returns the names of the dimensions, their numbers where they have none.
func dimNames(v formats.Info) []string {
	names := make([]string, len(v.Shape))
	for d := range names {
		if names[d] = strconv.Itoa(d); d < len(v.Dims) && v.Dims[d] != "" {
			names[d] = v.Dims[d]
		}
	}
	return names
}

// isCoordinate reports whether a variable has the values of its only dimension.
func isCoordinate(v formats.Info) bool {
	return len(v.Shape) == 1 && len(v.Dims) == 1 && v.Dims[0] == v.Name
}

// addDim adds the column of a dimension: its coordinate, or indices.
func (g *grid) addDim(c formats.Content, d int) {
	strides := make([]int, len(g.dims))
	strides[d] = 1
	o := &outColumn{info: formats.Info{Name: g.dims[d], DType: dtype.Int64, Shape: g.shape[d : d+1]}, strides: strides}
	for _, v := range c.Vars {
		if isCoordinate(v) && v.Name == g.dims[d] {
			o.info = v
		}
	}
	g.columns = append(g.columns, o)
	if o.info.Dims == nil {
		for i := range g.shape[d] {
			element, _ := dtype.Int64.Encode(strconv.Itoa(i)) // an int
			o.held = append(o.held, element...)
		}
	}
}

// add adds the column of a variable.
func (g *grid) add(v formats.Info) error {
	o := &outColumn{info: v, strides: make([]int, len(g.dims))}
	own := nd.RowMajor.Strides(v.Shape)
	for k, name := range dimNames(v) {
		d := slices.Index(g.dims, name)
		if d < 0 || g.shape[d] != v.Shape[k] {
			return errkind.Errorf(formats.ErrVariable, "%s has the dimension %s (%d), and the table one row for each of %v: a table has variables of one grid",
				v.Name, name, v.Shape[k], g.dims)
		}
		o.strides[d] = own[k]
	}
	g.columns = append(g.columns, o)
	return nil
}

// open makes space for the elements. Those in the order of the rows wait in a file, others in
// memory, of which memory bytes are left.
func (o *outColumn) open(g *grid, memory *int64) error {
	if !isCoordinate(o.info) && slices.Equal(o.strides, nd.RowMajor.Strides(g.shape)) {
		f, err := os.CreateTemp(filepath.Dir(g.path), ".drx-parquet-*")
		if err != nil {
			return err
		}
		o.waiting = f
		return os.Remove(f.Name()) // it lives as long as it is open
	}
	n, err := o.info.Bytes()
	if err != nil {
		return err
	}
	if *memory -= int64(n); *memory < 0 {
		return errkind.Errorf(formats.ErrMemory, "%d bytes for a variable with fewer dimensions than the table, or in another order: %w", n, formats.ErrMemory)
	}
	o.held = make([]byte, n)
	return nil
}

// A sink receives the elements of a variable.
type sink struct {
	*grid
	column *outColumn
}

// Write implements cformat.Sink.
func (s sink) Write(sec nd.Section, buf []byte) error {
	size := s.column.info.DType.Size()
	return formats.Runs(s.column.info.Shape, nil, sec, func(first, at, n int) error {
		run := buf[at*size:][:n*size]
		if s.column.waiting == nil {
			copy(s.column.held[first*size:], run)
			return nil
		}
		_, err := s.column.waiting.WriteAt(run, int64(first)*int64(size))
		return err
	})
}

// Finish implements cformat.Sink.
func (s sink) Finish(complete bool) error {
	s.missing = s.missing || !complete
	return nil
}

// drop closes the files in which elements wait.
func (g *grid) drop() (err error) {
	for _, o := range g.columns {
		if o.waiting != nil {
			err = errors.Join(err, o.waiting.Close())
		}
	}
	return err
}

// Close writes the table, if all elements are there.
func (g *grid) Close() error {
	if g.missing {
		return g.drop()
	}
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return errors.Join(err, g.drop())
	}
	if err = g.write(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(g.path), g.drop())
	}
	return errors.Join(f.Close(), g.drop())
}
