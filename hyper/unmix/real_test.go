//go:build matio

package unmix_test

import (
	"math"
	"testing"

	"drx/formats/bridgetest"
	_ "drx/formats/mat"
	"drx/hyper/scene"
	"drx/hyper/unmix"
)

// columns returns the columns of a matrix, each multiplied by factor, or normalised if that is 0.
func columns(values []float64, shape []int, factor float64) [][]float64 {
	c := make([][]float64, shape[1])
	for j := range c {
		squares := 0.0
		for i := range shape[0] {
			v := values[i*shape[1]+j]
			c[j] = append(c[j], v*factor)
			squares += v * v
		}
		for i := range c[j] {
			if factor == 0 {
				c[j][i] = values[i*shape[1]+j] / math.Sqrt(squares)
			}
		}
	}
	return c
}

// TestFCLSOnRealScenes compares with the figures of the non-negative least squares of SciPy, with
// the sum as a band of weight 1e4, for the true endmembers of two scenes. The remaining difference
// is the error of the truth.
func TestFCLSOnRealScenes(t *testing.T) {
	jasper, moffett := bridgetest.Data(t, "hyperspectral/jasperRidge2_R198.mat")[0], bridgetest.Data(t, "hyperspectral/UPCGIT_moffett.mat")[0]
	ends := bridgetest.Data(t, "hyperspectral/jasper_end4.mat")[0]
	y, yShape := bridgetest.Floats(t, jasper, "Y")
	m, mShape := bridgetest.Floats(t, ends, "M")
	a, aShape := bridgetest.Floats(t, ends, "A")
	check(t, "Jasper Ridge, divided by 5000", columns(y, yShape, 1.0/5000), columns(m, mShape, 1), columns(a, aShape, 1), 0.08513)
	check(t, "Jasper Ridge, pixels and endmembers of length 1", columns(y, yShape, 0), columns(m, mShape, 0), columns(a, aShape, 1), 0.04117)

	y, yShape = bridgetest.Floats(t, moffett, "Y")
	gt, _ := bridgetest.Floats(t, moffett, "GT")
	s, _ := bridgetest.Floats(t, moffett, "S_GT")
	truth := make([][]float64, 2500)
	for i := range truth { // pixels are numbered along the samples
		truth[i] = s[(i%50*50+i/50)*3:][:3]
	}
	check(t, "Moffett", columns(y, yShape, 1), [][]float64{gt[:184], gt[184:368], gt[368:]}, truth, 0.00073)
}

// check unmixes pixels and compares the abundances with true ones.
func check(t *testing.T, name string, pixels, endmembers, truth [][]float64, want float64) {
	t.Helper()
	bands := len(endmembers[0])
	var data, flat []float64
	for i, p := range pixels {
		data, flat = append(data, p...), append(flat, truth[i]...)
	}
	b := scene.Block{Hi: scene.Pixel{Line: 1, Sample: len(pixels)}}
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solver, err := unmix.New(unmix.FCLS, endmembers)
	if err != nil {
		t.Fatal(err)
	}
	plane, _ := scene.NewPlane(b, len(endmembers))
	if _, err := solver.Cube(t.Context(), c, b, plane, nil); err != nil {
		t.Fatal(err)
	}
	var got []float64
	for i := range pixels {
		got = append(got, plane.At(b.At(i))...)
	}
	squares := 0.0
	for i, v := range got {
		squares += (v - flat[i]) * (v - flat[i])
	}
	if rmse := math.Sqrt(squares / float64(len(got))); !(math.Abs(rmse-want) <= 0.00001) {
		t.Errorf("%s: the RMSE of the abundances is %.6f, want %.5f", name, rmse, want)
	}
}
