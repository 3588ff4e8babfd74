package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/formats"
)

// readElements returns an array of a file with its elements as text.
func readElements(t *testing.T, path, variable string) (info formats.Info, text string) {
	t.Helper()
	r, err := formats.Open(path, formats.Options{Variable: variable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info = r.Info()
	n, _ := info.Bytes() // it is small
	buf := make([]byte, n)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	var all []string
	for size := info.DType.Size(); len(buf) > 0; buf = buf[size:] {
		all = append(all, info.DType.Format(buf[:size]))
	}
	return info, strings.Join(all, " ")
}

// --as must convert elements and the fill value. A value that does not fit must give an error that
// leaves nothing, or with --clip become the nearest value.
func TestExportAs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "1,0\n300,2.5\n", "b": "1,0\n1,0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "create @/F --dtype float16 --shape 2,2 --fill -1")
	mustRun(t, dir, "write @/F @/a.csv --clip")
	mustRun(t, dir, "create @/G --dtype float32 --shape 2,2")
	mustRun(t, dir, "write @/G @/a.csv --clip")
	mustRun(t, dir, "create @/B --dtype bool --shape 2,2")
	mustRun(t, dir, "write @/B @/b.csv --clip")
	for _, c := range []struct {
		line, file, text string
		typ              dtype.DType
	}{
		{"export @/F @/f32.hdf5 --as float32", "f32.hdf5", "1 0 300 2.5", dtype.Float32},
		{"export @/F @/u8.hdf5 --as uint8 --clip", "u8.hdf5", "1 0 255 2", dtype.Uint8},
		{"export @/F @/part.npy --as complex64 --section 1:2,:", "part.npy", "(300+0i) (2.5+0i)", dtype.Complex64},
		{"export @/B @/b.png --as uint8", "b.png", "1 0 1 0", dtype.Uint8},
		{"export @/F @/same.npy --as float16", "same.npy", "1 0 3e+02 2.5", dtype.Float16},
	} {
		mustRun(t, dir, c.line)
		info, text := readElements(t, filepath.Join(dir, c.file), "")
		if info.DType != c.typ || text != c.text {
			t.Errorf("%s: %v %s, want %v %s", c.line, info.DType, text, c.typ, c.text)
		}
		if c.typ == dtype.Float32 && info.DType.Format(info.Fill) != "-1" {
			t.Errorf("%s: fill %x", c.line, info.Fill)
		}
	}
	before := filesIn(t, dir)
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"export @/F @/x.npy --as uint8":          {cli.ExitFailure, "--clip"},
		"export @/F @/x.npy --as uint3":          {cli.ExitUsage, `--as uint3: no such element type (did you mean`},
		"export @/F @/x.npy --clip":              {cli.ExitUsage, "--clip needs --as"},
		"export @/F @/x.npy --as uint16":         {cli.ExitFailure, "-1"}, // the fill value
		"export @/G @/x.npy --as uint8":          {cli.ExitFailure, "does not fit uint8, which has 0 to 255; --clip takes the nearest value"},
		"export @/B @/x.npy --as int8 --as nope": {cli.ExitUsage, `--as: it is given twice, as "int8" and "nope"`},
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

// Coordinates of a dataset, and strings, must keep their type.
func TestExportDatasetAs(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "a.hdf5"), weatherFile())
	mustRun(t, dir, "import @/a.hdf5 @/W --var rain")
	mustRun(t, dir, "export @/W @/b.hdf5 --as float64")
	for name, want := range map[string]dtype.DType{"rain": dtype.Float64, "time": dtype.Int32, "lat": dtype.Float32} {
		if info, _ := readElements(t, filepath.Join(dir, "b.hdf5"), name); info.DType != want {
			t.Errorf("%s is %v, want %v", name, info.DType, want)
		}
	}
}
