package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/nd"
	"drx/optionerr"
)

// An Alignment checks that elements of files go where they belong in an array: that dimensions,
// coordinates and georeferences of both agree. Call Append before appending a file, and Place
// before writing one to a section. The coordinates of the array come from its dataset. Files of
// formats without coordinates pass unchecked.
type Alignment struct {
	a           *drx.Array
	o           *comparer
	coordinates []*drx.Array // by dimension, nil for none
	seq         *sequence    // of the coordinate that grows; nil before the first file
	file        *importFile  // the file that was opened last
	first       []firstAxis  // by dimension: what the first file has along it
}

// Align returns an Alignment for an array that was opened by its name; Close it. It uses the
// options Format, Low, AnyOrder, Memory, AsStored, which switches all comparisons off, and Note,
// which reports how coordinates in other units are compared.
func Align(a *drx.Array, o ImportOptions) (*Alignment, error) {
	registerFormats()
	x := &Alignment{
		a: a, o: newImporter(o, a.Name()).comparer, coordinates: make([]*drx.Array, a.Rank()),
		first: make([]firstAxis, a.Rank()),
	}
	for d := range x.coordinates {
		var err error
		if x.coordinates[d], err = dataset.OpenCoordinate(a, d); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	return x, nil
}

// Close closes the coordinates of the array.
func (x *Alignment) Close() (err error) {
	for _, c := range x.coordinates {
		if c != nil && c != x.a {
			err = errors.Join(err, c.Close())
		}
	}
	if x.file != nil {
		x.file.close()
	}
	return err
}

// Beside lets the process that has a file open for r read its coordinates, too, as long as r is
// open. Without it drx-bridge would be started a second time for the same file.
func (x *Alignment) Beside(r formats.Reader) { x.o.files.beside = r }

// compares reports whether the file's description of a variable and the array both have dimensions,
// coordinates or attributes to compare.
func (x *Alignment) compares(v formats.Info) bool {
	described := len(v.Attrs) > 0 || slices.ContainsFunc(v.Dims, func(dim string) bool { return dim != "" })
	knows := slices.ContainsFunc(x.coordinates, func(c *drx.Array) bool { return c != nil }) ||
		x.a.Attrs()["geotransform"] != nil || x.a.Attrs()["crs_wkt"] != nil || strings.Join(x.a.Dims(), "") != ""
	return !x.o.AsStored && described && knows
}

// open lists the contents of a file, or returns the last one again if it has the same name.
func (x *Alignment) open(name string) (f *importFile, err error) {
	if x.file == nil || x.file.name != name {
		if f, err = x.o.files.open(name); err != nil {
			return nil, err
		}
		if x.file != nil {
			x.file.close()
		}
		x.file = f
		return f, checkNotItself(x.a.Name(), f)
	}
	return x.file, nil
}

// Conversion is the function Conversion for a variable of a file. It also converts bounds of a
// coordinate, which have that coordinate's units.
func (x *Alignment) Conversion(file string, v formats.Info, rule meaning.Rule) (*meaning.Conversion, error) {
	of := x.boundsOf()
	if of == nil || !x.compares(v) || file == "-" {
		c, err := Conversion(x.a, v, rule, x.o.AsStored)
		return c, cmp.Or(err, x.o.noteValid(headerOf(x.a), nil, file, v, nil))
	}
	f, err := x.open(file)
	if err != nil {
		return nil, err
	}
	parent := parentOf(f, v)
	from, err := meaningOfVar(v, parent)
	if err != nil {
		return nil, err
	}
	other := headerOf(of)
	to, err := headerOf(x.a).meaning(&other)
	if err != nil {
		return nil, err
	}
	c, err := compare(x.a.Name(), from, to, rule)
	return c, cmp.Or(err, x.o.noteValid(headerOf(x.a), &other, f.name, v, parent))
}

// IsBounds reports whether the array is the bounds of a coordinate, whose units it shares.
func (x *Alignment) IsBounds() bool { return x.boundsOf() != nil }

// boundsOf returns the coordinate whose bounds the array holds, or nil if there is none.
func (x *Alignment) boundsOf() *drx.Array {
	for _, c := range x.coordinates {
		for _, attr := range []string{"bounds", "climatology"} {
			var name string
			if c == nil || c == x.a {
				continue
			}
			if has, err := c.Attr(attr, &name); has && err == nil && name == path.Base(drx.BaseName(x.a.Name())) {
				return c
			}
		}
	}
	return nil
}

// Append checks that a variable of a file can be appended along a dimension of the array: the
// dimensions have the same order, their coordinates are equal, and the coordinate of the dimension
// that grows continues those of the array and of the files before. If it does not continue them the
// error is an OrderError. All errors about a mismatch wrap drx.ErrBounds or drx.ErrRank.
func (x *Alignment) Append(file string, v formats.Info, dim int) error {
	return x.check(file, v, dim, x.a.Bounds())
}

// Within checks that the elements of a variable of a file belong to a section of the array, by the
// same comparisons as Append except for the growth.
func (x *Alignment) Within(file string, v formats.Info, sec nd.Section) error {
	return x.check(file, v, -1, sec)
}

func (x *Alignment) check(file string, v formats.Info, grows int, sec nd.Section) error {
	if file == "-" || !x.compares(v) && !isArrays(file) {
		return nil
	}
	f, err := x.open(file)
	if err != nil || x.o.AsStored {
		return err
	}
	if v.Name == "" && len(f.content.Vars) == 1 {
		v = f.content.Vars[0]
	}
	dims, err := x.dims(v, grows)
	if err != nil {
		return fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
	}
	lo, _ := sec.Bounds()
	if err := x.o.sameGridAt(headerOf(x.a), f, v, grows, lo); err != nil {
		return fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
	}
	if err := x.o.sameMappingOf(x.a, f, v); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	growing := ""
	if grows >= 0 {
		growing = x.a.Dims()[grows]
	}
	if err := x.o.sameAuxiliariesOf(x.a, f, v, growing); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	for d, name := range dims {
		switch c, found := x.coordinateIn(f, v, name, d); {
		case d == grows && x.coordinates[d] == nil && x.labelled(f, v, d):
			// The caller appends the labels.
		case !found || x.coordinates[d] == nil:
			if err = x.o.sameLabels(x.a, f, v, d, ownDim(x.a.Rank(), v, d, grows), sec[d]); err == nil && d != grows {
				err = x.sameAsFirst(f, v, d, grows)
			}
		case d == grows:
			err = x.follows(f, c, x.coordinates[d])
		case x.coordinates[d] == x.a: // the elements themselves
			err = x.staysInOrder(f, v, sec[d])
		default:
			err = x.o.sameValues(x.coordinates[d], sec[d], f, c, optionerr.Text{})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// dims returns the names of the dimensions of a variable, as many as the array has. A slice gets
// the name of the dimension that grows or, if none grows, the array's leading names. The error
// names dimensions that differ from the array's. dims returns nil if the ranks do not match.
func (x *Alignment) dims(v formats.Info, grows int) ([]string, error) {
	own := ownDims(v)
	switch {
	case grows >= 0 && len(own) == x.a.Rank()-1:
		own = slices.Insert(own, grows, x.a.Dims()[grows])
	case grows < 0 && len(own) < x.a.Rank():
		own = slices.Concat(x.a.Dims()[:x.a.Rank()-len(own)], own)
	}
	if len(own) != x.a.Rank() {
		return nil, nil // the caller compares the extents
	}
	return own, sameDims(own, headerOf(x.a))
}

// coordinateIn finds the coordinate of a dimension of a variable in its file, in the variable's
// group or the nearest enclosing one. The coordinate of a slice may be a scalar.
func (x *Alignment) coordinateIn(f *importFile, v formats.Info, dim string, d int) (formats.Info, bool) {
	if x.coordinates[d] == x.a {
		return v, true
	}
	source := dim
	if c := x.coordinates[d]; c != nil {
		_, _ = c.Attr(variableAttr, &source) // an attribute that is not text is ignored
	}
	if source == "" {
		return formats.Info{}, false
	}
	own := slices.Contains(ownDims(v), dim) // otherwise a slice, with one value
	for group := path.Dir(v.Name); ; group = path.Dir(group) {
		i := slices.IndexFunc(f.content.Vars, func(c formats.Info) bool {
			is := len(c.Shape) == 0 && !own || len(c.Shape) == 1 && path.Base(ownDims(c)[0]) == dim && (own || c.Shape[0] == 1)
			return is && c.Refused == "" && (c.Name == source || c.Name == path.Join(group, source))
		})
		if i >= 0 {
			return f.content.Vars[i], true
		}
		if group == "." || group == "/" {
			return formats.Info{}, false
		}
	}
}

// follows checks that the coordinate of a file continues the array's. The array's coordinate may be
// longer than the array, if it grew before; its values for the new indices must equal the file's.
func (x *Alignment) follows(f *importFile, v formats.Info, c *drx.Array) error {
	if x.o.AnyOrder || slices.Contains(v.Shape, 0) {
		return nil
	}
	have := c.Bounds()[0]
	if x.seq == nil {
		now := x.a.Bounds()[slices.Index(x.coordinates, c)]
		behind := now.Hi - have.Hi
		if x.o.Low {
			behind = have.Lo - now.Lo
		}
		if behind > 0 {
			return &OrderError{v.Name, fmt.Sprintf("%s has no values for %d indices of %s, so what follows them is not known; append them first", c.Name(), behind, x.a.Name()), Unknown}
		}
		if x.o.Low {
			have.Lo = min(have.Hi, max(have.Lo, now.Lo))
		} else {
			have.Hi = max(have.Lo, min(have.Hi, now.Hi))
		}
		s, err := x.o.sequenceOf(c, v.Name, have, x.o.Low)
		if err != nil {
			return err
		}
		x.seq = &s
	}
	if x.seq.a == nil || v.Labels != nil {
		return nil
	}
	if c != x.a {
		if err := x.sameBeyond(f, v, c); err != nil {
			return err
		}
	}
	return x.seq.addVar(x.o, f, v)
}

// sameBeyond checks that the array's coordinate, where it has values for the new indices already,
// has those of the file.
func (x *Alignment) sameBeyond(f *importFile, v formats.Info, c *drx.Array) error {
	n, lo := 1, x.seq.begin+x.seq.known.len()
	if len(v.Shape) > 0 {
		n = v.Shape[0]
	}
	if x.o.Low {
		lo = x.seq.begin - n
	}
	there := nd.Span(max(lo, c.Bounds()[0].Lo), min(lo+n, c.Bounds()[0].Hi))
	if there.Lo >= there.Hi {
		return nil
	}
	return x.o.samePart(c, there, f, v, there.Lo-lo)
}

// staysInOrder checks that a coordinate is still in order after the file has replaced the values in
// part.
func (x *Alignment) staysInOrder(f *importFile, v formats.Info, part nd.Range) error {
	if x.o.AnyOrder || v.Labels != nil || slices.Contains(v.Shape, 0) {
		return nil
	}
	all := x.a.Bounds()[0]
	s, err := x.o.sequenceOf(x.a, v.Name, nd.Span(all.Lo, max(all.Lo, part.Lo)), false)
	if err != nil || s.a == nil {
		return err
	}
	if err := s.addVar(x.o, f, v); err != nil {
		return err
	}
	after, err := x.o.sequenceOf(x.a, v.Name, nd.Span(min(part.Hi, all.Hi), all.Hi), false)
	if err != nil {
		return err
	}
	if reason, kind := s.known.checkFollows(after.known, false, s.begin, x.a.Name()); reason != "" {
		return &OrderError{v.Name, "with what comes after it, " + reason, kind}
	}
	return nil
}

// Locate returns the section of the array to which the elements of a variable of a file belong: the
// indices at which the array has the values of the file's coordinates, in the same order. Along
// dimensions that are chosen or have no coordinate it returns the range of sec.
func (x *Alignment) Locate(file string, v formats.Info, sec nd.Section, chosen []bool) (nd.Section, error) {
	if file == "-" || !x.compares(v) {
		return sec, nil
	}
	f, err := x.open(file)
	if err != nil {
		return nil, err
	}
	dims, err := x.dims(v, -1)
	if err != nil {
		return nil, fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
	}
	sec = slices.Clone(sec)
	for d, name := range dims {
		c, found := x.coordinateIn(f, v, name, d)
		if at := x.coordinates[d]; found && at != nil && at != x.a && !chosen[d] {
			if sec[d], err = x.o.find(at, f, c); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return sec, nil
}

// Labels returns the labels in a file, or in another array, of a variable's indices along a
// dimension. It returns nil if there are none, or if the array has a coordinate there. An append
// along the dimension gives these labels to the new indices.
func (x *Alignment) Labels(file string, v formats.Info, dim int) ([]string, error) {
	if file == "-" || x.o.AsStored || x.coordinates[dim] != nil || !x.compares(v) && !isArrays(file) {
		return nil, nil
	}
	f, err := x.open(file)
	if err != nil || !x.labelled(f, v, dim) {
		return nil, err
	}
	if c, found := labelsIn(f, v, x.a.Dims()[dim]); found {
		return x.o.files.readStrings(f, c)
	}
	return f.arrays.labels(v.Name, dim), nil
}

// labelled reports whether a file has labels for the indices of a variable along a dimension of the
// array. A file finds them by the name of the dimension; an array of DRX also has them for unnamed
// dimensions.
func (x *Alignment) labelled(f *importFile, v formats.Info, dim int) bool {
	if len(v.Shape) < x.a.Rank() { // a slice
		return false
	}
	if _, found := labelsIn(f, v, x.a.Dims()[dim]); found || f.arrays == nil {
		return found
	}
	return f.arrays.labels(v.Name, dim) != nil
}
