package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// rainFile returns a file with a coordinate and int16 elements, in units of half a millimetre, with
// a fill value.
func rainFile(elements ...int16) (pipetest.File, [][]byte) {
	f := pipetest.File{Vars: []pipetest.Var{
		{Name: "x", DType: "float64", Shape: []int{len(elements)}, Dims: []string{"x"}},
		{
			Name: "rain", DType: "int16", Shape: []int{len(elements)}, Dims: []string{"x"}, Fill: []byte{0xff, 0xff},
			Attrs: raw("scale_factor", "0.5", "_FillValue", "-1", "units", `"mm"`),
		},
	}}
	x := make([]float64, len(elements))
	for i := range x {
		x[i] = float64(i) / 4
	}
	return f, [][]byte{dtype.Bytes(x), dtype.Bytes(elements)}
}

// --as must convert elements, the fill value and the attributes that name it, but not coordinates;
// --unscale comes first. A value that does not fit must give an error that leaves nothing, or with
// --clip become the nearest value.
func TestImportAs(t *testing.T) {
	dir := t.TempDir()
	f, elements := rainFile(0, 300, -1, 7)
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements...)
	f, elements = rainFile(0, 9, 7)
	f.Vars[1].Fill, f.Vars[1].Attrs = nil, nil
	makeFileOf(t, filepath.Join(dir, "b.hdf5"), f, elements...)
	for line, want := range map[string][]string{
		"import @/a.hdf5 @/W --as float32":                    {`rain float32 0:4 ["x"] fill 000080bf`, "_FillValue:-1", `: 0000000000009643000080bf0000e040`, "x float64"},
		"import @/a.hdf5 @/W --as uint8 --clip":               {`rain uint8 0:4 ["x"] fill 00`, "_FillValue:0", `: 00ff0007`},
		"import @/a.hdf5 @/W --as float32 --unscale":          {`rain float32 0:4 ["x"] fill 0000c07f`, `: 00000000000016430000c07f00006040`},
		"import @/a.hdf5 @/W --as uint8 --unscale --clip":     {`rain uint8 0:4 ["x"] fill 00`, `: 00960004`}, // 3.5 is halfway: to even
		"import @/b.hdf5 @/W --as uint8":                      {`rain uint8 0:3 ["x"] fill 00`, `: 000907`, "x float64"},
		"import @/b.hdf5 @/W --as complex64 --var rain":       {`rain complex64`, `: 0000000000000000000010410000000000`},
		"import @/b.hdf5 @/W --as float32 --var rain --var x": {`rain float32`, "x float32 0:3", ": 000000000000803e0000003f"},
	} {
		mustRun(t, dir, line)
		got := describeAll(t, filepath.Join(dir, "W"))
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in\n%s", line, part, got)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "W")); err != nil {
			t.Fatal(err)
		}
	}
	f, elements = rainFile(0, 300, 7)
	f.Vars[1].Fill, f.Vars[1].Attrs = nil, nil
	makeFileOf(t, filepath.Join(dir, "c.hdf5"), f, elements...)
	before := filesIn(t, dir)
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"import @/a.hdf5 @/W --as uint8":           {cli.ExitFailure, "a.hdf5: variable rain: --as uint8: fill value: value -1 does not fit uint8, which has 0 to 255; --clip takes the nearest value"},
		"import @/a.hdf5 @/W --as uint8 --unscale": {cli.ExitFailure, "fill value: value NaN does not fit uint8, which has 0 to 255"},
		"import @/c.hdf5 @/W --as int8":            {cli.ExitFailure, "c.hdf5: variable rain: section 0:3: value 300 does not fit int8, which has -128 to 127; --clip takes the nearest value"},
		"import @/c.hdf5 @/W --as integer":         {cli.ExitUsage, `--as integer: no such element type`},
		"import @/c.hdf5 @/W --clip":               {cli.ExitUsage, "import: --clip needs --as"},
	} {
		code, text := tryRun(dir, line)
		if code != want.code || !strings.Contains(text, want.text) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		if now := filesIn(t, dir); !slices.Equal(now, before) {
			t.Fatalf("%s left %s, there were %s", line, now, before)
		}
	}
}

// A variable that is refused because its values would be rounded must be imported with --as.
func TestImportAsRounds(t *testing.T) {
	dir := t.TempDir()
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), pipetest.File{Vars: []pipetest.Var{
		{Name: "v", DType: "float64", Shape: []int{2}, Refused: "would be rounded: import them with --as float64", Rounded: true},
	}}, dtype.Bytes([]float64{0.5, 3}))
	if code, text := tryRun(dir, "import @/a.hdf5 @/A"); code != cli.ExitFailure || !strings.Contains(text, "--as float64") {
		t.Errorf("exit %d, %s", code, text)
	}
	for as, want := range map[string]string{"float64": "0.5 3", "int16": "0 3"} {
		mustRun(t, dir, "import @/a.hdf5 @/"+as+" --as "+as)
		mustRun(t, dir, "export @/"+as+" @/"+as+".npy")
		if info, text := readElements(t, filepath.Join(dir, as+".npy"), ""); info.DType.String() != as || text != want {
			t.Errorf("%v %s, want %s %s", info.DType, text, as, want)
		}
	}
}

// Appended elements must get the type of the array; another type in --as must be an error.
func TestImportAppendsAs(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a", "b", "c"} {
		f, elements := day(fmt.Sprint("hours since 2024-01-0", i+1), byte(10*i))
		if name == "b" {
			f.Vars[2].DType, elements[2] = "int16", dtype.Bytes([]int16{1, 2, 3, 400})
		}
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), f, elements...)
	}
	mustRun(t, dir, "import @/a.hdf5 @/W --append time --as int8")
	before := describeAll(t, filepath.Join(dir, "W"))
	for line, says := range map[string]string{
		"import @/b.hdf5 @/W --append time":            "has int16, " + dir + "/W/rain has int8; --as int8 converts what is appended",
		"import @/c.hdf5 @/W --append time --as uint8": "--as uint8: " + dir + "/W/rain has int8 already",
		"import @/b.hdf5 @/W --append time --as int8":  "variable rain: section 0:2,0:2: value 400 does not fit int8, which has -128 to 127",
	} {
		code, text := tryRun(dir, line)
		if code == 0 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		if now := describeAll(t, filepath.Join(dir, "W")); now != before {
			t.Fatalf("%s: it is now\n%s", line, now)
		}
	}
	const line = "import @/b.hdf5 @/c.hdf5 @/W --append time --as int8"
	if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, "--clip takes the nearest value; the files before it are there: continue with --resume") {
		t.Errorf("exit %d, %s", code, text)
	}
	mustRun(t, dir, line+" --clip --resume")
	if got := describeAll(t, filepath.Join(dir, "W")); !strings.Contains(got, "rain int8 0:6,0:2") || !strings.Contains(got, ": 000102030102037f14151617") {
		t.Errorf("%s", got)
	}
}

// --resume must continue with the original options of the import, and refuse others.
func TestResumeRemembersOptions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.hdf5")
	f := large(pipetest.Fault{At: "read", After: 3, Kind: "kill"})
	makeFile(t, path, f)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if code, text := tryRun(dir, "import @/a.hdf5 @/W --memory 512KiB --as float32 --chunk 40,30 --var v --var x"); code != cli.ExitFailure || !strings.Contains(text, "--resume") {
		t.Fatalf("exit %d, %s", code, text)
	}
	f.Fault.At = "xead" // from now on the file is good, and as long as before
	makeFile(t, path, f)
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	for flags, says := range map[string]string{
		"--as float64":    "the import of " + path + " began with --as float32, not --as float64: give the options with which it began, or none of them",
		"--unscale":       "began without --unscale",
		"--chunk 40,60":   "began with --chunk 40,30, not --chunk 40,60",
		"--var v":         "began with --var v --var x, not --var v",
		"--append y":      "began without --append",
		"--format netcdf": "began without --format",
	} {
		if code, text := tryRun(dir, "import @/a.hdf5 @/W --resume "+flags); code != cli.ExitUsage || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", flags, code, text)
		}
	}
	mustRun(t, dir, "import @/a.hdf5 @/W --resume")
	mustRun(t, dir, "import @/a.hdf5 @/X --as float32 --chunk 40,30 --var v --var x")
	if a, b := describeAll(t, filepath.Join(dir, "W")), describeAll(t, filepath.Join(dir, "X")); a != b {
		t.Errorf("resumed\n%.300s\nat once\n%.300s", a, b)
	}
}

// The indices of the file that makes DST count as new, and a dimension that neither has must give
// an error.
func TestImportCountsAndNamesDimensions(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		f, elements := day(fmt.Sprint("hours since 2024-01-0", i+1), byte(10*i))
		makeFileOf(t, filepath.Join(dir, fmt.Sprint("d", i, ".hdf5")), f, elements...)
	}
	for _, c := range []struct{ line, says string }{
		{"import @/d0.hdf5 @/W --append time", "\n2 new along time\n"},
		{"import @/d1.hdf5 @/d2.hdf5 @/W --append time", "\n4 new along time\n"},
		{"import @/d0.hdf5 @/d1.hdf5 @/d2.hdf5 @/V --append time", "\n6 new along time\n"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), words(dir, c.line), strings.NewReader(""), &out, &errs); code != 0 || !strings.HasSuffix(out.String(), c.says) {
			t.Errorf("%s: exit %d, %s%s", c.line, code, &out, &errs)
		}
	}
	for line, says := range map[string]string{
		"import @/d1.hdf5 @/W --append q":              `W has no dimension "q", nor has the file: it has lat, time; give one of these`,
		"import @/d1.hdf5 @/W --append tim":            `no dimension "tim" (did you mean time?)`,
		"import @/d1.hdf5 @/W --append time":           "coordinate time: 2024-01-02 is in " + dir + "/W/time already, at index 2; if the file was imported before, leave it out; drx write",
		"import @/d1.hdf5 @/d1.hdf5 @/U --append time": "is in ",
	} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
	mustRun(t, dir, "import @/d1.hdf5 @/W --append time --any-order")
	mustRun(t, dir, "import @/d1.hdf5 @/d1.hdf5 @/U --append time --resume --any-order") // from the refused second file
	if got := describeAll(t, filepath.Join(dir, "U")); !strings.Contains(got, "rain uint8 0:4,0:2") {
		t.Errorf("%s", got)
	}
}
