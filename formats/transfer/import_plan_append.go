package transfer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// An appendPlan describes the growth of DST by one file.
type appendPlan struct {
	file        *importFile
	by          int // indices along the dimension
	vars        []appendVar
	covered     map[string]nd.Range // indices of the file along other dimensions, see comparer.covered
	comparisons []comparison
	mappings    map[string]bool // names of the file's variables that are grid mappings
	auxiliary   map[string]bool // names of the file's auxiliary coordinates
	labelled    *formats.Info   // the strings that label the new indices, nil for none
	labels      []string        // their text, once it has been read
}

// An appendVar is a variable that grows.
type appendVar struct {
	name string // in DST
	info formats.Info
	dim  int   // the dimension that grows, or -1
	at   []int // index of the file's first element in DST
	conv conversion

	sliceDim int // dimension of DST that the variable, a slice, does not have; -1 for none
}

// A comparison is a deferred check that elements of the file equal those of DST. A planner reads no
// elements, so comparer.compare makes it, before anything is appended.
type comparison struct {
	kind  comparisonKind
	path  string // of the variable in DST
	info  formats.Info
	dim   int      // of labels
	own   int      // the same dimension of the variable
	part  nd.Range // of the same
	note  string   // of onlyNote
	about string   // of onlyNote: the subject, about which one note is printed
}

// A comparisonKind determines what a comparison compares, and the effect of a difference.
type comparisonKind string

const (
	coordinateValues comparisonKind = "coordinate" // must be the same
	auxiliaryValues  comparisonKind = "auxiliary"  // must be the same
	labelsOfIndices  comparisonKind = "labels"     // must be the same
	otherValues      comparisonKind = "values"     // a difference is noted
	onlyNote         comparisonKind = "note"       // nothing is compared
)

// bytes returns the size of all elements of a file.
func (p *appendPlan) bytes() (sum int) {
	for _, v := range p.vars {
		n, _ := v.info.Bytes() // checked by the format
		sum += n
	}
	return sum
}

// planAppend plans the growth of DST, which has the dimension Append, by a file, and checks that
// the file fits. covered are the indices that the file covers along other dimensions, where known.
// With an error the plan has the comparisons collected before, whose errors may explain more.
func (o *planner) planAppend(there *dstState, f *importFile, covered map[string]nd.Range) (*appendPlan, error) {
	p := &appendPlan{file: f, by: -1, covered: covered, mappings: namedVars(f.content.Vars, "grid_mapping"), auxiliary: namedVars(f.content.Vars, "coordinates")}
	if there.isArray {
		a := there.vars[0]
		v, err := o.onlyVar(a.name, f)
		if err != nil {
			return p, err
		}
		if err := o.addVar(p, there, a, v); err != nil {
			return p, err
		}
		if c, found := labelsIn(f, v, a.dims[p.vars[0].dim]); found {
			p.labelled = &c
		}
		return p, nil
	}
	sources, err := o.addVars(p, there)
	if err == nil {
		err = o.addOthers(p, there, sources)
	}
	if err == nil && p.by < 0 {
		err = optionerr.Wrong("append", o.Append, "no variable of %s has the dimension", there.dst)
	}
	return p, err
}

// noDim returns the error if DST lacks the dimension of the option Append. Only a new DST gets a
// new dimension.
func (o *planner) noDim(there *dstState, f *importFile) error {
	dims := there.dimNames()
	inFile := slices.ContainsFunc(f.content.Vars, func(v formats.Info) bool { return slices.Contains(ownDims(v), o.Append) })
	also := map[bool]string{false: ", nor has the file", true: ", which the file has"}[inFile]
	return optionerr.Wrong("append", o.Append, "%s has no dimension %q%s%s: it has %s; give one of these, or import to another name, where %v makes the dimension",
		there.dst, o.Append, wording.DidYouMean("", o.Append, dims), also, strings.Join(dims, ", "), option("append"))
}

// addVars adds the variables of a dataset that grow by the file, and the comparisons of other
// variables that both have. It returns the names in the file of all variables of the dataset.
func (o *planner) addVars(p *appendPlan, there *dstState) (sources map[string]bool, err error) {
	sources = map[string]bool{}
	inFile := map[string]int{}
	for i, v := range p.file.content.Vars {
		if v.Refused == "" {
			inFile[v.Name] = i
		}
	}
	for _, have := range there.vars {
		source, err := o.nameInFile(there, have, p.file)
		if err != nil {
			return nil, err
		}
		sources[source] = true
		i, found := inFile[source]
		if grows := slices.Contains(have.along, o.Append); !found && grows {
			return nil, errkind.Errorf(formats.ErrVariable, "has no variable %s, which grows along %s: it has %s", source, o.Append, listVars(p.file.content.Vars))
		}
		if found {
			if err := o.addKnown(p, there, have, p.file.content.Vars[i]); err != nil {
				return nil, err
			}
		}
	}
	return sources, nil
}

// addKnown adds a variable that both the file and the dataset have: it grows or is compared.
func (o *planner) addKnown(p *appendPlan, there *dstState, have dstVar, v formats.Info) error {
	switch name := path.Base(v.Name); {
	case have.isCoordinate && p.isWithin(have.along[0], have.bounds[0]):
		// DST has these values already: comparer.covered found them there.
	case slices.Contains(have.along, o.Append), slices.ContainsFunc(have.along, p.isCovered):
		return o.addVar(p, there, have, v)
	case have.isCoordinate:
		p.addComparison(comparison{kind: coordinateValues, path: have.path, info: v})
	case p.mappings[name]: // its value has no meaning
		return o.sameMapping(have.arrayHeader, v)
	case p.auxiliary[name] && (len(v.Shape) > 0 || !isPeriod(v)):
		p.addComparison(comparison{kind: auxiliaryValues, path: have.path, info: v})
	default:
		p.addLabelComparisons(have, v, -1)
		p.addComparison(comparison{kind: otherValues, path: have.path, info: v})
	}
	return nil
}

// addOthers finds the labels of the new indices. It returns an error if the file has a variable
// that is not in sources, unless the option Vars leaves it out.
func (o *planner) addOthers(p *appendPlan, there *dstState, sources map[string]bool) error {
	for _, v := range p.file.content.Vars {
		known := sources[v.Name] || v.Refused != ""
		if l := v.Labels != nil && isCoordinateVar(v); l && path.Base(v.Name) == o.Append && !known {
			p.labelled = &v
		} else if !known && !l && len(o.Vars) == 0 {
			return errkind.Of(formats.ErrVariable, errorf("has variable %s, which %s does not have; choose variables with %v", wording.Printable(v.Name), there.dst, option("var")))
		}
	}
	return nil
}

// addComparison adds a comparison, which comparer.compare makes later.
func (p *appendPlan) addComparison(c comparison) { p.comparisons = append(p.comparisons, c) }

// addNote adds a note, unless it is empty, as a comparison that only prints it.
func (p *appendPlan) addNote(path, about, text string) {
	if text != "" {
		p.addComparison(comparison{kind: onlyNote, path: path, about: about, note: text})
	}
}

// addLabelComparisons adds the comparisons of labels along all dimensions but one.
func (p *appendPlan) addLabelComparisons(have dstVar, v formats.Info, but int) {
	for d, dim := range have.along {
		part, has := p.covered[dim]
		if !has {
			part = have.bounds[d]
		}
		if d != but {
			p.addComparison(comparison{kind: labelsOfIndices, path: have.path, info: v, dim: d, own: ownDim(have.rank(), v, d, but), part: part})
		}
	}
}

// nameInFile returns the name that a variable of a dataset has in a file. A table calls its numbers
// by the name of its file, which differs from table to table, so there it is the only variable that
// is no coordinate.
func (o *planner) nameInFile(there *dstState, v dstVar, f *importFile) (string, error) {
	source, err := o.sourceOf(v, there.dst)
	i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool { return v.NamedByFile })
	if err != nil || i < 0 || v.isCoordinate {
		return source, err
	}
	if slices.ContainsFunc(there.vars, func(other dstVar) bool { return other.path != v.path && !other.isCoordinate }) {
		return source, nil
	}
	return f.content.Vars[i].Name, nil
}

// sourceOf returns the name that a variable of the dataset DST has in files, unless files name it
// after themselves.
func (o *planner) sourceOf(v dstVar, dst string) (string, error) {
	source := v.path
	if _, err := v.attr(variableAttr, &source); err != nil {
		return "", err
	}
	if o.Coordinate != "" && v.isCoordinate && path.Base(v.path) == o.Append && source != o.Coordinate {
		return "", optionerr.Wrong("coordinate", o.Coordinate, "the coordinate %s of %s was made from the variable %s", v.path, dst, source)
	}
	return source, nil
}

// onlyVar returns the variable of a file that goes into an array: the one in the option Vars, the
// only one that is not a coordinate, or the one with the array's name.
func (o *planner) onlyVar(array string, f *importFile) (formats.Info, error) {
	if len(o.Vars) > 1 {
		return formats.Info{}, optionerr.Wrong("var", nil, "it names %d variables, but %s is one array", len(o.Vars), array)
	}
	var found []formats.Info
	for _, v := range f.content.Vars {
		switch {
		case len(o.Vars) == 1 && v.Name == o.Vars[0], len(o.Vars) == 0 && v.Name == path.Base(array):
			if v.Refused != "" {
				return v, errkind.Errorf(formats.ErrType, "%s%s", inVariable(v), v.Refused)
			}
			return v, nil
		case v.Refused == "" && !isCoordinateVar(v) && len(v.Shape) > 0:
			found = append(found, v)
		}
	}
	if len(o.Vars) == 1 || len(found) != 1 {
		return formats.Info{}, errkind.Of(formats.ErrVariable, errorf("choose the variable for %s with %v: there are %s", array, option("var"), listVars(f.content.Vars)))
	}
	return found[0], nil
}

// isCovered reports whether the indices of a dimension that the file covers are known.
func (p *appendPlan) isCovered(dim string) bool {
	_, has := p.covered[dim]
	return has
}

// isWithin reports whether the file is known to cover only indices of a dimension that DST has.
func (p *appendPlan) isWithin(dim string, bounds nd.Range) bool {
	at, has := p.covered[dim]
	return has && at.Lo >= bounds.Lo && at.Hi <= bounds.Hi
}

// addVar adds a variable of the file, by which the array a grows, after checking that it fits.
func (o *planner) addVar(p *appendPlan, there *dstState, a dstVar, info formats.Info) error {
	if o.Codec != "" && o.Codec != drx.AutoCodec && o.Codec != a.codec {
		return optionerr.Wrong("codec", o.Codec, "%s exists and has the codec %s, which its new chunks get, too: leave the option out", a.name, a.codec)
	}
	v := appendVar{name: a.path, info: info, dim: slices.Index(a.along, o.Append), sliceDim: -1}
	if there.isArray {
		var err error
		if v.dim, err = a.dim(o.Append); err != nil {
			return err
		}
	}
	shape, err := o.fit(p, a, &v)
	if err != nil {
		return err
	}
	p.addLabelComparisons(a, info, v.dim)
	if err = o.sameGridAt(a.arrayHeader, p.file, info, v.dim, v.at); err == nil {
		isCoordinate := len(a.along) == 1 && a.path != "" && path.Base(a.along[0]) == path.Base(a.path)
		v.conv, err = o.conversion(a.arrayHeader, there, p.file, info, isCoordinate)
		if err == nil && !(isCoordinate && !o.rounding.IsNone()) {
			var note string
			note, err = o.roundAppended(&v.conv, a.arrayHeader, info, p.file.content.Vars)
			p.addNote(a.path, info.Name, note)
		}
		p.addNote(a.path, info.Name, v.conv.note)
	}
	if err == nil {
		var note string
		parent := parentOf(p.file, info)
		note, err = o.validNote(a.arrayHeader, o.parentHere(there, parent), p.file.name, info, parent)
		p.addNote(a.path, aboutValid(info), note)
	}
	if err != nil {
		return fmt.Errorf("%s%w", inVariable(info), err)
	}
	if d := v.dim; d >= 0 {
		if by := shape[d]; p.by >= 0 && by != p.by {
			return errkind.Errorf(drx.ErrBounds, "%shas %d indices along %s, others have %d", inVariable(info), by, o.Append, p.by)
		}
		p.by = shape[d]
	}
	v.info.Attrs, v.info.Labels = nil, nil // no longer needed
	p.vars = append(p.vars, v)
	return nil
}

// fit checks that the dimensions and the shape of a variable fit a, and sets the index at which it
// begins. It returns its shape with the dimensions of a.
func (o *planner) fit(p *appendPlan, a dstVar, v *appendVar) (shape []int, err error) {
	d, own := v.dim, ownDims(v.info)
	shape = slices.Clone(v.info.Shape)
	if d >= 0 && len(shape) == a.rank()-1 {
		v.sliceDim = d
		shape, own = slices.Insert(shape, d, 1), slices.Insert(own, d, a.dims[d])
	}
	want := a.shape()
	v.at, _ = a.bounds.Bounds()
	for k, dim := range a.along {
		if p.isCovered(dim) && k != d {
			want[k], v.at[k] = p.covered[dim].Len(), p.covered[dim].Lo
		}
	}
	if d >= 0 && len(shape) == len(want) {
		want[d] = shape[d]
	}
	if len(own) == a.rank() && len(shape) == len(want) {
		if err := sameDims(own, a.arrayHeader); err != nil {
			return nil, fmt.Errorf("%s%w", inVariable(v.info), err)
		}
	}
	if !slices.Equal(shape, want) {
		return nil, errkind.Of(drx.ErrBounds, errorf("%shas shape %s, which does not fit %s of shape %s along %s%v",
			inVariable(v.info), wording.Shape(v.info.Shape), a.name, wording.Shape(a.shape()), wording.Printable(o.Append), o.widenHint(len(shape) == len(want))))
	}
	return shape, nil
}

// widenHint returns the hint for a file that differs only in its extents.
func (o *planner) widenHint(sameRank bool) optionerr.Text {
	if o.Widen || !sameRank {
		return optionerr.Text{}
	}
	return textf("; %v lets it grow to hold both, if coordinates or a georeference says where the file lies", option("widen"))
}

// sameGridAt checks that the pixels of a file lie where the array has those from index lo on, if
// both have georeferences in their attributes. d is the dimension that grows, or -1. Along d the
// pixels of the file must follow those of the array, unless AnyOrder is set.
func (o *planner) sameGridAt(a arrayHeader, f *importFile, v formats.Info, d int, lo []int) error {
	if o.AsStored {
		return nil
	}
	if m, err := a.meaning(nil); err == nil && d >= 0 && m.Dim(a.shape(), a.dims) == d {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: %s has a scale or a missing value of its own for each of its %d indices, which says nothing about more of them: append along another dimension, or import both with unpacked values",
			a.dimNames()[d], a.name, m.Indices())
	}
	have, err := decodeAttrs(a.attrs)
	if err != nil {
		return err
	}
	got := func(name string) any {
		if value, has := v.Attrs[name]; has {
			return value
		}
		return f.content.Attrs[name]
	}
	const hint = "; warp the file to the grid of the array, or take the pixels as they are stored"
	was, _ := have["crs_wkt"].(string)
	if now, _ := got("crs_wkt").(string); was != "" && now != "" && !meaning.SameCRS(was, now) {
		return errkind.Errorf(drx.ErrBounds, "coordinate system is %s, that of %s is %s%s", meaning.DescribeCRS(now), a.name, meaning.DescribeCRS(was), hint)
	}
	g, has := sixNumbers(have["geotransform"])
	h, hasToo := sixNumbers(got("geotransform"))
	if !has || !hasToo || a.rank() < 2 {
		return nil
	}
	shifts, err := rasterShifts(g, h, a.rank())
	if err != nil {
		return fmt.Errorf("%w%s", err, hint)
	}
	for k, by := range shifts {
		if k != d && by != lo[k] {
			return errkind.Errorf(drx.ErrBounds, "geotransform is %v and that of %s is %v: the file lies %d pixels away along dimension %d%s", h, a.name, g, by-lo[k], k, hint)
		}
	}
	if by, grows := shifts[d]; grows && !o.AnyOrder && (o.Low && by >= a.bounds[d].Lo || !o.Low && by < a.bounds[d].Hi) {
		reason := fmt.Sprintf("geotransform is %v: the file begins at index %d, which %s has or is past", h, by, a.name)
		return &OrderError{a.dimNames()[d], reason, Misplaced}
	}
	return nil
}
