package regrid

import (
	"path"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/dataset/stats"
	"drx/internal/errkind"
)

// specOf describes the new variable: its shape, chunks and codec, with the type and the fill value
// of the old one. The error wraps cube.ErrLabel if a dimension that changes has labels.
func (j *job) specOf(v *dataset.Variable) (drx.Spec, error) {
	a := v.Array()
	bounds := v.Bounds()
	lo, _ := bounds.Bounds()
	spec := drx.Spec{
		DType: a.DType(), Lo: lo, Shape: bounds.Shape(), ChunkShape: slices.Clone(a.ChunkShape()), Order: a.Layout().ElementOrder, Dims: a.Dims(),
		FillValue: a.DType().Format(a.FillValue()), Codec: a.Layout().Codec, Source: a.Name(),
	}
	c, err := cube.Of(a)
	if err != nil {
		return spec, err
	}
	for d, dim := range v.Dims() {
		x := j.axes[dim]
		if x == nil {
			continue
		}
		if _, labels := c.Labels(d); len(labels) > 0 {
			return spec, errkind.Errorf(cube.ErrLabel, "%s: dimension %s has labels, between which nothing lies: drx stats can group them", a.Name(), dim)
		}
		spec.Lo[d], spec.Shape[d] = 0, x.n
		spec.ChunkShape[d] = max(1, min(spec.ChunkShape[d], x.n))
	}
	return spec, nil
}

// isAuxiliary reports whether an attribute "coordinates" names a variable.
func (j *job) isAuxiliary(v *dataset.Variable) bool {
	for _, name := range j.names {
		other, err := j.d.Variable(name)
		if err == nil && slices.Contains(strings.Fields(textOf(other.Array(), "coordinates")), path.Base(v.Name())) {
			return true
		}
	}
	return false
}

// carryAttrs adds attributes that are still valid: names of other variables of the dataset, and
// labels and homes of dimensions that do not change.
func (j *job) carryAttrs(v *dataset.Variable, attrs map[string]any) {
	old := v.Array().Attrs()
	for _, name := range []string{"coordinates", "grid_mapping"} {
		if value, has := old[name]; has {
			attrs[name] = value
		}
	}
	for name, value := range old {
		_, isLabel := cube.LabelDim(name)
		_, _, isLevel := cube.LevelOf(name)
		if isLabel || isLevel || strings.HasPrefix(name, dataset.HomeAttr) {
			attrs[name] = value
		}
	}
}

// dropGeoreference removes attributes that locate elements along dimensions that change.
func (j *job) dropGeoreference(v *dataset.Variable, attrs map[string]any) {
	rank := len(v.Dims())
	for d, dim := range v.Dims() {
		if j.axes[dim] == nil {
			continue
		}
		meaning.DropWorldAxis(attrs, rank-d)
		if d >= rank-2 {
			delete(attrs, "geotransform")
		}
	}
}

// scaleTransform sets GDAL's geotransform for windows of pixels, whose outer corner stays.
func (j *job) scaleTransform(v *dataset.Variable, attrs map[string]any) {
	var t []float64
	rank := len(v.Dims())
	if found, err := v.Array().Attr("geotransform", &t); err != nil || !found || len(t) != 6 || rank < 2 {
		return
	}
	by := [2]float64{1, 1} // rows, columns
	for k := range by {
		if x := j.axes[v.Dims()[rank-2+k]]; x != nil {
			by[k] = float64(x.window)
		}
		if by[k] == 0 { // times are no pixels
			delete(attrs, "geotransform")
			return
		}
	}
	attrs["geotransform"] = []float64{t[0], t[1] * by[1], t[2] * by[0], t[3], t[4] * by[1], t[5] * by[0]}
}

// planPicked plans a variable whose elements are copied in their stored form: all of them, or the
// nearest.
func (j *job) planPicked(v *dataset.Variable) error {
	a := v.Array()
	spec, err := j.specOf(v)
	if err != nil {
		return err
	}
	attrs := stats.CopiedAttrs(a)
	if j.changes(v) {
		if m, err := meaning.Of(a.DType(), a.FillValue(), a.Attrs(), nil); err == nil && m.Indices() > 0 {
			return j.leaveOut(v, "its indices have scales or missing values of their own")
		}
		j.dropGeoreference(v, attrs)
		for _, name := range []string{"cell_measures", "actual_range"} {
			delete(attrs, name)
		}
		j.report.Variables = append(j.report.Variables, v.Name())
	}
	delete(attrs, "GeoTransform") // of a grid mapping; the coordinates replace it
	spec.Attrs = attrs
	j.outputs[v.Name()] = output{spec, func(to *drx.Array) error { return j.fillPicked(v, to) }}
	return nil
}
