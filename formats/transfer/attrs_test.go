package transfer

import (
	"math"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"

	"drx"
)

// NaN and infinities in attributes must become numbers again, and text that resembles them must
// stay text.
func TestNonfiniteAttributes(t *testing.T) {
	attrs, err := encodeAttrs(map[string]any{"a": math.NaN(), "b": math.Inf(-1), "c": "NaN", "d": 1.5, "l": []float64{1, math.Inf(1)}, "_FillValue": math.NaN()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := attrs[nonfiniteAttr], []string{"a", "b", "l"}; !slices.Equal(got.([]string), want) {
		t.Errorf("the names are %v, want %v", got, want)
	}
	a, err := drx.Create(t.TempDir()+"/a", drx.Spec{DType: dtype.Int8, Shape: []int{1}, Attrs: attrs})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	got, err := decodeAttrs(a.Attrs())
	if x, ok := got["a"].(float64); err != nil || !ok || !math.IsNaN(x) || got["b"] != math.Inf(-1) || got["c"] != "NaN" || got["d"] != 1.5 {
		t.Errorf("the attributes are %v: %v", got, err)
	}
}

// Text of an array must be exported whatever its number type, without the attribute about the
// encoding of its bytes.
func TestTextIsExported(t *testing.T) {
	attrs := map[string]any{stringsAttr: []any{"x", nil}, "_Encoding": "utf-8"}
	a, err := drx.Create(t.TempDir()+"/a", drx.Spec{DType: dtype.Int32, Shape: []int{2}, Attrs: attrs})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	v := exportVar{info: formats.Info{DType: a.DType(), Shape: []int{2}}}
	v.info.Attrs, err = decodeAttrs(a.Attrs())
	if err == nil {
		err = v.restore(a)
	}
	if err != nil || v.info.DType != dtype.Uint32 || !slices.Equal(v.info.Labels, []string{"x", ""}) || len(v.info.Attrs) > 0 {
		t.Errorf("it becomes %+v: %v", v.info, err)
	}
}
