package hyper

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
)

// Elements of a scene that were never written have the fill value and count as missing. Pixels with
// only zeros or with a NaN are left out anyway.
func TestHyperFillIsNoData(t *testing.T) {
	for _, c := range []struct {
		t    dtype.DType
		fill any
		want float64
	}{{dtype.Uint16, 65535, 65535}, {dtype.Int16, -9999, -9999}, {dtype.Float32, -1.5, -1.5}, {dtype.Float64, math.NaN(), 0}, {dtype.Uint8, 0, 0}, {dtype.Uint8, nil, 0}} {
		a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: c.t, Shape: []int{2, 2, 2}, FillValue: c.fill})
		if err != nil {
			t.Fatal(err)
		}
		got := noDataOf(a.DType(), a.FillValue())
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if got == nil && c.want != 0 || got != nil && *got != c.want {
			t.Errorf("%v, fill %v: %v, want %v", c.t, c.fill, got, c.want)
		}
	}
}

// A factor common to all bands is not applied, but an offset is: it changes the direction of
// spectra.
func TestOffsetOfAllBands(t *testing.T) {
	for _, c := range []struct {
		scale, offset  string
		gains, offsets []float64
	}{
		{`0.5`, `0`, nil, nil},
		{`0.5`, `-3`, []float64{0.5, 0.5}, []float64{-3, -3}},
		{`[1, 2]`, `5`, []float64{1, 2}, []float64{5, 5}},
	} {
		attrs := map[string]json.RawMessage{"scale_factor": json.RawMessage(c.scale), "add_offset": json.RawMessage(c.offset)}
		b, err := bandAttrsOf("a", attrs, 2)
		if err != nil || !slices.Equal(b.gains, c.gains) || !slices.Equal(b.offsets, c.offsets) {
			t.Errorf("scale_factor %s, add_offset %s: gains %v, offsets %v, error %v", c.scale, c.offset, b.gains, b.offsets, err)
		}
	}
}
