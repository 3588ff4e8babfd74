package dataset

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
)

// A Rearranger copies an array or a dataset with other indices of one dimension: Cut or Sort
// chooses them, then Copy copies. Before Copy, Close it.
type Rearranger struct {
	Rearrangement
	// Extent is the number of indices of the dimension, before and after.
	Extent [2]int
	// Variables are those that Copy copies, in a dataset sorted by name.
	Variables []RearrangedVariable

	from string
	dims []string
	a    *drx.Array // whose indices are selected
	d    *Dataset   // nil if the array belongs to none
	v    *Variable  // of d
	axes *Axes
}

// A RearrangedVariable is a variable of a copy with other indices.
type RearrangedVariable struct {
	Name    string
	Shape   []int // of the copy
	Bytes   int64 // of all its elements
	Changes bool  // it has the dimension
}

// NewRearranger opens an array or a dataset for reading; an array takes precedence over a dataset
// of the same name unless the name ends in a slash. dims are the dimensions that the caller will
// use: the first variable of a dataset that has all of them stands for the others.
//
// The error wraps fs.ErrInvalid if the array belongs to a dataset, ErrDim if the dataset has no
// such dimension, ErrVariable if none of its variables has all of them, or is that of drx.Open.
func NewRearranger(from string, dims ...string) (*Rearranger, error) {
	r := &Rearranger{from: from, dims: dims}
	isArray, err := drx.Exists(from)
	if err != nil {
		return nil, err
	}
	if isArray && !os.IsPathSeparator(from[len(from)-1]) {
		err = r.openArray()
	} else {
		err = r.openDataset()
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// openArray opens an array that belongs to no dataset.
func (r *Rearranger) openArray() (err error) {
	if r.a, err = drx.Open(r.from, drx.Options{}); err != nil {
		return err
	}
	if folder, _, err := Find(r.from); err != nil || folder != "" {
		return cmp.Or(err, errkind.Errorf(fs.ErrInvalid, "%s belongs to the dataset %s, whose other variables have the same indices: copy the dataset", r.from, folder))
	}
	r.axes, err = AxesOf(r.a)
	return err
}

// openDataset opens a dataset and the first of its variables that has some dimensions.
func (r *Rearranger) openDataset() (err error) {
	if r.d, err = Open(r.from, drx.Options{}); err != nil {
		return err
	}
	names := r.d.Variables()
	for _, name := range r.dims {
		dim, err := r.d.Dim(name)
		if err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(v string) bool { return !slices.Contains(dim.Variables, v) })
	}
	if len(names) == 0 && len(r.dims) > 0 {
		return errkind.Errorf(ErrVariable, "no variable of %s has %s: select indices of one dimension", r.from, strings.Join(r.dims, " and "))
	}
	if len(names) == 0 {
		return errkind.Errorf(ErrVariable, "%s has no variables", r.from)
	}
	if r.v, err = r.d.Variable(names[0]); err == nil {
		r.a, r.axes = r.v.Array(), r.v.Axes()
	}
	return err
}

// Array returns the array whose indices are chosen: of a dataset one of those with the dimension.
func (r *Rearranger) Array() *drx.Array { return r.a }

// Variable returns the variable of the dataset whose array Array returns, nil for an array alone.
func (r *Rearranger) Variable() *Variable { return r.v }

// Axes returns the dimensions of Array.
func (r *Rearranger) Axes() *Axes { return r.axes }

// Cut chooses all indices but the selected ones, which belong to one dimension. The error wraps
// ErrValue if several dimensions, nothing or everything is selected.
func (r *Rearranger) Cut(selected cube.Selection) error {
	bounds, k := r.axes.Bounds(), -1
	for d, x := range selected {
		if x.Len() == bounds[d].Len() {
			continue
		}
		if k >= 0 {
			return errkind.Errorf(ErrValue, "indices of dimensions %s and %s are selected: select indices of one dimension", r.axes.dimName(k), r.axes.dimName(d))
		}
		k = d
	}
	if k < 0 && len(r.dims) > 0 {
		return errkind.Errorf(ErrValue, "all indices of %s are selected: nothing would be left", strings.Join(r.dims, ", "))
	}
	if k < 0 {
		return errkind.Errorf(ErrValue, "nothing is selected: select what is to be left out of one dimension")
	}
	return r.choose(k, Without(bounds[k], selected[k]))
}

// Sort chooses all indices of a dimension of Array in the order of its coordinate or labels. The
// error wraps ErrValue if an index has no value, ErrDim if there is neither.
func (r *Rearranger) Sort(k int) error {
	coordinate, err := r.axes.Coordinate(k)
	if err != nil {
		return err
	}
	if coordinate != nil {
		sorted, err := coordinate.Sorted()
		if err != nil {
			return err
		}
		return r.choose(k, sorted)
	}
	names, err := r.axes.Cube()
	if err != nil {
		return err
	}
	first, labels := names.Labels(k)
	if bounds := r.axes.Bounds()[k]; len(labels) != bounds.Len() || first != bounds.Lo {
		return errkind.Errorf(ErrDim, "%s: dimension %s has neither a coordinate nor a label for each index", r.from, r.axes.dimName(k))
	}
	return r.choose(k, SortedBy(first, labels))
}

// choose sets the indices, and describes the copy.
func (r *Rearranger) choose(k int, indices cube.Indices) error {
	r.Indices, r.Extent, r.Variables = indices, [2]int{r.axes.Bounds()[k].Len(), indices.Len()}, nil
	if r.d == nil {
		if r.Dim = r.a.Dims()[k]; r.Dim == "" {
			r.Dim = strconv.Itoa(k)
		}
		r.add(r.a.Name(), r.a, r.axes.Bounds(), k)
		return nil
	}
	if r.Dim = r.v.Dims()[k]; r.Dim == "" {
		return errkind.Errorf(ErrDim, "%s: dimension %d of %s has no name, so no other variable has it: copy the variable alone", r.from, k, r.v.Name())
	}
	for _, name := range r.d.Variables() {
		v, err := r.d.Variable(name)
		if err != nil {
			return err
		}
		r.add(name, v.Array(), v.Bounds(), slices.Index(v.Dims(), r.Dim))
	}
	return nil
}

// add adds a variable; k is -1 for one that does not have the dimension.
func (r *Rearranger) add(name string, a *drx.Array, bounds nd.Section, k int) {
	shape := bounds.Shape()
	if k >= 0 {
		shape[k] = r.Extent[1]
	}
	n, _ := nd.Product(shape...) // of an array
	r.Variables = append(r.Variables, RearrangedVariable{name, shape, int64(n * a.DType().Size()), k >= 0})
}

// Copy copies to a new array or dataset; see Rearrange for the errors. It closes what is open.
func (r *Rearranger) Copy(ctx context.Context, to string, o RearrangeOptions) error {
	if r.d == nil {
		return errors.Join(RearrangeArray(ctx, r.a, to, r.Rearrangement, o), r.Close())
	}
	if err := r.Close(); err != nil { // Rearrange keeps writers out
		return err
	}
	return Rearrange(ctx, filepath.Clean(r.from), to, r.Rearrangement, o)
}

// Close closes what is open.
func (r *Rearranger) Close() (err error) {
	switch {
	case r.d != nil:
		err = r.d.Close()
	case r.a != nil:
		err = r.a.Close()
	}
	r.a, r.d, r.v = nil, nil, nil
	return err
}
