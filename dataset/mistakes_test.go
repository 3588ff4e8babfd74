package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// Impossible changes must give an error that says why, and change nothing.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "time", []int{2}, "time")
	create(t, d, "a", nil, "time")
	if err := errors.Join(d.CreateGroup("g/h"), d.Sync()); err != nil {
		t.Fatal(err)
	}
	create(t, d, "g/h/b", []int{2, 3}, "time", "x")
	variable := func(name string, shape []int, dims ...string) error {
		_, err := d.CreateVariable(name, intSpec(shape, dims...))
		return err
	}
	extend := func(dim string, by int) error {
		_, err := d.Extend(dim, by)
		return err
	}
	noVariable := func() error {
		_, err := d.Variable("c")
		return err
	}
	coordinate := func(dim string) error {
		_, err := d.Coordinate(dim)
		return err
	}
	for _, m := range []struct {
		err  error
		want error
		text string
	}{
		{variable("c", []int{3}, "time"), ErrDim, "the new variable has 0:3, but time has 0:2"},
		{variable("c", nil, "y"), ErrDim, `dimension "y" is not known`},
		{variable("g/x", []int{3}, "x"), nil, ""},
		{variable("g/h/x", []int{4}, "x"), ErrDim, "but g/h/b has 0:3"}, // b's coordinate
		{variable("no/c", []int{2}, "time"), ErrGroup, `no group "no": create it first`},
		{variable(".c", []int{2}, "time"), ErrVariable, "must not be empty or begin with a dot"},
		{variable("c", []int{2, 2}, "time"), drx.ErrRank, ""},
		{variable("a", []int{2}, "time"), fs.ErrExist, "exist"},
		{d.CreateGroup("g//h"), ErrGroup, "must not be empty"},
		{d.CreateGroup(".g"), ErrGroup, "begin with a dot"},
		{d.SetAttr("no", "units", "m"), ErrGroup, "no group"},
		{d.SetAttr("", intentAttr, 1), drx.ErrReadOnly, "the dataset's own"},
		{extend("y", 1), ErrDim, `no dimension "y": there are g/x, time`},
		{extend("time", 0), drx.ErrBounds, "extend dimension time by 0: want at least 1"},
		{extend("time", 1<<62), drx.ErrOverflow, ""},
		{noVariable(), ErrVariable, `no variable "c": there are a, g/h/b, g/x, time`},
		{coordinate("y"), ErrDim, "no dimension"},
	} {
		if !errors.Is(m.err, m.want) || m.want != nil && !strings.Contains(m.err.Error(), m.text) {
			t.Errorf("error %v, want %v with %q", m.err, m.want, m.text)
		}
	}
	if dim, err := d.Dim("time"); dim.Bounds != nd.Span(0, 2) || err != nil {
		t.Errorf("time has %v, %v", dim.Bounds, err)
	}
	if err := errors.Join(d.Close()); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.Close(), d.Sync(), d.Refresh(), d.Discard(), extend("time", 1), noVariable()} {
		if !errors.Is(err, drx.ErrClosed) {
			t.Errorf("a closed dataset: %v", err)
		}
	}
}

// A dataset that is open for reading cannot be changed, and a folder that is not a dataset cannot
// be opened.
func TestOpenMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Open("none", drx.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
	if _, err := Open("none", drx.Options{Write: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is missing, for writing: %v", err)
	}
	if _, err := Create("no/ds", drx.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder in a missing one: %v", err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create("file", drx.Options{}); err == nil {
		t.Error("a file became a dataset")
	}
	if _, err := Open(".", drx.Options{Shared: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("shared: %v", err)
	}
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "t", []int{1}, "t")
	create(t, d, "broken", nil, "t")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("ds", "broken.xmd"), []byte("no log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, variableErr := r.Variable("broken")
	_, extendErr := r.Extend("t", 1)
	_, createErr := r.CreateVariable("c", drx.Spec{DType: dtype.Int8, Shape: []int{1}})
	if !errors.Is(extendErr, drx.ErrReadOnly) || !errors.Is(createErr, drx.ErrReadOnly) || !errors.Is(r.SetAttr("", "a", 1), drx.ErrReadOnly) {
		t.Errorf("changed for reading: %v, %v", extendErr, createErr)
	}
	if !errors.Is(variableErr, drx.ErrCorrupt) {
		t.Errorf("a broken variable: %v", variableErr)
	}
	w, err := Open("ds", drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Extend("t", 1); err == nil || !strings.Contains(err.Error(), "variable broken cannot be opened") {
		t.Errorf("extended beside a broken variable: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A variable that was grown alone must keep its elements, and the dataset must be able to grow up
// to it.
func TestGrownAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "t", []int{2}, "t")
	create(t, d, "a", nil, "t")
	create(t, d, "b", nil, "t")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open("ds/a", drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Extend(0, 2)
	if err := errors.Join(err, drx.Set(a, int32(7), 3), a.Sync()); err != nil {
		t.Fatal(err)
	}
	axes, err := AxesOf(a)
	if err != nil || axes.Bounds()[0] != nd.Span(0, 2) {
		t.Errorf("a has %v in the dataset, %v", axes.Bounds(), err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = Open("ds", drx.Options{Write: true}); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Variable("a"); err != nil || v.Bounds()[0] != nd.Span(0, 2) || v.Array().Bounds()[0] != nd.Span(0, 4) {
		t.Errorf("the next writer has %v of %v, %v", v.Bounds(), v.Array().Bounds(), err)
	}
	if _, err := d.Extend("t", 1); !errors.Is(err, ErrDim) {
		t.Errorf("extended to less than a has: %v", err)
	}
	added, err := d.Extend("t", 2)
	if err != nil || added != nd.Span(2, 4) {
		t.Errorf("extended by %v, %v", added, err)
	}
	v, err := d.Variable("a")
	if err != nil {
		t.Fatal(err)
	}
	if x, err := drx.At[int32](v.Array(), 3); x != 7 || err != nil {
		t.Errorf("the element is %d, %v", x, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// Coordinates of all types must have exact values, scaled ones must be scaled, and those without
// meaning must be refused.
func TestCoordinateValues(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i, c := range []struct {
		spec   drx.Spec
		values []string
		texts  []string // nil: refused
	}{
		{drx.Spec{DType: dtype.Uint64}, []string{"18446744073709551615", "9223372036854775809", "3"}, []string{"18446744073709551615", "9223372036854775809", "3"}},
		{drx.Spec{DType: dtype.Int64}, []string{"9223372036854775807", "-9223372036854775808", "9007199254740993"}, []string{"9223372036854775807", "-9223372036854775808", "9007199254740993"}},
		{drx.Spec{DType: dtype.Float32, FillValue: "NaN"}, []string{"0.1", "NaN", "50.2"}, []string{"0.1", "", "50.2"}},
		{drx.Spec{DType: dtype.Int16, FillValue: -1, Attrs: map[string]any{"scale_factor": 0.5, "add_offset": 10}}, []string{"1", "-1", "4"}, []string{"10.5", "", "12"}},
		{drx.Spec{DType: dtype.Int64, Attrs: map[string]any{"units": "seconds since 1970-01-01"}}, []string{"0", "86399", "-1"}, []string{"1970-01-01", "1970-01-01T23:59:59", "1969-12-31T23:59:59"}},
		{drx.Spec{DType: dtype.Int8, Attrs: map[string]any{"units": "months since 1970-01-01"}}, []string{"1", "2", "3"}, []string{"1", "2", "3"}},
		{drx.Spec{DType: dtype.Complex64}, []string{"1", "2", "3"}, nil},
		{drx.Spec{DType: dtype.Bool}, []string{"true", "true", "false"}, nil},
		{drx.Spec{DType: dtype.Float64, Attrs: map[string]any{"units": "days since 1970-01-01"}}, []string{"1e300", "0", "1"}, nil},
		{drx.Spec{DType: dtype.Float64, Attrs: map[string]any{"scale_factor": "two"}}, []string{"1", "2", "3"}, nil},
	} {
		name := "c" + string(rune('a'+i))
		c.spec.Shape, c.spec.Dims = []int{3}, []string{name}
		v, err := d.CreateVariable(name, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for j, text := range c.values {
			b, err := c.spec.DType.Encode(text)
			if err == nil {
				err = v.Array().WriteBytes(nd.Sec(nd.At(j)), b, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.Coordinate(name)
		if (err == nil) != (c.texts != nil) {
			t.Errorf("%v %v: error %v", c.spec.DType, c.values, err)
			continue
		}
		for j, want := range c.texts {
			if text := got.Text(j); text != want {
				t.Errorf("%v: %s is %s, want %s", c.spec.DType, c.values[j], text, want)
			}
			method := Exact
			if got.IsTime() {
				method = Nearest // exactly a day are all times of the day
			}
			x, err := v.Axes().Select(method, name+"="+want)
			if want != "" && (err != nil || x[0].Len() != 1 || x[0].At(0) != j) {
				t.Errorf("%v: %s selects %v, %v", c.spec.DType, want, x, err)
			}
		}
	}
	month, err := d.Coordinate("cf")
	if err != nil {
		t.Fatal(err)
	}
	text := "1970-02"
	if _, err := month.Select(Nearest, []cube.Item{{From: &text}}); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "the length of a month varies") {
		t.Errorf("a date of months: %v", err)
	}
}
