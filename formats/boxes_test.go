package formats_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// Boxes must cover a section exactly once, end at chunk boundaries, and ascend in the order of the
// file.
func TestBoxes(t *testing.T) {
	const boxBytes = 4 << 20
	for _, info := range []formats.Info{
		{DType: dtype.Float64, Shape: []int{5, 700, 900}},
		{DType: dtype.Float64, Shape: []int{90, 170, 200}, Chunk: []int{30, 40, 50}},
		{DType: dtype.Float64, Shape: []int{90, 170, 200}, Chunk: []int{30, 40, 50}, Order: nd.ColMajor(3)},
		{DType: dtype.Float64, Shape: []int{1, 3000, 1000}, Chunk: []int{1, 3000, 1000}},
		{DType: dtype.Int8, Shape: []int{}},
	} {
		sec := make(nd.Section, len(info.Shape))
		for d, n := range info.Shape {
			sec[d] = nd.Span(min(1, n-1), n)
		}
		whole, _ := sec.Len()
		seen := 0
		for box := range info.Boxes(sec, boxBytes) {
			n, _ := box.Len()
			seen += n
			chunk := info.DType.Size()
			for d, r := range box {
				if info.Chunk != nil {
					chunk *= info.Chunk[d]
					if r.Lo != sec[d].Lo && r.Lo%info.Chunk[d] != 0 || r.Hi != sec[d].Hi && r.Hi%info.Chunk[d] != 0 {
						t.Errorf("%v of chunks of %v", box, info.Chunk)
					}
				}
			}
			if !sec.Contains(box) || n*info.DType.Size() > max(boxBytes, chunk) {
				t.Errorf("%+v: box %v", info, box)
			}
		}
		if seen != whole {
			t.Errorf("%+v: %d of %d elements", info, seen, whole)
		}
	}
}

// Attributes must keep their types: integers, floats with whole values, lists, and values that JSON
// does not have.
func TestAttrs(t *testing.T) {
	for _, v := range []any{
		"text <&> \u00f8", true, int64(-1 << 63), uint64(1<<64 - 1), 1.0, 1e300, 5e-324, -0.1,
		[]string{"a", ""},
		[]int64{1, -2},
		[]float64{1, 2.5},
		[]bool{true},
		[]any{"a", int64(1)},
		[]any{},
		map[string]any{"b": int64(1)},
	} {
		raw, err := formats.EncodeAttr(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := formats.DecodeAttr(raw); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%T %v is %s, and then %T %v, %v", v, v, raw, got, got, err)
		}
	}
	for v, want := range map[any]string{int8(3): "3", uint16(3): "3", float32(0.1): "0.1", float32(2): "2.0", math.Inf(-1): `"-Infinity"`, math.NaN(): `"NaN"`, nil: "null"} {
		if raw, err := formats.EncodeAttr(v); err != nil || string(raw) != want {
			t.Errorf("%v: %s, %v", v, raw, err)
		}
	}
	if v, err := formats.DecodeAttr([]byte(`[1.5,"NaN"]`)); err != nil || len(v.([]float64)) != 2 || !math.IsNaN(v.([]float64)[1]) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := formats.EncodeAttr(func() {}); !errors.Is(err, formats.ErrType) {
		t.Error(err)
	}
}
