package drx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/state"
	"drx/internal/vfs"
)

func TestAttributes(t *testing.T) { inBothForms(t, testAttributes) }

func testAttributes(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}, Options: o})
	long := strings.Repeat("all the noise that's fit to store\n", 100_000)
	for name, v := range map[string]any{"units": "mm/h", "scale": 0.01, "history": long, "none": nil, "gone": 1} {
		if err := a.SetAttr(name, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.DeleteAttr("gone"); err != nil {
		t.Fatal(err)
	}
	if err := a.SetAttr("loop", make(chan int)); err == nil {
		t.Error("a channel is no JSON value")
	}
	want := a.Attrs()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(want, a.Attrs(), slices.Equal[json.RawMessage]) {
		t.Error("attributes have changed")
	}
	var history string
	if err := json.Unmarshal(a.Attrs()["history"], &history); err != nil || history != long {
		t.Errorf("history of %d bytes, %v", len(history), err)
	}
	if _, gone := a.Attrs()["gone"]; gone || len(a.Attrs()) != 4 {
		t.Errorf("attributes %v", slices.Sorted(func(yield func(string) bool) {
			for name := range a.Attrs() {
				if !yield(name) {
					return
				}
			}
		}))
	}
}

// Attributes are stored as they were given, on one line of the log whatever they contain.
func TestAttributesAreStoredAsTheyAre(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}, Options: Options{fs: fsys}})
	const url = "http://x/?a=1&b=<2>"
	given := map[string]struct {
		value any
		text  string
	}{
		"url":    {url, `"` + url + `"`},
		"raw":    {json.RawMessage("[ \"<&>\",\n\n1 ]\n"), `["<&>",1]`},
		"a<b>&c": {true, `true`},
		"lines":  {"one\ntwo\r\u2028three", `"one\ntwo\r\u2028three"`},
	}
	for name, g := range given {
		if err := a.SetAttr(name, g.value); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range given {
		if got := string(a.Attrs()[name]); got != g.text {
			t.Errorf("%s is %s, want %s", name, got, g.text)
		}
	}
	size, err := a.file.Size()
	if err != nil {
		t.Fatal(err)
	}
	log := make([]byte, size)
	if _, err := a.file.ReadAt(log, 0); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(log, []byte("\n")); n != 2 || !bytes.Contains(log, []byte(url)) || !bytes.Contains(log, []byte(`"a<b>&c"`)) {
		t.Errorf("%d lines:\n%s", n, log)
	}
}

// An attribute without a name is refused, and one of an older program can be deleted.
func TestAttributeWithoutName(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}})
	if err := a.SetAttr("", 1); !errors.Is(err, fs.ErrInvalid) || len(a.Attrs()) > 0 {
		t.Errorf("set: %v, attributes %v", err, a.Attrs())
	}
	b, err := Create("b", Spec{DType: dtype.Int8, Shape: []int{1}, Attrs: map[string]any{"": 1}, Options: Options{fs: vfs.NewMem()}})
	if !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("created %v, %v", b, err)
	}
	older := state.Record{SetAttrs: &state.SetAttrs{Attrs: map[string]json.RawMessage{"": []byte("1")}}}
	if err := a.change("set", older); err != nil || len(a.Attrs()) != 1 {
		t.Errorf("%v, attributes %v", err, a.Attrs())
	}
	if err := a.DeleteAttr(""); err != nil || len(a.Attrs()) > 0 {
		t.Errorf("%v, attributes %v", err, a.Attrs())
	}
}

func TestAttr(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1}, Attrs: map[string]any{"units": "K", "scale": 0.5}})
	var units string
	var scale float64
	if found, err := a.Attr("units", &units); !found || err != nil || units != "K" {
		t.Errorf("units %q, %v, %v", units, found, err)
	}
	if found, err := a.Attr("scale", &scale); !found || err != nil || scale != 0.5 {
		t.Errorf("scale %v, %v, %v", scale, found, err)
	}
	if found, err := a.Attr("scale", &units); !found || err == nil || units != "K" {
		t.Errorf("a number as a string: %q, %v, %v", units, found, err)
	}
	if found, err := a.Attr("none", &units); found || err != nil || units != "K" {
		t.Errorf("no attribute: %q, %v, %v", units, found, err)
	}
}

// The zero Array is closed: none of its methods panics, and those that return an error return
// ErrClosed.
func TestZeroArray(t *testing.T) {
	noError := strings.Fields("Attrs Bounds ChunkShape DType Dims FillValue Grid Layout Name Rank Shape String Writable Parts Attr " +
		"Recompressing StoresLike")
	a := reflect.ValueOf(new(Array))
	for i := range a.NumMethod() {
		name, method := a.Type().Method(i).Name, a.Method(i)
		var in []reflect.Value
		for k := range method.Type().NumIn() {
			in = append(in, reflect.Zero(method.Type().In(k)))
			switch method.Type().In(k) {
			case reflect.TypeFor[context.Context]():
				in[k] = reflect.ValueOf(t.Context())
			case reflect.TypeFor[string]():
				in[k] = reflect.ValueOf("name")
			case a.Type():
				in[k] = reflect.ValueOf(new(Array))
			}
		}
		call := method.Call
		if method.Type().IsVariadic() {
			call = method.CallSlice
		}
		t.Run(name, func(t *testing.T) {
			out := call(in)
			err, returned := out[len(out)-1].Interface().(error)
			if !returned || !errors.Is(err, ErrClosed) {
				for _, n := range noError {
					if n == name {
						return
					}
				}
				if name != "Dim" { // there is no dimension
					t.Errorf("%v, want %v", out, ErrClosed)
				}
			}
		})
	}
	z := new(Array)
	_, readErr := Read[int8](z, nil)
	_, atErr := At[int8](z)
	_, cursorErr := NewCursor[int8](z)
	for name, err := range map[string]error{
		"read": readErr, "read into": ReadInto(z, nil, []int8{}), "write": Write(z, nil, []int8{}), "fill": Fill(z, nil, int8(1)),
		"at": atErr, "set": Set(z, int8(1)), "gather": Gather(z, nil, []int8{}), "scatter": Scatter(z, nil, []int8{}),
		"read strided": ReadStrided(z, nil, []int8{}, nil), "write strided": WriteStrided(z, nil, []int8{}, nil), "cursor": cursorErr,
		"walk": ForEach(t.Context(), z, Walk{}, func(Part, []int8) error { return nil }),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want %v", name, err, ErrClosed)
		}
	}
}

func TestDim(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{1, 1, 1}, Dims: []string{"time", "", "0"}})
	for text, want := range map[string]int{"time": 0, "1": 1, "0": 2, "2": 2} {
		if d, err := a.Dim(text); d != want || err != nil {
			t.Errorf("%q is dimension %d, %v, want %d", text, d, err, want)
		}
	}
	for _, text := range []string{"", "x", "3", "-1", "Time"} {
		_, err := a.Dim(text)
		if !errors.Is(err, ErrRank) || !strings.Contains(err.Error(), `there are 0 to 2, named ["time" "" "0"]`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestString(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int16, Shape: []int{2, 9}, Lo: []int{0, -4}, ChunkShape: []int{1, 4}})
	if got, want := a.String(), a.Name()+": int16 0:2,-4:5 in chunks of 1x4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
