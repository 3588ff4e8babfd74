package transfer

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// A varPlan says how a variable is imported.
type varPlan struct {
	info formats.Info
	name string // in DST
	spec drx.Spec
	conv conversion

	sliceDim    int  // dimension of the array that the variable, a slice, does not have; -1 for none
	keepsFrames bool // chunks compressed in the file are stored as they are, see formats.FrameReader
}

// A plan says which variables to import from a file, and as what.
type plan struct {
	vars    []varPlan
	refused []Refusal
	dataset bool     // there are several arrays
	notes   []string // for people
	rounded bool     // the option Digits or Bits has rounded something
	inFile  []formats.Info
}

// plan plans the import of a file into a new array or dataset: of the variables in c, except that
// those in labels become labels of their dimensions. growing is the dimension along which DST will
// grow. The plan has its notes even if there is an error.
func (o *planner) plan(f *importFile, c choice, labels map[string][]string, growing string) (*plan, error) {
	p := &plan{refused: c.refused, inFile: f.content.Vars}
	vars := slices.DeleteFunc(slices.Clone(c.vars), func(v formats.Info) bool { return labels[v.Name] != nil })
	p.dataset = len(vars) > 1
	areSlices := slicesOf(vars, growing)
	for _, v := range vars {
		one, err := o.planVar(p, v, growing, areSlices[v.Name])
		if err != nil {
			return p, fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
		}
		addLabelAttrs(one, labelsOfDims(c.vars, labels))
		if err := addArrayLabels(one, f.arrays); err != nil {
			return p, fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
		}
		if err := o.checkChunk(one.spec); err != nil {
			return p, err
		}
		if p.dataset {
			setHomes(one.spec.Attrs, v, vars)
		}
		p.noteWorld(v)
		p.vars = append(p.vars, one)
	}
	if o.Chunk != nil && !slices.ContainsFunc(p.vars, func(v varPlan) bool { return len(v.spec.Shape) == len(o.Chunk) }) {
		return p, optionerr.Wrong("chunk", o.Chunk, "no variable of %s has %d dimensions", f.name, len(o.Chunk))
	}
	if !p.dataset {
		p.addFileAttrs(f)
	}
	if !o.rounding.IsNone() && !p.rounded {
		return p, o.rounding.Wrong("%s has no variable of floating-point numbers that could be rounded", f.name)
	}
	o.noteCodecs(p, f)
	return p, nil
}

// note adds a note.
func (p *plan) note(text string) { p.notes = append(p.notes, text) }

// checkChunk returns an error if a chunk of the option Chunk does not fit into the memory for an
// array, before anything is made.
func (o *planner) checkChunk(spec drx.Spec) error {
	if o.Chunk == nil || len(spec.Shape) != len(o.Chunk) {
		return nil
	}
	n, err := nd.Product(append([]int{spec.DType.Size()}, o.Chunk...)...)
	if err != nil || int64(n) > o.cache() {
		return optionerr.Wrong("chunk", o.Chunk, "a chunk of %v takes more than %v, a quarter of %v: give smaller extents, or more memory",
			spec.DType, byteCount(o.cache()), option("memory"))
	}
	return nil
}

// addFileAttrs gives the attributes of a file, and of the groups around its only array, to that
// array. A note names the attributes that it leaves out, because the array has one of the same name
// or because they would change the meaning of the elements.
func (p *plan) addFileAttrs(f *importFile) {
	spec, left := p.vars[0].spec, []string{}
	add := func(attrs map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(attrs)) {
			raw, err := formats.EncodeAttr(attrs[name])
			has, exists := spec.Attrs[name]
			switch {
			case isOwn(name), exists && reflect.DeepEqual(has, any(raw)), exists && slices.Contains(anyFile, name):
			case exists, err != nil, slices.Contains(meantByVariable, name):
				left = append(left, name)
			default:
				spec.Attrs[name] = raw
			}
		}
	}
	for group := path.Dir(p.vars[0].info.Name); group != "." && group != "/"; group = path.Dir(group) {
		add(f.content.Groups[group])
	}
	add(f.content.Attrs)
	if len(left) > 0 {
		p.note(fmt.Sprintf("%s: without the attributes %s of the file as a whole: variable %s has its own, or they would say what its numbers mean",
			f.name, strings.Join(left, ", "), wording.Printable(p.vars[0].info.Name)))
	}
}

// meantByVariable are attributes that define the meaning of the elements of a variable. As
// attributes of a whole file they cannot refer to this variable.
var meantByVariable = []string{
	"scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar",
	"valid_min", "valid_max", "valid_range", "flag_values", "flag_masks", "flag_meanings",
}

// anyFile are attributes that every file of a convention has, and that are left out without a note.
var anyFile = []string{"Conventions"}

// slicesOf returns the names of the variables that are slices, which get the dimension growing.
// There are slices only if no variable of the file has that dimension. Variables with data are
// slices, and so are scalars, since each file has its own value. A grid mapping is not: it is a
// scalar only to hold attributes.
func slicesOf(vars []formats.Info, growing string) map[string]bool {
	if growing == "" || slices.ContainsFunc(vars, func(v formats.Info) bool { return slices.Contains(ownDims(v), growing) }) {
		return nil
	}
	areSlices := map[string]bool{}
	mappings := namedVars(vars, "grid_mapping")
	auxiliary := namedVars(vars, "bounds", "climatology", "coordinates", "formula_terms", "cell_measures")
	for _, v := range vars {
		own := path.Base(v.Name)
		areSlices[v.Name] = !mappings[own] && (len(v.Shape) == 0 || !isCoordinateVar(v) && !auxiliary[own])
	}
	return areSlices
}

// planVar plans the array of a variable: element type, attributes, dimensions, fill value, codec
// and chunk shape, and the conversion of its elements. A slice gets the dimension growing.
func (o *planner) planVar(all *plan, v formats.Info, growing string, isSlice bool) (varPlan, error) {
	p := varPlan{info: v, name: v.Name, sliceDim: -1}
	var err error
	v, p.conv, err = o.converted(v, o.becomesCoordinate(v))
	if p.conv.note != "" {
		all.note(p.conv.note)
	}
	if err != nil {
		return p, err
	}
	dims, shape := ownDims(v), slices.Clone(v.Shape)
	attrs, err := encodeAttrs(v.Attrs)
	if err != nil {
		return p, err
	}
	switch {
	case isSlice:
		p.sliceDim = 0
		dims, shape = slices.Insert(dims, 0, growing), slices.Insert(shape, 0, 1)
	case len(shape) == 0:
		p.sliceDim = 0
		dims, shape = []string{""}, []int{1}
		attrs[scalarAttr] = true
	}
	if v.Name == o.Coordinate && o.Coordinate != "" {
		p.name = path.Join(path.Dir(v.Name), growing)
		attrs[variableAttr] = v.Name
	}
	if numbers := unlimited(v, dims, growing, isSlice); numbers != nil {
		attrs[unlimitedAttr] = numbers
	}
	if v.Labels != nil {
		attrs[stringsAttr] = v.Labels
	}
	p.spec = drx.Spec{DType: v.DType, Shape: shape, Dims: dims, Attrs: attrs, Codec: o.Codec, Options: drx.Options{Cache: o.cache()}}
	if v.Fill != nil {
		p.spec.FillValue = v.DType.Format(v.Fill)
	}
	if o.rounds(v, all.inFile) {
		if err := o.addRounding(all, &p, v); err != nil {
			return p, err
		}
	}
	p.keepsFrames = o.keepsFrames(p)
	p.spec.ChunkShape = o.chunkShape(p, growingDims(p, growing, all.inFile))
	if o.Codec == "" {
		p.spec.Codec = keptCodec(p.info.Codec, p.spec)
	}
	return p, nil
}

// labelsOfDims returns the labels of coordinates of strings by the names of their dimensions.
func labelsOfDims(vars []formats.Info, labels map[string][]string) map[string][]string {
	byDim := map[string][]string{}
	for _, v := range vars {
		if labels[v.Name] != nil {
			byDim[v.Dims[0]] = labels[v.Name]
		}
	}
	return byDim
}

// addLabelAttrs adds the labels of the dimensions of a variable to its attributes.
func addLabelAttrs(p varPlan, byDim map[string][]string) {
	dims, attrs := p.spec.Dims, p.spec.Attrs
	own := len(dims) - len(p.info.Dims) // a slice has one dimension more than in the file
	for d, dim := range p.info.Dims {
		if labels := byDim[dim]; labels != nil && dims[own+d] != "" {
			attrs[fmt.Sprintf("labels/%d/0", own+d)] = labels
		}
	}
	if attrs[fmt.Sprintf("labels/%d/0", len(dims)-1)] != nil {
		delete(attrs, columnsAttr)
	}
}

// addArrayLabels adds the labels and levels that an array of DRX has itself, also along dimensions
// without names, to the attributes of the one that is made of it. arrays is nil for files.
func addArrayLabels(p varPlan, arrays arraySource) error {
	if arrays == nil {
		return nil
	}
	first := len(p.spec.Shape) - len(p.info.Shape) // a slice has one dimension more than in the file
	for d := range p.info.Shape {
		if labels := arrays.labels(p.info.Name, d); labels != nil {
			p.spec.Attrs[cube.LabelAttr(first+d, 0)] = labels
		}
		levels, err := arrays.levels(p.info.Name, d)
		if err != nil {
			return err
		}
		for name, groups := range levels {
			p.spec.Attrs[cube.LevelAttr(first+d, name)] = groups
		}
	}
	return nil
}

// unlimited returns the numbers of the dimensions of an array that are unlimited: those that were
// in the file, and the one along which the import grows.
func unlimited(v formats.Info, dims []string, growing string, isSlice bool) (numbers []int) {
	for d, dim := range dims {
		in := d // in the file
		if isSlice {
			in--
		}
		if in >= 0 && in < len(v.Unlimited) && v.Unlimited[in] || growing != "" && dim == growing {
			numbers = append(numbers, d)
		}
	}
	return numbers
}

// noteWorld notes the axes of an image of FITS that get no coordinate.
func (p *plan) noteWorld(v formats.Info) {
	_, others := meaning.WorldAxes(v.Attrs, len(v.Shape))
	if len(others) == 0 {
		return
	}
	p.note(inVariable(v) + "without coordinates for the axes " + strings.Join(others, " and ") +
		", whose values do not depend evenly on one index: the attributes CTYPE1, CRVAL1 and others say where its elements lie")
}
