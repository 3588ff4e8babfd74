package drx

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"drx/dtype"
)

// The zero Array is closed: none of its methods panics, and those that return an error return ErrClosed.
func TestZeroArray(t *testing.T) {
	noError := strings.Fields("Attrs Bounds ChunkShape DType Dims FillValue Grid Layout Name Rank Shape String Writable Parts Attr")
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
