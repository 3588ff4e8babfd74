package zarr

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/formats"
	"drx/formats/formattest"
	"drx/nd"
)

// golden is a store that testdata/golden.py has written, a program that follows only the
// specification.
const golden = "testdata/golden.zarr"

// goldenArrays returns the contents of the golden store, in row-major order.
func goldenArrays(t testing.TB) map[string]known {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]known{}
	if err := json.Unmarshal(raw, &all); err != nil || len(all) < 55 {
		t.Fatalf("%d arrays, %v", len(all), err)
	}
	return all
}

// Arrays with every feature of the specification must be read.
func TestGolden(t *testing.T) {
	for name, want := range goldenArrays(t) {
		open := func() (formats.Reader, error) { return formats.Open(golden, formats.Options{Variable: name}) }
		r, err := open()
		if err != nil {
			t.Error(err)
			continue
		}
		info := r.Info()
		if want.Text != nil {
			if _, text, err := elementsOf(r); err != nil || !slices.Equal(text, want.Text) {
				t.Errorf("%s: %q, want %q, %v", name, text, want.Text, err)
			}
			continue
		}
		if info.DType.String() != want.DType || !slices.Equal(info.Shape, want.Shape) {
			t.Errorf("%s: %+v, want %v", name, info, want)
		}
		elements, err := hex.DecodeString(want.Hex)
		if err != nil {
			t.Fatal(err)
		}
		row := info
		row.Order = nil
		formattest.Reader(t, open, info, inOrder(t, row, info.Order, elements))
		r.Close()
	}
}

// inOrder returns row-major elements in another order.
func inOrder(t *testing.T, row formats.Info, order nd.Order, elements []byte) []byte {
	t.Helper()
	lo := make([]int, len(row.Shape))
	size := row.DType.Size()
	out := make([]byte, len(elements))
	copyBox(out, newBox(lo, lo, row.Shape, order, size), elements, newBox(lo, lo, row.Shape, nil, size), row.Shape, nil, size)
	return out
}

// The description of the golden store must have its groups, attributes and names.
func TestGoldenContent(t *testing.T) {
	c, err := formats.List(golden, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := goldenArrays(t); len(c.Vars) != len(all) {
		t.Errorf("%d arrays, want %d", len(c.Vars), len(all))
	}
	if want := map[string]any{"title": "golden", "depth": int64(10), "scale": 0.5}; !reflect.DeepEqual(c.Attrs, want) {
		t.Errorf("attributes %v, want %v", c.Attrs, want)
	}
	if _, ok := c.Groups["keys"]; !ok || len(c.Groups) != 4 { // it has no metadata of its own
		t.Errorf("groups %v", c.Groups)
	}
	for _, v := range c.Vars {
		if v.Refused != "" {
			t.Errorf("%s: %s", v.Name, v.Refused)
		}
		if v.Name == "described" {
			want := map[string]any{"units": "K", "levels": []any{int64(1), 2.5, "c"}, "of": map[string]any{"a": nil}}
			if !reflect.DeepEqual(v.Attrs, want) || !slices.Equal(v.Dims, []string{"y", ""}) {
				t.Errorf("%+v", v)
			}
		}
	}
}

// The same store must be read from a ZIP file, stored or compressed, with or without a folder
// around it.
func TestZip(t *testing.T) {
	for _, prefix := range []string{"", "golden.zarr/"} {
		for _, method := range []uint16{0, 8} {
			path := filepath.Join(t.TempDir(), "golden.zip")
			zipFolder(t, path, golden, prefix, method)
			c, err := formats.List(path, formats.Options{})
			if err != nil || len(c.Vars) < 55 {
				t.Fatalf("%d arrays, %v", len(c.Vars), err)
			}
			for name, want := range goldenArrays(t) {
				if !strings.HasPrefix(name, "shard") && !strings.HasPrefix(name, "t") {
					continue
				}
				r, err := formats.Open(path, formats.Options{Variable: name})
				if err != nil {
					t.Fatal(err)
				}
				data, text, err := elementsOf(r)
				elements, _ := hex.DecodeString(want.Hex)
				row := r.Info()
				if err != nil || want.Text == nil && !slices.Equal(data, inOrder(t, row, row.Order, elements)) || !slices.Equal(text, want.Text) {
					t.Errorf("%s: %x %q, %v", name, data, text, err)
				}
				r.Close()
			}
		}
	}
}
