package transfer

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"drx"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// A plannedVar is a variable to be imported.
type plannedVar struct {
	info  formats.Info
	name  string // in DST
	spec  drx.Spec
	frame int // dimension of the array that the variable of the file does not have, or -1
	conv  conversion
}

// A plan is what to import from a file.
type plan struct {
	vars    []plannedVar
	refused []Refused
	dataset bool // there are several arrays
	labels  map[string]labelling
}

// plan says how to import a file as something new. growing is the dimension along which it is to
// grow.
func (o *sources) plan(f *importFile, growing string) (*plan, error) {
	vars, refused, err := o.choose(f)
	if err != nil {
		return nil, err
	}
	p := &plan{refused: refused}
	if p.labels, err = o.labellings(f, vars); err != nil {
		return nil, err
	}
	vars = slices.DeleteFunc(vars, func(v formats.Info) bool { _, is := p.labels[v.Name]; return is })
	p.dataset = len(vars) > 1
	frames := framesOf(vars, growing)
	for _, v := range vars {
		planned, err := o.planVar(v, growing, frames[v.Name], p)
		if err != nil {
			return nil, fmt.Errorf("%s: %s%w", f.name, inVariable(v), err)
		}
		if err := o.checkChunk(planned.spec); err != nil {
			return nil, err
		}
		if p.dataset {
			setHomes(planned.spec.Attrs, v, vars)
		}
		o.noteWorld(planned)
		p.vars = append(p.vars, planned)
	}
	if o.Chunk != nil && !slices.ContainsFunc(p.vars, func(v plannedVar) bool { return len(v.spec.Shape) == len(o.Chunk) }) {
		return nil, Option{"chunk", o.Chunk}.wrong("no variable of %s has %d dimensions", f.name, len(o.Chunk))
	}
	if !p.dataset {
		o.addFileAttrs(p, f)
	}
	return p, nil
}

// checkChunk returns an error if a chunk of the option Chunk does not fit into the memory for an
// array: nothing may be made then.
func (o *planner) checkChunk(spec drx.Spec) error {
	if o.Chunk == nil || len(spec.Shape) != len(o.Chunk) {
		return nil
	}
	n, err := nd.Product(append([]int{spec.DType.Size()}, o.Chunk...)...)
	if err != nil || int64(n) > o.cache() {
		return Option{"chunk", o.Chunk}.wrong("a chunk of %v takes more than %v, a quarter of %v: give smaller extents, or more memory",
			spec.DType, byteCount(o.cache()), option("memory"))
	}
	return nil
}

// addFileAttrs gives the attributes of a file, and of the groups around its only array, to that
// array. A note names those that it cannot have: the array has its own of the name, or the name
// says what elements mean.
func (o *planner) addFileAttrs(p *plan, f *importFile) {
	spec, left := p.vars[0].spec, []string{}
	add := func(attrs map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(attrs)) {
			raw, err := formats.EncodeAttr(attrs[name])
			has, taken := spec.Attrs[name]
			switch {
			case isOwn(name), taken && reflect.DeepEqual(has, any(raw)), taken && slices.Contains(anyFile, name):
			case taken, err != nil, slices.Contains(meantByVariable, name):
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
	if len(left) > 0 && o.Note != nil {
		o.Note(fmt.Sprintf("%s: without the attributes %s of the file as a whole: variable %s has its own, or they would say what its numbers mean",
			f.name, strings.Join(left, ", "), wording.Printable(p.vars[0].info.Name)))
	}
}

// meantByVariable are attributes that change what the elements of a variable mean; a file as a
// whole has none.
var meantByVariable = []string{
	"scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar",
	"valid_min", "valid_max", "valid_range", "flag_values", "flag_masks", "flag_meanings",
}

// anyFile are attributes of every file of a convention, which say nothing that the variable's own
// does not.
var anyFile = []string{"Conventions"}

// framesOf returns the variables, by name, that are to get the dimension along which they grow,
// because no variable of the file has it: those that hold data, and scalars, as each frame has its
// own. A grid mapping is a scalar for its attributes only.
func framesOf(vars []formats.Info, growing string) map[string]bool {
	if growing == "" || slices.ContainsFunc(vars, func(v formats.Info) bool { return slices.Contains(ownDims(v), growing) }) {
		return nil
	}
	frames := map[string]bool{}
	mappings := namedVars(vars, "grid_mapping")
	auxiliary := namedVars(vars, "bounds", "climatology", "coordinates", "formula_terms", "cell_measures")
	for _, v := range vars {
		own := path.Base(v.Name)
		frames[v.Name] = !mappings[own] && (len(v.Shape) == 0 || !isCoordinateVar(v) && !auxiliary[own])
	}
	return frames
}

// planVar says how to import a variable. A frame gets the dimension along which it grows.
func (o *planner) planVar(v formats.Info, growing string, frame bool, all *plan) (plannedVar, error) {
	p := plannedVar{info: v, name: v.Name, frame: -1}
	var err error
	if v, p.conv, err = o.wanted(v, o.becomesCoordinate(v)); err != nil {
		return p, err
	}
	dims, shape := ownDims(v), slices.Clone(v.Shape)
	attrs, err := encodeAttrs(v.Attrs)
	if err != nil {
		return p, err
	}
	switch {
	case frame:
		p.frame = 0
		dims, shape = slices.Insert(dims, 0, growing), slices.Insert(shape, 0, 1)
	case len(shape) == 0:
		p.frame = 0
		dims, shape = []string{""}, []int{1}
		attrs[scalarAttr] = true
	}
	if v.Name == o.Coordinate && o.Coordinate != "" {
		p.name = path.Join(path.Dir(v.Name), growing)
		attrs[variableAttr] = v.Name
	}
	if numbers := unlimited(v, dims, growing, frame); numbers != nil {
		attrs[unlimitedAttr] = numbers
	}
	if v.Labels != nil {
		attrs[stringsAttr] = v.Labels
	}
	own := len(dims) - len(v.Dims) // a frame has one more than the variable of the file
	for d, dim := range v.Dims {
		for _, l := range all.labels {
			if dim != "" && dim == l.info.Dims[0] && dims[own+d] != "" {
				attrs[fmt.Sprintf("labels/%d/0", own+d)] = l.labels
			}
		}
	}
	if attrs[fmt.Sprintf("labels/%d/0", len(dims)-1)] != nil {
		delete(attrs, columnsAttr)
	}
	p.spec = drx.Spec{DType: v.DType, Shape: shape, Dims: dims, Attrs: attrs, Codec: o.Codec, Options: drx.Options{Cache: o.cache()}}
	if v.Fill != nil {
		p.spec.FillValue = v.DType.Format(v.Fill)
	}
	p.spec.ChunkShape = o.chunkShape(p, growing)
	return p, nil
}

// unlimited returns the numbers of the dimensions of an array that may grow in a file: those that
// may in the file that it is from, and the one along which the import grows.
func unlimited(v formats.Info, dims []string, growing string, frame bool) (numbers []int) {
	for d, dim := range dims {
		in := d // in the file
		if frame {
			in--
		}
		if in >= 0 && in < len(v.Unlimited) && v.Unlimited[in] || growing != "" && dim == growing {
			numbers = append(numbers, d)
		}
	}
	return numbers
}
