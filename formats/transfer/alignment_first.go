package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"drx/cube"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// A firstAxis is what the first file has along a dimension for which the array has no coordinate.
// Files that come after it are compared with it, as the array itself cannot say what its indices
// are.
type firstAxis struct {
	file   string
	labels []string
	values *values
}

// sameAsFirst checks that a file has the labels or the coordinate of the first file along a
// dimension that does not grow.
func (x *Alignment) sameAsFirst(f *importFile, v formats.Info, d, grows int) error {
	first := &x.first[d]
	own := ownDim(x.a.Rank(), v, d, grows)
	dim, labels, err := x.o.files.labelsAlong(f, v, cmp.Or(x.a.Dims()[d], ownDimName(v, own)), own)
	if err != nil {
		return err
	}
	if labels != nil {
		if first.labels == nil {
			first.file, first.labels = f.name, labels
			return nil
		}
		have := map[int]string{}
		for i, label := range first.labels {
			have[i] = label
		}
		return compareLabels(first.file, cmp.Or(dim, strconv.Itoa(d)), have, nd.Span(0, len(have)), labels)
	}
	c, found := x.coordinateIn(f, v, cmp.Or(x.a.Dims()[d], ownDimName(v, own)), d)
	if !found || c.Labels != nil || len(c.Shape) == 0 {
		return nil
	}
	got, err := x.o.files.readValues(f, c, first.values)
	if err != nil {
		return err
	}
	if first.values == nil {
		first.file, first.values = f.name, got
		return nil
	}
	return compareCoordinates(c.Name, first.file, *first.values, *got, orderHint(*first.values, *got, first.file))
}

// ownDimName returns the name of a dimension of a variable, "" if it has none.
func ownDimName(v formats.Info, own int) string {
	if dims := ownDims(v); own >= 0 && own < len(dims) {
		return dims[own]
	}
	return ""
}

// readValues returns the values of a coordinate of a file, in the units and the type of others, if
// they are given.
func (o *fileReader) readValues(f *importFile, c formats.Info, like *values) (*values, error) {
	m, err := meaningOfVar(c, nil)
	if err != nil {
		return nil, err
	}
	elements, err := o.readWhole(f, c)
	if err != nil || like == nil {
		return &values{m: m, elements: elements, digits: lastDigits[c.DType]}, err
	}
	conv, err := compare("the first file", m, like.m, meaning.Nearest)
	if err == nil && conv != nil {
		elements, err = conv.Apply(elements)
	}
	if err != nil {
		return nil, fmt.Errorf("coordinate %s: %w", wording.Printable(c.Name), err)
	}
	return &values{m: like.m, elements: elements, digits: max(like.digits, lastDigits[c.DType])}, nil
}

// LabelLike gives the array, which is new, the labels and levels of a variable of the first file
// along all dimensions but the one that grows. It returns the names of the coordinates along these
// dimensions, which the array, being alone, does not get. Labels that are empty or occur twice stay
// in the file.
func (x *Alignment) LabelLike(file string, v formats.Info, grows int) (lost []string, err error) {
	if file == "-" || x.o.AsStored {
		return nil, nil
	}
	f, err := x.open(file)
	if err != nil {
		return nil, err
	}
	if v.Name == "" && len(f.content.Vars) == 1 {
		v = f.content.Vars[0]
	}
	c, err := cube.Of(x.a)
	if err != nil {
		return nil, err
	}
	for d := range x.a.Rank() {
		own := ownDim(x.a.Rank(), v, d, grows)
		if own < 0 || x.coordinates[d] != nil {
			continue
		}
		if d != grows {
			if err := x.labelAlong(c, f, v, d, own); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		} else if err := setLevels(c, f, v, d, own); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if one, found := x.coordinateIn(f, v, ownDimName(v, own), d); found && one.Labels == nil && len(one.Shape) > 0 {
			lost = append(lost, one.Name)
		}
	}
	return lost, nil
}

// labelAlong gives dimension d of a new array the labels and levels of a variable.
func (x *Alignment) labelAlong(c *cube.Cube, f *importFile, v formats.Info, d, own int) error {
	_, labels, err := x.o.files.labelsAlong(f, v, ownDimName(v, own), own)
	if err != nil || len(labels) != x.a.Shape()[d] || slices.Contains(labels, "") || hasTwice(labels) {
		return err
	}
	if err := c.SetLabels(d, labels); err != nil {
		return err
	}
	return setLevels(c, f, v, d, own)
}

func hasTwice(labels []string) bool {
	sorted := slices.Sorted(slices.Values(labels))
	return len(slices.Compact(sorted)) < len(labels)
}

// setLevels gives a dimension the levels of a variable, if it is an array of DRX.
func setLevels(c *cube.Cube, f *importFile, v formats.Info, d, own int) error {
	if f.arrays == nil {
		return nil
	}
	levels, err := f.arrays.levels(v.Name, own)
	if err != nil {
		return err
	}
	for name, groups := range levels {
		if err := c.SetLevel(d, name, groups); err != nil {
			return err
		}
	}
	return nil
}
