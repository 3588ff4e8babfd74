package formats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
)

// indexed is a raster of indices in memory.
type indexed struct {
	formats.Reader
	info formats.Info
}

func (r indexed) Info() formats.Info { return r.info }

// openIndexed writes indices to a file and opens it with the given attributes.
func openIndexed(t *testing.T, typ dtype.DType, shape []int, elements []byte, attrs map[string]any) func() (formats.Reader, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{{DType: typ, Shape: shape}}})
	if err == nil {
		err = errors.Join(writers[0].WriteSection(nil, elements), writers[0].Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() (formats.Reader, error) {
		r, err := formats.Open(path, formats.Options{})
		if err != nil {
			return nil, err
		}
		info := r.Info()
		info.Attrs, info.Dims, info.Chunk, info.Fill = attrs, []string{"y", "x"}, []int{1, 2}, elements[:typ.Size()]
		return indexed{r, info}, nil
	}
}

// Every section of indices of both types must become the colours of the table, whatever the form of
// its list.
func TestExpand(t *testing.T) {
	colours := [][]int{{10, 20, 30, 255}, {1, 2, 3, 0}, {255, 0, 7}, {}}
	wanted := [][]byte{{10, 20, 30, 255}, {1, 2, 3, 0}, {255, 0, 7, 255}, {0, 0, 0, 255}, {0, 0, 0, 0}}
	raw, _ := json.Marshal(colours)
	decoded, err := formats.DecodeAttr(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []dtype.DType{dtype.Uint8, dtype.Uint16} {
		for _, palette := range []any{colours, json.RawMessage(raw), decoded} {
			indices := []byte{0, 1, 2, 3, 200, 2} // 200 is beyond the table
			var elements []byte
			for _, n := range indices {
				elements = append(elements, make([]byte, typ.Size())...)
				elements[len(elements)-typ.Size()] = n
			}
			attrs := map[string]any{"palette": palette, "nodata": int64(1), "units": "1"}
			open := openIndexed(t, typ, []int{2, 3}, elements, attrs)
			for how, channels := range formats.Expansions {
				var want []byte
				for c := range channels {
					for _, n := range indices {
						want = append(want, wanted[min(int(n), 4)][c])
					}
				}
				expanded := func() (formats.Reader, error) {
					r, err := open()
					if err != nil {
						return nil, err
					}
					if !r.Info().HasPalette() {
						t.Fatalf("%+v has no colour table", r.Info())
					}
					return formats.Expand(r, channels)
				}
				info := formats.Info{DType: dtype.Uint8, Shape: []int{channels, 2, 3}, Dims: []string{"band", "y", "x"}, Chunk: []int{channels, 1, 2}}
				formattest.Reader(t, expanded, info, want)
				r, err := expanded()
				if err != nil {
					t.Fatal(err)
				}
				names := []any{"red", "green", "blue", "alpha"}[:channels]
				if got := r.Info(); !reflect.DeepEqual(got.Attrs, map[string]any{"units": "1", "band_names": names}) || got.Fill != nil || got.HasPalette() {
					t.Errorf("%s: %+v", how, got)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			if len(attrs) != 3 {
				t.Errorf("the attributes of the indices are %v now", attrs)
			}
		}
	}
}

// A colour table that is not a list of colours must give an error; a variable without one is not a
// raster of indices.
func TestNoPalette(t *testing.T) {
	for _, palette := range []any{"red", []any{1, 2}, map[string]any{"a": 1}} {
		r, err := openIndexed(t, dtype.Uint8, []int{1, 1}, []byte{0}, map[string]any{"palette": palette})()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := formats.Expand(r, 3); !errors.Is(err, formats.ErrType) {
			t.Errorf("%v: %v", palette, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	with := map[string]any{"palette": []any{[]any{1, 2, 3}}}
	for _, info := range []formats.Info{
		{DType: dtype.Uint8, Shape: []int{2, 2}},
		{DType: dtype.Uint8, Shape: []int{2}, Attrs: with},
		{DType: dtype.Uint8, Shape: []int{2, 2, 2}, Attrs: with},
		{DType: dtype.Int16, Shape: []int{2, 2}, Attrs: with},
		{DType: dtype.Uint8, Shape: []int{2, 2}, Attrs: with, Refused: "why"},
		{DType: dtype.Uint8, Shape: []int{2, 2}, Attrs: with, Labels: []string{"a"}},
	} {
		if info.HasPalette() {
			t.Errorf("%+v has a colour table", info)
		}
	}
	short := formats.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Attrs: with, Unlimited: []bool{true, false}}.Expanded(3)
	if !slices.Equal(short.Unlimited, []bool{false, true, false}) || fmt.Sprintf("%q", short.Dims) != `["band" "" ""]` || !bytes.Equal(short.Fill, nil) {
		t.Errorf("%+v", short)
	}
}
