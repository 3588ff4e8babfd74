package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
	"drx/formats"
	"drx/nd"
	"drx/optionerr"
)

// header returns the header of an array, with attributes as JSON: name, value, ...
func header(name string, t dtype.DType, dims string, shape []int, attrs ...string) arrayHeader {
	h := arrayHeader{name: name, dtype: t, fill: make([]byte, t.Size()), codec: "none", attrs: map[string]json.RawMessage{}}
	h.dims, h.bounds = strings.Fields(dims), whole(shape)
	for i := 0; i < len(attrs); i += 2 {
		h.attrs[attrs[i]] = json.RawMessage(attrs[i+1])
	}
	return h
}

// aDataset returns a dataset of arrays. An array named like its only dimension is a coordinate.
func aDataset(arrays ...arrayHeader) *dstState {
	e := &dstState{dst: "d"}
	for _, h := range arrays {
		isCoordinate := len(h.dims) == 1 && h.dims[0] == h.name
		e.vars = append(e.vars, dstVar{h, h.name, h.dims, isCoordinate})
		for d, dim := range h.dims {
			if !slices.ContainsFunc(e.dims, func(known dataset.Dim) bool { return known.Name == dim }) {
				e.dims = append(e.dims, dataset.Dim{Name: dim, Bounds: h.bounds[d]})
			}
		}
	}
	return e
}

func anArray(h arrayHeader) *dstState {
	v := dstVar{arrayHeader: h}
	for d := range h.dims {
		v.along = append(v.along, fmt.Sprint(d))
	}
	return &dstState{dst: h.name, isArray: true, vars: []dstVar{v}}
}

// A plan to append must say, from headers alone, what grows, where it goes, how its numbers are
// converted, and which values must be compared.
func TestPlanAppend(t *testing.T) {
	time := formats.Info{Name: "time", DType: dtype.Int32, Shape: []int{1}, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2000-01-01"}}
	x := formats.Info{Name: "x", DType: dtype.Int32, Shape: []int{3}, Dims: []string{"x"}}
	rain := formats.Info{Name: "rain", DType: dtype.Int16, Shape: []int{1, 3}, Dims: []string{"time", "x"}, Attrs: map[string]any{"units": "mm"}}
	slice := formats.Info{Name: "rain", DType: dtype.Int16, Shape: []int{3}, Dims: []string{"x"}}
	inMetres, wide, asFloat, turned := rain, rain, rain, rain
	inMetres.DType, inMetres.Attrs = dtype.Float32, map[string]any{"units": "m"}
	wide.Shape, asFloat.DType = []int{1, 4}, dtype.Float32
	turned.Dims = []string{"x", "time"}
	names := formats.Info{Name: "names", DType: dtype.Uint32, Shape: []int{1}, Dims: []string{"time"}, Labels: []string{"Ulm", "Kiel"}}
	height := formats.Info{Name: "height", DType: dtype.Float64}
	crs := formats.Info{Name: "crs", DType: dtype.Int32, Attrs: map[string]any{"earth_radius": 6371000.0}}
	mapped := rain
	mapped.Attrs = map[string]any{"units": "mm", "grid_mapping": "crs"}

	hasTime := header("time", dtype.Int32, "time", []int{5}, "units", `"days since 2000-01-01"`)
	inHours := header("time", dtype.Int32, "time", []int{5}, "units", `"hours since 2000-01-01"`)
	hasX := header("x", dtype.Int32, "x", []int{3})
	hasRain := header("rain", dtype.Int16, "time x", []int{5, 3}, "units", `"mm"`)
	floats := header("rain", dtype.Float32, "time x", []int{5, 3}, "units", `"mm"`)
	hasNames := header("names", dtype.Uint32, "time", []int{5}, stringsAttr, `["Bonn"]`)
	hasHeight := header("height", dtype.Float64, "", []int{1})
	hasHeight.dims = []string{""}
	onEarth := header("crs", dtype.Int32, "", []int{1}, "earth_radius", "6371000.0")
	onMoon := header("crs", dtype.Int32, "", []int{1}, "earth_radius", "1737400.0")
	onEarth.dims, onMoon.dims = []string{""}, []string{""}

	for name, c := range map[string]struct {
		o       ImportOptions
		there   *dstState
		vars    []formats.Info
		covered map[string]nd.Range
		want    string // see describeAppend
		fault   error
		says    string // part of the error
	}{
		"an array": {
			there: anArray(hasRain), vars: []formats.Info{rain},
			want: "1: rain along 0 at [0 0]; compare labels 1 [0, 3)",
		},
		"an array, by the number of its dimension": {
			o: ImportOptions{Append: "0"}, there: anArray(hasRain), vars: []formats.Info{rain},
			want: "1: rain along 0 at [0 0]; compare labels 1 [0, 3)",
		},
		"a slice": {
			there: anArray(hasRain), vars: []formats.Info{slice},
			o: ImportOptions{AsStored: true}, want: "1: rain along 0 slice at [0 0]; compare labels 1 [0, 3)",
		},
		"a dataset and its coordinates": {
			there: aDataset(hasRain, hasTime, hasX), vars: []formats.Info{rain, time, x},
			want: "1: rain along 0 at [0 0], time along 0 at [0]; compare labels 1 [0, 3), coordinate x",
		},
		"times in other units are converted": {
			there: aDataset(inHours, hasX), vars: []formats.Info{time, x},
			want: "1: time along 0 converted at [0]; compare coordinate x",
		},
		"other units are converted, which is noted": {
			there: aDataset(floats), vars: []formats.Info{inMetres},
			want: "1: rain along 0 converted at [0 0]; compare labels 1 [0, 3), note rain: a.nc",
		},
		"other units, as they are stored": {
			o: ImportOptions{AsStored: true}, there: aDataset(floats), vars: []formats.Info{inMetres},
			want: "1: rain along 0 at [0 0]; compare labels 1 [0, 3)",
		},
		"strings get the numbers of the array's": {
			there: aDataset(hasNames), vars: []formats.Info{names},
			want: "1: names along 0 converted at [0] strings Bonn Ulm Kiel",
		},
		"a scalar that does not grow": {
			there: aDataset(hasHeight, hasRain), vars: []formats.Info{height, rain},
			want: "1: rain along 0 at [0 0]; compare labels 0 [0, 1), values height, labels 1 [0, 3)",
		},
		"a grid mapping": {
			there: aDataset(onEarth, hasRain), vars: []formats.Info{crs, mapped},
			want: "1: rain along 0 at [0 0]; compare labels 1 [0, 3)",
		},
		"indices that the array grows to": {
			o: ImportOptions{Widen: true}, covered: map[string]nd.Range{"x": nd.Span(2, 6)},
			there: aDataset(hasRain), vars: []formats.Info{wide},
			want: "1: rain along 0 at [0 2]; compare labels 1 [2, 6)",
		},
		"another grid mapping": {
			there: aDataset(onMoon, hasRain), vars: []formats.Info{crs, mapped}, fault: drx.ErrBounds, says: "another map",
		},
		"a variable that is missing": {
			there: aDataset(hasRain, hasTime), vars: []formats.Info{rain}, fault: formats.ErrVariable, says: "has no variable time, which grows along time",
		},
		"a variable that is not there": {
			there: aDataset(hasRain), vars: []formats.Info{rain, time}, fault: formats.ErrVariable, says: "has variable time, which d does not have",
		},
		"the same, left out": {
			o: ImportOptions{Vars: []string{"rain"}}, there: aDataset(hasRain), vars: []formats.Info{rain, time},
			want: "1: rain along 0 at [0 0]; compare labels 1 [0, 3)",
		},
		"another extent":                 {there: anArray(hasRain), vars: []formats.Info{wide}, fault: drx.ErrBounds, says: "shape 1 x 4, which does not fit rain of shape 5 x 3"},
		"another order of dimensions":    {there: anArray(hasRain), vars: []formats.Info{turned}, fault: drx.ErrRank, says: "transpose the file"},
		"another type":                   {there: anArray(hasRain), vars: []formats.Info{asFloat}, fault: drx.ErrDType, says: "has float32, rain has int16"},
		"a type that the array has not":  {o: ImportOptions{As: "float64"}, there: anArray(hasRain), vars: []formats.Info{rain}, fault: drx.ErrDType, says: "as"},
		"another codec":                  {o: ImportOptions{Codec: "zstd"}, there: anArray(hasRain), vars: []formats.Info{rain}, fault: optionerr.ErrOption, says: "codec"},
		"two variables for an array":     {o: ImportOptions{Vars: []string{"a", "b"}}, there: anArray(hasRain), vars: []formats.Info{rain}, fault: optionerr.ErrOption, says: "one array"},
		"none of the array's name":       {there: anArray(hasRain), vars: []formats.Info{inMetres, time}, want: "", fault: drx.ErrDType},
		"nothing that grows":             {o: ImportOptions{Append: "run"}, there: aDataset(hasX), vars: []formats.Info{x}, fault: optionerr.ErrOption, says: "no variable of d has the dimension"},
		"variables that differ in steps": {there: aDataset(hasRain, hasTime), vars: []formats.Info{rain, {Name: "time", DType: dtype.Int32, Shape: []int{2}, Dims: []string{"time"}, Attrs: time.Attrs}}, fault: drx.ErrBounds, says: "has 2 indices along time, others have 1"},
	} {
		if c.o.Append == "" {
			c.o.Append = "time"
		}
		o := &planner{ImportOptions: c.o, memoryLimit: newMemoryLimit(0)}
		o.to, _ = parseType("import", c.o.As, false)
		p, err := o.planAppend(c.there, &importFile{name: "a.nc", content: formats.Content{Vars: c.vars}}, c.covered)
		switch got := describeAppend(p); {
		case !errors.Is(err, c.fault):
			t.Errorf("%s: %v, want %v", name, err, c.fault)
		case err != nil && !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v does not say %q", name, err, c.says)
		case err == nil && got != c.want:
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

// describeAppend describes a plan: the new indices, the variables, and the comparisons.
func describeAppend(p *appendPlan) string {
	var vars, compared []string
	for _, v := range p.vars {
		text := fmt.Sprintf("%s along %d", v.info.Name, v.dim)
		if v.sliceDim >= 0 {
			text += " slice"
		}
		if len(v.conv.steps) > 0 {
			text += " converted"
		}
		text += fmt.Sprintf(" at %v", v.at)
		if v.conv.strings != nil {
			text += " strings"
		}
		for _, s := range v.conv.strings {
			text += " " + *s
		}
		vars = append(vars, text)
	}
	for _, c := range p.comparisons {
		switch {
		case c.kind == onlyNote:
			compared = append(compared, "note "+strings.Join(strings.SplitN(c.note, ": ", 3)[:2], ": "))
		case c.kind == labelsOfIndices:
			compared = append(compared, fmt.Sprintf("labels %d [%d, %d)", c.dim, c.part.Lo, c.part.Hi))
		default:
			compared = append(compared, fmt.Sprintf("%s %s", c.kind, c.path))
		}
	}
	text := fmt.Sprintf("%d: %s", p.by, strings.Join(vars, ", "))
	if compared != nil {
		text += "; compare " + strings.Join(compared, ", ")
	}
	return text
}
