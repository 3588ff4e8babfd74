package transfer

import (
	"slices"
	"testing"

	"drx/cube"
	"drx/nd"
)

// The origin of a raster moves with the selection.
func TestGeotransformMoves(t *testing.T) {
	attrs := map[string]any{"geotransform": []float64{100, 2, 0, 50, 0, -3}}
	moveGeotransform(attrs, cube.Selection{{nd.Span(0, 1)}, {nd.Span(10, 20)}, {nd.Span(-5, 7).By(2)}})
	if g := attrs["geotransform"].([]float64); !slices.Equal(g, []float64{90, 4, 0, 20, 0, -3}) {
		t.Errorf("%v", g)
	}
	moveGeotransform(map[string]any{"geotransform": "none"}, cube.Selection{{nd.Span(0, 1)}, {nd.Span(0, 1)}})
}
