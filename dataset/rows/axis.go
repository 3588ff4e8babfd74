package rows

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/cftime"
	"drx/formats/texttable"
	"drx/internal/errkind"
	"drx/nd"
)

// An axis is a cube.Axis of a dataset's dimension. store stores new labels; it is called once,
// after the last Grow.
type axis interface {
	cube.Axis
	store() error
}

// newAxis returns the axis of a dimension: that of its coordinate, of its labels, or of indices.
func newAxis(d *dataset.Dataset, dim string, o texttable.Options) (axis, error) {
	known, err := d.Dim(dim)
	if err != nil {
		return nil, err
	}
	if known.HasCoordinate {
		return newCoordinateAxis(d, known, o)
	}
	x := &labelAxis{d: d, dim: dim, first: known.Bounds.Lo, next: known.Bounds.Hi, index: map[string]int{}}
	first, labels, err := labelsOf(d, known)
	if err != nil {
		return nil, err
	}
	x.fixed = len(labels) == 0 && known.Bounds.Len() > 0
	if !x.fixed && len(labels) > 0 && first+len(labels) != known.Bounds.Hi {
		return nil, errkind.Errorf(dataset.ErrDim, "dimension %s: indices from %d on have no labels: give all of them labels first", dim, first+len(labels))
	}
	for i, label := range labels {
		x.index[label] = first + i
	}
	return x, nil
}

// labelsOf returns the labels of a dimension, those of the first variable that has some.
func labelsOf(d *dataset.Dataset, dim dataset.Dim) (first int, labels []string, err error) {
	for _, name := range dim.Variables {
		v, err := d.Variable(name)
		if err != nil {
			return 0, nil, err
		}
		c, err := cube.Of(v.Array())
		if err != nil {
			return 0, nil, err
		}
		if first, labels := c.Labels(slices.Index(v.Dims(), dim.Name)); len(labels) > 0 {
			return first, labels, nil
		}
	}
	return 0, nil, nil
}

// copyLabels gives a new variable the labels of its dimensions.
func copyLabels(d *dataset.Dataset, v *dataset.Variable) error {
	for k, name := range v.Dims() {
		dim, err := d.Dim(name)
		if err != nil {
			return err
		}
		first, labels, err := labelsOf(d, dim)
		if err != nil || len(labels) == 0 {
			return err
		}
		c, err := cube.Of(v.Array())
		if err != nil {
			return err
		}
		if err := c.AddLabels(k, first, labels); err != nil {
			return err
		}
	}
	return nil
}

// A labelAxis maps labels to indices.
type labelAxis struct {
	d           *dataset.Dataset
	dim         string
	first, next int // indices: of the dimension, and behind the last label
	fixed       bool
	index       map[string]int
	added       []string
}

// Check implements cube.Axis.
func (x *labelAxis) Check(text string) error {
	if _, known := x.index[text]; known {
		return nil
	}
	if x.fixed {
		i, err := strconv.Atoi(text)
		if err != nil || i < x.first || i >= x.next {
			return errkind.Errorf(cube.ErrLabel, "dimension %s has neither labels nor a coordinate, and %q is no index in %v", x.dim, text, nd.Span(x.first, x.next))
		}
		return nil
	}
	if text == "" {
		return errkind.Of(cube.ErrBlank, errkind.Errorf(cube.ErrLabel, "dimension %s: %w", x.dim, cube.ErrBlank))
	}
	if err := texttable.CheckText(text); err != nil {
		return errkind.Errorf(cube.ErrLabel, "dimension %s: label %w", x.dim, err)
	}
	return nil
}

// Index implements cube.Axis.
func (x *labelAxis) Index(text string) (int, error) {
	if i, known := x.index[text]; known {
		return i, nil
	}
	if x.fixed {
		return strconv.Atoi(text)
	}
	text = strings.Clone(text)
	x.index[text] = x.next
	x.added = append(x.added, text)
	x.next++
	return x.next - 1, nil
}

// Grow implements cube.Axis.
func (x *labelAxis) Grow() error { return growTo(x.d, x.dim, x.next) }

// growTo extends a dimension to an upper bound.
func growTo(d *dataset.Dataset, name string, hi int) error {
	dim, err := d.Dim(name)
	if err != nil || dim.Bounds.Hi >= hi {
		return err
	}
	_, err = d.Extend(name, hi-dim.Bounds.Hi)
	return err
}

// Label implements cube.Axis.
func (x *labelAxis) Label(index int) string {
	for label, i := range x.index {
		if i == index {
			return label
		}
	}
	return strconv.Itoa(index)
}

// store gives all variables with the dimension the new labels.
func (x *labelAxis) store() error {
	dim, err := x.d.Dim(x.dim)
	if err != nil || len(x.added) == 0 {
		return err
	}
	for _, name := range dim.Variables {
		v, err := x.d.Variable(name)
		if err != nil {
			return err
		}
		c, err := cube.Of(v.Array())
		if err != nil {
			return err
		}
		if err := c.AddLabels(slices.Index(v.Dims(), x.dim), x.next-len(x.added), x.added); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// A coordinateAxis maps the values of a coordinate to indices.
type coordinateAxis struct {
	d        *dataset.Dataset
	dim      string
	a        *drx.Array    // the coordinate
	units    *cftime.Units // nil for numbers
	times    *texttable.Times
	texts    map[string]int // indices of texts that were read
	values   map[any]int    // of cftime.Time or float64
	added    [][]byte       // elements that are not written yet
	next     int            // index of the next value
	last     cftime.Time
	unsorted bool
}

// newCoordinateAxis reads the coordinate of a dimension.
func newCoordinateAxis(d *dataset.Dataset, dim dataset.Dim, o texttable.Options) (*coordinateAxis, error) {
	c, err := d.Coordinate(dim.Name)
	if err != nil {
		return nil, err
	}
	v, err := d.Variable(dim.Name)
	if err != nil {
		return nil, err
	}
	x := &coordinateAxis{
		d: d, dim: dim.Name, a: v.Array(), times: o.Times(), next: dim.Bounds.Hi,
		texts: map[string]int{}, values: make(map[any]int, dim.Bounds.Len()),
	}
	for _, name := range []string{"scale_factor", "add_offset"} {
		if _, packed := x.a.Attrs()[name]; packed {
			return nil, errkind.Errorf(drx.ErrDType, "coordinate %s is packed by %s, and does not grow by values of tables", dim.Name, name)
		}
	}
	if u, ok := c.Units(); ok {
		x.units = &u
	}
	for i := c.Bounds().Lo; i < c.Bounds().Hi; i++ {
		if t, ok := c.Time(i); ok {
			x.values[t], x.last = i, t
		} else if n := c.Float64(i); x.units == nil && !math.IsNaN(n) {
			x.values[n] = i
		}
	}
	return x, nil
}

// parse returns the value of a text, and its element in the coordinate.
func (x *coordinateAxis) parse(text string) (value any, element []byte, err error) {
	fail := func(err error) (any, []byte, error) {
		return nil, nil, errkind.Of(cube.ErrLabel, fmt.Errorf("dimension %s: %w", x.dim, err))
	}
	if text == "" {
		return fail(errkind.Of(cube.ErrLabel, cube.ErrBlank))
	}
	t := x.a.DType()
	if x.units == nil {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) {
			return fail(errkind.Errorf(cube.ErrLabel, "%.40q is not a number, as in its coordinate", text))
		}
		if element, err = t.Encode(text); err != nil {
			return fail(err)
		}
		return t.Float64(element), element, nil
	}
	at, err := x.times.Parse(text)
	if err != nil {
		return fail(err)
	}
	n, whole := x.units.ValueInt(at)
	number := strconv.FormatInt(n, 10)
	if !whole && !t.IsFloat() {
		return fail(errkind.Errorf(cube.ErrLabel, "%s is no whole number of %s, as its coordinate has them in %v", text, x.a.Attrs()["units"], t))
	} else if !whole {
		number = strconv.FormatFloat(x.units.Value(at), 'g', -1, 64)
	}
	element, err = t.Encode(number)
	if err != nil {
		return fail(err)
	}
	if t.IsFloat() { // rounded, as the coordinate has it
		if at, err = x.units.Time(t.Float64(element)); err != nil {
			return fail(err)
		}
	}
	return at, element, nil
}

// Check implements cube.Axis.
func (x *coordinateAxis) Check(text string) error {
	if _, known := x.texts[text]; known {
		return nil
	}
	_, _, err := x.parse(text)
	return err
}

// Index implements cube.Axis.
func (x *coordinateAxis) Index(text string) (int, error) {
	if i, known := x.texts[text]; known {
		return i, nil
	}
	value, element, err := x.parse(text)
	if err != nil {
		return 0, err
	}
	i, known := x.values[value]
	if !known {
		i, x.next = x.next, x.next+1
		x.values[value] = i
		x.added = append(x.added, element)
		if t, ok := value.(cftime.Time); ok {
			x.unsorted = x.unsorted || len(x.values) > 1 && t.Compare(x.last) < 0
			x.last = t
		}
	}
	x.texts[strings.Clone(text)] = i
	return i, nil
}

// Grow implements cube.Axis.
func (x *coordinateAxis) Grow() error {
	if len(x.added) == 0 {
		return nil
	}
	if err := growTo(x.d, x.dim, x.next); err != nil {
		return err
	}
	err := x.a.WriteBytes(nd.Section{nd.Span(x.next-len(x.added), x.next)}, slices.Concat(x.added...), nil)
	x.added = nil
	return err
}

// Label implements cube.Axis.
func (x *coordinateAxis) Label(index int) string {
	for text, i := range x.texts {
		if i == index {
			return text
		}
	}
	return strconv.Itoa(index)
}

// store implements axis.
func (x *coordinateAxis) store() error { return nil }
