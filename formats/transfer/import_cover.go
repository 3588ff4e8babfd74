package transfer

import (
	"maps"
	"slices"
	"strconv"

	"drx"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// covered returns, for an import with the option Widen, the indices of DST that a file covers, by
// the names of dimensions or, for an array, by their numbers. The indices may lie beyond the bounds
// of DST. A dimension that is not in the map must have the extent of DST.
func (o *comparer) covered(t *target, f *importFile) (map[string]nd.Range, error) {
	if !o.Widen {
		return nil, nil
	}
	if t.a != nil {
		return o.pixelRanges(t.a, f)
	}
	found := map[string]nd.Range{}
	for _, dim := range t.d.Dims() {
		i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool { return v.Name == dim.Name && v.Refused == "" && isCoordinateVar(v) })
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
	return found, o.coverByRasters(o.into, f, found)
}

// coverByRasters adds to found the indices that rasters of a file cover along dimensions without a
// coordinate, from the geotransforms in both sets of attributes.
func (o *planner) coverByRasters(there *dstState, f *importFile, found map[string]nd.Range) error {
	for _, a := range there.vars {
		source, err := o.nameInFile(there, a, f)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool { return v.Name == source && v.Refused == "" })
		if i < 0 || a.rank() < 2 {
			continue
		}
		v := f.content.Vars[i]
		have, err := decodeAttrs(a.attrs)
		if err != nil {
			return err
		}
		g, has := sixNumbers(have["geotransform"])
		h, hasToo := sixNumbers(v.Attrs["geotransform"])
		if !has || !hasToo {
			continue
		}
		shifts, err := rasterShifts(g, h, a.rank())
		if err != nil {
			return errorf("%s%v: %w", inVariable(v), option("widen"), err)
		}
		for k, by := range shifts {
			dim, own := a.along[k], k-a.rank()+len(v.Shape) // a slice lacks a dimension before its pixels
			known := slices.ContainsFunc(there.vars, func(c dstVar) bool { return c.isCoordinate && c.along[0] == dim })
			if _, done := found[dim]; own >= 0 && !known && !done && dim != o.Append {
				found[dim] = nd.Span(by, by+v.Shape[own])
			}
		}
	}
	return nil
}

// align returns the indices of a coordinate of DST that a file covers. Both coordinates must have
// values in common, in the same sequence.
func (o *comparer) align(a *drx.Array, f *importFile, v formats.Info) (nd.Range, error) {
	have, got, err := o.bothCoordinates(a, a.Bounds()[0], f, v)
	if err != nil {
		return nd.Range{}, err
	}
	how := "have no values in common, or not in the same order"
	different := howOrdered(have, got)
	if different != "" {
		how = "have values in another order: that of the file " + different
	}
	at, ok := offsetOf(have, got)
	if !ok || different != "" {
		return nd.Range{}, errkind.Of(drx.ErrBounds, errorf("coordinate %s: %s and %s %s (%s and %s), so %v cannot place the file; append a file that adjoins with %v",
			wording.Printable(v.Name), f.name, a.Name(), how, got.ends(), have.ends(), option("widen"), option("append", v.Name)))
	}
	size, lo := a.DType().Size(), a.Bounds()[0].Lo
	before, after := max(0, -at)*size, max(0, have.len()-at)*size
	all := values{m: have.m, elements: slices.Concat(got.elements[:min(before, len(got.elements))], have.elements, got.elements[min(after, len(got.elements)):])}
	if _, broken := have.way(); broken < 0 {
		if _, broken = all.way(); broken >= 0 {
			return nd.Range{}, errkind.Errorf(drx.ErrBounds, "coordinate %s: %s and %s together neither ascend nor descend (%s and %s)",
				wording.Printable(v.Name), f.name, a.Name(), got.ends(), have.ends())
		}
	}
	return nd.Span(lo+at, lo+at+got.len()), nil
}

// howOrdered says how the order of got differs from that of have: permuted, reversed, or "".
func howOrdered(have, got values) string {
	if wayHave, _ := have.way(); wayHave != 0 {
		switch wayGot, broken := got.way(); {
		case broken >= 0:
			return "is permuted"
		case wayGot == -wayHave:
			return "is reversed"
		}
	}
	return ""
}

// offsetOf returns the index in have of the first value of got, negative if got begins earlier. It
// is ok if both overlap and all values in the overlap are equal, to their last digits, or if both
// are empty.
func offsetOf(have, got values) (at int, ok bool) {
	limit := min(have.quarter(), got.quarter())
	equal := func(long, short values, from int) bool {
		for i := range min(long.len()-from, short.len()) {
			if !long.same(from+i, short.at(i), limit) {
				return false
			}
		}
		return true
	}
	if have.len() == 0 || got.len() == 0 {
		return 0, have.len() == got.len()
	}
	if i := have.index(got.at(0), limit); i >= 0 {
		return i, equal(have, got, i)
	}
	if i := got.index(have.at(0), limit); i >= 0 {
		return -i, equal(got, have, i)
	}
	return 0, false
}

// pixelRanges returns the indices of an array that the file's only variable covers, from the pixel
// grids in both sets of attributes.
func (o *comparer) pixelRanges(a *drx.Array, f *importFile) (map[string]nd.Range, error) {
	v, err := o.onlyVar(a.Name(), f)
	if err != nil {
		return nil, err
	}
	have, err := decodeAttrs(a.Attrs())
	if err != nil {
		return nil, err
	}
	got := maps.Clone(f.content.Attrs) // an import gives a file's attributes to its only array
	if got == nil {
		got = map[string]any{}
	}
	maps.Copy(got, v.Attrs)
	shifts, err := pixelShifts(have, got, a.Rank())
	if err != nil {
		return nil, errorf("%s%v: %w", inVariable(v), option("widen"), err)
	}
	d, err := headerOf(a).dim(o.Append)
	if err != nil {
		return nil, err
	}
	shape := v.Shape
	if len(shape) == a.Rank()-1 { // a slice
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

// widenTo extends DST to the indices that a file covers, and reports whether it has grown.
func (t *target) widenTo(covered map[string]nd.Range) (grown bool, err error) {
	for _, dim := range slices.Sorted(maps.Keys(covered)) {
		now, err := t.dim(dim)
		if err != nil {
			return grown, err
		}
		for _, side := range []struct {
			by  int
			low bool
		}{{now.Lo - covered[dim].Lo, true}, {covered[dim].Hi - now.Hi, false}} {
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
