package transfer

import (
	"fmt"
	"slices"
	"testing"

	"drx/cube"
	"drx/nd"
)

// The origin of a raster must move with the selection.
func TestGeotransformMoves(t *testing.T) {
	attrs := map[string]any{"geotransform": []float64{100, 2, 0, 50, 0, -3}}
	moveGeotransform(attrs, cube.Selection{{nd.Span(0, 1)}, {nd.Span(10, 20)}, {nd.Span(-5, 7).By(2)}})
	if g := attrs["geotransform"].([]float64); !slices.Equal(g, []float64{89, 4, 0, 20, 0, -3}) { // the centre of column -5 is at 91
		t.Errorf("%v", g)
	}
	moveGeotransform(map[string]any{"geotransform": "none"}, cube.Selection{{nd.Span(0, 1)}, {nd.Span(0, 1)}})
}

// Several ranges may be evenly spaced, also in descending order. If they are not, the attributes
// that locate the pixels must be removed.
func TestUnevenSelections(t *testing.T) {
	place := func() map[string]any {
		return map[string]any{"geotransform": []float64{100, 2, 0, 50, 0, -3}, "CRPIX1": 1.0, "CDELT1": 2.0, "CRVAL1": 7.0, "CRVAL2": 8.0, "units": "K"}
	}
	rows := cube.Indices{nd.Span(0, 3)}
	for name, c := range map[string]struct {
		columns cube.Indices
		want    []float64
		pixel   any
		removed string
	}{
		"descending": {cube.Indices{nd.Span(4, 5), nd.Span(3, 4)}, []float64{110, -2, 0, 50, 0, -3}, 5.0, "[]"},
		"every 3rd":  {cube.Indices{nd.Span(1, 2), nd.Span(4, 5), nd.Span(7, 8)}, []float64{100, 6, 0, 50, 0, -3}, 0.6666666666666667, "[]"},
		"uneven":     {cube.Indices{nd.Span(1, 2), nd.Span(4, 6)}, nil, nil, "[CDELT1 CRPIX1 CRVAL1 geotransform]"},
	} {
		attrs := place()
		removed := fmt.Sprint(movePixels(attrs, cube.Selection{rows, c.columns}))
		g, _ := attrs["geotransform"].([]float64)
		if !slices.Equal(g, c.want) || attrs["CRPIX1"] != c.pixel || removed != c.removed || attrs["CRVAL2"] != 8.0 || attrs["units"] != "K" {
			t.Errorf("%s: %v, removed %s", name, attrs, removed)
		}
	}
}
