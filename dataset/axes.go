package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
)

// Axes are the dimensions of an array with the names of its indices: labels, see package cube, or
// the values of a coordinate. They are a snapshot of the time when they were made. They are not
// safe for concurrent use.
type Axes struct {
	a      *drx.Array
	dims   []string // their names in the dataset; nil if the array was opened by its name
	cube   *cube.Cube
	bounds nd.Section
	find   func(dim int) (*Coordinate, error) // nil for a dimension without coordinate
	read   map[int]*Coordinate
}

// Axes returns the dimensions of a variable with the coordinates of the dataset.
func (v *Variable) Axes() *Axes {
	x := newAxes(v.a, v.Bounds(), func(dim int) (*Coordinate, error) {
		name := v.Dims()[dim]
		if name == "" || !v.d.scan.dims[name].HasCoordinate {
			return nil, nil
		}
		return v.d.Coordinate(name)
	})
	x.dims = v.Dims()
	return x
}

// AxesOf returns the dimensions of an array that was opened by its name. A coordinate is an array
// with the name of a dimension, in the folder of the array or an enclosing one that belongs to the
// same dataset. If the folder of the array has a Marker, and is thus a dataset, the bounds are
// those that readers of the dataset see; otherwise they are those of the array. The error is that
// of drx.Open for a coordinate.
func AxesOf(a *drx.Array) (*Axes, error) {
	p, err := scopeOf(a.Name())
	if err != nil {
		return nil, err
	}
	bounds, err := p.clipped(a)
	if err != nil {
		return nil, err
	}
	return newAxes(a, bounds, func(dim int) (c *Coordinate, err error) {
		err = p.withCoordinate(a, dim, func(found *drx.Array) error {
			c, err = newCoordinate(found, bounds[dim])
			return err
		})
		return c, err
	}), nil
}

func newAxes(a *drx.Array, bounds nd.Section, find func(dim int) (*Coordinate, error)) *Axes {
	return &Axes{a: a, bounds: bounds, find: find, read: map[int]*Coordinate{}}
}

// Cube returns the array with its labels. For an index without a label, Cube.Label returns the
// value of the coordinate. The error wraps drx.ErrCorrupt for wrong labels.
func (x *Axes) Cube() (*cube.Cube, error) {
	if x.cube != nil {
		return x.cube, nil
	}
	c, err := cube.Of(x.a)
	if err != nil {
		return nil, err
	}
	x.cube = c.WithNames(func(dim, index int) string {
		coordinate, err := x.Coordinate(dim)
		if err != nil || coordinate == nil {
			return "" // without a value, the index serves as label
		}
		return coordinate.Text(index)
	})
	return x.cube, nil
}

// Bounds returns the bounds of the array as readers of its dataset see them.
func (x *Axes) Bounds() nd.Section { return append(nd.Section(nil), x.bounds...) }

// Coordinate returns the coordinate of a dimension of the array, nil if it has none. It returns the
// error of Dataset.Coordinate.
func (x *Axes) Coordinate(dim int) (*Coordinate, error) {
	c, known := x.read[dim]
	if known || x.a.Dims()[dim] == "" {
		return c, nil
	}
	c, err := x.find(dim)
	if err == nil {
		x.read[dim] = c
	}
	return c, err
}

// Select returns the selection of conditions. Dimensions without a condition are selected entirely:
//
//	time=2013-01-01..2013-02-01     a range of values, including both ends, and all of the last day
//	lat=50.2                        one value, see Method
//	time=2013-01                    all times of January
//	lat=50..60                      on ascending and descending coordinates; 60..50 on descending ones, too
//	lat=50..                        50 and everything above
//	store=3|4                       several labels or values, in this order
//
// The syntax is that of cube.Cube.Select. A dimension with labels is selected by labels, others by
// their coordinates. The error wraps cube.ErrWhere for a syntax error, drx.ErrRank for a dimension
// that does not exist or is given twice, ErrDim for a dimension with neither labels nor a
// coordinate, cube.ErrLabel for an unknown label, ErrValue for a wrong value, or drx.ErrBounds for
// an index that is selected twice.
func (x *Axes) Select(m Method, conditions ...string) (cube.Selection, error) {
	sel, given := cube.Box(x.bounds), map[int]bool{}
	err := x.eachCondition(conditions, func(dim int, items []cube.Item) (err error) {
		if given[dim] {
			return errkind.Errorf(drx.ErrRank, "dimension %s is given twice", x.dimName(dim))
		}
		given[dim] = true
		if sel[dim], err = x.indices(m, dim, items); err != nil {
			return fmt.Errorf("%s: %w", x.a.Name(), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sel, nil
}

// eachCondition calls f with the dimension and the items of each condition, in order.
func (x *Axes) eachCondition(conditions []string, f func(dim int, items []cube.Item) error) error {
	for _, text := range conditions {
		parsed, err := cube.ParseConditions(text)
		if err != nil {
			return err
		}
		for _, condition := range parsed {
			dim, err := x.dim(condition.Dim)
			if err != nil {
				return err
			}
			if err := f(dim, condition.Items); err != nil {
				return err
			}
		}
	}
	return nil
}

// dim returns the number of a dimension, given by its number, its name in the array or, of a
// variable, in the dataset.
func (x *Axes) dim(name string) (int, error) {
	dim, err := x.a.Dim(name)
	if k := slices.Index(x.dims, name); err != nil && k >= 0 {
		return k, nil
	}
	return dim, err
}

// indices returns the indices of a dimension selected by the items of a condition.
func (x *Axes) indices(m Method, dim int, items []cube.Item) (cube.Indices, error) {
	named, err := x.Cube()
	if err != nil {
		return nil, err
	}
	if _, labels := named.Labels(dim); len(labels) > 0 {
		return named.Resolve(dim, items)
	}
	c, err := x.Coordinate(dim)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errkind.Errorf(ErrDim, "dimension %s has neither labels nor a coordinate, an array of that name and rank 1 in the folder", x.dimName(dim))
	}
	found, err := c.Select(m, items)
	if err != nil {
		return nil, fmt.Errorf("dimension %s: %w", x.dimName(dim), err)
	}
	return found, nil
}

// dimName returns the quoted name of a dimension, or its number if it has none.
func (x *Axes) dimName(dim int) string {
	if name := x.a.Dims()[dim]; name != "" {
		return strconv.Quote(name)
	}
	return strconv.Itoa(dim)
}

// A scope lists the folders in which an array finds its coordinates: its own folder first, then the
// enclosing folders of the same dataset up to the dataset itself.
type scope struct {
	folders  []string
	declared bool   // folders[0] is a dataset or a group of one
	variable string // the name of the array in the dataset
}

// scopeOf returns the scope of the array with a name, which need not exist. Folders are named
// relative to the same directory as the array.
func scopeOf(array string) (scope, error) {
	abs, err := filepath.Abs(array)
	if err != nil {
		return scope{}, err
	}
	p := scope{folders: []string{filepath.Dir(array)}, variable: filepath.Base(array)}
	if p.declared, err = isDeclared(p.folders[0]); err != nil || !p.declared {
		return p, err
	}
	for folder := filepath.Dir(abs); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		outer := filepath.Join(p.folders[len(p.folders)-1], "..")
		belongs, err := isDeclared(outer)
		if errors.Is(err, fs.ErrPermission) { // a folder that cannot be read is no dataset of this array
			belongs, err = false, nil
		}
		if err != nil {
			return scope{}, err
		}
		if !belongs {
			break
		}
		p.folders, p.variable = append(p.folders, outer), path.Join(filepath.Base(folder), p.variable)
	}
	return p, nil
}

// dataset returns the folder of the dataset.
func (p scope) dataset() string { return p.folders[len(p.folders)-1] }

// Find returns the dataset of the array with a name, which need not exist: the folder of the
// dataset and the name of the variable, with the extension of a one-file array if array has it.
// folder is empty if the folder of the array has no Marker and thus is no dataset. The error is the
// file system's.
func Find(array string) (folder, variable string, err error) {
	p, err := scopeOf(drx.BaseName(array))
	if err != nil || !p.declared {
		return "", "", err
	}
	return p.dataset(), p.variable, nil
}

// foldersOf returns the folders that may contain the coordinate of a dimension of an array.
func (p scope) foldersOf(a *drx.Array, own string) []string {
	full := homesOf(a)[own]
	if full == "" || !p.declared {
		return p.folders
	}
	outer, _ := split(full)
	home := []string{filepath.Join(p.dataset(), filepath.FromSlash(outer))}
	if group, _ := split(p.variable); isAround(full, group) {
		return home
	}
	return append(home, p.folders...)
}

// OpenCoordinate opens the coordinate of a dimension of an array that was opened by its name, by
// the rules of AxesOf. It returns a itself if a is the coordinate, and nil if there is none. The
// caller must close the result unless it is a.
func OpenCoordinate(a *drx.Array, dim int) (*drx.Array, error) {
	p, err := scopeOf(a.Name())
	if err != nil {
		return nil, err
	}
	return p.openCoordinate(a, dim)
}

// withCoordinate calls f with the coordinate of a dimension, if there is one. The coordinate is
// open only during the call.
func (p scope) withCoordinate(a *drx.Array, dim int, f func(*drx.Array) error) error {
	c, err := p.openCoordinate(a, dim)
	if c == nil || err != nil {
		return err
	}
	if err = f(c); c != a {
		err = errors.Join(err, c.Close())
	}
	return err
}

func (p scope) openCoordinate(a *drx.Array, dim int) (*drx.Array, error) {
	own := a.Dims()[dim]
	if own == "" || own != filepath.Base(own) || hidden(own) {
		return nil, nil
	}
	if own == variableOf(filepath.Base(a.Name())) && a.Rank() == 1 {
		return a, nil
	}
	for _, folder := range p.foldersOf(a, own) {
		name := filepath.Join(folder, own)
		c, err := drx.Open(name, drx.Options{})
		if errors.Is(err, fs.ErrNotExist) || err != nil && p.isBeingCreated(name) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.Rank() == 1 && c.Dims()[0] == own {
			return c, nil
		}
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// isBeingCreated reports whether an array in one of the folders does not exist yet for readers,
// because the writer that creates it has not committed it.
func (p scope) isBeingCreated(array string) bool {
	name, err := filepath.Rel(p.dataset(), array)
	if err != nil {
		return false
	}
	c, _ := readMarker(p.dataset())
	return slices.ContainsFunc(c.Arrays, func(creating string) bool { return variableOf(creating) == filepath.ToSlash(name) })
}

// clipped returns the bounds of an array as readers of its dataset see them.
func (p scope) clipped(a *drx.Array) (nd.Section, error) {
	bounds := a.Bounds()
	if !p.declared {
		return bounds, nil
	}
	alone := false // without a coordinate, the variables determine the bounds of a dimension
	for dim, own := range a.Dims() {
		found := own == ""
		err := p.withCoordinate(a, dim, func(c *drx.Array) error {
			bounds[dim], found = overlap(bounds[dim], c.Bounds()[0]), true
			return nil
		})
		if err != nil {
			return nil, err
		}
		alone = alone || !found
	}
	if !alone {
		return bounds, nil
	}
	c, err := readCatalogue(p.dataset())
	if err != nil {
		return nil, err
	}
	if v := c.vars[variableOf(p.variable)]; v != nil {
		for dim, full := range v.dims {
			if full != "" && dim < len(bounds) {
				bounds[dim] = overlap(bounds[dim], c.dims[full].Bounds)
			}
		}
	}
	return bounds, nil
}
