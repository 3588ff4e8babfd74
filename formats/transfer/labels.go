package transfer

import (
	"cmp"
	"path"
	"slices"

	"drx"
	"drx/cube"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// columnsAttr has the names of the columns of a table; see package formats.
const columnsAttr = "columns"

// sameLabels checks that the names of indices in a file, strings of a coordinate or columns of a
// table, are the labels that the array has in part, along dimension d. Otherwise elements would be
// stored under labels of other elements.
func (o *comparer) sameLabels(a *drx.Array, f *importFile, v formats.Info, d int, part nd.Range) error {
	c, found := labelsIn(f, v, a.Dims()[d])
	if !found {
		return sameColumns(a, v, d, part)
	}
	have, err := labelsOf(a, d)
	if err != nil || len(have) == 0 {
		return err
	}
	got, err := o.files.readStrings(f, c)
	if err != nil {
		return err
	}
	return compareLabels(a, cmp.Or(a.Dims()[d], c.Name), have, part, got)
}

// labelsIn returns the coordinate of strings of a dimension of a variable, from its group or the
// nearest enclosing one.
func labelsIn(f *importFile, v formats.Info, dim string) (formats.Info, bool) {
	for group := path.Dir(v.Name); dim != ""; group = path.Dir(group) {
		i := slices.IndexFunc(f.content.Vars, func(c formats.Info) bool {
			return c.Labels != nil && isCoordinateVar(c) && c.Name == path.Join(group, dim) && c.Refused == ""
		})
		if i >= 0 {
			return f.content.Vars[i], true
		}
		if group == "." || group == "/" {
			break
		}
	}
	return formats.Info{}, false
}

// sameColumns is sameLabels for the columns of a table, the labels of its last dimension.
func sameColumns(a *drx.Array, v formats.Info, d int, part nd.Range) error {
	list, _ := v.Attrs[columnsAttr].([]any)
	if len(list) == 0 || len(v.Shape) != a.Rank() || d != a.Rank()-1 {
		return nil
	}
	have, err := labelsOf(a, d)
	if err != nil || len(have) == 0 {
		return err
	}
	var got []string
	for _, name := range list {
		text, _ := name.(string)
		got = append(got, text)
	}
	return compareLabels(a, cmp.Or(a.Dims()[d], "column"), have, part, got)
}

// labelsOf returns the labels of a dimension of an array, by their indices.
func labelsOf(a *drx.Array, d int) (map[int]string, error) {
	c, err := cube.Of(a)
	if err != nil {
		return nil, err
	}
	first, labels := c.Labels(d)
	have := make(map[int]string, len(labels))
	for i, label := range labels {
		have[first+i] = label
	}
	return have, nil
}

// compareLabels returns an error unless got are the labels in part of a dimension. An index without
// a label accepts any name.
func compareLabels(a *drx.Array, dim string, have map[int]string, part nd.Range, got []string) error {
	if len(got) != part.Len() {
		return errkind.Errorf(drx.ErrBounds, "coordinate %s: has %d labels, %s has %d there", wording.Printable(dim), len(got), a.Name(), part.Len())
	}
	var want []string
	for i := range got {
		want = append(want, have[part.Lo+i])
	}
	for i, label := range got {
		if _, has := have[part.Lo+i]; has && want[i] != label {
			how := ""
			if sameNames(got, want) {
				how = "is permuted: "
			}
			return errkind.Errorf(drx.ErrBounds, "coordinate %s: %svalue %d is %s, that of %s is %s", wording.Printable(dim), how, i, wording.Printable(label), a.Name(), wording.Printable(want[i]))
		}
	}
	return nil
}
