package exchange

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"drx"
	"drx/convert"
	"drx/internal/wording"
	"drx/nd"
)

// places says, for an import with --widen, which indices of DST a file covers, by the names of dimensions; for an array by their
// numbers. The indices may be beyond the bounds of DST. A dimension that has no place is one whose extent must be that of DST.
func (o *importer) places(t *target, f *importFile) (map[string]nd.Range, error) {
	if !o.Widen {
		return nil, nil
	}
	if t.a != nil {
		return o.placesOnGrid(t.a, f)
	}
	found := map[string]nd.Range{}
	for _, dim := range t.d.Dims() {
		i := slices.IndexFunc(f.content.Vars, func(v convert.Info) bool { return v.Name == dim.Name && v.Refused == "" && isCoordinateVar(v) })
		if i < 0 || !dim.HasCoordinate || dim.Name == o.Append {
			continue
		}
		a, err := t.array(dim.Name)
		if err != nil {
			return nil, err
		}
		if found[dim.Name], err = o.align(a, f, f.content.Vars[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// align returns the indices of a coordinate of DST that a file covers. Both coordinates must have values in common, and follow
// the same sequence.
func (o *importer) align(a *drx.Array, f *importFile, v convert.Info) (nd.Range, error) {
	have, got, err := o.bothCoordinates(a, f, v)
	if err != nil {
		return nd.Range{}, err
	}
	size, lo := a.DType().Size(), a.Bounds()[0].Lo
	at, ok := offsetOf(have, got, size)
	if !ok {
		return nd.Range{}, fmt.Errorf("coordinate %s: %s and %s have no values in common (%s and %s), so --widen cannot place the file; append a file that adjoins with --append %s: %w",
			wording.Printable(v.Name), f.name, a.Name(), endsText(a, got), endsText(a, have), wording.Printable(v.Name), drx.ErrBounds)
	}
	before, after := max(0, -at)*size, max(0, len(have)-at*size)
	all := slices.Concat(got[:min(before, len(got))], have, got[min(after, len(got)):])
	if isSorted(a, have) && !isSorted(a, all) {
		return nd.Range{}, fmt.Errorf("coordinate %s: %s and %s together neither ascend nor descend (%s and %s): %w",
			wording.Printable(v.Name), f.name, a.Name(), endsText(a, got), endsText(a, have), drx.ErrBounds)
	}
	return nd.Span(lo+at, lo+at+len(got)/size), nil
}

// offsetOf returns the index in have of the first element of got, negative if got begins before. It is not ok unless the elements
// at indices that both have are equal, and there is one.
func offsetOf(have, got []byte, size int) (at int, ok bool) {
	index := func(list, element []byte) int {
		for i := 0; i < len(list) && len(element) > 0; i += size {
			if bytes.Equal(list[i:i+size], element) {
				return i
			}
		}
		return -1
	}
	n := min(size, len(have), len(got))
	if i := index(have, got[:n]); i >= 0 {
		common := min(len(have)-i, len(got))
		return i / size, bytes.Equal(have[i:i+common], got[:common])
	}
	if i := index(got, have[:n]); i >= 0 {
		common := min(len(got)-i, len(have))
		return -i / size, bytes.Equal(got[i:i+common], have[:common])
	}
	return 0, false
}

// isSorted reports whether the values of a coordinate ascend or descend strictly.
func isSorted(a *drx.Array, elements []byte) bool {
	t, size := a.DType(), a.DType().Size()
	n := len(elements) / size
	value := func(i int) float64 { return t.Float64(elements[i*size:][:size]) }
	for i := 1; i < n; i++ {
		if direction(value(0), value(n-1)) != direction(value(i-1), value(i)) || value(i-1) == value(i) {
			return false
		}
	}
	return true
}

// direction returns 1 for ascending values, -1 for descending ones, 0 for equal ones or NaN.
func direction(from, to float64) int {
	switch {
	case from < to:
		return 1
	case from > to:
		return -1
	}
	return 0
}

// placesOnGrid returns the indices of an array that the only variable of a file covers, as the places of pixels say that both have
// in their attributes.
func (o *importer) placesOnGrid(a *drx.Array, f *importFile) (map[string]nd.Range, error) {
	v, err := o.onlyVar(a, f)
	if err != nil {
		return nil, err
	}
	have, err := decodeAttrs(a.Attrs())
	if err != nil {
		return nil, err
	}
	got := maps.Clone(f.content.Attrs) // an import gives them to the only array
	if got == nil {
		got = map[string]any{}
	}
	maps.Copy(got, v.Attrs)
	shifts, err := pixelShifts(have, got, a.Rank())
	if err != nil {
		return nil, fmt.Errorf("variable %s: --widen: %w", wording.Printable(v.Name), err)
	}
	d, err := dimOf(a, o.Append)
	if err != nil {
		return nil, err
	}
	shape := v.Shape
	if len(shape) == a.Rank()-1 { // a frame
		shape = slices.Insert(slices.Clone(shape), d, 1)
	}
	found := map[string]nd.Range{}
	for k, by := range shifts {
		if k != d && k < len(shape) {
			found[strconv.Itoa(k)] = nd.Span(by, by+shape[k])
		}
	}
	return found, nil
}

// widenTo makes DST cover the places of a file, and reports whether it has grown.
func (t *target) widenTo(places map[string]nd.Range) (grown bool, err error) {
	for _, dim := range slices.Sorted(maps.Keys(places)) {
		now, err := t.dim(dim)
		if err != nil {
			return grown, err
		}
		for _, side := range []struct {
			by  int
			low bool
		}{{now.Lo - places[dim].Lo, true}, {places[dim].Hi - now.Hi, false}} {
			if side.by > 0 {
				if _, err := t.extend(dim, side.by, side.low); err != nil {
					return grown, err
				}
				grown = true
			}
		}
	}
	return grown, nil
}
