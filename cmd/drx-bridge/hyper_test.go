//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHyperMAT: a scene and a class map in MAT files, whose elements are in column-major order,
// give drx hyper the same results as the arrays from which they were made.
func TestHyperMAT(t *testing.T) {
	g := &archive{t: t, drx: buildPrograms(t), dir: t.TempDir()}
	spectra := "band,tree,soil,water\n0,0.05,0.08,0.10\n1,0.12,0.13,0.06\n2,0.28,0.19,0.04\n3,0.49,0.25,0.02\n4,0.48,0.29,0.02\n"
	if err := os.WriteFile(filepath.Join(g.dir, "minerals.csv"), []byte(spectra), 0o600); err != nil {
		t.Fatal(err)
	}
	g.run(
		"hyper synth made --spectra minerals.csv --lines 20 --samples 27 --patch 7 --mixing 3 --snr 45",
		"export made/scene scene.mat", "export made/classes classes.mat",
	)
	for _, verb := range []string{"info", "stats", "mnf", "endmembers --method nfindr --count 3 --mean 3", "detect --method rx"} {
		array, file := g.output("hyper "+verb+" made/scene --json"), g.output("hyper "+verb+" scene.mat --json")
		if strings.ReplaceAll(array, "made/scene", "scene.mat") != file {
			t.Errorf("drx hyper %s: %s with the array, %s with the file", verb, array, file)
		}
	}
	g.run("hyper endmembers scene.mat --method nfindr --count 3 --mean 3 -o E.json")
	array := g.output("hyper classify made/scene --endmembers E.json --truth made/classes --json")
	if file := g.output("hyper classify scene.mat --endmembers E.json --truth classes.mat --json"); strings.ReplaceAll(array, "made/scene", "scene.mat") != file {
		t.Errorf("drx hyper classify: %s with arrays, %s with files", array, file)
	}
	g.refuse("hyper info classes.mat", "classes.mat", "3 dimensions")
	g.refuse("hyper info scene.mat --mask scene.mat", "scene.mat")
}

// An ENVI image gives the same description of its bands by its header, by its file of numbers, and
// as an imported array: bad bands, wavelengths, the ignore value, and scales of bands.
func TestHyperENVI(t *testing.T) {
	g := &archive{t: t, drx: buildPrograms(t), dir: t.TempDir()}
	const header = `ENVI
samples = 7
lines = 6
bands = 5
file type = ENVI Standard
data type = 2
interleave = bip
byte order = 0
data ignore value = -999
wavelength units = Nanometers
wavelength = {400.5, 500, 600, 700, 800}
bbl = {1, 0, 1, 1, 0}
`
	var elements []byte
	for i := range 6 * 7 * 5 {
		pixel, band := i/5, i%5
		value := (pixel*pixel*31+band*band*97*(pixel%4)+pixel*band*13)%900 + 1
		if pixel == 17 {
			value = -999
		}
		elements = binary.LittleEndian.AppendUint16(elements, uint16(int16(value)))
	}
	for name, more := range map[string]string{"plain": "", "gains": "data gain values = {0.1, 0.2, 0.3, 0.4, 0.5}\ndata offset values = {1, 2, 3, 4, 5}\n"} {
		for file, content := range map[string][]byte{name + ".hdr": []byte(header + more), name + ".img": elements} {
			if err := os.WriteFile(filepath.Join(g.dir, file), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g.run("import " + name + ".img " + name)
		for _, verb := range []string{"info", "stats", "endmembers --method nfindr --count 3"} {
			want := strings.ReplaceAll(g.output("hyper "+verb+" "+name+".hdr --json"), name+".hdr", name)
			for _, cube := range []string{name + ".img", name} {
				if got := strings.ReplaceAll(g.output("hyper "+verb+" "+cube+" --json"), name+".img", name); got != want {
					t.Errorf("drx hyper %s %s: %s, want %s", verb, cube, got, want)
				}
			}
			if verb == "info" && (!strings.Contains(want, "400.5") || strings.Contains(want, "800")) {
				t.Errorf("drx hyper info: %s", want)
			}
		}
	}
	g.refuse("hyper info gains.hdr --scaled", "data gain or offset values")
	g.refuse("hyper watch gains --once", "scales of their own")
	g.run("extend plain --dim y --by 4") // unwritten
	batch := g.output("hyper endmembers plain --method nfindr --count 3 --json")
	spectra := batch[strings.Index(batch, `"endmembers"`):strings.Index(batch, `"volume"`)]
	if watched := g.output("hyper watch plain --method nfindr --count 3 --once --json"); strings.Contains(watched, "-999") || strings.Contains(spectra, "-999") ||
		!strings.Contains(watched, `"bands":[0,2,3]`) {
		t.Errorf("drx hyper watch: %s\nendmembers: %s", watched, batch)
	}
	g.run("attr plain bbl=[1,0]")
	g.refuse("hyper info plain", "attribute bbl has 2 numbers for 5 bands")
}
