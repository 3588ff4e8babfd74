package stats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout"
)

// A SaveReport is what Save has created.
type SaveReport struct {
	Dataset   string   // the folder of the dataset; empty for an array by itself
	Variables []string // the names of the statistics, as drx.Open takes them
}

// Save stores the result of a request about array a under a new name, with the coordinates and
// labels of the remaining dimensions. If a has no coordinates and there is only one statistic, the
// result is an array. Otherwise it is a dataset with a variable for each statistic. If name lies in
// a dataset, there must be one statistic: it becomes a variable of that dataset and shares its
// coordinates. With one statistic the variable has the name of the array; with several, the name of
// the statistic is added, as in rain_mean.
//
// The variables have the units of their statistic and the attribute cell_methods of the CF
// conventions. Values without elements are missing. What Save creates appears when it is complete.
//
// The error wraps fs.ErrExist if the name is taken, drx.ErrRank if several statistics are to become
// one variable or if two dimensions would have one name, dataset.ErrDim if the dataset has other
// coordinates than the result, or is the error of creating arrays.
func Save(ctx context.Context, name string, a *drx.Array, axes *dataset.Axes, req *Request, r *Result) (made SaveReport, err error) {
	s := &saver{ctx: ctx, a: a, axes: axes, req: req, r: r, vars: map[string]saved{}}
	defer func() { err = errors.Join(err, s.close()) }()
	folder, variable, err := dataset.Find(name)
	if err != nil {
		return SaveReport{}, err
	}
	if err := s.plan(path.Base(variable), folder != ""); err != nil {
		return SaveReport{}, fmt.Errorf("%s: %w", a.Name(), err)
	}
	switch {
	case folder != "":
		return s.intoDataset(folder, path.Dir(variable))
	case len(s.vars) == 1:
		return s.asArray(name)
	}
	err = dataset.CreateFilled(name, drx.Options{}, func(d *dataset.Dataset) error { return s.createIn(d, "") })
	return SaveReport{name, s.names(name)}, err
}

// A saver stores a result.
type saver struct {
	ctx  context.Context
	a    *drx.Array
	axes *dataset.Axes
	req  *Request
	r    *Result

	dims    []string         // the names of the dimensions of the result
	lo      []int            // their low bounds
	labels  map[string]any   // the attributes with their labels
	vars    map[string]saved // what to create, by name
	results []string         // the keys of vars that are statistics
	opened  []*drx.Array     // coordinates of the array, until the end
}

// A saved is an array to create, with its elements: data, or a selection of another array.
type saved struct {
	spec drx.Spec
	data []byte
	from *cube.Cube
	sel  cube.Selection
}

// savedBytes is the number of bytes of another array that are read at once.
const savedBytes = 16 << 20

// parts calls f with the elements, part after part.
func (v saved) parts(ctx context.Context, f func(sec nd.Section, elements []byte) error) error {
	lo, hi := make([]int, len(v.spec.Shape)), make([]int, len(v.spec.Shape))
	for d, n := range v.spec.Shape {
		if v.spec.Lo != nil {
			lo[d] = v.spec.Lo[d]
		}
		hi[d] = lo[d] + n
	}
	if v.from == nil {
		return f(nd.Box(lo, hi), v.data)
	}
	size := v.spec.DType.Size()
	return cube.Box(nd.Box(lo, hi)).Parts(nil, size, savedBytes, func(part cube.Selection) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		sec, _ := part.Section() // of a section
		of := make(cube.Selection, len(sec))
		for d, r := range sec {
			of[d] = v.sel[d].Slice(r.Lo-lo[d], r.Len())
		}
		n, _ := nd.Product(part.Shape()...) // it is in memory
		buf := make([]byte, n*size)
		if err := v.from.Read(of, buf, nil); err != nil {
			return err
		}
		return f(sec, buf)
	})
}

// fill writes the elements of a new array.
func (v saved) fill(ctx context.Context, a *drx.Array) error {
	return v.parts(ctx, func(sec nd.Section, elements []byte) error { return a.WriteBytes(sec, elements, nil) })
}

// plan describes what to create. own is the name of the variable in a dataset that exists.
func (s *saver) plan(own string, inDataset bool) error {
	if inDataset && len(s.r.Columns) > 1 {
		return errkind.Errorf(drx.ErrRank, "%d statistics cannot become the variable %q: choose one, or a name outside of the dataset", len(s.r.Columns), own)
	}
	if err := s.planDims(); err != nil {
		return err
	}
	carried, mapping, err := s.planCompanions()
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(drx.BaseName(s.a.Name())), drx.OneFileExt)
	if inDataset {
		base = own
	}
	for k := range s.r.Columns {
		c := &s.r.Columns[k]
		name := base
		if len(s.r.Columns) > 1 {
			name += "_" + c.Func.String()
		}
		attrs, err := s.attrsOf(c.Func)
		if err != nil {
			return err
		}
		if carried != "" {
			attrs["coordinates"] = carried
		}
		if mapping != "" {
			attrs["grid_mapping"] = mapping
		}
		if _, twice := s.vars[strings.TrimSuffix(name, drx.OneFileExt)]; twice {
			return errkind.Errorf(drx.ErrRank, "two results would both be called %q", name)
		}
		s.vars[name] = s.columnOf(c, attrs)
		s.results = append(s.results, name)
	}
	return nil
}

// columnOf describes the array of a statistic. If integers have cells without elements, the fill
// value is one that no other cell has.
func (s *saver) columnOf(c *Column, attrs map[string]any) saved {
	spec := drx.Spec{DType: c.DType, Shape: s.r.Shape(), Lo: s.lo, Dims: s.dims, Attrs: attrs}
	if len(spec.Shape) == 0 { // arrays have dimensions; an export makes a scalar of it
		spec.Shape, spec.Lo, spec.Dims = []int{1}, nil, nil
		attrs["import.scalar"] = true
	}
	for name, value := range s.labels {
		attrs[name] = value
	}
	if c.DType == dtype.Float64 {
		spec.FillValue = "NaN"
		return saved{spec: spec, data: c.Data}
	}
	data := append([]byte{}, c.Data...)
	used, empty := map[string]bool{}, []int{}
	for i := range s.r.Count {
		if s.r.Has(c, i) {
			used[string(c.Value(i))] = true
		} else {
			empty = append(empty, i)
		}
	}
	if len(empty) == 0 {
		return saved{spec: spec, data: data}
	}
	fill := []byte{0, 0, 0, 0, 0, 0, 0, 0x80} // the smallest int64
	for used[string(fill)] {
		fill[0]++ // there are at most 2^28 values; the next byte follows
		for i := 0; fill[i] == 0; i++ {
			fill[i+1]++
		}
	}
	for _, i := range empty {
		copy(data[8*i:], fill)
	}
	spec.FillValue = c.DType.Format(fill)
	return saved{spec: spec, data: data}
}

// asArray creates the array of the only statistic. The array is marked as incomplete until all its
// elements are written.
func (s *saver) asArray(name string) (SaveReport, error) {
	v := s.vars[s.results[0]]
	v.spec.Options = drx.Options{Incomplete: true}
	a, err := drx.Create(name, v.spec)
	if err != nil {
		return SaveReport{}, err
	}
	if err = v.fill(s.ctx, a); err == nil {
		err = a.DeleteAttr(relayout.IncompleteAttr)
	}
	if err != nil {
		return SaveReport{}, errors.Join(err, a.Discard(), drx.Remove(a.Name()))
	}
	return SaveReport{Variables: []string{a.Name()}}, a.Close()
}

// createIn creates the arrays in a dataset, all at the same moment.
func (s *saver) createIn(d *dataset.Dataset, group string) error {
	specs, fills := map[string]drx.Spec{}, map[string]saved{}
	for name, v := range s.vars {
		full := path.Join(group, name)
		specs[full], fills[strings.TrimSuffix(full, drx.OneFileExt)] = v.spec, v
	}
	return d.CreateAll(nil, specs, func(name string, a *drx.Array) error {
		return fills[name].fill(s.ctx, a)
	})
}

// intoDataset creates the arrays in a dataset that exists. Coordinates that it has must agree.
func (s *saver) intoDataset(folder, group string) (SaveReport, error) {
	d, err := dataset.Open(folder, drx.Options{Write: true})
	if err != nil {
		return SaveReport{}, err
	}
	for name, v := range s.vars {
		if name == s.results[0] || err != nil {
			continue
		}
		var there bool
		if there, err = s.agrees(d, path.Join(group, name), v); there {
			delete(s.vars, name)
		}
	}
	if err == nil {
		err = s.createIn(d, group)
	}
	if err != nil {
		return SaveReport{}, errors.Join(err, d.Discard())
	}
	return SaveReport{folder, s.names(filepath.Join(folder, filepath.FromSlash(group)))}, d.Close()
}

// agrees reports whether a dataset has the variable. The error wraps dataset.ErrDim if the variable
// there differs.
func (s *saver) agrees(d *dataset.Dataset, name string, v saved) (bool, error) {
	known, err := d.Variable(name)
	if errors.Is(err, dataset.ErrVariable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a := known.Array()
	differs := errkind.Errorf(dataset.ErrDim, "%s: the coordinate %s has other values than the result: choose a name outside of the dataset", d.Folder(), name)
	if lo, _ := a.Bounds().Bounds(); a.DType() != v.spec.DType || !slices.Equal(a.Shape(), v.spec.Shape) || v.spec.Lo != nil && !slices.Equal(lo, v.spec.Lo) {
		return true, differs
	}
	return true, v.parts(s.ctx, func(sec nd.Section, want []byte) error {
		got := make([]byte, len(want))
		if err := a.ReadBytes(sec, got, nil); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return differs
		}
		return nil
	})
}

// names returns the names of the statistics in a folder.
func (s *saver) names(folder string) (names []string) {
	for _, name := range s.results {
		names = append(names, filepath.Join(folder, name))
	}
	return names
}

// labelsOf returns the labels of some indices of a dimension, nil if one has none.
func labelsOf(c *cube.Cube, dim int, x cube.Indices) (names []string) {
	first, all := c.Labels(dim)
	for k := range x.Len() {
		if i := x.At(k) - first; i >= 0 && i < len(all) {
			names = append(names, all[i])
			continue
		}
		return nil
	}
	return names
}
