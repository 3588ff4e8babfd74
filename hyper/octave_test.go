package hyper_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/hyper/unmix"
)

// TestOctave compares components and abundances with GNU Octave, whose function qp computes
// abundances that are not negative and add up to 1. It is skipped if there is no Octave, which make
// test does not install.
func TestOctave(t *testing.T) {
	octave, err := exec.LookPath("octave-cli")
	if err != nil {
		t.Skip("octave-cli is not there")
	}
	c, _ := made(t, scene.Options{})
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	pixels := slices.Collect(slices.Chunk(tile.Data, c.Bands()))
	spectra := [][]float64{pixels[5], pixels[700], pixels[2000]}
	var some [][]float64
	for i := 0; i < len(pixels); i += 20 {
		some = append(some, pixels[i])
	}
	text, err := json.Marshal(map[string]any{"pixels": pixels, "some": some, "spectra": spectra})
	check(t, err)
	name := filepath.Join(t.TempDir(), "scene.json")
	check(t, os.WriteFile(name, text, 0o666))
	out, err := exec.Command(octave, "--no-gui", "testdata/octave.m", name).Output()
	check(t, err)
	var want struct{ PCT, UCLS, NNLS, FCLS []float64 }
	check(t, json.Unmarshal(out, &want))

	m, err := stats.Sum(t.Context(), c, stats.Spectra, c.Bounds(), c.Bounds())
	check(t, err)
	mean, err := m.Mean()
	check(t, err)
	k, err := m.Covariance()
	check(t, err)
	pct, err := reduce.PCT(mean, k)
	check(t, err)
	same(t, "PCT", pct.Values, want.PCT, 1e-9)
	for _, by := range []struct {
		what   string
		method *unmix.Method
		want   []float64
	}{{"UCLS", unmix.UCLS, want.UCLS}, {"NNLS", unmix.NNLS, want.NNLS}, {"FCLS", unmix.FCLS, want.FCLS}} {
		s, err := unmix.New(by.method, spectra)
		check(t, err)
		var got []float64
		a := make([]float64, len(spectra))
		for _, x := range some {
			s.Solve(x, a)
			got = append(got, a...)
		}
		same(t, by.what, got, by.want, 1e-7)
	}
}
