//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHyperMAT: a scene and a map of classes in MAT files, which have their elements column by column, give drx hyper what the arrays give that
// they were made of.
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
