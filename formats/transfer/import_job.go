package transfer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// An appendJob is what one file adds.
type appendJob struct {
	file   *importFile
	by     int // indices along the dimension
	vars   []appendVar
	places map[string]nd.Range // that the file covers of other dimensions, see importing.places
	labels []string            // of the new indices, nil for none
}

// An appendVar is a variable that grows.
type appendVar struct {
	name  string // in DST
	info  formats.Info
	dim   int   // the dimension that grows, or -1
	frame int   // the same, if the variable of the file does not have it, or -1
	at    []int // index of the file's first element in DST
	conv  conversion
}

// bytes returns the size of all elements of a file.
func (j *appendJob) bytes() (sum int) {
	for _, v := range j.vars {
		n, _ := v.info.Bytes() // checked by the format
		sum += n
	}
	return sum
}

// job finds out what a file adds, and checks that it fits DST.
func (o *importer) job(t *target, f *importFile) (j *appendJob, err error) {
	j = &appendJob{file: f, by: -1}
	if _, err := t.dim(o.Append); err != nil {
		return nil, o.noDim(t, f)
	}
	if j.places, err = o.places(t, f); err != nil {
		return nil, err
	}
	if t.a != nil {
		v, err := o.onlyVar(t.a, f)
		if err != nil {
			return nil, err
		}
		if err := o.addVar(j, t.a, "", v); err != nil {
			return nil, err
		}
		if c, found := labelsIn(f, v, t.a.Dims()[j.vars[0].dim]); found {
			j.labels, err = o.readStrings(f, c)
		}
		return j, err
	}
	sources, err := o.addVars(j, t)
	if err == nil {
		err = o.addOthers(j, sources)
	}
	if err != nil {
		return nil, err
	}
	if j.by < 0 {
		return nil, Option{"append", o.Append}.wrong("no variable of %s has the dimension", o.dst)
	}
	return j, nil
}

// noDim returns the error for a dimension of --append that DST does not have. A new dimension is
// made with a new DST only.
func (o *importer) noDim(t *target, f *importFile) error {
	var dims []string
	if t.a != nil {
		dims = dimNames(t.a)
	} else {
		for _, dim := range t.d.Dims() {
			dims = append(dims, wording.Printable(dim.Name))
		}
	}
	inFile := slices.ContainsFunc(f.content.Vars, func(v formats.Info) bool { return slices.Contains(ownDims(v), o.Append) })
	also := map[bool]string{false: ", nor has the file", true: ", which the file has"}[inFile]
	return Option{"append", o.Append}.wrong("%s has no dimension %q%s%s: it has %s; give one of these, or import to another name, where %v makes the dimension",
		o.dst, o.Append, wording.DidYouMean("", o.Append, dims), also, strings.Join(dims, ", "), option("append"))
}

// addVars adds the variables of a dataset that a file continues, and checks the others that both
// have. It returns the names in the file of all variables of the dataset.
func (o *importer) addVars(j *appendJob, t *target) (sources map[string]bool, err error) {
	sources = map[string]bool{}
	mappings, inFile := namedVars(j.file.content.Vars, "grid_mapping"), map[string]int{}
	auxiliary := namedVars(j.file.content.Vars, "coordinates")
	for i, v := range j.file.content.Vars {
		if v.Refused == "" {
			inFile[v.Name] = i
		}
	}
	for _, name := range t.d.Variables() {
		variable, err := t.d.Variable(name)
		if err != nil {
			return nil, err
		}
		source, err := o.nameInFile(t.d, variable, j.file)
		if err != nil {
			return nil, err
		}
		sources[source] = true
		i, found := inFile[source]
		grows := slices.Contains(variable.Dims(), o.Append)
		switch {
		case !found && grows:
			return nil, errkind.Errorf(formats.ErrVariable, "has no variable %s, which grows along %s: it has %s", source, o.Append, listVars(j.file.content.Vars))
		case !found, variable.IsCoordinate() && j.isWithin(variable.Dims()[0], variable.Array().Bounds()[0]):
			// DST has these values already.
		case grows, slices.ContainsFunc(variable.Dims(), j.hasPlace):
			err = o.addVar(j, variable.Array(), name, j.file.content.Vars[i], variable.Dims()...)
		case variable.IsCoordinate():
			err = o.sameCoordinate(variable.Array(), j.file, j.file.content.Vars[i])
		case mappings[path.Base(source)]: // its value means nothing
			err = o.sameMapping(variable.Array(), j.file.content.Vars[i])
		case auxiliary[path.Base(source)] && (len(j.file.content.Vars[i].Shape) > 0 || !isPeriod(j.file.content.Vars[i])):
			err = o.sameAuxiliary(variable.Array(), j.file, j.file.content.Vars[i])
		default:
			err = o.sameLabelsBut(-1, variable.Array(), j, j.file.content.Vars[i], variable.Dims())
			if err == nil {
				err = o.noteDifference(variable.Array(), j.file, j.file.content.Vars[i])
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// addOthers adds labels of the new indices, and returns an error if the file has a variable that is
// none of sources and was not left out by --var.
func (o *importer) addOthers(j *appendJob, sources map[string]bool) error {
	for _, v := range j.file.content.Vars {
		known := sources[v.Name] || v.Refused != ""
		if l := v.Labels != nil && isCoordinateVar(v); l && path.Base(v.Name) == o.Append && !known {
			labels, err := o.readStrings(j.file, v)
			if err != nil {
				return err
			}
			j.labels = labels
		} else if !known && !l && len(o.Vars) == 0 {
			return errkind.Of(formats.ErrVariable, errorf("has variable %s, which %s does not have; choose variables with %v", wording.Printable(v.Name), o.dst, option("var")))
		}
	}
	return nil
}

// lateJob is job for a file of which no job was made before.
func (o *importer) lateJob(t *target, f *importFile) (*appendJob, error) {
	if err := o.load(f); err != nil {
		return nil, err
	}
	defer f.unload()
	j, err := o.job(t, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return j, nil
}

// nameInFile returns the name that a variable of a dataset has in a file. Each table names its
// numbers as it is named itself, so they are those of the only variable that is no coordinate.
func (o *comparer) nameInFile(d *dataset.Dataset, v *dataset.Variable, f *importFile) (string, error) {
	source, err := o.sourceOf(v)
	i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool { return v.NamedByFile })
	if err != nil || i < 0 || v.IsCoordinate() {
		return source, err
	}
	for _, name := range d.Variables() {
		other, err := d.Variable(name)
		if err != nil {
			return "", err
		}
		if name != v.Name() && !other.IsCoordinate() {
			return source, nil
		}
	}
	return f.content.Vars[i].Name, nil
}

// sourceOf returns the name that a variable of DST has in the files, unless they name it after
// themselves.
func (o *comparer) sourceOf(v *dataset.Variable) (string, error) {
	source := v.Name()
	if _, err := v.Array().Attr(variableAttr, &source); err != nil {
		return "", err
	}
	if o.Coordinate != "" && v.IsCoordinate() && path.Base(v.Name()) == o.Append && source != o.Coordinate {
		return "", Option{"coordinate", o.Coordinate}.wrong("the coordinate %s of %s was made from the variable %s", v.Name(), o.dst, source)
	}
	return source, nil
}

// onlyVar returns the variable of a file for an array: that of --var, the only one that is no
// coordinate, or the one with the array's name.
func (o *planner) onlyVar(a *drx.Array, f *importFile) (formats.Info, error) {
	if len(o.Vars) > 1 {
		return formats.Info{}, option("var").wrong("it names %d variables, but %s is one array", len(o.Vars), a.Name())
	}
	var found []formats.Info
	for _, v := range f.content.Vars {
		switch {
		case len(o.Vars) == 1 && v.Name == o.Vars[0], len(o.Vars) == 0 && v.Name == path.Base(a.Name()):
			if v.Refused != "" {
				return v, errkind.Errorf(formats.ErrType, "%s%s", inVariable(v), v.Refused)
			}
			return v, nil
		case v.Refused == "" && !isCoordinateVar(v) && len(v.Shape) > 0:
			found = append(found, v)
		}
	}
	if len(o.Vars) == 1 || len(found) != 1 {
		return formats.Info{}, errkind.Of(formats.ErrVariable, errorf("choose the variable for %s with %v: there are %s", a.Name(), option("var"), listVars(f.content.Vars)))
	}
	return found[0], nil
}

// hasPlace reports whether it is known which indices of a dimension the file covers.
func (j *appendJob) hasPlace(dim string) bool {
	_, has := j.places[dim]
	return has
}

// isWithin reports whether it is known that a file covers only indices of a dimension that DST has.
func (j *appendJob) isWithin(dim string, bounds nd.Range) bool {
	at, has := j.places[dim]
	return has && at.Lo >= bounds.Lo && at.Hi <= bounds.Hi
}

// addVar adds a variable to a job, after checking that it fits the array. dims are the names of its
// dimensions in the dataset.
func (o *importer) addVar(j *appendJob, a *drx.Array, name string, info formats.Info, dims ...string) error {
	if has := a.Layout().Codec; o.Codec != "" && o.Codec != has {
		return Option{"codec", o.Codec}.wrong("%s exists and has the codec %s, which its new chunks get, too: leave the option out", a.Name(), has)
	}
	d := slices.Index(dims, o.Append)
	if dims == nil {
		var err error
		if d, err = dimOf(a, o.Append); err != nil {
			return err
		}
		for k := range a.Rank() {
			dims = append(dims, strconv.Itoa(k)) // as places has them
		}
	}
	v := appendVar{name: name, info: info, dim: d, frame: -1}
	shape, own := slices.Clone(info.Shape), ownDims(info)
	if d >= 0 && len(shape) == a.Rank()-1 {
		v.frame = d
		shape, own = slices.Insert(shape, d, 1), slices.Insert(own, d, a.Dims()[d])
	}
	want := a.Shape()
	v.at, _ = a.Bounds().Bounds()
	for k, dim := range dims {
		if j.hasPlace(dim) && k != d {
			want[k], v.at[k] = j.places[dim].Len(), j.places[dim].Lo
		}
	}
	if d >= 0 && len(shape) == len(want) {
		want[d] = shape[d]
	}
	if len(own) == a.Rank() && len(shape) == len(want) {
		if err := sameDims(own, a); err != nil {
			return fmt.Errorf("%s%w", inVariable(info), err)
		}
	}
	if !slices.Equal(shape, want) {
		return errkind.Of(drx.ErrBounds, errorf("%shas shape %s, which does not fit %s of shape %s along %s%v",
			inVariable(info), wording.Shape(info.Shape), a.Name(), wording.Shape(a.Shape()), wording.Printable(o.Append), o.widenHint(len(shape) == len(want))))
	}
	err := o.sameLabelsBut(d, a, j, info, dims)
	if lo, _ := a.Bounds().Bounds(); err == nil && !o.Widen {
		err = o.samePlaceAt(a, j.file, info, d, lo)
	}
	if err == nil {
		v.conv, err = o.conversion(a, j.file, info, len(dims) == 1 && name != "" && path.Base(dims[0]) == path.Base(name))
	}
	if parent := parentOf(j.file, info); err == nil {
		err = o.noteValid(a, o.parentHere(parent), j.file.name, info, parent)
	}
	if err != nil {
		return fmt.Errorf("%s%w", inVariable(info), err)
	}
	if d >= 0 {
		if by := shape[d]; j.by >= 0 && by != j.by {
			return errkind.Errorf(drx.ErrBounds, "%shas %d indices along %s, others have %d", inVariable(info), by, o.Append, j.by)
		}
		j.by = shape[d]
	}
	v.info.Attrs, v.info.Labels = nil, nil // not needed any more
	j.vars = append(j.vars, v)
	return nil
}

// sameLabelsBut is sameLabels for all dimensions but the one that grows.
func (o *comparer) sameLabelsBut(grows int, a *drx.Array, j *appendJob, v formats.Info, dims []string) error {
	for d, dim := range dims {
		part, has := j.places[dim]
		if !has {
			part = a.Bounds()[d]
		}
		if d == grows {
			continue
		}
		if err := o.sameLabels(a, j.file, v, d, part); err != nil {
			return err
		}
	}
	return nil
}

// widenHint says what to do if only the extents of a file differ.
func (o *planner) widenHint(sameRank bool) Text {
	if o.Widen || !sameRank {
		return Text{}
	}
	return textf("; %v lets it grow to hold both, if coordinates or the places of pixels say where the file lies", option("widen"))
}

// samePlaceAt checks that the pixels of a file lie where an array has those of the indices from lo
// on, on the same map, if the attributes of both say it. d is the dimension that grows, or -1:
// along it the file only has to follow the raster, which AnyOrder does not check.
func (o *planner) samePlaceAt(a *drx.Array, f *importFile, v formats.Info, d int, lo []int) error {
	if o.AsStored {
		return nil
	}
	if m, err := Meaning(a); err == nil && d >= 0 && m.Dim(a.Shape(), a.Dims()) == d {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: %s has a scale or a missing value of its own for each of its %d indices, which says nothing about more of them: append along another dimension, or import both with unpacked values",
			dimNames(a)[d], a.Name(), m.Indices())
	}
	have, err := decodeAttrs(a.Attrs())
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
		return errkind.Errorf(drx.ErrBounds, "coordinate system is %s, that of %s is %s%s", meaning.DescribeCRS(now), a.Name(), meaning.DescribeCRS(was), hint)
	}
	g, has := sixNumbers(have["geotransform"])
	h, hasToo := sixNumbers(got("geotransform"))
	if !has || !hasToo || a.Rank() < 2 {
		return nil
	}
	shifts, err := rasterShifts(g, h, a.Rank())
	if err != nil {
		return fmt.Errorf("%w%s", err, hint)
	}
	for k, by := range shifts {
		if k != d && by != lo[k] {
			return errkind.Errorf(drx.ErrBounds, "geotransform is %v and that of %s is %v: the file lies %d pixels away along dimension %d%s", h, a.Name(), g, by-lo[k], k, hint)
		}
	}
	if by, grows := shifts[d]; grows && !o.AnyOrder && (o.Low && by >= a.Bounds()[d].Lo || !o.Low && by < a.Bounds()[d].Hi) {
		reason := fmt.Sprintf("geotransform is %v: the file begins at index %d, which %s has or is past", h, by, a.Name())
		return &OrderError{dimNames(a)[d], reason, Misplaced}
	}
	return nil
}
