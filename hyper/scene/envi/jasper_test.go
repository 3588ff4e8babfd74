//go:build matio

package envi_test

import (
	"math"
	"slices"
	"testing"

	"drx/formats/bridgetest"
	_ "drx/formats/mat"
	"drx/hyper/scene/envi"
)

// The image of Jasper Ridge has the numbers of the MAT file except for their signs: the MAT file
// has absolute values. Its pixels are numbered along the samples.
func TestJasperRidgeHasTheNumbersOfItsMATFile(t *testing.T) {
	src, err := envi.Open(bridgetest.Data(t, "hyperspectral/jasperRidge2_R198.hdr")[0], false)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	got := make([]float64, src.Bounds().Pixels()*src.Bands())
	if err := src.Read(t.Context(), src.Bounds(), got); err != nil {
		t.Fatal(err)
	}
	stored, shape := bridgetest.Floats(t, bridgetest.Data(t, "hyperspectral/jasperRidge2_R198.mat")[0], "Y")
	if !slices.Equal(shape, []int{198, 10000}) {
		t.Fatalf("the MAT file has %v values", shape)
	}
	for i, v := range got {
		p, band := src.Bounds().At(i/198), i%198
		if want := stored[band*10000+p.Sample*100+p.Line]; math.Abs(v) != want {
			t.Fatalf("pixel %v, band %d: %v, the MAT file has %v", p, band, v, want)
		}
	}
}
