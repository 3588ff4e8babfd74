package transfer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// An exportVar is a variable to be written.
type exportVar struct {
	info     formats.Info
	cube     *cube.Cube
	sel      cube.Selection                         // of the array
	elements []byte                                 // of labels, or a small variable
	values   func(sec nd.Section, buf []byte) error // computes a section, without an array
	optional bool                                   // left out if the format cannot hold it
	axes     *dataset.Axes                          // nil for labels
	unpack   *scaling                               // nil: numbers are written as they are stored

	conversion *typeConversion     // nil: elements are written as they are stored
	unified    *meaning.Conversion // replaces all marks of missing values by one; nil for none
	meant      *meant              // converts to the meaning of an existing file; nil for none
	round      func([]byte) error  // rounds elements that are to be written; nil for none
	frames     formats.CodecSpec   // of chunks to be copied as they are stored
}

// arrayVar returns the variable for an array that belongs to no dataset or is exported alone.
func (o *exporter) arrayVar(name string, a *drx.Array) (exportVar, error) {
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return exportVar{}, err
	}
	sel, err := o.selector().Array(a, axes)
	if err != nil {
		return exportVar{}, err
	}
	c, err := axes.Cube()
	if err != nil {
		return exportVar{}, err
	}
	return o.newExportVar(name, a.Dims(), c, sel, axes)
}

// selections returns the selection of each variable of a dataset. Indices select from the named
// variable; the other variables get the same selection along the dimensions that they share with
// it.
func (o *exporter) selections(variables []*dataset.Variable, names []string) ([]cube.Selection, error) {
	all := make([]cube.Selection, len(variables))
	if !o.isArray || !o.selector().ByIndices() {
		err := o.selector().Check(variables)
		for i, v := range variables {
			if err == nil {
				all[i], err = o.selector().Variable(v)
			}
		}
		return all, err
	}
	first := variables[slices.IndexFunc(variables, func(v *dataset.Variable) bool { return v.Name() == names[0] })]
	chosen, err := o.selector().Array(first.Array(), first.Axes())
	if err != nil {
		return nil, err
	}
	for i, v := range variables {
		all[i] = cube.Box(v.Bounds())
		for d, dim := range v.Dims() {
			if k := slices.Index(first.Dims(), dim); k >= 0 && dim != "" {
				all[i][d] = chosen[k]
			}
		}
		if v == first {
			all[i] = chosen
		}
	}
	return all, nil
}

// datasetVar returns the exportVar for a selection of a variable of a dataset.
func (o *exporter) datasetVar(v *dataset.Variable, sel cube.Selection) (exportVar, error) {
	axes := v.Axes()
	c, err := axes.Cube()
	if err != nil {
		return exportVar{}, err
	}
	return o.newExportVar(v.Name(), v.Dims(), c, sel, axes)
}

// newExportVar describes an array as a variable of a file.
func (o *exporter) newExportVar(name string, dims []string, c *cube.Cube, sel cube.Selection, axes *dataset.Axes) (exportVar, error) {
	a := c.Array()
	v := exportVar{cube: c, sel: sel, axes: axes}
	attrs, err := decodeAttrs(a.Attrs())
	if err != nil {
		return v, fmt.Errorf("%s: %w", a.Name(), err)
	}
	v.info = formats.Info{Name: name, DType: a.DType(), Shape: sel.Shape(), Attrs: attrs}
	if strings.Join(dims, "") != "" {
		v.info.Dims = dims
	}
	if fill := a.FillValue(); hasFill(a.DType(), attrs, fill) {
		v.info.Fill = fill
	}
	for d, n := range a.ChunkShape() {
		v.info.Chunk = append(v.info.Chunk, max(1, min(n, v.info.Shape[d])))
	}
	if err := v.restore(a); err != nil {
		return v, err
	}
	if removed := movePixels(attrs, sel); len(removed) > 0 {
		o.printNote("%s: what is selected is not evenly spaced: without the attributes %s", wording.Printable(name), strings.Join(removed, ", "))
	}
	selectLists(attrs, a.Bounds(), sel)
	return v, nil
}

// restore restores the properties of a variable that an import has noted in attributes.
func (v *exportVar) restore(a *drx.Array) error {
	var numbers []int
	var scalar bool
	found, err := a.Attr(unlimitedAttr, &numbers)
	if err == nil && found {
		v.info.Unlimited = make([]bool, len(v.info.Shape))
		for _, d := range numbers {
			if d >= 0 && d < len(v.info.Unlimited) {
				v.info.Unlimited[d] = true
			}
		}
	}
	if err == nil {
		_, err = a.Attr(stringsAttr, &v.info.Labels)
	}
	if v.info.Labels != nil {
		delete(v.info.Attrs, "_Encoding") // of bytes: readers would decode the strings twice
		if v.info.DType == dtype.Int32 {
			v.info.DType = dtype.Uint32 // Python numbers strings by signed integers, none of them negative
		}
	}
	if err == nil {
		_, err = a.Attr(scalarAttr, &scalar)
	}
	if scalar && slices.Equal(v.info.Shape, []int{1}) {
		v.info.Shape, v.info.Dims, v.info.Chunk, v.info.Unlimited = []int{}, nil, nil, nil
	}
	return err
}

// hasFill reports whether the fill value of an array belongs in a file: if it is not zero, or an
// attribute says that it marks missing values. Otherwise readers would take every zero in the file
// for a missing value.
func hasFill(t dtype.DType, attrs map[string]any, fill []byte) bool {
	if attrs["_FillValue"] != nil || !bytes.Equal(fill, make([]byte, len(fill))) {
		return true
	}
	element, ok := attrElement(t, attrs["missing_value"])
	return ok && bytes.Equal(element, fill)
}

// labelVars returns variables of strings for the labels of dimensions, one per name of a dimension.
func labelVars(vars []exportVar) (made []exportVar) {
	names := map[string]bool{}
	for _, v := range vars {
		names[v.info.Name] = true
	}
	for _, v := range vars {
		for d, dim := range v.info.Dims {
			if v.cube == nil || dim == "" || names[dim] {
				continue
			}
			if labels := selectedLabels(v.cube, d, v.sel[d]); labels != nil {
				names[dim] = true
				made = append(made, labelVar(dim, labels))
			}
		}
	}
	return made
}

// selectedLabels returns the labels of the selected indices, or nil if one of them has none.
func selectedLabels(c *cube.Cube, d int, x cube.Indices) (labels []string) {
	begin, all := c.Labels(d)
	if len(all) == 0 {
		return nil
	}
	for k := range x.Len() {
		i := x.At(k) - begin
		if i < 0 || i >= len(all) {
			return nil
		}
		labels = append(labels, all[i])
	}
	return labels
}

func labelVar(dim string, labels []string) exportVar {
	v := exportVar{optional: true, info: formats.Info{Name: dim, DType: dtype.Uint32, Shape: []int{len(labels)}, Dims: []string{dim}, Labels: labels}}
	for i := range labels {
		v.elements = binary.LittleEndian.AppendUint32(v.elements, uint32(i))
	}
	return v
}
