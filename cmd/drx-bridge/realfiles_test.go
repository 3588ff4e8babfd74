//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx"
	"drx/formats"
	"drx/nd"
)

// A realFile is a file of the folder DRX_DATA.
type realFile struct {
	name   string // in the folder
	path   string
	listed formats.Content // as listed by the formats in this process
	err    error           // of listing
	made   importResult
	why    string // reason for which drx refuses it; "" if it was imported
}

// An importResult is the output of 'drx import --json'.
type importResult struct {
	Vars []struct {
		Name  string   `json:"name"`
		DType string   `json:"dtype"`
		Shape []int    `json:"shape"`
		Dims  []string `json:"dims"`
	} `json:"variables"`
	Refused []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
	} `json:"refused"`
}

// TestRealFiles imports every file of the folder DRX_DATA like a user, with drx and this
// drx-bridge, and compares a variable of each with the values that the formats in this process
// read. The table in docs/FORMATS.md says which files are refused, and why; -update writes it.
func TestRealFiles(t *testing.T) {
	data := os.Getenv("DRX_DATA")
	if data == "" {
		t.Skip("DRX_DATA is not set")
	}
	program := buildPrograms(t)
	files := listFiles(t, data)
	scratch := t.TempDir()
	queue := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range queue {
				files[i].importTo(t, program, filepath.Join(scratch, fmt.Sprint(i)))
			}
		})
	}
	for i := range files {
		queue <- i
	}
	close(queue)
	workers.Wait()
	checkTable(t, data, files)
}

// shared makes the folder for files that several tests use.
var shared = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "drx-bridge") })

// buildPrograms returns the file of drx, which finds this program next to it as drx-bridge. They
// are built once.
func buildPrograms(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DRX_BRIDGE", filepath.Join(dir, "drx-bridge"))
	t.Setenv("DRX_BRIDGE_TIMEOUT", "1m") // the machine may be busy
	return filepath.Join(dir, "drx")
}

// built builds the programs, and returns their folder.
var built = sync.OnceValues(func() (string, error) {
	dir, err := shared()
	if err != nil {
		return "", err
	}
	tags := "hdf5,netcdf,fits,gdal"
	if hasMat() {
		tags += ",matio"
	}
	if slices.Contains(bridged(), "parquet") {
		tags += ",parquet"
	}
	for _, p := range []struct{ cgo, tags, name, source string }{{"0", "", "drx", "../drx"}, {"1", tags, "drx-bridge", "."}} {
		cmd := exec.Command("go", "build", "-tags", p.tags, "-o", filepath.Join(dir, p.name), p.source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+p.cgo)
		if said, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", cmd, err, said)
		}
	}
	return dir, nil
})

// hasMat reports whether MAT files can be read.
func hasMat() bool { return slices.Contains(bridged(), "mat") }

// listFiles lists the contents of all files, those with most variables first, because they take
// longest.
func listFiles(t *testing.T, data string) (files []*realFile) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "MANIFEST.tsv" {
			return err
		}
		name, err := filepath.Rel(data, path)
		f := &realFile{name: name, path: path}
		if err == nil && (kindOf(name) != mat || hasMat()) {
			f.listed, f.err = formats.List(path, f.options(""))
			files = append(files, f)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", data, len(files), err)
	}
	slices.SortStableFunc(files, func(f, g *realFile) int { return cmp.Compare(len(g.listed.Vars), len(f.listed.Vars)) })
	return files
}

// options returns the options with which the formats in this process read the same as drx. Package
// formats has a reader of TIFF pictures, which drx does not use if there is a drx-bridge.
func (f *realFile) options(variable string) formats.Options {
	o := formats.Options{Variable: variable}
	if kindOf(f.name) == "GeoTIFF" {
		o.Format = "geotiff"
	}
	return o
}

// importTo imports a file, compares the result and removes it.
func (f *realFile) importTo(t *testing.T, program, dst string) {
	cmd := exec.Command(program, "import", "--json", f.path, dst)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		f.why = f.refusal(t, said.String())
		if left, _ := filepath.Glob(dst + "*"); len(left) > 0 {
			t.Errorf("%s: was refused and has left %v", f.name, left)
		}
		return
	}
	if err := json.Unmarshal(out.Bytes(), &f.made); err != nil {
		t.Errorf("%s: %v", f.name, err)
		return
	}
	f.compare(t, dst)
	for _, path := range glob(dst) {
		if err := os.RemoveAll(path); err != nil {
			t.Error(err)
		}
	}
}

// glob returns the files of an array, and the folder of a dataset.
func glob(dst string) []string {
	files, _ := filepath.Glob(dst + ".*") // the pattern is right
	return append(files, dst)
}

// refusal returns the reason for which drx refuses a file: its output must be one line that names
// the file.
func (f *realFile) refusal(t *testing.T, said string) string {
	why, names := strings.CutPrefix(said, "drx: "+f.path+": ")
	why, ends := strings.CutSuffix(why, "\n")
	if !names || !ends || strings.Contains(why, "\n") {
		t.Errorf("%s: the error is not one line that names the file: %q", f.name, said)
	}
	if strings.Contains(why, "drx-bridge failed") {
		t.Errorf("%s: %s", f.name, why)
	}
	return strings.ReplaceAll(why, strings.TrimSuffix(f.path, f.name), "")
}

// compare compares the imported variables with the list, and the elements of the first nonempty
// variable.
func (f *realFile) compare(t *testing.T, dst string) {
	if f.err != nil {
		t.Errorf("%s: was imported, but listing it fails: %v", f.name, f.err)
		return
	}
	refused := 0
	for _, v := range f.listed.Vars {
		if v.Refused != "" {
			refused++
		}
	}
	if len(f.made.Refused) != refused || len(f.made.Vars) > len(f.listed.Vars)-refused || len(f.made.Vars) == 0 {
		t.Errorf("%s: %d variables were imported and %d left out, of %d and %d", f.name, len(f.made.Vars), len(f.made.Refused), len(f.listed.Vars)-refused, refused)
	}
	for _, v := range f.listed.Vars {
		n, err := v.Bytes()
		if v.Refused != "" || v.Labels != nil || err != nil || n == 0 {
			continue
		}
		if err := f.compareVar(dst, v, n); err != nil {
			t.Errorf("%s: variable %s: %v", f.name, v.Name, err)
		}
		return
	}
}

// compareVar compares a variable of the given size in bytes with its array.
func (f *realFile) compareVar(dst string, v formats.Info, bytesWanted int) error {
	array := dst
	if there, err := drx.Exists(dst); err != nil {
		return err
	} else if !there {
		array = filepath.Join(dst, filepath.FromSlash(v.Name))
	}
	r, err := formats.Open(f.path, f.options(v.Name))
	if err != nil {
		return err
	}
	defer r.Close()
	want := make([]byte, bytesWanted)
	if err := r.ReadSection(nd.Box(make([]int, len(v.Shape)), v.Shape), want); err != nil {
		return err
	}
	a, err := drx.Open(array, drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	shape := v.Shape
	if len(shape) == 0 {
		shape = []int{1} // a scalar
	}
	if a.DType() != v.DType || !slices.Equal(a.Shape(), shape) {
		return fmt.Errorf("is %v %v, want %v %v", a.DType(), a.Shape(), v.DType, shape)
	}
	got := make([]byte, bytesWanted)
	if err := a.ReadBytes(nil, got, v.Order); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("elements differ")
	}
	return nil
}
