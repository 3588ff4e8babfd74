//go:build linux && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"drx"
)

// TestLargeChunks exports an array whose chunk is as large as the memory, compressed: the file gets
// smaller chunks, can be imported with little memory, and has the same elements.
func TestLargeChunks(t *testing.T) {
	program, dir := buildPrograms(t), t.TempDir()
	run := func(line string, files ...string) string {
		t.Helper()
		arguments := strings.Fields(line)
		for _, f := range files {
			arguments = append(arguments, filepath.Join(dir, f))
		}
		var said bytes.Buffer
		m := runMeasured(t, &said, append([]string{program}, arguments...)...)
		if m.Exit != 0 || m.Memory > 300<<20 {
			t.Fatalf("%s: %+v\n%s", arguments, m, &said)
		}
		return said.String()
	}
	run("create --dtype uint8 --shape 8192,8192 --chunk 8192,8192 --dims y,x", "a")
	run("fill --section 100:5000,:7000 --value 7", "a")
	want := elements(t, filepath.Join(dir, "a"))
	for _, ext := range []string{".h5", ".nc", ".zarr", ".zarr3", ".zip", ".fits", ".tif"} {
		if said := run("export --memory 64MiB --deflate 1", "a", "a"+ext); !strings.Contains(said, "the file gets chunks of (128, 8192)") {
			t.Errorf("%s: %s", ext, said)
		}
		back := "back" + ext[1:]
		run("import --memory 128MiB", "a"+ext, back)
		if !bytes.Equal(elements(t, filepath.Join(dir, back)), want) {
			t.Errorf("%s has other elements", ext)
		}
	}
	run("export --memory 1GiB --append y", "a", "b.h5")
	run("extend --dim y --by 1", "a")
	var said bytes.Buffer
	m := runMeasured(t, &said, program, "export", "--memory", "64MiB", "--append", "y", filepath.Join(dir, "a"), filepath.Join(dir, "b.h5"))
	if m.Exit != 1 || !strings.Contains(said.String(), "the file has chunks of (2048, 8192), each of 16.0 MiB") || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("%+v %s", m, &said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// elements returns the elements of an array of bytes.
func elements(t *testing.T, name string) []byte {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := drx.Read[uint8](a, nil)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}
