package stats

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/cftime"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// planDims sets the names, low bounds, labels and coordinates of the dimensions of the result. A
// dimension of one range of indices keeps them; other indices are numbered from 0.
func (s *saver) planDims() error {
	c, err := s.axes.Cube()
	if err != nil {
		return err
	}
	s.labels = map[string]any{}
	for k, x := range s.r.Axes {
		name, lo := s.a.Dims()[x.Dim], 0
		if x.Group == nil && len(x.Cells) == 1 && x.Cells[0].Stride() == 1 {
			lo = x.Cells[0].Lo
		}
		if x.Group != nil && x.Group.Label != "" {
			name = x.Group.Label
		}
		if name != "" && slices.Contains(s.dims, name) {
			return errkind.Errorf(drx.ErrRank, "two dimensions of the result would be called %q", name)
		}
		s.dims, s.lo = append(s.dims, name), append(s.lo, lo)
		names, err := s.planAxis(c, x, name, lo)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			s.labels[cube.LabelAttr(k, lo)] = names
		}
	}
	return nil
}

// planAxis plans the coordinate of a dimension of the result, or returns its labels.
func (s *saver) planAxis(c *cube.Cube, x Axis, name string, lo int) (labels []string, err error) {
	g, cells := x.Group, x.Cells
	if g != nil && g.indices == nil {
		return s.planGroups(g, name)
	}
	if g != nil {
		cells = nil
		for _, ends := range g.indices {
			cells = cells.Append(single(ends[g.named]))
		}
	}
	if labels := labelsOf(c, x.Dim, cells); len(labels) > 0 {
		return labels, s.checkDistinct(labels, x.Dim)
	}
	from, err := s.coordinate(x.Dim)
	if from == nil || err != nil {
		return nil, err
	}
	v, err := s.gathered(from, []string{name}, cube.Selection{cells}, []int{lo})
	if err != nil {
		return nil, err
	}
	s.vars[name] = v
	if g != nil {
		return nil, s.planCells(from, v.spec.Attrs, name, g)
	}
	return nil, s.carryBounds(from, v.spec.Attrs)
}

// checkDistinct returns an error if a label occurs twice, as when an index is selected twice.
func (s *saver) checkDistinct(labels []string, dim int) error {
	seen := map[string]bool{}
	for _, label := range labels {
		if seen[label] {
			return errkind.Errorf(drx.ErrRank, "dimension %s: two results would have the label %q", dimName(s.a, dim), label)
		}
		seen[label] = true
	}
	return nil
}

// planGroups plans the coordinate of groups that are not ranges of indices, or returns their
// labels.
func (s *saver) planGroups(g *Grouping, name string) (labels []string, err error) {
	if g.periods != nil {
		return nil, s.planPeriods(g, name)
	}
	if !g.numbers {
		return g.Names, nil
	}
	v := saved{spec: drx.Spec{DType: dtype.Int32, Shape: []int{len(g.Names)}, Dims: []string{name}, Attrs: map[string]any{"units": "1"}}}
	for _, text := range g.Names {
		b, err := dtype.Int32.Encode(text)
		if err != nil {
			return nil, err
		}
		v.data = append(v.data, b...)
	}
	s.vars[name] = v
	return nil, nil
}

// planPeriods plans the coordinate of periods: their beginnings, with beginnings and ends as its
// bounds.
func (s *saver) planPeriods(g *Grouping, name string) error {
	from, err := s.coordinate(g.Dim)
	if err != nil {
		return err
	}
	c, err := s.axes.Coordinate(g.Dim)
	if err != nil {
		return err
	}
	units, _ := c.Units()
	t := from.DType()
	of, err := meaningOf(from)
	if err != nil {
		return err
	}
	fits := !t.IsFloat() && !of.IsPacked() && !of.OtherSign()
	for _, p := range g.periods {
		for _, time := range p {
			n, whole := units.ValueInt(time)
			_, err := t.Encode(strconv.FormatInt(n, 10))
			fits = fits && whole && err == nil
		}
	}
	if !fits {
		t = dtype.Float64
	}
	encode := func(time cftime.Time) []byte {
		if !fits {
			b, _ := t.EncodeValue(units.Value(time)) // any number fits
			return b
		}
		n, _ := units.ValueInt(time)
		b, _ := t.Encode(strconv.FormatInt(n, 10)) // it was tried
		return b
	}
	attrs := PlainAttrs(from)
	attrs["bounds"] = name + "_bnds"
	delete(attrs, "climatology")
	begins := saved{spec: drx.Spec{DType: t, Shape: []int{len(g.periods)}, Dims: []string{name}, Attrs: attrs}}
	ends := boundsOf(t, name, len(g.periods))
	for _, p := range g.periods {
		begins.data = append(begins.data, encode(p[0])...)
		ends.data = append(append(ends.data, encode(p[0])...), encode(p[1])...)
	}
	s.vars[name], s.vars[name+"_bnds"] = begins, ends
	return nil
}

// boundsOf describes the bounds of a coordinate. They have no attributes of their own.
func boundsOf(t dtype.DType, name string, n int) saved {
	return saved{spec: drx.Spec{DType: t, Shape: []int{n, 2}, Dims: []string{name, "bnds"}}}
}

// planCells plans the bounds of groups of indices: the coordinates of their first and last index.
func (s *saver) planCells(from *drx.Array, attrs map[string]any, name string, g *Grouping) error {
	attrs["bounds"] = name + "_bnds"
	v := boundsOf(from.DType(), name, len(g.indices))
	v.spec.FillValue = from.DType().Format(from.FillValue())
	c, err := cube.Of(from)
	if err != nil {
		return err
	}
	for _, ends := range g.indices {
		b := make([]byte, 2*from.DType().Size())
		sel := single(ends[0]).Append(single(ends[1]))
		if err := c.Read(cube.Selection{sel}, b, nil); err != nil {
			return err
		}
		v.data = append(v.data, b...)
	}
	// The bounds are packed like the coordinate, whose attributes apply to them.
	s.vars[name+"_bnds"] = v
	return nil
}

// coordinate opens the coordinate of a dimension, nil if it has none.
func (s *saver) coordinate(dim int) (*drx.Array, error) {
	c, err := dataset.OpenCoordinate(s.a, dim)
	if c != nil && c != s.a {
		s.opened = append(s.opened, c)
	}
	return c, err
}

// open opens another array of the dataset, nil if there is none.
func (s *saver) open(name string) (*drx.Array, error) {
	a, err := drx.Open(name, drx.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		s.opened = append(s.opened, a)
	}
	return a, err
}

// close closes the arrays that were opened.
func (s *saver) close() (err error) {
	for _, a := range s.opened {
		err = errors.Join(err, a.Close())
	}
	return err
}

// gathered describes a selection of another array. The elements are copied in their stored form.
func (s *saver) gathered(from *drx.Array, dims []string, sel cube.Selection, lo []int) (saved, error) {
	c, err := cube.Of(from)
	if err != nil {
		return saved{}, err
	}
	attrs := CopiedAttrs(from)
	maps.DeleteFunc(attrs, func(attr string, _ any) bool { return isOfIndices(attr) })
	spec := drx.Spec{DType: from.DType(), Shape: sel.Shape(), Lo: lo, Dims: dims, FillValue: from.DType().Format(from.FillValue()), Attrs: attrs}
	return saved{spec: spec, from: c, sel: sel}, nil
}

// planCompanions plans the grid mapping and the auxiliary coordinates all of whose dimensions
// remain, such as the latitudes of a curvilinear grid. It returns the values of the attributes
// coordinates and grid_mapping.
func (s *saver) planCompanions() (coordinates, mapping string, err error) {
	var carried []string
	for _, name := range strings.Fields(textOf(s.a, "coordinates")) {
		done, err := s.carry(filepath.Dir(s.a.Name()), name, false)
		if err != nil {
			return "", "", err
		}
		if done {
			carried = append(carried, name)
		}
	}
	if name := textOf(s.a, "grid_mapping"); name != "" && name == filepath.Base(name) {
		done, err := s.carry(filepath.Dir(s.a.Name()), name, false)
		if err != nil {
			return "", "", err
		}
		if done {
			mapping = name
		}
	}
	return strings.Join(carried, " "), mapping, nil
}

// carry plans a copy of an array of the dataset, with the indices that the result has. It returns
// false if the array does not exist or has a dimension that does not remain. With bounds, the array
// may have a dimension of its own, for the edges of a cell.
func (s *saver) carry(folder, name string, bounds bool) (bool, error) {
	if _, known := s.vars[name]; known {
		return true, nil
	}
	from, err := s.open(filepath.Join(folder, filepath.Base(name)))
	if from == nil || err != nil {
		return false, err
	}
	sel, lo := make(cube.Selection, from.Rank()), make([]int, from.Rank())
	for d, dim := range from.Dims() {
		r := from.Bounds()[d]
		sel[d], lo[d] = cube.Indices{r}, r.Lo
		own := slices.Index(s.a.Dims(), dim)
		if own < 0 && (bounds || from.Rank() == 1 && r.Len() == 1) {
			continue // the edges, or a scalar
		}
		k := slices.IndexFunc(s.r.Axes, func(x Axis) bool { return x.Dim == own && x.Group == nil })
		if own < 0 || k < 0 || dim == "" {
			return false, nil
		}
		sel[d], lo[d] = s.r.Axes[k].Cells, s.lo[k]
	}
	v, err := s.gathered(from, from.Dims(), sel, lo)
	if err != nil {
		return false, err
	}
	s.vars[name] = v
	return true, s.carryBounds(from, v.spec.Attrs)
}

// carryBounds plans a copy of the bounds of a coordinate, or removes the attribute that names them.
func (s *saver) carryBounds(from *drx.Array, attrs map[string]any) error {
	name := textOf(from, "bounds")
	if name == "" {
		return nil
	}
	done, err := s.carry(filepath.Dir(from.Name()), name, true)
	if !done {
		delete(attrs, "bounds")
	}
	return err
}

// textOf returns a text attribute, "" without it.
func textOf(a *drx.Array, name string) string {
	var text string
	_, _ = a.Attr(name, &text) // it is not text
	return text
}

// originPrefixes begin the names of attributes about how an array was made.
var originPrefixes = []string{"relayout.", "import.sources", "import.progress", "import.unlimited", "import.variable"}

// CopiedAttrs returns the attributes of an array that also apply to a copy of its elements, as they
// are stored: all but those about how it was made.
func CopiedAttrs(a *drx.Array) map[string]any {
	attrs := map[string]any{}
	for name, value := range a.Attrs() {
		if !slices.ContainsFunc(originPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			attrs[name] = json.RawMessage(value)
		}
	}
	return attrs
}

// isOfIndices reports whether an attribute concerns the indices of the array that it belongs to.
func isOfIndices(attr string) bool {
	return strings.HasPrefix(attr, "labels/") || strings.HasPrefix(attr, "levels/") || strings.HasPrefix(attr, "dataset.")
}

// packing are the attributes that describe how numbers are stored, which of them are missing, and
// the range and the flags of the stored numbers.
var packing = []string{
	"_FillValue", "missing_value", "nodata", "scale_factor", "add_offset", "_Unsigned", "valid_min", "valid_max", "valid_range",
	"actual_range", "flag_values", "flag_masks", "flag_meanings", "_Encoding",
}

// PlainAttrs returns the attributes of an array that also apply to its values as float64.
func PlainAttrs(a *drx.Array) map[string]any {
	attrs := CopiedAttrs(a)
	maps.DeleteFunc(attrs, func(name string, _ any) bool {
		return isOfIndices(name) || strings.HasPrefix(name, "import.") || slices.Contains(packing, name) || meaning.IsRoundingAttr(name)
	})
	return attrs
}

// single returns a list of one index.
func single(index int) cube.Indices { return cube.Indices{nd.At(index).By(1)} }
