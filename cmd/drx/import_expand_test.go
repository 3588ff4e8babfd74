package main

import (
	"path/filepath"
	"strings"
	"testing"

	"drx/cmd/drx/internal/cli"
	"drx/formats/pipe/pipetest"
)

// paletteFile returns a raster of indices with its colour table.
func paletteFile() (pipetest.File, []byte) {
	return pipetest.File{Vars: []pipetest.Var{{
		DType: "uint8", Shape: []int{2, 3}, Dims: []string{"y", "x"}, Fill: []byte{2},
		Attrs: raw("palette", "[[10,20,30,255],[1,2,3,255],[0,0,0,0]]", "nodata", "2", "geotransform", "[1.0,2.0,0.0,3.0,0.0,4.0]"),
	}}}, []byte{0, 1, 2, 2, 1, 0}
}

// output returns the output of a command.
func output(t *testing.T, dir, line string) string {
	t.Helper()
	code, out, complaint := drxRun(t, words(dir, line)...)
	if code != 0 {
		t.Fatalf("%s: exit %d: %s", line, code, complaint)
	}
	return out
}

// With --expand, a raster of indices must become its colours, also when it is appended; without, it
// must stay a raster of indices.
func TestImportExpands(t *testing.T) {
	dir := t.TempDir()
	f, elements := paletteFile()
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements)
	mustRun(t, dir, "import @/a.hdf5 @/I")
	mustRun(t, dir, "import @/a.hdf5 @/C --expand rgb")
	mustRun(t, dir, "import @/a.hdf5 @/A --expand rgba")
	mustRun(t, dir, "import @/a.hdf5 @/a.hdf5 @/T --expand rgb --append time")
	colours := output(t, dir, "read @/C --csv")
	if want := "0,0,10,1,0\n0,1,0,1,10\n1,0,20,2,0\n"; !strings.Contains(colours, want) {
		t.Errorf("%s", colours)
	}
	for array, want := range map[string][]string{
		"I": {`"palette"`, `"nodata"`, `"shape":[2,3]`, `"geotransform"`},
		"C": {`"shape":[3,2,3]`, `"band","y","x"`, `"band_names":["red","green","blue"]`, `"geotransform"`},
		"A": {`"shape":[4,2,3]`, `"alpha"`},
		"T": {`"shape":[2,3,2,3]`, `"time","band","y","x"`},
	} {
		text := output(t, dir, "info @/"+array+" --json")
		text = strings.Join(strings.Fields(text), "")
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s in %s", array, part, text)
			}
		}
		if array != "I" && strings.Contains(text, "palette") {
			t.Errorf("%s has a palette: %s", array, text)
		}
	}
	if text := output(t, dir, "import --list @/a.hdf5 --expand rgb"); !strings.Contains(text, "uint8 (band 3, y 2, x 3)") {
		t.Errorf("%s", text)
	}
}

// Errors of --expand must say which values are possible, and that there is nothing to expand.
func TestExpandMistakes(t *testing.T) {
	dir := t.TempDir()
	f, elements := paletteFile()
	f.Vars[0].Attrs = nil
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements)
	bad, elements := paletteFile()
	bad.Vars[0].Attrs = raw("palette", `"red"`)
	makeFileOf(t, filepath.Join(dir, "b.hdf5"), bad, elements)
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"import @/a.hdf5 @/X --expand rgb":  {cli.ExitFailure, "a.hdf5: --expand rgb: no raster in it has a colour table (attribute palette)"},
		"import @/a.hdf5 @/X --expand grey": {cli.ExitUsage, `--expand grey: want rgb or rgba`},
		"import @/b.hdf5 @/X --expand rgb":  {cli.ExitFailure, "want a list of colours"},
	} {
		code, text := tryRun(dir, line)
		if code != want.code || !strings.Contains(text, want.text) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		if left := filesIn(t, dir); len(left) != 2 {
			t.Errorf("%s has left %v", line, left)
		}
	}
}
