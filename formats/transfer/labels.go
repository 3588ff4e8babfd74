package transfer

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"drx"
	"drx/cube"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// columnsAttr has the names of the columns of a table; see package formats.
const columnsAttr = "columns"

// sameLabels checks that the names of indices in a file, as labelsAlong finds them, are the labels
// that the array has in part, along dimension d, which is the variable's dimension own, below 0 if
// it lacks it. Otherwise elements would be stored under labels of other elements.
func (o *comparer) sameLabels(a *drx.Array, f *importFile, v formats.Info, d, own int, part nd.Range) error {
	have, err := labelsOf(a, d)
	if err != nil || len(have) == 0 {
		return err
	}
	dim, got, err := o.files.labelsAlong(f, v, a.Dims()[d], own)
	if err != nil || got == nil {
		return err
	}
	return compareLabels(a.Name(), cmp.Or(dim, strconv.Itoa(d)), have, part, got)
}

// ownDim returns the number that dimension d of an array of some rank has in a variable, which may
// be a slice: one without the dimension that grows or, if none grows, without leading dimensions.
// It is below 0 if the variable lacks the dimension.
func ownDim(rank int, v formats.Info, d, grows int) int {
	missing := rank - len(v.Shape)
	switch {
	case grows < 0:
		return d - missing
	case missing == 0 || d < grows:
		return d
	case d == grows:
		return -1
	}
	return d - missing
}

// labelsAlong returns the names of the indices of a variable along the dimension of some name,
// which is the variable's own dimension number own, or below 0 if it has none: strings of a
// coordinate, labels of an array of DRX, or columns of a table; nil if there are none. dim names
// the dimension.
func (o *fileReader) labelsAlong(f *importFile, v formats.Info, name string, own int) (dim string, labels []string, err error) {
	if c, found := labelsIn(f, v, name); found {
		labels, err = o.readStrings(f, c)
		return name, labels, err
	}
	if f.arrays != nil && own >= 0 {
		return name, f.arrays.labels(v.Name, own), nil
	}
	if own >= 0 && own == len(v.Shape)-1 {
		labels = columnsOf(v)
	}
	return cmp.Or(name, "column"), labels, nil
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
	got := columnsOf(v)
	if got == nil || len(v.Shape) != a.Rank() || d != a.Rank()-1 {
		return nil
	}
	have, err := labelsOf(a, d)
	if err != nil || len(have) == 0 {
		return err
	}
	return compareLabels(a.Name(), cmp.Or(a.Dims()[d], "column"), have, part, got)
}

// columnsOf returns the names of the columns of a table, nil if there are none.
func columnsOf(v formats.Info) (names []string) {
	list, _ := v.Attrs[columnsAttr].([]any)
	for _, name := range list {
		text, _ := name.(string)
		names = append(names, text)
	}
	return names
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

// compareLabels returns an error unless got are the labels in part of a dimension of an array or a
// file. An index without a label accepts any name.
func compareLabels(name string, dim string, have map[int]string, part nd.Range, got []string) error {
	if len(got) != part.Len() {
		return errkind.Errorf(drx.ErrBounds, "coordinate %s: has %d labels, %s has %d there", wording.Printable(dim), len(got), name, part.Len())
	}
	var want []string
	for i := range got {
		want = append(want, have[part.Lo+i])
	}
	for i, label := range got {
		if _, has := have[part.Lo+i]; has && want[i] != label {
			how, hint := "", ""
			if sameNames(got, want) {
				how, hint = "is permuted: ", fmt.Sprintf("; put the file in the order of %s first", name)
			}
			return errkind.Errorf(drx.ErrBounds, "coordinate %s: %svalue %d is %s, that of %s is %s%s", wording.Printable(dim), how, i, wording.Printable(label), name, wording.Printable(want[i]), hint)
		}
	}
	return nil
}
