package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/convert"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

// An exportVar is a variable to be written.
type exportVar struct {
	info     convert.Info
	cube     *cube.Cube
	sel      cube.Selection // of the array
	elements []byte         // instead of an array: of a variable of labels
	optional bool           // it is left out if the format has no place for it

	conversion *typeConversion // nil: elements are written as they are stored
}

// arrayVar returns the variable for an array that belongs to no dataset.
func (o *exporting) arrayVar(name string, a *drx.Array) (exportVar, error) {
	c, sel, err := o.cubeOf(o.cmd, a)
	if err != nil {
		return exportVar{}, err
	}
	return newExportVar(name, a.Dims(), c, sel)
}

// datasetVar returns the variable for one of a dataset. Of --sel and --at it takes the dimensions that it has.
func (o *exporting) datasetVar(v *dataset.Variable) (exportVar, error) {
	a, axes := v.Array(), v.Axes()
	sel := cube.Box(axes.Bounds())
	var conditions []string
	for _, text := range o.sel {
		for _, one := range splitConditions(text) {
			if dim, err := conditionDim(one); err != nil {
				return exportVar{}, err
			} else if hasDim(v, dim) {
				conditions = append(conditions, one)
			}
		}
	}
	if conditions != nil {
		method, err := dataset.ParseMethod(o.method)
		if err != nil {
			return exportVar{}, usagef("--method %q: want nearest or exact", o.method)
		}
		if sel, err = axes.Select(method, conditions...); err != nil {
			return exportVar{}, asSelectUsageError(err)
		}
	}
	var fields []string
	for _, field := range fieldsOf(o.at) {
		if dim, _, _ := strings.Cut(field, "="); hasDim(v, dim) {
			fields = append(fields, field)
		}
	}
	if fields != nil {
		sec, err := applyAt(a, axes.Bounds(), axes.Bounds(), strings.Join(fields, ","), labelHint)
		if err != nil {
			return exportVar{}, err
		}
		for d, x := range cube.Box(sec) {
			if !slices.Equal(x, cube.Box(axes.Bounds())[d]) {
				sel[d] = x
			}
		}
	}
	c, err := axes.Cube()
	if err != nil {
		return exportVar{}, err
	}
	return newExportVar(v.Name(), v.Dims(), c, sel)
}

// hasDim reports whether a variable has a dimension, by its name in the dataset or without the path of its group.
func hasDim(v *dataset.Variable, dim string) bool {
	return dim != "" && (slices.Contains(v.Dims(), dim) || slices.Contains(v.Array().Dims(), dim))
}

// splitConditions splits the text of --sel at the commas that are not in quotes.
func splitConditions(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	})
}

// conditionDim returns the dimension of one condition.
func conditionDim(text string) (string, error) {
	parsed, err := cube.ParseConditions(text)
	if err != nil || len(parsed) != 1 {
		return "", usageError{cmp.Or(err, fmt.Errorf("--sel %s: want one condition", text))}
	}
	return parsed[0].Dim, nil
}

// checkDims checks that every dimension of --sel and --at is one of a variable.
func (o *exporting) checkDims(d *dataset.Dataset, chosen []chosenVar) error {
	check := func(flag, dim string) error {
		for _, c := range chosen {
			if v, err := d.Variable(c.name); err != nil {
				return err
			} else if hasDim(v, dim) {
				return nil
			}
		}
		return usagef("%s: no variable that is exported has a dimension %q", flag, dim)
	}
	for _, text := range o.sel {
		for _, one := range splitConditions(text) {
			dim, err := conditionDim(one)
			if err == nil {
				err = check("--sel "+text, dim)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, field := range fieldsOf(o.at) {
		dim, _, _ := strings.Cut(field, "=")
		if err := check("--at "+o.at, dim); err != nil {
			return err
		}
	}
	return nil
}

// newExportVar describes an array as a variable of a file.
func newExportVar(name string, dims []string, c *cube.Cube, sel cube.Selection) (exportVar, error) {
	a := c.Array()
	v := exportVar{cube: c, sel: sel}
	attrs, err := decodeAttrs(a.Attrs())
	if err != nil {
		return v, fmt.Errorf("%s: %w", a.Name(), err)
	}
	v.info = convert.Info{Name: name, DType: a.DType(), Shape: sel.Shape(), Attrs: attrs}
	if strings.Join(dims, "") != "" {
		v.info.Dims = dims
	}
	if fill := a.FillValue(); hasFill(attrs, fill) {
		v.info.Fill = fill
	}
	for d, n := range a.ChunkShape() {
		v.info.Chunk = append(v.info.Chunk, max(1, min(n, v.info.Shape[d])))
	}
	if err := v.restore(a); err != nil {
		return v, err
	}
	movePixels(attrs, sel)
	return v, nil
}

// restore gives a variable what an import has noted about it.
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
	if err == nil {
		_, err = a.Attr(scalarAttr, &scalar)
	}
	if scalar && slices.Equal(v.info.Shape, []int{1}) {
		v.info.Shape, v.info.Dims, v.info.Chunk, v.info.Unlimited = []int{}, nil, nil, nil
	}
	return err
}

// hasFill reports whether the fill value of an array belongs in a file: it is not zero, or an attribute names it.
func hasFill(attrs map[string]any, fill []byte) bool {
	return attrs["_FillValue"] != nil || attrs["missing_value"] != nil || !bytes.Equal(fill, make([]byte, len(fill)))
}

// decodeAttrs returns attributes without those that have a meaning for DRX.
func decodeAttrs(raw map[string]json.RawMessage) (map[string]any, error) {
	var out map[string]any
	for name, text := range raw {
		if isOwn(name) {
			continue
		}
		v, err := convert.DecodeAttr(text)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = v
	}
	return out, nil
}

// labelVars returns variables of strings for the labels of dimensions, one for each name of a dimension.
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
	v := exportVar{optional: true, info: convert.Info{Name: dim, DType: dtype.Uint32, Shape: []int{len(labels)}, Dims: []string{dim}, Labels: labels}}
	for i := range labels {
		v.elements = binary.LittleEndian.AppendUint32(v.elements, uint32(i))
	}
	return v
}

// chunked are the formats whose writers take sections in any order, and are fastest if these are whole chunks. Others may
// be streams.
var chunked = []string{"hdf5", "netcdf", "zarr2", "zarr3", "zarrzip", "geotiff"}

// writeVars writes a section of each variable, together total bytes, to the file at path, and closes its writers.
func (o *exporting) writeVars(ctx context.Context, path string, writers []convert.Writer, vars []exportVar, total int64, section func(v exportVar) nd.Section) (err error) {
	bar := newProgress(o.cmd, total)
	defer bar.end()
	for i, v := range vars {
		if err == nil {
			err = o.writeSection(ctx, path, writers[i], v, section(v), bar)
		}
	}
	for _, w := range writers {
		if closeErr := w.Close(); err == nil && closeErr != nil { // also after an error, so that nothing stays open
			err = fmt.Errorf("%s: %w", path, closeErr)
		}
	}
	return err
}

// writeSection writes a section of a variable.
func (o *exporting) writeSection(ctx context.Context, path string, w convert.Writer, v exportVar, sec nd.Section, bar *progress) error {
	info := v.info
	if !slices.Contains(chunked, o.format) {
		info.Chunk = nil
	}
	write := func(sec nd.Section, buf []byte) error {
		bar.add(len(buf))
		if err := w.WriteSection(sec, buf); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if v.elements != nil { // of rank 1
		size := info.DType.Size()
		return write(sec, v.elements[sec[0].Lo*size:sec[0].Hi*size])
	}
	boxes := info.Boxes(sec, o.boxBytes())
	err := stream(ctx, &selectionReader{v}, boxes, 0, write)
	var read readError
	if errors.As(err, &read) {
		return read.error
	}
	return err
}

// A selectionReader reads a selection of an array as if it were a file.
type selectionReader struct{ v exportVar }

// Info implements convert.Reader.
func (r *selectionReader) Info() convert.Info { return r.v.info }

// ReadSection implements convert.Reader.
func (r *selectionReader) ReadSection(sec nd.Section, buf []byte) error {
	part := slices.Clone(r.v.sel)
	for d := range sec { // none for a scalar
		part[d] = r.v.sel[d].Slice(sec[d].Lo, sec[d].Len())
	}
	stored := func(buf []byte) error { return r.v.cube.Read(part, buf, nil) }
	if r.v.conversion != nil {
		return r.v.conversion.read(sec, buf, stored)
	}
	return stored(buf)
}

// Close implements convert.Reader.
func (r *selectionReader) Close() error { return nil }
