package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/endmember"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/unmix"
	"drx/internal/enumtest"
)

// minerals is a table of four spectra.
const minerals = `wavelength (nm),tree,soil,water,roof
400,0.050,0.080,0.100,0.322
480,0.055,0.104,0.075,0.250
560,0.126,0.129,0.057,0.321
640,0.053,0.155,0.044,0.343
720,0.275,0.186,0.035,0.317
800,0.498,0.221,0.028,0.263
880,0.492,0.254,0.023,0.230
960,0.403,0.274,0.020,0.264
1040,0.478,0.287,0.017,0.327
1120,0.500,0.302,0.015,0.377
1200,0.500,0.321,0.014,0.399
1280,0.500,0.344,0.013,0.384
`

// inGeneratedScene changes to a new folder and makes a scene of 20 x 24 pixels and 12 bands there,
// made/scene.
func inGeneratedScene(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("minerals.csv", []byte(minerals), 0o600); err != nil {
		t.Fatal(err)
	}
	hyperRun(t, nil, "synth made --spectra minerals.csv --lines 20 --samples 24 --patch 8 --snr 40 --mixing 3")
}

// hyperRun runs a verb of hyper, and parses its output as JSON if into is not nil.
func hyperRun(t *testing.T, into any, line string) {
	t.Helper()
	args := append([]string{"hyper"}, strings.Fields(line)...)
	if into != nil {
		args = append(args, "--json")
	}
	code, out, errs := drxRun(t, args...)
	if code != 0 {
		t.Fatalf("drx hyper %s: exit code %d, %s", line, code, errs)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("drx hyper %s: %v", line, err)
		}
	}
}

// generated calls f with the cube of made/scene.
func generated(t *testing.T, f func(c *hyperscene.Cube)) {
	t.Helper()
	err := arrays.With("made/scene", false, func(a *drx.Array) error {
		dims, err := array.FindDims(a)
		if err != nil {
			return err
		}
		src, err := array.New(a, dims)
		if err != nil {
			return err
		}
		c, err := hyperscene.New(src, hyperscene.Options{})
		if err == nil {
			f(c)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHyperIsThePackage compares the output of verbs with the results of the packages.
func TestHyperIsThePackage(t *testing.T) {
	inGeneratedScene(t)
	generated(t, func(c *hyperscene.Cube) {
		want, err := endmember.Find(t.Context(), c, &endmember.NFINDR{Options: endmember.Options{Count: 4}, Starts: 10, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		var found hyper.Found
		hyperRun(t, &found, "endmembers made/scene --method nfindr --count 4 --seed 7 -o E.json")
		for i, e := range found.Endmembers {
			if e.Pixel() != want[i].Pixel() || !slices.Equal(e.Spectrum, want[i].Spectrum) {
				t.Errorf("endmember %d is %v, want %v", i, e, want[i])
			}
		}
		if found.Certificate == nil || !found.Certificate.Holds || len(found.Certificate.Exchanges) != 4 || found.Volume == nil {
			t.Errorf("certificate %v, volume %v", found.Certificate, found.Volume)
		}
		checkAbundances(t, c, found.Spectra())

		m, err := hyper.Measure(t.Context(), c, true)
		if err != nil {
			t.Fatal(err)
		}
		bands, err := m.Bands(c)
		if err != nil {
			t.Fatal(err)
		}
		var stats struct {
			Pixels     int64
			Statistics []hyper.Band
		}
		hyperRun(t, &stats, "stats made/scene")
		for i, b := range stats.Statistics {
			b.Wavelength = nil
			if b != bands[i] || stats.Pixels != 480 {
				t.Errorf("band %d: %v, want %v", i, b, bands[i])
			}
		}
	})
}

// checkAbundances compares the array of abundances with the solver's result for each pixel.
func checkAbundances(t *testing.T, c *hyperscene.Cube, spectra [][]float64) {
	t.Helper()
	solver, err := unmix.New(unmix.FCLS, spectra)
	if err != nil {
		t.Fatal(err)
	}
	hyperRun(t, nil, "abundance made/scene --endmembers E.json --method fcls -o abundance")
	err = arrays.With("abundance", false, func(a *drx.Array) error {
		got, err := drx.Read[float32](a, nil)
		if err != nil {
			return err
		}
		tile, err := c.Read(t.Context(), c.Bounds())
		if err != nil {
			return err
		}
		want := make([]float64, 4)
		for i := range tile.Valid {
			solver.Solve(tile.Spectrum(i), want)
			for k, v := range want {
				if math.Abs(float64(got[i*4+k])-v) > 1e-6 {
					t.Fatalf("pixel %d, endmember %d: %g, want %g", i, k, got[i*4+k], v)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHyperFindsTheTruth: every method that does not depend on noise-free neighbours must find the
// four materials, and the classes must be right.
func TestHyperFindsTheTruth(t *testing.T) {
	inGeneratedScene(t)
	for _, method := range []string{"nfindr", "atgp", "sga", "vca"} {
		hyperRun(t, nil, "endmembers made/scene --count 4 --mean 3 -o E.json --method "+method)
		var s struct {
			MeanSAD float64 `json:"mean_sad"`
			Matched []int
		}
		hyperRun(t, &s, "score --endmembers E.json --truth minerals.csv")
		slices.Sort(s.Matched)
		if !(s.MeanSAD < 0.05) || !slices.Equal(s.Matched, []int{0, 1, 2, 3}) {
			t.Errorf("%s: mean angle %g, matched %v", method, s.MeanSAD, s.Matched)
		}
	}
	var c struct {
		Accuracy  float64 `json:"overall_accuracy"`
		Kappa     float64
		Confusion [][]int
		Labels    []int
	}
	hyperRun(t, &c, "classify made/scene --endmembers E.json --mean 1 --reduce mnf:4 --rounds 5 --truth made/classes -o classes")
	sum := 0
	for _, row := range c.Confusion {
		for _, n := range row {
			sum += n
		}
	}
	if c.Accuracy < 0.95 || c.Kappa < 0.9 || sum != 480 || !slices.Equal(c.Labels, []int{1, 2, 3, 4}) {
		t.Errorf("accuracy %g, kappa %g, %d pixels, labels %v", c.Accuracy, c.Kappa, sum, c.Labels)
	}
	// The array has the labels: its own share of right pixels is the accuracy.
	if share := equalShare(t, "classes", "made/classes"); math.Abs(share-c.Accuracy) > 1e-12 {
		t.Errorf("%g of the array's labels are right, the accuracy is %g", share, c.Accuracy)
	}
	var d struct{ AUC float64 }
	hyperRun(t, &d, "detect made/scene --method mf --target minerals.csv --name roof --truth roofs.npy")
	if d.AUC < 0.9 {
		t.Errorf("the matched filter has an area of %g under the curve", d.AUC)
	}
}

// equalShare returns the share of equal elements in two arrays of int32. It also writes roofs.npy,
// with 1 where the second array is 4.
func equalShare(t *testing.T, names ...string) float64 {
	t.Helper()
	var values [2][]int32
	for i, name := range names {
		err := arrays.With(name, false, func(a *drx.Array) (err error) {
			values[i], err = drx.Read[int32](a, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	equal := 0
	roofs := make([]uint8, len(values[1]))
	for i, v := range values[1] {
		if v == values[0][i] {
			equal++
		}
		if v == 4 {
			roofs[i] = 1
		}
	}
	a, err := drx.Create("roofs", drx.Spec{DType: dtype.Uint8, Shape: []int{20, 24}})
	if err == nil {
		err = drx.Write(a, nil, roofs)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := drxRun(t, "export", "roofs", "roofs.npy"); code != 0 {
		t.Fatal(errs)
	}
	return float64(equal) / float64(len(values[0]))
}

// TestHyperBadInput: each mistake must give one line that says what is wrong.
func TestHyperBadInput(t *testing.T) {
	inGeneratedScene(t)
	hyperRun(t, nil, "endmembers made/scene --method sga --count 3 -o E.json")
	hyperRun(t, nil, "synth small --spectra minerals.csv --lines 3 --samples 1")
	if code, _, errs := drxRun(t, "cp", "small/scene", "3"); code != 0 {
		t.Fatal(errs)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("short.csv", "band,a\n0,1\n1,2\n")
	write("far.csv", "wavelength (nm),a\n3000,1\n4000,2\n")
	write("nan.json", `[[1,2],[3]]`)
	write("no.json", `{"name":"x"}`)
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"endmembers small/scene --method nfindr --count 4", "3 usable pixels", 1},
		{"endmembers made/scene --method vca --count 13", "at most 12 can be found in 12 dimensions", 1},
		{"endmembers made/scene --method vca --count 1", "--count 1: want at least 2", 2},
		{"endmembers made/scene --method amee --count 9", "--apart is 0.2 rad", 1},
		{"endmembers made/scene --method vca --count 3 --reduce mnf:13", "13", 1},
		{"endmembers made/scene --method vca --count 3 --reduce mnf:x", "want mnf:N or pct:N", 2},
		{"endmembers made/scene --method vca --count 3 --mean 2", "--mean 2: want an odd number", 2},
		{"endmembers made/scene --method vca --count 3 --starts 2", "--starts is for nfindr, not for vca", 2},
		{"endmembers made/scene --method nfinder --count 3", "did you mean nfindr?", 2},
		{"endmembers made/scene --method atgp --count 3 --seed 2", "--seed is for nfindr, ppi, sisal, vca, not for atgp", 2},
		{"endmembers made/scene --method amee --count 3 --window 4", "--window 4: want an odd number, at least 3", 2},
		{"endmembers made/scene --method amee --count 3 --max-window 3", "--max-window 3: want an odd number, at least 5", 2},
		{"endmembers made/scene --method amee --count 3 --rounds 2 --max-window 7", "--rounds 2: with a largest window, of 7, there are no rounds", 1},
		{"endmembers made/scene --method ppi --count 3 --skewers -1", "--skewers -1: want at least 1", 2},
		{"endmembers made/scene --method ppi --count 4 --apart 1", "--apart is 1 rad", 1},
		{"endmembers made/scene --method amee --count 3 --memory 1KiB", "made/scene: --memory 1024: AMEE needs at least 11520", 1},
		{"endmembers 3 --method sga --count 4", "3: 3 usable pixels", 1},
		{"abundance made/scene --endmembers short.csv", "have 2 bands, 12 are needed", 1},
		{"abundance made/scene --endmembers far.csv", "far.csv: ", 1},
		{"abundance made/scene --endmembers nan.json", "nan.json: spectrum 1", 1},
		{"abundance made/scene --endmembers no.json", "no.json: the library has no spectra", 1},
		{"abundance made/scene --endmembers E.xyz", "want a file of spectra", 2},
		{"abundance made/scene --endmembers E.json -o made/scene", "there is an array of that name", 2},
		{"classify made/scene --endmembers E.json --truth small/classes", "a map of 3 x 1, the scene has 20 x 24", 1},
		{"classify made/scene --endmembers E.json --truth made/scene", "a map of 20 x 24 x 12", 1},
		{"detect made/scene --method mf --target 99,0", "the scene has lines 0:20, samples 0:24", 2},
		{"detect made/scene --method mf --target minerals.csv", "choose one with --name", 2},
		{"detect made/scene --method mf --target minerals.csv --name lead", `no spectrum "lead"`, 1},
		{"detect made/scene --method rx --target 1,1", "--target is for the other methods", 2},
		{"detect small/scene --method rx", "small/scene", 1},
		{"info made/classes", "a scene has 3 dimensions", 1},
		{"info made/scene --bad-bands 12", "the bands are 0 to 11", 2},
		{"info made/scene --bad-bands 3-1", "neither a band nor a range", 2},
		{"info made/scene --bad-bands 0-11", "no band is left", 1},
		{"info made/scene --dims line,sample", "want the dimensions of lines, samples and bands", 2},
		{"info made/scene --dims line,sample,z", `no dimension "z"`, 2},
		{"info made/scene --mask small/classes", "a map of 3 x 1", 1},
		{"info made/scene --memory 1KiB --mask made/classes", "--memory", 1},
		{"info made/scene --draw a.gif", "want a name that ends in .png or .svg", 2},
		{"info made/scene --draw a.png --rgb 1,2,12", "band 12 is bad or does not exist", 2},
		{"score --endmembers E.json --truth short.csv", "short.csv: ", 1},
		{"synth made --spectra minerals.csv", "made", 1},
		{"synth made3 --spectra minerals.csv --light 1", "hyper synth: ", 2},
		{"count small/scene", "small/scene: ", 1},
		{"mnf small/scene", "small/scene: ", 1},
	} {
		code, _, errs := drxRun(t, append([]string{"hyper"}, strings.Fields(c.line)...)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("drx hyper %s: exit code %d, want %d and %q; got %s", c.line, code, c.code, c.want, errs)
		}
	}
}

// TestDetectWithoutMemoryForScores: the highest score must be found without memory for all scores,
// and must be the highest one of the array (ties: the first).
func TestDetectWithoutMemoryForScores(t *testing.T) {
	inGeneratedScene(t)
	if code, _, errs := drxRun(t, strings.Fields("fill made/scene --section 15:17,20:22,: --value 3")...); code != 0 {
		t.Fatal(errs)
	}
	var d struct{ Highest struct{ Line, Sample int } }
	hyperRun(t, &d, "detect made/scene --method cem --target minerals.csv --name roof --memory 1KiB -o scores")
	highest, at := math.Inf(-1), 0
	err := arrays.With("scores", false, func(a *drx.Array) error {
		scores, err := drx.Read[float64](a, nil)
		for i, v := range scores {
			if v > highest {
				highest, at = v, i
			}
		}
		return err
	})
	if err != nil || d.Highest.Line != at/24 || d.Highest.Sample != at%24 {
		t.Errorf("the highest score is at %v, want %d, %d, error %v", d.Highest, at/24, at%24, err)
	}
	code, _, errs := drxRun(t, strings.Fields("hyper detect made/scene --method rx --memory 1KiB --draw scores.png")...)
	if code != 1 || !strings.Contains(errs, "--memory is") {
		t.Errorf("a picture of more than the memory: exit code %d, %s", code, errs)
	}
}

// TestHyperLeavesPixelsOut: masked and unusable pixels must be counted, and be NaN in results.
func TestHyperLeavesPixelsOut(t *testing.T) {
	inGeneratedScene(t)
	for _, args := range []string{
		"fill made/scene --section 0,0,3 --value NaN", "fill made/scene --section 1,:,: --value 0", "fill made/scene --section 2,1,0 --value 99",
		"fill made/scene --section 3,3,5 --value -1",
		"create mask --dtype uint8 --shape 20,24", "fill mask --section 5,:2 --value 1",
	} {
		if code, _, errs := drxRun(t, strings.Fields(args)...); code != 0 {
			t.Fatalf("drx %s: %s", args, errs)
		}
	}
	var i hyperscene.Survey
	hyperRun(t, &i, "info made/scene --mask mask --saturated 90")
	want := hyperscene.Survey{Pixels: 480, Usable: 480 - 1 - 24 - 1 - 2, Masked: 2, NotFinite: 1, Saturated: 1, Zero: 24, Negative: 1}
	if i.ConstantBands, i.Low, i.High = nil, 0, 0; !equalSurveys(i, want) {
		t.Errorf("%+v, want %+v", i, want)
	}
	code, out, errs := drxRun(t, strings.Fields("hyper abundance made/scene --mask mask --saturated 90 --endmembers minerals.csv -o abundance --json")...)
	if code != 0 || !strings.Contains(errs, "28 of 480 pixels are left out") || !strings.Contains(out, `"left_out":28`) {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	err := arrays.With("abundance", false, func(a *drx.Array) error {
		got, err := drx.Read[float32](a, nil)
		if err == nil && (!math.IsNaN(float64(got[0])) || math.IsNaN(float64(got[4]))) {
			t.Errorf("the first pixels have the abundances %v", got[:8])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHyperFiles: a file of another format must give the same results as the array that is imported
// from it.
func TestHyperFiles(t *testing.T) {
	inGeneratedScene(t)
	for _, line := range []string{"export made/scene scene.npy", "export made/classes classes.npy"} {
		if code, _, errs := drxRun(t, strings.Fields(line)...); code != 0 {
			t.Fatal(errs)
		}
	}
	var array, npy json.RawMessage
	hyperRun(t, &array, "endmembers made/scene --method nfindr --count 4 --mean 3")
	hyperRun(t, &npy, "endmembers scene.npy --method nfindr --count 4 --mean 3 -o E.json")
	var a, n hyper.Found
	if err := errors.Join(json.Unmarshal(array, &a), json.Unmarshal(npy, &n)); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(a.Spectra(), n.Spectra(), slices.Equal) {
		t.Errorf("the array has the endmembers %v, the file %v", a.Spectra(), n.Spectra())
	}
	var c, d struct {
		Accuracy float64 `json:"overall_accuracy"`
	}
	hyperRun(t, &c, "classify scene.npy --endmembers E.json --truth classes.npy --dims 0,1,2")
	hyperRun(t, &d, "classify made/scene --endmembers E.json --truth made/classes")
	if c != d || c.Accuracy == 0 {
		t.Errorf("accuracy %v with files, %v with arrays", c.Accuracy, d.Accuracy)
	}
	for line, want := range map[string]string{
		"info classes.npy": "a scene has 3 dimensions", "info scene.npy --scaled": "--scaled is for ENVI images", "info scene.npy --dims 0,1": "want the dimensions",
	} {
		if code, _, errs := drxRun(t, append([]string{"hyper"}, strings.Fields(line)...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", line, code, errs)
		}
	}
}

func equalSurveys(a, b hyperscene.Survey) bool {
	return a.Pixels == b.Pixels && a.Usable == b.Usable && a.Masked == b.Masked && a.NotFinite == b.NotFinite && a.Missing == b.Missing &&
		a.Saturated == b.Saturated && a.Zero == b.Zero && a.Negative == b.Negative
}

// TestKilledHyper kills a verb that makes an array before each of its operations. It must leave no
// array, a complete one, or one that is marked as incomplete; after rm the verb must succeed.
func TestKilledHyper(t *testing.T) {
	inGeneratedScene(t)
	const verb = "hyper abundance @/made/scene --endmembers @/minerals.csv -o @/abundance"
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, verb)
	whole, err := floatsOf("abundance")
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "rm @/abundance")
	moments, kills := enumtest.Of(t), 0
	for n := 1; ; n++ {
		if !moments.Try() {
			continue
		}
		if !killed(t, dir, verb, n) {
			break
		}
		kills++
		if left, err := floatsOf("abundance"); err == nil && !slices.Equal(left, whole) {
			t.Errorf("killed before operation %d: an array that is not complete can be read", n)
		}
		if code, out := tryRun(dir, "read @/abundance"); strings.Contains(out, "not complete") && !strings.Contains(out, "make it again") {
			t.Errorf("killed before operation %d: exit code %d, %s: a result cannot be resumed", n, code, out)
		}
		if code, _ := tryRun(dir, verb); code != 0 {
			mustRun(t, dir, "rm @/abundance")
			mustRun(t, dir, verb)
		}
		mustRun(t, dir, "rm @/abundance")
	}
	if kills < moments.Share(5) {
		t.Errorf("%d kills: does it change anything?", kills)
	}
}

// floatsOf returns the elements of an array of float32.
func floatsOf(name string) (values []float32, err error) {
	err = arrays.With(name, false, func(a *drx.Array) error {
		values, err = drx.Read[float32](a, nil)
		return err
	})
	return values, err
}
