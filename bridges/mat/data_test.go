//go:build matio && cgo

package mat

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx/convert"
	"drx/convert/converttest"
)

// python runs a program of testdata with a Python that has scipy and h5py: the first one, or Debian's. Without one it
// skips the test, or fails it with CI=true.
func python(t *testing.T, args ...string) []byte {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import scipy.io, h5py").Run() != nil {
			continue
		}
		command := exec.Command(name, args...)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Python has scipy and h5py: apt-get install python3-scipy python3-h5py")
	}
	t.Skip("no Python has scipy and h5py")
	return nil
}

// made is the folder with the files of testdata/make.py.
var made = struct {
	sync.Once
	dir string
}{}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	code := m.Run()
	if made.dir != "" {
		_ = os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// files returns the folder with the files of testdata/make.py.
func files(t *testing.T) string {
	t.Helper()
	made.Do(func() {
		dir, err := os.MkdirTemp("", "mat")
		if err != nil {
			t.Fatal(err)
		}
		made.dir = dir
		python(t, "testdata/make.py", dir)
	})
	return made.dir
}

// described is what testdata/describe.py says of an array.
type described struct {
	DType, SHA256 string
	Shape         []int
	Rows          []string
}

// compareFiles compares files with what scipy says of them, and returns the number of arrays that are equal.
func compareFiles(t *testing.T, paths ...string) (equal int) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(python(t, append([]string{"testdata/describe.py"}, paths...)...)))
	for _, path := range paths {
		var want map[string]described
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		c, err := convert.List(path, convert.Options{Format: "mat"})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				t.Logf("%s: %s: %s", filepath.Base(path), v.Name, v.Refused)
				continue
			}
			w, ok := want[v.Name]
			if !ok {
				t.Errorf("%s: scipy has no %s", path, v.Name)
				continue
			}
			delete(want, v.Name)
			compare(t, path, v, w)
			equal++
		}
		if len(want) > 0 {
			t.Errorf("%s: arrays are missing: %+v", path, want)
		}
	}
	return equal
}

// compare opens an array and compares all of it with what scipy says.
func compare(t *testing.T, path string, v convert.Info, w described) {
	t.Helper()
	info, elements := get(t, path, v.Name)
	if w.Rows != nil {
		if rows := rowsOf(info, elements); !slices.Equal(rows, w.Rows) {
			t.Errorf("%s: %s: %q, scipy has %q", path, v.Name, rows, w.Rows)
		}
		return
	}
	sum := sha256.Sum256(elements)
	if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
		t.Errorf("%s: %s: other elements than in scipy", path, v.Name)
	}
	if info.DType.String() != w.DType || !slices.Equal(info.Shape, w.Shape) || !slices.Equal(v.Shape, w.Shape) {
		t.Errorf("%s: %s: %v %v, scipy has %v %v", path, v.Name, info.DType, info.Shape, w.DType, w.Shape)
	}
}

// rowsOf returns the strings of a variable.
func rowsOf(info convert.Info, elements []byte) (rows []string) {
	for ; len(elements) > 0; elements = elements[4:] {
		rows = append(rows, info.Labels[binary.LittleEndian.Uint32(elements)])
	}
	return rows
}

// get opens a variable and returns all of it.
func get(t *testing.T, path, variable string) (convert.Info, []byte) {
	t.Helper()
	r, err := convert.Open(path, convert.Options{Format: "mat", Variable: variable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	size, _ := r.Info().Bytes()
	buf := make([]byte, size)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	return r.Info(), buf
}

var madeNames = []string{"types.mat", "packed.mat", "types4.mat", "types73.mat"}

// Arrays of all classes are read as scipy and h5py read them, and the others are refused with a reason.
func TestMadeFiles(t *testing.T) {
	dir := files(t)
	var paths []string
	for _, name := range madeNames {
		paths = append(paths, filepath.Join(dir, name))
	}
	if equal := compareFiles(t, paths...); equal < 2*32+4+14 {
		t.Errorf("%d arrays were compared", equal)
	}
	c, err := convert.List(paths[0], convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{"cells": "cell array", "many": "struct array", "thin": "full(x)"}
	for _, v := range c.Vars {
		if text := refused[v.Name]; text != "" && strings.Contains(v.Refused, text) {
			delete(refused, v.Name)
		}
	}
	if len(refused) > 0 {
		t.Errorf("not refused: %v", refused)
	}
	if _, err := convert.Open(paths[0], convert.Options{Variable: "cells"}); !errors.Is(err, convert.ErrType) {
		t.Error(err)
	}
}

// Every real file is read with the values that scipy reads, or refused with a reason.
func TestDataFiles(t *testing.T) {
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(root, "hyperspectral/*.mat"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), root, err)
	}
	t.Logf("%d files: %d arrays are equal", len(paths), compareFiles(t, paths...))
}

// Sections of arrays of all versions and classes are those of the whole array.
func TestSections(t *testing.T) {
	for _, name := range madeNames {
		path := filepath.Join(files(t), name)
		c, err := convert.List(path, convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				continue
			}
			info, elements := get(t, path, v.Name)
			converttest.Reader(t, func() (convert.Reader, error) {
				return convert.Open(path, convert.Options{Variable: v.Name})
			}, info, elements)
		}
	}
}
