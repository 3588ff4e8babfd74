package hyper_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx/hyper"
	"drx/hyper/count"
	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/score"
	"drx/hyper/stats"
	"drx/hyper/unmix"
)

// plainResults is the output of testdata/plain.py.
type plainResults struct {
	Mean, Covariance, Noise, PCT, MNF, SAM, RX, NNLS, FCLS []float64
	PCTPixels                                              []float64 `json:"pct_pixels"`
	HFC, NWHFC, HySime                                     int
	ATGP, VCA                                              []int
}

// TestPython compares the methods with plain implementations in NumPy and SciPy. Numbers agree to
// 1e-9 of the largest one in their list. Exceptions are MNF and RX, which divide by small
// eigenvalues, with 1e-7; and with 1e-6 angles, which NumPy computes by the arc cosine, and FCLS,
// which there enforces the sum by a band of large weight. Counts and pixels are equal.
func TestPython(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import scipy").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3-scipy is not there")
		}
		t.Skip("python3-scipy is not there")
	}
	c, _ := made(t, scene.Options{})
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	const materials, seed = 3, 7
	draws, pixels := make([][]float64, materials), slices.Collect(slices.Chunk(tile.Data, c.Bands()))
	for i := range draws {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		for range materials {
			draws[i] = append(draws[i], rng.NormFloat64())
		}
	}
	spectra := [][]float64{pixels[5], pixels[700], pixels[2000]}
	text, err := json.Marshal(map[string]any{"lines": c.Bounds().Lines(), "samples": c.Bounds().Samples(), "pixels": pixels, "spectra": spectra, "draws": draws})
	check(t, err)
	name := filepath.Join(t.TempDir(), "scene.json")
	check(t, os.WriteFile(name, text, 0o666))
	out, err := exec.Command(python, "testdata/plain.py", name).Output()
	check(t, err)
	var want plainResults
	check(t, json.Unmarshal(out, &want))

	m, err := hyper.Measure(t.Context(), c, true)
	check(t, err)
	compareMoments(t, m, pixels, &want)
	comparePixels(t, c, m, pixels, spectra, &want)
	for _, p := range []struct {
		method endmember.Method
		want   []int
	}{
		{&endmember.ATGP{Options: endmember.Options{Count: materials}}, want.ATGP},
		{&endmember.VCA{Options: endmember.Options{Count: materials}, Seed: seed}, want.VCA},
	} {
		found, err := endmember.Find(t.Context(), c, p.method)
		check(t, err)
		var got []int
		for _, e := range found {
			got = append(got, c.Bounds().Index(scene.Pixel{Line: e.Line, Sample: e.Sample}))
		}
		if !slices.Equal(got, p.want) {
			t.Errorf("%T: pixels %v, NumPy %v", p.method, got, p.want)
		}
	}
}

// compareMoments compares statistics, components and numbers of materials.
func compareMoments(t *testing.T, m *hyper.Moments, pixels [][]float64, want *plainResults) {
	t.Helper()
	mean, pct := compareStatistics(t, m.Spectra, m.Differences, want.Mean, want.Covariance, want.Noise, want.PCT, want.MNF)
	var components []float64
	for _, x := range pixels[:50] {
		y := make([]float64, len(mean))
		pct.Apply(y, x)
		components = append(components, y[:3]...)
	}
	same(t, "PCT of pixels", components, want.PCTPixels, 1e-9)
	hfc, err := count.HFC(m.Spectra, 1e-3)
	check(t, err)
	residual, err := stats.Residual(m.Spectra)
	check(t, err)
	nwhfc, err := count.NWHFC(m.Spectra, residual, 1e-3)
	check(t, err)
	hysime, err := count.HySime(m.Spectra)
	check(t, err)
	if got, want := [3]int{hfc.Count, nwhfc.Count, hysime.Count}, [3]int{want.HFC, want.NWHFC, want.HySime}; got != want {
		t.Errorf("HFC, NWHFC and HySime count %v, NumPy %v", got, want)
	}
}

// compareStatistics compares mean, covariance, noise and the variances of components with those of
// another program, and returns ours.
func compareStatistics(t *testing.T, spectra, differences *stats.Moments, mean, covariance, noise, pct, mnf []float64) (own []float64, principal *reduce.Transform) {
	t.Helper()
	ownMean, err := spectra.Mean()
	check(t, err)
	k, err := spectra.Covariance()
	check(t, err)
	n, err := stats.Noise(differences)
	check(t, err)
	same(t, "mean", ownMean, mean, 1e-9)
	var covariances, noises []float64
	for i := range ownMean {
		for j := range ownMean {
			covariances, noises = append(covariances, k.At(i, j)), append(noises, n.At(i, j))
		}
	}
	same(t, "covariance", covariances, covariance, 1e-9)
	same(t, "noise", noises, noise, 1e-9)
	components, err := reduce.PCT(ownMean, k)
	check(t, err)
	same(t, "PCT", components.Values, pct, 1e-9)
	fractions, err := reduce.MNF(ownMean, k, n, 0)
	check(t, err)
	same(t, "MNF", fractions.Values, mnf, 1e-7)
	return ownMean, components
}

// comparePixels compares angles, anomalies and abundances.
func comparePixels(t *testing.T, c *scene.Cube, m *hyper.Moments, pixels, spectra [][]float64, want *plainResults) {
	t.Helper()
	var angles, nnls, fcls []float64
	solve := func(method *unmix.Method, x []float64) []float64 {
		s, err := unmix.New(method, spectra)
		check(t, err)
		a := make([]float64, len(spectra))
		s.Solve(x, a)
		return a
	}
	for i := 0; i < len(pixels); i += len(pixels) / 100 {
		for _, e := range spectra {
			angles = append(angles, score.Angle(pixels[i], e))
		}
		nnls = append(nnls, solve(unmix.NNLS, pixels[i])...)
		fcls = append(fcls, solve(unmix.FCLS, pixels[i])...)
	}
	same(t, "spectral angles", angles, want.SAM, 1e-6)
	same(t, "NNLS", nnls, want.NNLS, 1e-9)
	same(t, "FCLS", fcls, want.FCLS, 1e-6)
	plane, err := scene.NewPlane(c.Bounds(), 1)
	check(t, err)
	_, err = hyper.Detection{Method: detect.ByRX}.Run(t.Context(), c, plane)
	check(t, err)
	var rx []float64
	for i := range c.Bounds().Pixels() {
		rx = append(rx, plane.At(c.Bounds().At(i))[0])
	}
	same(t, "RX", rx, want.RX, 1e-7)
}

// same compares two lists with a tolerance relative to the largest number.
func same(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%s: %d numbers, NumPy has %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*largest) {
			t.Errorf("%s: number %d is %v, NumPy has %v", what, i, got[i], v)
			return
		}
	}
}
