package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/advise"
	"drx/convert"
	"drx/dtype"
)

// Attributes that an import adds, so that an export can restore what an array cannot say otherwise.
const (
	scalarAttr    = "import.scalar"    // true: the array of one element was a scalar
	unlimitedAttr = "import.unlimited" // numbers of the dimensions that the file allowed to grow
	stringsAttr   = "import.strings"   // strings, whose indices are the elements
	variableAttr  = "import.variable"  // name of the variable in the file, see --coordinate
	progressAttr  = "import.progress"  // an import is not complete
	sourcesAttr   = "import.sources"   // and these are its files
)

// ownPrefixes begin the names of attributes that have a meaning for DRX. Those of a file are left out.
var ownPrefixes = []string{"import.", "relayout.", "dataset.", "labels/"}

// A plannedVar is a variable to be imported.
type plannedVar struct {
	info  convert.Info
	name  string // in DST
	spec  drx.Spec
	frame int // dimension of the array that the variable of the file does not have, or -1
	scale *scaling
}

// A plan is what to import from a file.
type plan struct {
	vars    []plannedVar
	refused []refusedVar
	dataset bool // there are several arrays
	labels  map[string]labelling
}

// A labelling is a coordinate of strings, which become labels.
type labelling struct {
	info   convert.Info
	labels []string
}

// isCoordinateVar reports whether a variable is the coordinate of its dimension.
func isCoordinateVar(v convert.Info) bool {
	return len(v.Shape) == 1 && len(v.Dims) == 1 && v.Dims[0] != "" && path.Base(v.Dims[0]) == path.Base(v.Name)
}

// choose returns the variables of --var, with their coordinates, or all that can be imported.
func (o *importing) choose(f *importFile) (vars []convert.Info, refused []refusedVar, err error) {
	for _, name := range o.vars {
		if !slices.ContainsFunc(f.content.Vars, func(v convert.Info) bool { return v.Name == name }) {
			return nil, nil, usagef("--var %s: %s has no such variable: it has %s", name, f.name, listVars(f.content.Vars))
		}
	}
	if err := o.checkCoordinate(f); err != nil {
		return nil, nil, err
	}
	wanted := func(v convert.Info) bool { return len(o.vars) == 0 || slices.Contains(o.vars, v.Name) }
	dims := map[string]bool{}
	for _, v := range f.content.Vars {
		if wanted(v) {
			for _, dim := range v.Dims {
				dims[dim] = true
			}
		}
	}
	for _, v := range f.content.Vars {
		chosen := wanted(v) || isCoordinateVar(v) && dims[v.Dims[0]] || o.coordinate != "" && v.Name == o.coordinate || o.dim != "" && len(v.Shape) == 0 && v.Name == o.dim
		switch {
		case !chosen:
		case v.Refused == "":
			vars = append(vars, v)
		case slices.Contains(o.vars, v.Name):
			return nil, nil, fmt.Errorf("%s: variable %s: %w", f.name, v.Name, refusal(v))
		case v.Damaged:
			return nil, nil, fmt.Errorf("%s: variable %s: %w, or choose whole variables with --var", f.name, v.Name, refusal(v))
		default:
			refused = append(refused, refusedVar{v.Name, v.Refused})
		}
	}
	if len(vars) > 0 {
		return vars, refused, nil
	}
	if len(refused) > 0 {
		return nil, nil, fmt.Errorf("%s: no variable can be imported; %s: %s: %w", f.name, refused[0].Name, refused[0].Reason, convert.ErrType)
	}
	return nil, nil, fmt.Errorf("%s: has no variables, so there is nothing to import; --list prints its attributes: %w", f.name, convert.ErrVariable)
}

// refusal returns why a variable cannot be imported. A file that is damaged is never imported in part unless --var asks for it.
func refusal(v convert.Info) error {
	if v.Damaged {
		return fmt.Errorf("%s; the file is cut off or damaged: get it again", v.Refused)
	}
	return fmt.Errorf("%s: %w", v.Refused, convert.ErrType)
}

// checkCoordinate returns an error if the variable of --coordinate cannot be the coordinate of the dimension that grows.
func (o *importing) checkCoordinate(f *importFile) error {
	if o.coordinate == "" {
		return nil
	}
	found := false
	for _, v := range f.content.Vars {
		switch {
		case path.Dir(v.Name) == path.Dir(o.coordinate) && path.Base(v.Name) == o.dim:
			return usagef("--coordinate %s: %s has the variable %s, which is the coordinate of %s already", o.coordinate, f.name, v.Name, o.dim)
		case v.Name != o.coordinate:
		case v.Refused != "":
			return fmt.Errorf("%s: variable %s: %s: %w", f.name, v.Name, v.Refused, convert.ErrType)
		case len(v.Shape) > 1 || len(v.Shape) == 1 && ownDims(v)[0] != o.dim:
			return usagef("--coordinate %s: has shape %s in %s: want a scalar, or a variable of the dimension %s alone", o.coordinate, formatShape(v.Shape), f.name, o.dim)
		default:
			found = true
		}
	}
	if !found {
		return usagef("--coordinate %s: %s has no such variable: it has %s", o.coordinate, f.name, listVars(f.content.Vars))
	}
	return nil
}

// listVars lists the names of variables for an error.
func listVars(vars []convert.Info) string {
	var names []string
	for _, v := range vars {
		names = append(names, printable(v.Name))
	}
	if len(names) > 20 {
		names = append(names[:20], "and others; see --list")
	}
	if strings.Join(names, "") == "" {
		return "one variable without a name"
	}
	return strings.Join(names, ", ")
}

// plan says how to import a file as something new. growing is the dimension along which it is to grow.
func (o *importing) plan(f *importFile, growing string) (*plan, error) {
	vars, refused, err := o.choose(f)
	if err != nil {
		return nil, err
	}
	p := &plan{refused: refused}
	if p.labels, err = o.labelsOf(f, vars); err != nil {
		return nil, err
	}
	vars = slices.DeleteFunc(vars, func(v convert.Info) bool { _, is := p.labels[v.Name]; return is })
	p.dataset = len(vars) > 1
	frames := framesOf(vars, growing)
	for _, v := range vars {
		planned, err := o.planVar(v, growing, frames[v.Name], p)
		if err != nil {
			return nil, fmt.Errorf("%s: variable %s: %w", f.name, printable(v.Name), err)
		}
		p.vars = append(p.vars, planned)
	}
	if o.chunk != nil && !slices.ContainsFunc(p.vars, func(v plannedVar) bool { return len(v.spec.Shape) == len(o.chunk) }) {
		return nil, usagef("--chunk %s: no variable of %s has %d dimensions", o.text.chunk, f.name, len(o.chunk))
	}
	if !p.dataset {
		p.addFileAttrs(f.content.Attrs)
	}
	return p, nil
}

// addFileAttrs gives the attributes of a file to its only array, unless the variable has such attributes.
func (p *plan) addFileAttrs(attrs map[string]any) {
	spec := p.vars[0].spec
	for name, v := range attrs {
		if _, has := spec.Attrs[name]; !has && !isOwn(name) {
			if raw, err := convert.EncodeAttr(v); err == nil { // what has no counterpart is left out
				spec.Attrs[name] = raw
			}
		}
	}
}

func isOwn(attr string) bool {
	return slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(attr, prefix) })
}

// framesOf returns the variables, by name, that are to get the dimension along which they grow, because no variable of the file
// has it: those that hold data, and scalars, as each frame has its own. A grid mapping is a scalar for its attributes only.
func framesOf(vars []convert.Info, growing string) map[string]bool {
	if growing == "" || slices.ContainsFunc(vars, func(v convert.Info) bool { return slices.Contains(ownDims(v), growing) }) {
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

// namedVars returns the names of variables that describe others, which name them in these attributes of the CF conventions.
func namedVars(vars []convert.Info, attrs ...string) map[string]bool {
	named := map[string]bool{}
	for _, v := range vars {
		for _, attr := range attrs {
			text, _ := v.Attrs[attr].(string)
			for word := range strings.FieldsSeq(text) {
				named[strings.TrimSuffix(word, ":")] = true
			}
		}
	}
	return named
}

// planVar says how to import a variable. A frame gets the dimension along which it grows.
func (o *importing) planVar(v convert.Info, growing string, frame bool, all *plan) (plannedVar, error) {
	p := plannedVar{info: v, name: v.Name, frame: -1}
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
	if v.Name == o.coordinate && o.coordinate != "" {
		p.name = path.Join(path.Dir(v.Name), growing)
		attrs[variableAttr] = v.Name
	}
	if numbers := unlimited(v, dims, growing, frame); numbers != nil {
		attrs[unlimitedAttr] = numbers
	}
	if v.Labels != nil {
		attrs[stringsAttr] = v.Labels
	}
	for d, dim := range dims {
		for _, l := range all.labels {
			if dim != "" && dim == path.Base(l.info.Name) && shape[d] == len(l.labels) {
				attrs[fmt.Sprintf("labels/%d/0", d)] = l.labels
			}
		}
	}
	p.spec = drx.Spec{DType: v.DType, Shape: shape, Dims: dims, Attrs: attrs, Options: drx.Options{Cache: o.cache()}}
	if v.Fill != nil {
		p.spec.FillValue = v.DType.Format(v.Fill)
	}
	if o.unscale {
		if p.scale, err = newScaling(v); err != nil {
			return p, err
		}
		p.scale.apply(&p.spec)
	}
	p.spec.ChunkShape = o.chunkShape(p, growing)
	return p, nil
}

// unlimited returns the numbers of the dimensions of an array that may grow in a file: those that may in the file that it is from,
// and the one along which the import grows.
func unlimited(v convert.Info, dims []string, growing string, frame bool) (numbers []int) {
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

// ownDims returns the names of a variable's dimensions without the path of a group. A name that a dimension before it has
// is left out.
func ownDims(v convert.Info) []string {
	dims := make([]string, len(v.Shape))
	for d, name := range v.Dims {
		if name != "" && !slices.Contains(dims[:d], path.Base(name)) {
			dims[d] = path.Base(name)
		}
	}
	return dims
}

// encodeAttrs returns attributes to be set, without those that have a meaning for DRX.
func encodeAttrs(values map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, v := range values {
		if isOwn(name) {
			continue
		}
		raw, err := convert.EncodeAttr(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = raw
	}
	return out, nil
}

const (
	importChunk = 1 << 20   // bytes of a chunk, at the most
	leastChunk  = 256 << 10 // and at the least, if the array has as many
	adviseRank  = 6         // largest rank for which the best shape is searched
)

// chunkShape returns the chunk shape of an array: that of --chunk, one that fits the chunks of the file, or the best one for reads
// of boxes like the chunks of the file.
func (o *importing) chunkShape(p plannedVar, growing string) []int {
	shape := slices.Clone(p.spec.Shape)
	if len(o.chunk) == len(shape) {
		return o.chunk
	}
	for d := range shape {
		if len(p.info.Unlimited) == len(shape) && p.info.Unlimited[d] || growing != "" && p.spec.Dims[d] == growing {
			shape[d] = 0 // it grows
		}
	}
	if p.info.Chunk == nil || len(p.info.Chunk) != len(shape) {
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	if chunk := alignedChunk(p.info.Chunk, shape, p.spec.DType.Size()); chunk != nil {
		return chunk
	}
	if len(shape) > adviseRank {
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	box := slices.Clone(p.info.Chunk)
	for d, n := range shape {
		if n > 0 {
			box[d] = min(box[d], n)
		}
	}
	best, err := advise.Best(advise.Problem{
		Accesses: []advise.Access{{Box: box, Weight: 1}}, ElemSize: p.spec.DType.Size(), Block: importChunk, Floor: leastChunk, Shape: shape,
	})
	if err != nil { // an extent beyond what advise takes
		return drx.DefaultChunk(p.spec.DType, shape)
	}
	return best.Chunk
}

// labelsOf returns the coordinates of strings, by name: they become labels of the dimension in other variables. Labels
// must differ; other strings stay variables.
func (o *importing) labelsOf(f *importFile, vars []convert.Info) (map[string]labelling, error) {
	found := map[string]labelling{}
	for _, v := range vars {
		if v.Labels == nil || !isCoordinateVar(v) {
			continue
		}
		used := slices.ContainsFunc(vars, func(w convert.Info) bool { return w.Name != v.Name && slices.Contains(w.Dims, first(v.Dims)) })
		if !used || len(v.Labels) != v.Shape[0] || slices.Contains(v.Labels, "") {
			continue
		}
		labels, err := o.readStrings(f, v)
		if err != nil {
			return nil, err
		}
		found[v.Name] = labelling{v, labels}
	}
	return found, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// readStrings reads a variable of strings.
func (o *importing) readStrings(f *importFile, v convert.Info) ([]string, error) {
	buf, err := o.readWhole(f, v)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(buf)/v.DType.Size())
	for i := range labels {
		n := int(v.DType.Float64(buf[i*v.DType.Size():]))
		if n < 0 || n >= len(v.Labels) {
			return nil, fmt.Errorf("%s: variable %s: element %d is string %d of %d: %w", f.name, v.Name, i, n, len(v.Labels), convert.ErrType)
		}
		labels[i] = v.Labels[n]
	}
	return labels, nil
}

// readWhole reads all of a small variable, such as a coordinate.
func (o *importing) readWhole(f *importFile, v convert.Info) ([]byte, error) {
	n, err := v.Bytes()
	if err == nil && n > o.memory/4 {
		err = fmt.Errorf("variable %s has %d bytes, which must be in memory at once: %w; a quarter of --memory is for it", v.Name, n, convert.ErrMemory)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	r, err := o.reader(f, v.Name)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, n)
	err = r.ReadSection(nil, buf)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return buf, err
}

// A scaling turns stored values into what they mean: x * factor + offset.
type scaling struct {
	from           dtype.DType
	factor, offset float64
	missing        [][]byte // stored elements that are no values
	buf            []byte
}

// newScaling returns the scaling of a variable's attributes. The error wraps dtype.ErrDType for elements that are no
// real numbers.
func newScaling(v convert.Info) (*scaling, error) {
	if v.DType.IsComplex() || v.DType == dtype.Bool || v.Labels != nil {
		return nil, nil // they have no scale
	}
	s := &scaling{from: v.DType, factor: 1}
	scaled := false
	for _, attr := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &s.factor}, {"add_offset", &s.offset}} {
		if value, has := v.Attrs[attr.name]; has {
			n, ok := asNumber(value)
			if !ok {
				return nil, fmt.Errorf("attribute %s is %v: want a number", attr.name, value)
			}
			*attr.to, scaled = n, true
		}
	}
	if !scaled {
		return nil, nil
	}
	if v.Fill != nil {
		s.missing = append(s.missing, v.Fill)
	}
	if n, ok := asNumber(v.Attrs["missing_value"]); ok {
		if b, err := v.DType.EncodeValue(n); err == nil { // otherwise no element has it
			s.missing = append(s.missing, b)
		}
	}
	return s, nil
}

// asNumber returns the number in an attribute, or in a list of one.
func asNumber(v any) (float64, bool) {
	if raw, ok := v.(json.RawMessage); ok && raw == nil {
		return 0, false
	}
	raw, err := convert.EncodeAttr(v)
	if err != nil {
		return 0, false
	}
	var n float64
	if json.Unmarshal(raw, &n) == nil && v != nil {
		return n, true
	}
	var list []float64
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		return list[0], true
	}
	return 0, false
}

// apply changes what array is made. s may be nil: nothing is scaled.
func (s *scaling) apply(spec *drx.Spec) {
	if s == nil {
		return
	}
	spec.DType, spec.FillValue = dtype.Float64, "NaN"
	for _, name := range []string{"scale_factor", "add_offset", "_FillValue", "missing_value"} {
		delete(spec.Attrs, name)
	}
}

// elements returns what elements mean, as float64. The result is valid until the next call.
func (s *scaling) elements(stored []byte) []byte {
	if s == nil {
		return stored
	}
	size := s.from.Size()
	n := len(stored) / size
	s.buf = slices.Grow(s.buf[:0], 8*n)[:0]
	for i := range n {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(s.value(stored[i*size:][:size])))
	}
	return s.buf
}

// plainNaN are the bits of the NaN that DRX stores, which is not that of math.NaN.
const plainNaN = 0x7ff8 << 48

// value returns what one element means: NaN if it is no value.
func (s *scaling) value(stored []byte) float64 {
	for _, m := range s.missing {
		if bytes.Equal(stored, m) {
			return math.Float64frombits(plainNaN)
		}
	}
	return s.from.Float64(stored)*s.factor + s.offset
}
