package hyper_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx/hyper"
	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/hyper/scene/envi"
	"drx/hyper/score"
	"drx/hyper/stats"
)

// spectralResults is the output of testdata/spy.py.
type spectralResults struct {
	Image, Mean, Covariance, Noise, PCT, MNF, SAM, RX, MF, ACE []float64
	PPI                                                        []int
}

// TestSpectralPython compares DRX with Spectral Python (SPy): reading of an ENVI image, statistics,
// components, angles and detectors with the tolerances of TestPython, and the pixel purity index
// for equal skewers, which must be equal. ACE of SPy has no sign.
func TestSpectralPython(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import spectral").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3-spectral is not there")
		}
		t.Skip("python3-spectral is not there")
	}
	c, _ := made(t, scene.Options{})
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	pixels := slices.Collect(slices.Chunk(tile.Data, c.Bands()))
	spectra := [][]float64{pixels[5], pixels[700], pixels[2000]}
	ppi := endmember.PPI{Options: endmember.Options{Count: 3}, Skewers: 200, Seed: 7}
	_, err = endmember.Find(t.Context(), c, &ppi)
	check(t, err)
	dir := t.TempDir()
	header := writeENVI(t, dir, c, tile.Data)
	want := runSpectral(t, dir, header, map[string]any{
		"lines": c.Bounds().Lines(), "samples": c.Bounds().Samples(), "pixels": pixels, "spectra": spectra, "skewers": skewersOf(ppi, c.Bands()),
	})

	same(t, "the ENVI image of SPy", want.Image, tile.Data, 0)
	src, err := envi.Open(header, false)
	check(t, err)
	image := make([]float64, len(tile.Data))
	defer src.Close()
	check(t, src.Read(t.Context(), src.Bounds(), image))
	same(t, "the ENVI image", image, want.Image, 0)
	compareSpectralMoments(t, c, &want)
	var angles []float64
	for _, x := range pixels {
		for _, e := range spectra {
			angles = append(angles, score.Angle(x, e))
		}
	}
	same(t, "spectral angles", angles, want.SAM, 1e-6)
	same(t, "RX", scores(t, c, hyper.Detection{Method: detect.ByRX}), want.RX, 1e-7)
	same(t, "matched filter", scores(t, c, hyper.Detection{Method: detect.ByMF, Target: spectra[0]}), want.MF, 1e-7)
	ace := scores(t, c, hyper.Detection{Method: detect.ByACE, Target: spectra[0]})
	for i, v := range ace {
		ace[i] = math.Abs(v)
	}
	same(t, "ACE", ace, want.ACE, 1e-7)
	purity := make([]int, len(pixels))
	for _, p := range ppi.Indices() {
		purity[c.Bounds().Index(p.Pixel)] = p.Index
	}
	if !slices.Equal(purity, want.PPI) {
		t.Errorf("the pixel purity indices differ: %v, SPy %v", purity, want.PPI)
	}
}

// compareSpectralMoments compares statistics and components. SPy computes the noise from the
// differences in one direction only.
func compareSpectralMoments(t *testing.T, c *scene.Cube, want *spectralResults) {
	t.Helper()
	sum := func(kind stats.Kind) *stats.Moments {
		m, err := stats.Sum(t.Context(), c, kind, c.Bounds(), c.Bounds())
		check(t, err)
		return m
	}
	compareStatistics(t, sum(stats.Spectra), sum(stats.Right), want.Mean, want.Covariance, want.Noise, want.PCT, want.MNF)
}

// scores returns the scores of all pixels of a cube.
func scores(t *testing.T, c *scene.Cube, d hyper.Detection) []float64 {
	t.Helper()
	plane, err := scene.NewPlane(c.Bounds(), 1)
	check(t, err)
	_, err = d.Run(t.Context(), c, plane)
	check(t, err)
	list := make([]float64, c.Bounds().Pixels())
	for i := range list {
		list[i] = plane.At(c.Bounds().At(i))[0]
	}
	return list
}

// skewersOf returns the skewers of a PPI, computed as its documentation says.
func skewersOf(p endmember.PPI, bands int) [][]float64 {
	list := make([][]float64, p.Skewers)
	for k := range list {
		rng := rand.New(rand.NewPCG(p.Seed, uint64(k)))
		for range bands {
			list[k] = append(list[k], rng.NormFloat64())
		}
	}
	return list
}

// writeENVI writes pixels as a big-endian ENVI image of float64, interleaved by line, and returns
// its header.
func writeENVI(t *testing.T, dir string, c *scene.Cube, data []float64) (header string) {
	t.Helper()
	lines, samples, bands := c.Bounds().Lines(), c.Bounds().Samples(), c.Bands()
	var image bytes.Buffer
	for l := range lines {
		for b := range bands {
			for s := range samples {
				check(t, binary.Write(&image, binary.BigEndian, data[(l*samples+s)*bands+b]))
			}
		}
	}
	check(t, os.WriteFile(filepath.Join(dir, "scene.img"), image.Bytes(), 0o666))
	header = filepath.Join(dir, "scene.hdr")
	text := fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\nfile type = ENVI Standard\ndata type = 5\ninterleave = bil\nbyte order = 1\n",
		samples, lines, bands)
	check(t, os.WriteFile(header, []byte(text), 0o666))
	return header
}

// runSpectral runs testdata/spy.py.
func runSpectral(t *testing.T, dir, header string, given any) (want spectralResults) {
	t.Helper()
	text, err := json.Marshal(given)
	check(t, err)
	name := filepath.Join(dir, "scene.json")
	check(t, os.WriteFile(name, text, 0o666))
	cmd := exec.Command("/usr/bin/python3", "testdata/spy.py", name, header)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("spy.py: %v\n%s", err, complaints.String())
	}
	check(t, json.Unmarshal(out, &want))
	return want
}
