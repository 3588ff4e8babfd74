package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/dataset"
	"drx/formats"
	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
)

// raw returns attributes in the form of the files of the tests.
func raw(pairs ...string) map[string]json.RawMessage {
	attrs := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		attrs[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return attrs
}

// makeFile writes a file of the helper for tests.
func makeFile(t *testing.T, path string, f pipetest.File) {
	t.Helper()
	if err := os.WriteFile(path, pipetest.Make(f), 0o600); err != nil {
		t.Fatal(err)
	}
}

// makeFileOf writes a file with the given elements.
func makeFileOf(t *testing.T, path string, f pipetest.File, elements ...[]byte) {
	t.Helper()
	head, err := pipetest.Head(pipetest.Magics["hdf5"], f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(head, bytes.Join(elements, nil)...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// weatherFile returns a file with coordinates, groups, strings, a scalar and attributes.
func weatherFile() pipetest.File {
	return pipetest.File{
		Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{4}, Dims: []string{"time"}, Attrs: raw("units", `"hours since 2024-01-01"`), Unlimited: []bool{true}},
			{Name: "lat", DType: "float32", Shape: []int{3}, Dims: []string{"lat"}},
			{
				Name: "rain", DType: "int16", Shape: []int{4, 3, 5}, Dims: []string{"time", "lat", ""}, Chunk: []int{1, 3, 5}, Fill: []byte{0xff, 0xff},
				Attrs: raw("scale_factor", "2.0", "_FillValue", "-1", "flags", "[1,2]"), Unlimited: []bool{true, false, false},
			},
			{Name: "model/crs", DType: "int32", Shape: []int{}, Attrs: raw("name", `"wgs84"`)},
			{Name: "model/z", DType: "complex128", Shape: []int{2, 3}, Dims: []string{"", "lat"}, Order: []int{1, 0}},
			{Name: "ref", Shape: []int{}, Refused: "is a list of references; choose others with --var"},
		},
		Attrs:  raw("title", `"made up"`, "version", "1.0", "import.progress", `"hostile"`),
		Groups: map[string]map[string]json.RawMessage{"model": raw("kind", `"test"`)},
	}
}

// A file must survive an import and an export: element types, values, attributes with their types,
// dimensions, fill values, unlimited dimensions, scalars and groups.
func TestImportAndExport(t *testing.T) {
	dir := t.TempDir()
	first, again := filepath.Join(dir, "a.hdf5"), filepath.Join(dir, "b.hdf5")
	makeFile(t, first, weatherFile())
	code, text := tryRun(dir, "import @/a.hdf5 @/W")
	if code != 0 || !strings.Contains(text, "variable ref is left out: is a list of references") {
		t.Fatalf("exit %d, %s", code, text)
	}
	mustRun(t, dir, "verify @/W/rain")
	mustRun(t, dir, "export @/W @/b.hdf5")
	want, got := contents(t, first), contents(t, again)
	for name, v := range want {
		if name == "ref" {
			continue
		}
		v.info.Chunk, v.info.Order = nil, nil // an array has chunks of its own, and is row-major
		w := got[name]
		w.info.Chunk, w.info.Order = nil, nil
		if name == "model/z" {
			continue // see below
		}
		if !reflect.DeepEqual(v, w) {
			t.Errorf("%s was %+v\nand is %+v", name, v, w)
		}
	}
	if len(got) != len(want)-1 {
		t.Errorf("%d variables, want %d", len(got), len(want)-1)
	}
	c, err := formats.List(again, formats.Options{})
	if err != nil || c.Attrs["title"] != "made up" || c.Attrs["version"] != 1.0 || len(c.Attrs) != 2 || c.Groups["model"]["kind"] != "test" {
		t.Errorf("attributes %v, groups %v, %v", c.Attrs, c.Groups, err)
	}
	// A second import, of the exported file, must give the same dataset.
	mustRun(t, dir, "import @/b.hdf5 @/W2")
	if a, b := describeAll(t, filepath.Join(dir, "W")), describeAll(t, filepath.Join(dir, "W2")); a != b {
		t.Errorf("imported\n%s\nexported and imported\n%s", a, b)
	}
}

// A stored variable is a variable with its elements.
type stored struct {
	info     formats.Info
	elements string
}

// contents reads all variables of a file.
func contents(t *testing.T, path string) map[string]stored {
	t.Helper()
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]stored{}
	for _, v := range c.Vars {
		if v.Refused != "" {
			all[v.Name] = stored{info: v}
			continue
		}
		r, err := formats.Open(path, formats.Options{Variable: v.Name})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := v.Bytes()
		buf := make([]byte, n)
		if err := errors.Join(r.ReadSection(nil, buf), r.Close()); err != nil {
			t.Fatal(err)
		}
		all[v.Name] = stored{v, string(buf)}
	}
	return all
}

// describeAll describes all variables of a dataset, without the sizes of chunks.
func describeAll(t *testing.T, folder string) string {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var b strings.Builder
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil {
			t.Fatal(err)
		}
		a := v.Array()
		n := a.DType().Size()
		for _, extent := range a.Shape() {
			n *= extent
		}
		buf := make([]byte, n)
		if err := a.ReadBytes(nil, buf, nil); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %v %v %q fill %x %s: %x\n", name, a.DType(), a.Bounds(), a.Dims(), a.FillValue(), a.Attrs(), buf)
	}
	attrs, err := d.Attrs("")
	fmt.Fprintf(&b, "%s %v %q\n", attrs, err, d.Groups())
	return b.String()
}

// large returns a file with a large variable of many boxes, and a fault after some of them.
func large(fault pipetest.Fault) pipetest.File {
	return pipetest.File{Vars: []pipetest.Var{
		{Name: "x", DType: "float64", Shape: []int{7}, Dims: []string{"x"}},
		{Name: "v", DType: "int16", Shape: []int{800, 300}, Dims: []string{"y", ""}, Chunk: []int{50, 300}},
	}, Fault: fault}
}

// If the helper is killed, ends, hangs, loops, crashes or has no memory in the middle of an import,
// there must be an error within ten seconds that names the file. The arrays must be valid, and
// --resume must continue where the import ended.
func TestHelperFailsInTheMiddle(t *testing.T) {
	for kind, says := range map[string]string{
		"kill": "it was killed", "hang": "it hung", "crash": "it crashed", "take": "more memory than is allowed", "stop": "it hung", "garbage": "not the protocol",
		"spin": "it hung: computed for", "reread": "it hung", "exit": "exit status 3: the library gives up",
	} {
		t.Run(kind, func(t *testing.T) {
			if strings.HasPrefix(says, "it hung") {
				t.Setenv(pipe.EnvTimeout, "2s")
			} else {
				// On a busy machine a helper may seem to hang before it fails.
				t.Setenv(pipe.EnvTimeout, "1m")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "a.hdf5")
			bad := large(pipetest.Fault{At: "read", After: 3, Kind: kind})
			makeFile(t, path, bad)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			code, text := tryRun(dir, "import @/a.hdf5 @/W --memory 512KiB")
			// The limit for a helper that computes is on its processor time.
			if d := time.Since(begin); code != cli.ExitFailure || d > time.Minute {
				t.Errorf("exit %d after %v", code, d)
			}
			if strings.Count(text, "\n") != 1 || !strings.Contains(text, path) || !strings.Contains(text, says) || !strings.Contains(text, "--resume") {
				t.Errorf("%s", text)
			}
			mustRun(t, dir, "verify @/W/v")
			var p importProgress
			readProgress(t, filepath.Join(dir, "W"), &p)
			if p.Vars != 1 || p.Boxes != 3 {
				t.Errorf("progress %+v", p)
			}
			bad.Fault.At = "xead" // from now on the file is good, and as long as before
			makeFile(t, path, bad)
			if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
				t.Fatal(err)
			}
			if code, text := tryRun(dir, "import @/a.hdf5 @/W"); code != cli.ExitFailure || !strings.Contains(text, "exists") {
				t.Errorf("without --resume: exit %d, %s", code, text)
			}
			mustRun(t, dir, "import @/a.hdf5 @/W --resume --memory 100MiB")
			mustRun(t, dir, "import @/a.hdf5 @/X")
			if a, b := describeAll(t, filepath.Join(dir, "W")), describeAll(t, filepath.Join(dir, "X")); a != b {
				t.Errorf("resumed\n%.300s\nat once\n%.300s", a, b)
			}
			mustRun(t, dir, "import @/a.hdf5 @/W --resume") // nothing is left to do
		})
	}
}

// An import that continues with other boxes must skip none. The boxes may change because another
// limit or version reads the file in other parts.
func TestImportResumesWithOtherBoxes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.hdf5")
	file := large(pipetest.Fault{At: "read", After: 3, Kind: "exit"})
	file.Vars[1].Chunk[0] = 40 // boxes of 80 rows
	makeFile(t, path, file)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if code, text := tryRun(dir, "import @/a.hdf5 @/W --memory 512KiB"); code != cli.ExitFailure || !strings.Contains(text, "--resume") {
		t.Fatalf("exit %d, %s", code, text)
	}
	var p importProgress
	if readProgress(t, filepath.Join(dir, "W"), &p); p.Boxes < 2 {
		t.Fatalf("progress %+v", p)
	}
	file.Fault.At, file.Vars[1].Chunk[0] = "xead", 50 // boxes of 100 rows, in a file of the same length
	makeFile(t, path, file)
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "import @/a.hdf5 @/W --resume")
	mustRun(t, dir, "import @/a.hdf5 @/X")
	for _, name := range []string{"W", "X"} {
		mustRun(t, dir, "export @/"+name+" @/"+name+".npy --var v")
	}
	a, errA := os.ReadFile(filepath.Join(dir, "W.npy"))
	b, errB := os.ReadFile(filepath.Join(dir, "X.npy"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%v, %v, or other elements", errA, errB)
	}
}

func readProgress(t *testing.T, folder string, p *importProgress) {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	attrs, err := d.Attrs("")
	if err == nil {
		err = json.Unmarshal(attrs["import.progress"], p)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// importProgress and fileStamp are the attributes import.progress and import.sources, as package
// transfer stores them.
type importProgress struct {
	Sources []fileStamp `json:"-"`
	Dim     string      `json:"dim"`
	Files   int         `json:"files"`
	Bounds  []int       `json:"bounds"`
	Vars    int         `json:"variables"`
	Boxes   int         `json:"boxes"`
}

type fileStamp struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"`
}

// An interrupted import must continue with the missing files, unless the dimension has changed
// since.
func TestImportResumesWhereItWas(t *testing.T) {
	for _, c := range []struct {
		files  int
		bounds []int
		want   string // number of times after --resume, or an error
	}{
		{1, []int{0, 2}, "time int32 0:6"},
		{2, []int{0, 2}, "time int32 0:4"},
		{3, []int{0, 2}, "time int32 0:2"}, // nothing is missing
		{2, []int{0, 6}, "dimension time has bounds [0 2], and had [0 6]"},
	} {
		dir := t.TempDir()
		p := &importProgress{Dim: "time", Files: c.files, Bounds: c.bounds}
		for i := range 3 {
			f, elements := day(fmt.Sprint("hours since 2024-01-0", i+1), byte(10*i))
			name := filepath.Join(dir, fmt.Sprint("d", i, ".hdf5"))
			makeFileOf(t, name, f, elements...)
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			p.Sources = append(p.Sources, fileStamp{name, info.Size(), info.ModTime().UnixNano()})
		}
		mustRun(t, dir, "import @/d0.hdf5 @/W --append time")
		d, err := dataset.Open(filepath.Join(dir, "W"), drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.SetAttr("", "import.sources", p.Sources), d.SetAttr("", "import.progress", p), d.Close()); err != nil {
			t.Fatal(err)
		}
		code, text := tryRun(dir, "import @/d0.hdf5 @/d1.hdf5 @/d2.hdf5 @/W --append time --resume")
		if code == 0 {
			text = describeAll(t, filepath.Join(dir, "W"))
		}
		if !strings.Contains(text, c.want) || (code == 0) != strings.HasPrefix(c.want, "time") || strings.Contains(text, "import.progress") && code == 0 {
			t.Errorf("%v: exit %d, want %s in\n%s", c, code, c.want, text)
		}
	}
}

// Files of single times with scalars: each scalar grows with the times, and one becomes the
// coordinate. A grid mapping stays. A variable that does not grow but differs must be reported.
func TestImportAppendsScalars(t *testing.T) {
	dir := t.TempDir()
	for i := range byte(3) {
		f := pipetest.File{Vars: []pipetest.Var{
			{Name: "valid", DType: "int8", Shape: []int{}, Attrs: raw("units", `"hours since 2024-01-01"`)},
			{Name: "gain", DType: "uint8", Shape: []int{}},
			{Name: "crs", DType: "uint8", Shape: []int{}},
			{Name: "range", DType: "uint8", Shape: []int{2}, Dims: []string{"ends"}},
			{Name: "rain", DType: "uint8", Shape: []int{2}, Dims: []string{"x"}, Unlimited: []bool{true}, Attrs: raw("grid_mapping", `"crs"`, "bounds", `"range"`)},
		}}
		makeFileOf(t, filepath.Join(dir, fmt.Sprint("f", i, ".hdf5")), f, []byte{6 * i, 7 + i, i, 1, 2 + i, 10 * i, 20 * i})
	}
	if code, text := tryRun(dir, "import @/f0.hdf5 @/f1.hdf5 @/W --append time --coordinate valid"); code != 0 || strings.Count(text, "has other values") != 1 ||
		!strings.Contains(text, "W/range: "+dir+"/f1.hdf5 has other values; it does not grow along time") {
		t.Fatalf("exit %d, %s", code, text)
	}
	mustRun(t, dir, "import @/f2.hdf5 @/W --append time")
	mustRun(t, dir, "export @/W @/all.hdf5")
	got := contents(t, filepath.Join(dir, "all.hdf5"))
	for name, want := range map[string]struct {
		elements  string
		unlimited []bool
	}{
		"time": {"\x00\x06\x0c", []bool{true}}, "gain": {"\x07\x08\x09", []bool{true}}, "crs": {"\x00", nil}, "range": {"\x01\x02", nil},
		"rain": {"\x00\x00\x0a\x14\x14\x28", []bool{true, true}},
	} {
		if v := got[name]; v.elements != want.elements || !slices.Equal(v.info.Unlimited, want.unlimited) {
			t.Errorf("%s: %x, unlimited %v; want %x, %v", name, v.elements, v.info.Unlimited, want.elements, want.unlimited)
		}
	}
	if units := got["time"].info.Attrs["units"]; units != "hours since 2024-01-01" || len(got) != 5 {
		t.Errorf("units %v, %d variables", units, len(got))
	}
	for line, says := range map[string]string{
		"import @/f2.hdf5 @/W --append time --coordinate gain":  "was made from the variable valid",
		"import @/f2.hdf5 @/X --append time --coordinate range": "want a scalar",
		"import @/f2.hdf5 @/X --append time --coordinate snow":  "has no such variable",
		"import @/f2.hdf5 @/X --coordinate valid":               "needs --append",
		"import @/f2.hdf5 @/X --append gain --coordinate valid": "is the coordinate of gain already",
	} {
		if code, text := tryRun(dir, line); code != cli.ExitUsage || !strings.Contains(text, says) {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}

// A damaged file must leave nothing.
func TestDamagedFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "a.hdf5"), large(pipetest.Fault{At: "read", After: 3, Kind: "error"}))
	code, text := tryRun(dir, "import @/a.hdf5 @/W --memory 512KiB")
	if code != cli.ExitFailure || !strings.Contains(text, "a.hdf5: the data is damaged") {
		t.Errorf("exit %d, %s", code, text)
	}
	one := large(pipetest.Fault{At: "read", After: 3, Kind: "error"})
	one.Vars = one.Vars[1:]
	makeFile(t, filepath.Join(dir, "b.hdf5"), one)
	if code, _ := tryRun(dir, "import @/b.hdf5 @/V --memory 512KiB"); code != cli.ExitFailure {
		t.Errorf("exit %d", code)
	}
	if files := filesIn(t, dir); !slices.Equal(files, []string{"a.hdf5", "b.hdf5"}) {
		t.Errorf("left %s", files)
	}
}

// day returns a file with two times of one day.
func day(units string, first byte) (pipetest.File, [][]byte) {
	f := pipetest.File{Vars: []pipetest.Var{
		{Name: "time", DType: "int32", Shape: []int{2}, Dims: []string{"time"}, Attrs: raw("units", `"`+units+`"`)},
		{Name: "lat", DType: "int8", Shape: []int{2}, Dims: []string{"lat"}},
		{Name: "rain", DType: "uint8", Shape: []int{2, 2}, Dims: []string{"time", "lat"}},
	}}
	return f, [][]byte{{0, 0, 0, 0, 12, 0, 0, 0}, {50, 60}, {first, first + 1, first + 2, first + 3}}
}

// Files are appended along a dimension with their coordinate, whose times must be converted to the
// units of the first file.
func TestImportAppends(t *testing.T) {
	dir := t.TempDir()
	for i, units := range []string{"hours since 2024-01-01", "hours since 2024-01-02", "hours since 2024-01-03"} {
		f, elements := day(units, byte(10*i))
		makeFileOf(t, filepath.Join(dir, fmt.Sprint("d", i, ".hdf5")), f, elements...)
	}
	mustRun(t, dir, "import @/d0.hdf5 @/d1.hdf5 @/W --append time")
	mustRun(t, dir, "import @/d2.hdf5 @/W --append time")
	got := describeAll(t, filepath.Join(dir, "W"))
	for _, want := range []string{
		"rain uint8 0:6,0:2", ": 000102030a0b0c0d14151617", "time int32 0:6", ": 000000000c0000001800000024000000300000003c000000", "lat int8 0:2",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "import.progress") {
		t.Errorf("the progress is still there:\n%s", got)
	}
	// A file that does not fit must change nothing.
	for name, c := range map[string]struct {
		change func(f *pipetest.File, elements [][]byte) [][]byte
		says   string
	}{
		"shape": {func(f *pipetest.File, e [][]byte) [][]byte {
			f.Vars[2].Shape = []int{1, 4}
			return e
		}, "has shape 1 x 4, which does not fit"},
		"type": {func(f *pipetest.File, e [][]byte) [][]byte { f.Vars[2].DType = "int8"; return e }, "has int8"},
		"coordinate": {func(_ *pipetest.File, e [][]byte) [][]byte {
			return [][]byte{e[0], {50, 61}, e[2]}
		}, "value 1 is 61, that of"},
		"scale": {func(f *pipetest.File, e [][]byte) [][]byte {
			f.Vars[2].Attrs = raw("scale_factor", "0.5")
			return e
		}, "scale_factor is 0.5"},
		"dimensions": {func(f *pipetest.File, e [][]byte) [][]byte { f.Vars[2].Dims = []string{"lat", "time"}; return e }, "dimension 0 is lat"},
		"variable":   {func(f *pipetest.File, e [][]byte) [][]byte { f.Vars[2].Name = "snow"; return e }, "has no variable rain"},
		"times": {func(f *pipetest.File, e [][]byte) [][]byte {
			f.Vars[0].Attrs = raw("units", `"hours since 2024-01-05 00:30"`)
			return e
		}, "is no whole number in the units"},
	} {
		f, elements := day("hours since 2024-01-04", 30)
		makeFileOf(t, filepath.Join(dir, "good.hdf5"), f, elements...)
		f, elements = day("hours since 2024-01-05", 40)
		elements = c.change(&f, elements)
		makeFileOf(t, filepath.Join(dir, "bad.hdf5"), f, elements...)
		line := "import @/good.hdf5 @/bad.hdf5 @/W --append time"
		code, text := tryRun(dir, line)
		if code == 0 || !strings.Contains(text, c.says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", name, code, text)
		}
		if now := describeAll(t, filepath.Join(dir, "W")); now != got {
			t.Fatalf("%s: it is now\n%s", name, now)
		}
	}
}

// Files without the dimension along which they grow must get it, except for coordinates and
// variables that describe others. A file that has the dimension contains no such variables.
func TestFrames(t *testing.T) {
	dir := t.TempDir()
	frame := pipetest.File{Vars: []pipetest.Var{
		{Name: "time", DType: "int8", Shape: []int{}},
		{Name: "x", DType: "int8", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("bounds", `"x_bounds"`)},
		{Name: "x_bounds", DType: "int8", Shape: []int{2, 2}, Dims: []string{"x", "n2"}},
		{Name: "rain", DType: "int8", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("scale_factor", "[0.5]")},
	}}
	for i := range 3 {
		makeFileOf(t, filepath.Join(dir, fmt.Sprint("f", i, ".hdf5")), frame, []byte{byte(i)}, []byte{1, 2}, []byte{0, 1, 1, 2}, []byte{byte(i), 9})
	}
	mustRun(t, dir, "import @/f0.hdf5 @/f1.hdf5 @/f2.hdf5 @/F --append time")
	got := describeAll(t, filepath.Join(dir, "F"))
	for _, want := range []string{`rain int8 0:3,0:2 ["time" "x"]`, ": 000901090209", `time int8 0:3 ["time"]`, ": 000102", `x_bounds int8 0:2,0:2 ["x" "n2"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	f, elements := day("hours since 2024-01-01", 10)
	f.Vars = append(f.Vars, pipetest.Var{Name: "mask", DType: "int8", Shape: []int{2}, Dims: []string{"lat"}})
	makeFileOf(t, filepath.Join(dir, "d.hdf5"), f, append(elements, []byte{1, 0})...)
	mustRun(t, dir, "import @/d.hdf5 @/D --append time")
	if got := describeAll(t, filepath.Join(dir, "D")); !strings.Contains(got, `mask int8 0:2 ["lat"]`) {
		t.Errorf("%s", got)
	}
}

// An import of several files that fails must continue with the file in which it failed.
func TestAppendResumes(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		f, elements := day(fmt.Sprint("hours since 2024-01-0", i+1), byte(10*i))
		if i == 2 {
			f.Fault = pipetest.Fault{At: "read", After: 0, Kind: "kill"}
		}
		makeFileOf(t, filepath.Join(dir, fmt.Sprint("d", i, ".hdf5")), f, elements...)
	}
	bad := filepath.Join(dir, "d2.hdf5")
	before, err := os.Stat(bad)
	if err != nil {
		t.Fatal(err)
	}
	const line = "import @/d0.hdf5 @/d1.hdf5 @/d2.hdf5 @/d3.hdf5 @/W --append time"
	// The coordinate lat is compared before anything is appended, so the fault occurs then.
	if code, text := tryRun(dir, line); code != cli.ExitFailure || !strings.Contains(text, "d2.hdf5") {
		t.Fatalf("exit %d, %s", code, text)
	}
	data, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, bytes.Replace(data, []byte(`"After":0`), []byte(`"After":9`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(bad, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, line+" --resume")
	if got := describeAll(t, filepath.Join(dir, "W")); !strings.Contains(got, ": 000102030a0b0c0d141516171e1f2021") {
		t.Errorf("%s", got)
	}
}

// TestKilledImport kills imports before each of their operations. The dataset must then be valid,
// and --resume must complete it.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"five.npy", "w.hdf5"} {
		whole := ""
		kills := 0
		step := 1
		if file == "w.hdf5" {
			step = 7 // it has many operations, and starts many helpers
		}
		for n := 0; ; n += step { // 0: it is not killed
			dir := t.TempDir()
			victim{}.prepare(t, dir)
			makeFile(t, filepath.Join(dir, "w.hdf5"), weatherFile())
			was := n > 0 && killed(t, dir, "import @/"+file+" @/A", n)
			if n > 0 && !was {
				break
			}
			if was {
				kills++
				if code, text := tryRun(dir, "import @/"+file+" @/A --resume"); code != 0 {
					t.Fatalf("%s killed before operation %d: %s", file, n, text)
				}
			} else {
				mustRun(t, dir, "import @/"+file+" @/A")
			}
			got := victim{array: "A"}.state(t, dir)
			if file == "w.hdf5" {
				got = describeAll(t, filepath.Join(dir, "A"))
			}
			if n == 0 {
				whole = got
			} else if got != whole {
				t.Fatalf("%s killed before operation %d, then resumed:\n%s\nwant\n%s", file, n, got, whole)
			}
		}
		if kills < 5 {
			t.Errorf("%s: %d kills: does it change anything?", file, kills)
		}
	}
}

// An interrupted import must leave the complete parts, and say how to continue.
func TestInterruptedImport(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "a.hdf5"), large(pipetest.Fault{At: "read", After: 3, Kind: "hang"}))
	for wait := 2 * time.Second; ; wait *= 2 { // until the helper hangs, also on a busy machine
		name := "W" + wait.String()
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(wait, stop)
		var out, errs bytes.Buffer
		code := run(ctx, words(dir, "import @/a.hdf5 @/"+name+" --memory 512KiB"), strings.NewReader(""), &out, &errs)
		if code != interrupt.ExitSignal || !strings.Contains(errs.String(), "continue with --resume") {
			t.Fatalf("exit %d, %s", code, &errs)
		}
		mustRun(t, dir, "verify @/"+name+"/v")
		var p importProgress
		readProgress(t, filepath.Join(dir, name), &p)
		if p.Vars == 1 && p.Boxes == 3 {
			return
		}
		if wait > 30*time.Second {
			t.Fatalf("progress %+v", p)
		}
	}
}

// A file with a truncated variable must be imported in part only if --var names the rest.
func TestImportCutVariable(t *testing.T) {
	dir := t.TempDir()
	makeFileOf(t, filepath.Join(dir, "a.h5"), pipetest.File{Vars: []pipetest.Var{
		{Name: "v", DType: "int8", Shape: []int{2}},
		{Name: "w", Shape: []int{2}, Refused: "its elements end at byte 9, the file at 5", Damaged: true},
	}}, []byte{1, 2})
	for _, line := range []string{"import @/a.h5 @/A", "import @/a.h5 @/A --var w", "import @/a.h5 @/A --append time"} {
		code, text := tryRun(dir, line)
		if code != 1 || !strings.Contains(text, "a.h5: variable w: its elements end at byte 9, the file at 5; the file is cut off or damaged: get it again") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "A*")); left != nil {
			t.Errorf("%s left %q", line, left)
		}
	}
	mustRun(t, dir, "import @/a.h5 @/A --var v")
}
