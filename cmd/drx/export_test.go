package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx/cmd/drx/internal/cli"
	"drx/formats"
	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
)

// An export that fails because of the format's library must leave nothing, and name the file.
func TestFailedExportLeavesNothing(t *testing.T) {
	t.Setenv(pipe.EnvTimeout, "2s")
	dir := t.TempDir()
	victim{before: grownA}.prepare(t, dir)
	before := filesIn(t, dir)
	for _, name := range []string{"create-crash.hdf5", "write-kill.hdf5", "write-hang.hdf5", "close-crash.hdf5", "write-error.hdf5"} {
		begin := time.Now()
		code, text := tryRun(dir, "export @/A @/"+name)
		if code != cli.ExitFailure || !strings.Contains(text, name) || strings.Contains(text, "."+name+".") || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", name, code, text)
		}
		if d := time.Since(begin); d > time.Minute {
			t.Errorf("%s took %v", name, d)
		}
		if now := filesIn(t, dir); !slices.Equal(now, before) {
			t.Fatalf("%s left %s, there were %s", name, now, before)
		}
	}
	mustRun(t, dir, "export @/A @/good.hdf5")
	if code, text := tryRun(dir, "export @/A @/good.hdf5"); code != cli.ExitFailure || !strings.Contains(text, "exists") {
		t.Errorf("once more: exit %d, %s", code, text)
	}
}

// A killed export must leave the complete file or none of that name.
func TestKilledExport(t *testing.T) {
	dir := t.TempDir()
	victim{before: []string{"create @/big --dtype int16 --shape 3000,2000", "fill @/big --value 7"}}.prepare(t, dir)
	mustRun(t, dir, "export @/big @/whole.npy")
	whole, err := os.ReadFile(filepath.Join(dir, "whole.npy"))
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for i := range 12 {
		out := filepath.Join(dir, "out"+strconv.Itoa(i)+".npy")
		cmd, _ := start(t, dir, io.Discard, "export", filepath.Join(dir, "big"), out)
		time.Sleep(time.Duration(i) * 4 * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
		data, err := os.ReadFile(out)
		if errors.Is(err, fs.ErrNotExist) {
			missing++
		} else if err != nil || string(data) != string(whole) {
			t.Errorf("killed after %d ms: %d of %d bytes, %v", 4*i, len(data), len(whole), err)
		}
	}
	t.Logf("%d of 12 were killed in time", missing)
	if missing == 0 {
		t.Error("none was killed")
	}
}

// Conditions must select from all variables that have the dimension; labels and coordinates may be
// dropped only if the format cannot hold them.
func TestExportSelections(t *testing.T) {
	dir := t.TempDir()
	f, elements := day("hours since 2024-01-01", 10)
	makeFileOf(t, filepath.Join(dir, "d.hdf5"), f, elements...)
	mustRun(t, dir, "import @/d.hdf5 @/W")
	mustRun(t, dir, "export @/W @/s.hdf5 --sel lat=60")
	got := contents(t, filepath.Join(dir, "s.hdf5"))
	if got["lat"].elements != "\x3c" || got["rain"].elements != "\x0b\x0d" || len(got["time"].elements) != 8 {
		t.Errorf("%+v", got)
	}
	mustRun(t, dir, "export @/W/rain @/v.hdf5 --at time=1")
	got = contents(t, filepath.Join(dir, "v.hdf5"))
	if got["rain"].elements != "\x0c\x0d" || len(got) != 3 || got["time"].elements != "\x0c\x00\x00\x00" {
		t.Errorf("%+v", got)
	}
	mustRun(t, dir, "export @/W/rain @/i.hdf5 --section :,1")
	got = contents(t, filepath.Join(dir, "i.hdf5"))
	if got["rain"].elements != "\x0b\x0d" || len(got) != 3 || got["lat"].elements != "\x3c" || len(got["time"].elements) != 8 {
		t.Errorf("%+v", got)
	}
	code, text := tryRun(dir, "export @/W @/r.npy")
	if code != 0 || !strings.Contains(text, "without the coordinates and labels lat, time") {
		t.Errorf("exit %d, %s", code, text)
	}
	for line, says := range map[string]string{
		"export @/W @/x.npy --sel depth=3":           `no variable that is chosen has a dimension "depth"`,
		"export @/W @/x.npy --var snow":              "no such variable",
		"export @/W @/x.npy --section 1":             "--section is for one array",
		"export @/W @/x.npy --deflate 10":            "want 0 to 9",
		"export @/W @/x.npy --format none":           "no such format",
		"export @/W @/x.npy --sel lat=":              "lat=",
		"export @/W/rain @/x.npy --var rain":         "is none",
		"import @/d.hdf5 @/X --var snow":             "has no such variable",
		"import @/d.hdf5 @/X --chunk 1,2,3":          "no variable of",
		"import @/d.hdf5 @/X --format none":          "no such format",
		"import @/d.hdf5 @/X --low":                  "--low needs --append",
		"import @/d.hdf5 @/d.hdf5 @/X":               "give --append",
		"import @/d.hdf5 @/W --append depth":         `no dimension "depth"`,
		"import @/d.hdf5 @/W --append time --resume": "leave out --resume",
	} {
		if code, text := tryRun(dir, line); code != cli.ExitUsage || !strings.Contains(text, says) {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}

// Labels become strings, and strings become labels; strings that are not all different stay
// variables.
func TestStrings(t *testing.T) {
	dir := t.TempDir()
	makeFileOf(t, filepath.Join(dir, "s.hdf5"), pipetest.File{Vars: []pipetest.Var{
		{Name: "station", DType: "uint8", Shape: []int{3}, Dims: []string{"station"}, Labels: []string{"b", "a", "c d"}},
		{Name: "kind", DType: "uint8", Shape: []int{3}, Dims: []string{"station"}, Labels: []string{"ship", ""}},
		{Name: "t", DType: "int8", Shape: []int{3}, Dims: []string{"station"}},
	}}, []byte{1, 0, 2}, []byte{0, 1, 0}, []byte{5, 6, 7})
	mustRun(t, dir, "import @/s.hdf5 @/S")
	got := describeAll(t, filepath.Join(dir, "S"))
	if !strings.Contains(got, `labels/0/0:["a","b","c d"]`) || !strings.Contains(got, `import.strings:["ship",""]`) || strings.Contains(got, "station uint8 0") {
		t.Errorf("%s", got)
	}
	mustRun(t, dir, "export @/S @/again.hdf5")
	stations := contents(t, filepath.Join(dir, "again.hdf5"))
	if s := stations["station"].info.Labels; !slices.Equal(s, []string{"a", "b", "c d"}) {
		t.Errorf("labels %q", s)
	}
	if k := stations["kind"]; !slices.Equal(k.info.Labels, []string{"ship", ""}) || k.elements != "\x00\x01\x00" {
		t.Errorf("kinds %+v", k)
	}
	mustRun(t, dir, "export @/S @/part.hdf5 --sel station=b")
	if s := contents(t, filepath.Join(dir, "part.hdf5")); !slices.Equal(s["station"].info.Labels, []string{"b"}) || s["t"].elements != "\x06" {
		t.Errorf("%+v", s)
	}
}

// Values must be scaled as their attributes say, and missing ones must become NaN.
func TestUnscale(t *testing.T) {
	dir := t.TempDir()
	makeFileOf(t, filepath.Join(dir, "u.hdf5"), pipetest.File{Vars: []pipetest.Var{{
		Name: "v", DType: "int8", Shape: []int{4}, Fill: []byte{0xff}, Attrs: raw("scale_factor", "0.5", "add_offset", "10", "missing_value", "7", "units", `"K"`),
	}}}, []byte{0, 2, 7, 0xff})
	mustRun(t, dir, "import @/u.hdf5 @/U --unscale")
	mustRun(t, dir, "export @/U @/U.hdf5")
	v := contents(t, filepath.Join(dir, "U.hdf5"))["U"]
	if v.info.DType.String() != "float64" || len(v.info.Attrs) != 1 || v.info.Attrs["units"] != "K" {
		t.Errorf("%+v", v.info)
	}
	for i, want := range []string{"10", "11", "NaN", "NaN"} {
		if got := v.info.DType.Format([]byte(v.elements[8*i : 8*i+8])); got != want {
			t.Errorf("element %d is %s, want %s", i, got, want)
		}
	}
}

// Every format that the program itself writes must return what was exported, for every type that it
// has. A table has no types, so it returns equal numbers: exported once more, they give the same
// text.
func TestRoundTripOfFormats(t *testing.T) {
	dir := t.TempDir()
	pipe.Register()
	for _, f := range formats.Formats() {
		if !f.Writes() || pipe.Knows(f.Name) {
			continue
		}
		for _, typ := range cli.DtypeNames() {
			a := filepath.Join(dir, f.Name+typ)
			mustRun(t, dir, "create "+a+" --dtype "+typ+" --shape 3,4 --dims y,x --chunk 2,2")
			mustRun(t, dir, "fill "+a+" --section 1:3,0:2 --value 1")
			out := a + f.Extensions[0]
			if code, text := tryRun(dir, "export "+a+" "+out+" --format "+f.Name); code != 0 {
				if !strings.Contains(text, typ) && !strings.Contains(text, formats.ErrType.Error()) {
					t.Errorf("%s of %s: %s", f.Name, typ, text)
				}
				continue
			}
			mustRun(t, dir, "import "+out+" "+a+"2 --format "+f.Name)
			if f.Name == "csv" || f.Name == "tsv" {
				mustRun(t, dir, "export "+a+"2 "+a+"2"+f.Extensions[0])
				if want, got := readFile(t, out), readFile(t, a+"2"+f.Extensions[0]); got != want || !strings.Contains(want, "1") {
					t.Errorf("table of %s: exported %q, imported %q", typ, want, got)
				}
				continue
			}
			want, got := victim{array: filepath.Base(a)}.state(t, dir), victim{array: filepath.Base(a) + "2"}.state(t, dir)
			if _, elements, _ := strings.Cut(got, elementsFollow); !strings.HasSuffix(want, elements) || elements == "" || !strings.HasPrefix(got, typ+" ") {
				t.Errorf("%s of %s: exported %s\nimported %s", f.Name, typ, want, got)
			}
		}
	}
}

// readFile returns the contents of a file.
func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// CSV of read contains the stored numbers, and a note must say so if the values differ.
func TestReadNotesPackedNumbers(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "create @/a --shape 2,2 --dtype int16")
	const note = "CSV has the numbers as they are stored"
	for _, line := range []string{"read @/a --csv", "read @/a --long"} {
		if code, text := tryRun(dir, line); code != 0 || strings.Contains(text, note) {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
	mustRun(t, dir, "attr @/a scale_factor=0.5")
	for _, line := range []string{"read @/a --csv", "read @/a --long"} {
		if code, text := tryRun(dir, line); code != 0 || !strings.Contains(text, note) {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}
