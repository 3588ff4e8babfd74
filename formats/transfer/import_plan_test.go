package transfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/optionerr"
)

// Readable variables must be chosen and the others named; an unknown name must give an error.
func TestChoose(t *testing.T) {
	f := &importFile{name: "a.nc", content: formats.Content{Vars: []formats.Info{
		{Name: "rain", DType: dtype.Int16, Shape: []int{2}, Dims: []string{"time"}},
		{Name: "time", DType: dtype.Int32, Shape: []int{2}, Dims: []string{"time"}},
		{Name: "snow", DType: dtype.Int16, Shape: []int{3}, Dims: []string{"place"}},
		{Name: "odd", Refused: "an odd type"},
		{Name: "cut", Refused: "its elements are not there", Damaged: true},
		{Name: "a.drx", DType: dtype.Int8, Shape: []int{3}, Dims: []string{"place"}},
	}}}
	sound := &importFile{name: "a.nc", content: formats.Content{Vars: slices.Delete(slices.Clone(f.content.Vars), 4, 5)}}
	for name, c := range map[string]struct {
		o       ImportOptions
		f       *importFile
		want    string // the variables
		refused string
		fault   error
	}{
		"all":                       {f: sound, want: "rain time snow", refused: "odd a.drx"},
		"a damaged file as a whole": {f: f, fault: errAny},
		"one with its coordinate":   {o: ImportOptions{Vars: []string{"rain"}}, f: f, want: "rain time"},
		"one alone":                 {o: ImportOptions{Vars: []string{"rain"}, Alone: true}, f: f, want: "rain"},
		"one of a name as files":    {o: ImportOptions{Vars: []string{"a.drx"}}, f: f, want: "a.drx"},
		"one that is not there":     {o: ImportOptions{Vars: []string{"hail"}}, f: f, fault: optionerr.ErrOption},
		"one that cannot be read":   {o: ImportOptions{Vars: []string{"odd"}}, f: f, fault: formats.ErrType},
		"one that is damaged":       {o: ImportOptions{Vars: []string{"cut"}}, f: f, fault: errAny},
		"no variables":              {f: &importFile{name: "a.nc"}, fault: formats.ErrVariable},
		"a coordinate of two dimensions": {
			o: ImportOptions{Append: "place", Coordinate: "rain"}, f: f, fault: optionerr.ErrOption,
		},
	} {
		got, err := (&planner{ImportOptions: c.o}).choose(c.f)
		if !isFault(err, c.fault) {
			t.Errorf("%s: %v, want %v", name, err, c.fault)
			continue
		}
		var vars, refused []string
		for _, v := range got.vars {
			vars = append(vars, v.Name)
		}
		for _, v := range got.refused {
			refused = append(refused, v.Name)
		}
		if err == nil && (strings.Join(vars, " ") != c.want || strings.Join(refused, " ") != c.refused) {
			t.Errorf("%s: %v without %v, want %s without %s", name, vars, refused, c.want, c.refused)
		}
	}
}

// errAny stands for any error.
var errAny = errors.New("any error")

// isFault reports whether err is of a kind; a nil kind means no error.
func isFault(err, kind error) bool {
	if kind == errAny {
		return err != nil
	}
	return errors.Is(err, kind)
}

// A plan must say what each variable of a file becomes, from its description alone.
func TestPlan(t *testing.T) {
	time := formats.Info{Name: "time", DType: dtype.Int32, Shape: []int{2}, Dims: []string{"time"}, Unlimited: []bool{true}}
	rain := formats.Info{Name: "rain", DType: dtype.Int16, Shape: []int{2, 3}, Dims: []string{"time", "x"}, Attrs: map[string]any{"units": "mm"}}
	packed := rain
	packed.Attrs = map[string]any{"scale_factor": 0.5, "valid_max": int64(7), "units": "mm"}
	place := formats.Info{Name: "x", DType: dtype.Uint32, Shape: []int{3}, Dims: []string{"x"}, Labels: []string{"Ulm", "Bonn", "Kiel"}}
	height := formats.Info{Name: "height", DType: dtype.Float64}
	day := formats.Info{Name: "day", DType: dtype.Float64}
	sky := formats.Info{Name: "sky", DType: dtype.Uint8, Shape: []int{4, 5}, Dims: []string{"", ""}, Attrs: map[string]any{
		"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 1.0, "CRPIX2": 1.0, "CRVAL1": 1.0, "CRVAL2": 1.0, "CDELT1": 1.0, "CDELT2": 1.0,
	}}
	labels := map[string][]string{"x": {"Kiel", "Ulm", "Bonn"}}
	for name, c := range map[string]struct {
		o       ImportOptions
		content formats.Content
		labels  map[string][]string
		growing string
		want    []string // the arrays, see describeVarPlan
		note    string   // part of the only note
		fault   error
	}{
		"one variable is an array, with the attributes of the file": {
			content: formats.Content{Vars: []formats.Info{rain}, Attrs: map[string]any{"title": "rain of two days"}},
			want:    []string{`rain int16 [time x] [2 3] title="rain of two days" units=mm`},
		},
		"an attribute of the file that would say what numbers mean is left out": {
			content: formats.Content{Vars: []formats.Info{rain}, Attrs: map[string]any{"scale_factor": 2.0}},
			want:    []string{`rain int16 [time x] [2 3] units=mm`}, note: "without the attributes scale_factor",
		},
		"with its coordinate it is a dataset": {
			content: formats.Content{Vars: []formats.Info{rain, time}, Attrs: map[string]any{"title": "rain"}},
			want:    []string{`rain int16 [time x] [2 3] units=mm`, `time int32 [time] [2] unlimited=[0]`},
		},
		"strings of a coordinate are labels": {
			content: formats.Content{Vars: []formats.Info{rain, place}}, labels: labels,
			want: []string{`rain int16 [time x] [2 3] labels/1/0=[Kiel Ulm Bonn] units=mm`},
		},
		"the dimension that grows": {
			content: formats.Content{Vars: []formats.Info{rain}}, growing: "time",
			want: []string{`rain int16 [time x] [2 3] units=mm unlimited=[0]`},
		},
		"one that the file does not have makes slices": {
			content: formats.Content{Vars: []formats.Info{rain, height}}, growing: "run",
			want: []string{`rain int16 [run time x] [1 2 3] slice 0 units=mm unlimited=[0]`, `height float64 [run] [1] slice 0 unlimited=[0]`},
		},
		"labels of a slice": {
			content: formats.Content{Vars: []formats.Info{rain, place}}, labels: labels, growing: "run",
			want: []string{`rain int16 [run time x] [1 2 3] slice 0 labels/2/0=[Kiel Ulm Bonn] units=mm unlimited=[0]`},
		},
		"a scalar": {
			content: formats.Content{Vars: []formats.Info{height}}, want: []string{`height float64 [] [1] slice 0 scalar=true`},
		},
		"a variable becomes the coordinate": {
			o: ImportOptions{Append: "time", Coordinate: "day"}, content: formats.Content{Vars: []formats.Info{day}}, growing: "time",
			want: []string{`time float64 [time] [1] slice 0 unlimited=[0] variable=day`},
		},
		"as another type, but not the coordinate": {
			o: ImportOptions{As: "float32"}, content: formats.Content{Vars: []formats.Info{rain, time}},
			want: []string{`rain float32 [time x] [2 3] converted units=mm`, `time int32 [time] [2] unlimited=[0]`},
		},
		"unpacked": {
			o: ImportOptions{Unscale: true}, content: formats.Content{Vars: []formats.Info{packed}},
			want: []string{`rain float64 [time x] [2 3] converted fill NaN units=mm valid_max=3.5`}, note: "valid_max or valid_range are kept",
		},
		"axes without coordinates": {
			content: formats.Content{Vars: []formats.Info{sky}},
			want:    []string{`sky uint8 [ ] [4 5] CDELT1=1.0 CDELT2=1.0 CRPIX1=1.0 CRPIX2=1.0 CRVAL1=1.0 CRVAL2=1.0 CTYPE1=RA---TAN CTYPE2=DEC--TAN`},
			note:    "without coordinates for the axes",
		},
		"the chunk that is asked for": {
			o: ImportOptions{Chunk: []int{1, 3}}, content: formats.Content{Vars: []formats.Info{rain}},
			want: []string{`rain int16 [time x] [2 3] chunk [1 3] units=mm`},
		},
		"one of another rank":               {o: ImportOptions{Chunk: []int{1}}, content: formats.Content{Vars: []formats.Info{rain}}, fault: optionerr.ErrOption},
		"one that does not fit into memory": {o: ImportOptions{Chunk: []int{1, 1 << 40}}, content: formats.Content{Vars: []formats.Info{rain}}, fault: optionerr.ErrOption},
		"a fill value that the type does not have": {
			o: ImportOptions{As: "uint8"}, fault: dtype.ErrDType,
			content: formats.Content{Vars: []formats.Info{{Name: "a", DType: dtype.Int16, Shape: []int{2}, Dims: []string{""}, Fill: []byte{0xff, 0xff}}}},
		},
	} {
		o := &planner{ImportOptions: c.o, memoryLimit: newMemoryLimit(0)}
		o.to, _ = parseType("import", c.o.As, false)
		p, err := o.plan(&importFile{name: "a.nc", content: c.content}, choice{vars: c.content.Vars}, c.labels, c.growing)
		if !isFault(err, c.fault) {
			t.Errorf("%s: %v, want %v", name, err, c.fault)
			continue
		}
		if err != nil {
			continue
		}
		var got []string
		for _, v := range p.vars {
			got = append(got, describeVarPlan(v, c.o.Chunk != nil))
		}
		if !slices.Equal(got, c.want) || p.dataset != (len(c.want) > 1) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if notes := strings.Join(p.notes, "; "); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// describeVarPlan describes a variable of a plan: name, type, dimensions, shape and attributes.
func describeVarPlan(v varPlan, chunk bool) string {
	text := fmt.Sprintf("%s %v %v %v", v.name, v.spec.DType, v.spec.Dims, v.spec.Shape)
	if v.sliceDim >= 0 {
		text += fmt.Sprintf(" slice %d", v.sliceDim)
	}
	if len(v.conv.steps) > 0 {
		text += " converted"
	}
	if v.spec.FillValue != nil {
		text += fmt.Sprint(" fill ", v.spec.FillValue)
	}
	if chunk {
		text += fmt.Sprintf(" chunk %v", v.spec.ChunkShape)
	}
	var attrs []string
	for name, value := range v.spec.Attrs {
		if raw, is := value.(interface{ MarshalJSON() ([]byte, error) }); is {
			b, _ := raw.MarshalJSON()
			value = strings.Trim(string(b), `"`)
		}
		value := fmt.Sprint(value)
		if strings.Contains(value, " ") && !strings.HasPrefix(value, "[") {
			value = fmt.Sprintf("%q", value)
		}
		attrs = append(attrs, strings.TrimPrefix(name, "import.")+"="+value)
	}
	slices.Sort(attrs)
	return strings.Join(append([]string{text}, attrs...), " ")
}
