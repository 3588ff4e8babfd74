package array

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"drx/dtype"
)

// Numbers have the sign that _Unsigned says, and are NaN if attributes mark an element as missing.
// The fill value is left to the scene, unless it is zero.
func TestElements(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		dtype  dtype.DType
		fill   string
		attrs  string
		want   []float64 // of -1, 0, 2
		whole  bool
		number dtype.DType
	}{
		{dtype.Int16, "", `{}`, []float64{-1, 0, 2}, true, dtype.Int16},
		{dtype.Int16, "-1", `{"_FillValue": -1}`, []float64{-1, 0, 2}, true, dtype.Int16},
		{dtype.Int16, "0", `{"_FillValue": 0}`, []float64{-1, none, 2}, false, dtype.Int16},
		{dtype.Int16, "-1", `{"_FillValue": -1, "missing_value": [2, -1]}`, []float64{-1, 0, none}, false, dtype.Int16},
		{dtype.Int8, "", `{"_Unsigned": "true", "missing_value": 2}`, []float64{255, 0, none}, false, dtype.Uint8},
		{dtype.Int8, "", `{"_Unsigned": "true", "scale_factor": 0.5}`, []float64{255, 0, 2}, true, dtype.Uint8},
		{dtype.Int64, "", `{"scale_factor": "none"}`, []float64{-1, 0, 2}, false, dtype.Int64},
		{dtype.Float32, "", `{"missing_value": -1}`, []float64{none, 0, 2}, false, dtype.Float32},
		{dtype.Float64, "", `{"missing_value": -1}`, []float64{none, 0, 2}, false, dtype.Float64},
	} {
		var attrs map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.attrs), &attrs); err != nil {
			t.Fatal(err)
		}
		var fill, stored []byte
		if c.fill != "" {
			fill = element(t, c.dtype, c.fill)
		}
		for _, x := range []string{"-1", "0", "2"} {
			stored = append(stored, element(t, c.dtype, x)...)
		}
		e, err := NewElements(c.dtype, fill, attrs)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 3)
		if err := e.Decode(got, stored); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
				t.Errorf("%v %s: %v, want %v", c.dtype, c.attrs, got, c.want)
				break
			}
		}
		if e.Integers16() != c.whole || e.Number != c.number {
			t.Errorf("%v %s: %v, whole numbers: %v", c.dtype, c.attrs, e.Number, e.Integers16())
		}
	}
}

func element(t *testing.T, of dtype.DType, text string) []byte {
	t.Helper()
	b, err := of.FromJSON(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Different missing values per band are refused, because a block has no place for them.
func TestElementsOfBands(t *testing.T) {
	attrs := map[string]json.RawMessage{"nodata": json.RawMessage(`[0, 255]`)}
	if _, err := NewElements(dtype.Uint8, nil, attrs); !errors.Is(err, dtype.ErrDType) {
		t.Errorf("nodata 0 and 255: %v, want an error that wraps dtype.ErrDType", err)
	}
	attrs["nodata"] = json.RawMessage(`[255, 255]`)
	if _, err := NewElements(dtype.Uint8, nil, attrs); err != nil {
		t.Error(err)
	}
}
