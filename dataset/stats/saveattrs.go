package stats

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/dtype"
)

// companionAttrs are the attributes that name other variables or that attrsOf sets anew for each
// statistic.
var companionAttrs = []string{
	"coordinates", "grid_mapping", "bounds", "climatology", "ancillary_variables", "cell_measures", "formula_terms", "cell_methods",
	"units", "calendar", "units_metadata",
}

// world matches the keywords with which FITS locates pixels.
var world = regexp.MustCompile(`^(CTYPE|CUNIT|CRVAL|CDELT|CROTA|CRPIX|CD\d+_|PC\d+_|PV\d+_)\d+[A-Z]?$`)

// Describe returns the type of the values of a statistic of a request, and the attributes that Save
// gives it, except those that name other variables. The error wraps drx.ErrDType as that of
// Compute.
func Describe(a *drx.Array, axes *dataset.Axes, req *Request, f Func) (dtype.DType, map[string]any, error) {
	p := &plan{a: a, req: req}
	if err := p.setMeaning(); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	r := &Result{}
	for d, cells := range req.Select {
		if !slices.Contains(req.Over, d) {
			r.Axes = append(r.Axes, Axis{Dim: d, Cells: cells})
		}
	}
	for _, g := range req.Groups {
		for k, x := range r.Axes {
			if x.Dim == g.Dim {
				r.Axes[k] = Axis{Dim: x.Dim, Group: g}
			}
		}
	}
	s := &saver{a: a, axes: axes, req: req, r: r}
	attrs, err := s.attrsOf(f)
	return p.typeOf(f), attrs, err
}

// attrsOf returns the attributes of a statistic.
func (s *saver) attrsOf(f Func) (map[string]any, error) {
	of, err := meaningOf(s.a)
	if err != nil {
		return nil, err
	}
	attrs := PlainAttrs(s.a)
	for name, value := range attrs {
		if slices.Contains(companionAttrs, name) || world.MatchString(name) || s.isListOfIndices(value) {
			delete(attrs, name)
		}
	}
	if !s.keepsPixels() {
		delete(attrs, "geotransform")
	}
	s.setUnits(attrs, f, of)
	what := s.whatOf(attrs)
	if f.IsCount() || f.isIndex() {
		delete(attrs, "positive")
		standard := textIn(attrs, "standard_name")
		delete(attrs, "standard_name")
		if f.Op == Count && standard != "" {
			attrs["standard_name"] = standard + " number_of_observations"
		}
		attrs["long_name"] = f.kind().about + what
		return attrs, nil
	}
	methods, err := s.methods(f)
	if before := textOf(s.a, "cell_methods"); before != "" {
		methods = before + " " + methods
	}
	if methods != "" {
		attrs["cell_methods"] = methods
	}
	return attrs, err
}

// whatOf describes the quantity of the array in words: its long_name, its standard_name, or the
// name of the array.
func (s *saver) whatOf(attrs map[string]any) string {
	for _, name := range []string{"long_name", "standard_name"} {
		if text := textIn(attrs, name); text != "" {
			return text
		}
	}
	return filepath.Base(s.a.Name())
}

func textIn(attrs map[string]any, name string) (text string) {
	if raw, ok := attrs[name].(json.RawMessage); ok {
		_ = json.Unmarshal(raw, &text) // another type is no text
	}
	return text
}

// isListOfIndices reports whether an attribute is a list with one value for each index of a
// dimension of which the result lacks indices.
func (s *saver) isListOfIndices(value any) bool {
	var list []json.RawMessage
	raw, _ := value.(json.RawMessage)
	if json.Unmarshal(raw, &list) != nil || len(list) < 2 {
		return false
	}
	for d, n := range s.a.Shape() {
		if n == len(list) && !s.isWhole(d) {
			return true
		}
	}
	return false
}

// isWhole reports whether all indices of a dimension remain.
func (s *saver) isWhole(d int) bool {
	all := s.a.Bounds()[d]
	return slices.ContainsFunc(s.r.Axes, func(x Axis) bool {
		return x.Dim == d && x.Group == nil && len(x.Cells) == 1 && x.Cells[0].Lo == all.Lo && x.Cells[0].Hi == all.Hi && x.Cells[0].Stride() == 1
	})
}

// keepsPixels reports whether rows and columns of a raster keep their indices.
func (s *saver) keepsPixels() bool {
	n, rank := len(s.r.Axes), s.a.Rank()
	if n < 2 || s.r.Axes[n-2].Dim != rank-2 || s.r.Axes[n-1].Dim != rank-1 {
		return false
	}
	for _, x := range s.r.Axes[n-2:] {
		if x.Group != nil || len(x.Cells) != 1 || x.Cells[0].Stride() != 1 {
			return false
		}
	}
	return true
}

// setUnits sets the units of a statistic. A deviation of degrees Celsius is a difference of
// temperatures, which CF says in units_metadata.
func (s *saver) setUnits(attrs map[string]any, f Func, of *meaning.Meaning) {
	units := of.Units
	step, _, isTime := strings.Cut(units, " since ")
	switch {
	case f.IsCount() || f.isIndex():
		attrs["units"] = "1"
		return
	case units == "":
		return
	case isTime && f.Op == Sum: // a sum of times has no meaning
		return
	case isTime && (f.Op == Std || f.Op == Var):
		units = step
	case isTime && of.Calendar != "":
		attrs["calendar"] = of.Calendar
	}
	if f.Op == Var {
		units = squared(units)
	}
	if f.Op == Std && slices.Contains(shifted, units) {
		attrs["units_metadata"] = "temperature: difference"
	}
	attrs["units"] = units
}

// shifted are the units of temperature whose zero is not the absolute one.
var shifted = []string{"degC", "degreeC", "degree_C", "celsius", "Celsius", "degree_Celsius", "degrees_Celsius", "degF", "degreeF", "degree_F", "fahrenheit", "Fahrenheit"}

// oneUnit matches units that are one word.
var oneUnit = regexp.MustCompile(`^[A-Za-z_µ°]+$`)

// squared returns the square of units, as UDUNITS reads it.
func squared(units string) string {
	switch {
	case units == "1":
		return units
	case slices.Contains(shifted, units) && strings.Contains(strings.ToLower(units), "f"):
		return "(" + units + ")2"
	case slices.Contains(shifted, units):
		return "K2" // a difference of degrees Celsius is one of kelvins
	case oneUnit.MatchString(units):
		return units + "2"
	}
	return "(" + units + ")2"
}

// methods returns cell_methods: the reduced dimensions, the method, and in parentheses the spacing
// of what was reduced and what was left out.
func (s *saver) methods(f Func) (string, error) {
	method := f.kind().method
	if f.Op == Quantile && f != Median {
		method = "percentile_" + strconv.FormatFloat(f.Percent, 'f', -1, 64)
	}
	comment := s.comment()
	var parts []string
	plain := "" // the names of dimensions without a spacing, which share a method
	for d := range s.a.Rank() {
		if !s.isReduced(d) {
			continue
		}
		name := s.a.Dims()[d]
		if name == "" {
			continue
		}
		interval, err := s.interval(d)
		if err != nil {
			return "", err
		}
		if interval == "" {
			plain += name + ": "
			continue
		}
		inside := "interval: " + interval
		if comment != "" {
			inside += " comment: " + comment
		}
		parts = append(parts, name+": "+method+" ("+inside+")")
	}
	if plain != "" {
		plain += method
		if comment != "" {
			plain += " (" + comment + ")"
		}
		parts = append(parts, plain)
	}
	return strings.Join(parts, " "), nil
}

// isReduced reports whether a dimension is reduced, to one result or to groups.
func (s *saver) isReduced(d int) bool {
	return !slices.ContainsFunc(s.r.Axes, func(x Axis) bool { return x.Dim == d && x.Group == nil })
}

// comment says how the elements were weighted and which of them were left out.
func (s *saver) comment() string {
	var said []string
	if w := s.req.Weights; w != nil && w.Array != nil {
		said = append(said, "weighted by "+filepath.Base(w.Array.Name()))
	} else if w != nil {
		said = append(said, "area-weighted")
	}
	if m := s.req.Where; m != nil {
		said = append(said, fmt.Sprintf("where %s%s%v", filepath.Base(m.Array.Name()), m.Op, m.Value))
	}
	return strings.Join(said, ", ")
}

// lengths are the units in which a spacing of times is written.
var lengths = []struct {
	nanos int64
	name  string
}{{dayNanos, "day"}, {3600 * secondNanos, "hour"}, {60 * secondNanos, "minute"}, {secondNanos, "second"}}

// interval returns the spacing of the coordinate of a reduced dimension as a number with units, ""
// if it is not even.
func (s *saver) interval(d int) (string, error) {
	c, err := s.axes.Coordinate(d)
	if c == nil || err != nil {
		return "", err
	}
	r := c.Bounds()
	if s.req.Select != nil && (len(s.req.Select[d]) != 1 || s.req.Select[d][0].Stride() != 1) {
		return "", nil
	}
	if s.req.Select != nil {
		r = s.req.Select[d][0]
	}
	if r.Len() < 2 {
		return "", nil
	}
	if !c.IsTime() {
		return evenly(c, r.Lo, r.Len()), nil
	}
	nanos := func(i int) (int64, bool) {
		from, hasFrom := c.Time(i)
		to, hasTo := c.Time(i + 1)
		return (to.Day-from.Day)*dayNanos + to.Nanos - from.Nanos, hasFrom && hasTo
	}
	step, ok := nanos(r.Lo)
	for i := r.Lo + 1; i < r.Hi-1 && ok; i++ {
		next, has := nanos(i)
		ok = has && next == step
	}
	for _, l := range lengths {
		if ok && step > 0 && step%l.nanos == 0 {
			return strconv.FormatInt(step/l.nanos, 10) + " " + l.name, nil
		}
	}
	return "", nil
}

// evenly returns the spacing of numbers with their units.
func evenly(c *dataset.Coordinate, first, n int) string {
	values := make([]float64, n)
	for i := range values {
		values[i] = c.Float64(first + i)
	}
	units := strings.TrimSpace(c.Attr("units"))
	_, step, _, ok := meaning.Steps(values)
	if !ok || units == "" {
		return ""
	}
	return strconv.FormatFloat(max(step, -step), 'g', 6, 64) + " " + units
}
