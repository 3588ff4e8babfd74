//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/convert"
	"drx/dtype"
)

// python runs a program with a Python that has netCDF4: the system's, or Debian's. Without one it skips the test, or fails it
// with CI=true.
func python(t *testing.T, args ...string) []byte {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import netCDF4").Run() != nil {
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
		t.Fatal("no Python has netCDF4: apt-get install python3-netcdf4")
	}
	t.Skip("no Python has netCDF4")
	return nil
}

// tool runs a program of netcdf-bin and returns what it prints. Without it the test is skipped, or fails with CI=true.
func tool(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v: apt-get install netcdf-bin", err)
		}
		t.Skip(err)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// described is what testdata/describe.py says of an array.
type described struct {
	Name, DType, SHA256, Error string
	Shape, Outer, Chunk        []int
	Dims                       []string
	Grows                      []bool
	Labels                     []string
	Attrs                      map[string]any
}

// describeFiles returns what netCDF4 says of each file.
func describeFiles(t *testing.T, paths ...string) [][]described {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(python(t, append([]string{"testdata/describe.py"}, paths...)...)))
	all := make([][]described, len(paths))
	for i := range all {
		if err := decoder.Decode(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// unwritten are arrays that were never written and have no fill value: the library returns what is in memory.
var unwritten = map[string]bool{"f03tst_open_mem.nc var2": true}

// compare compares a file with what netCDF4 says of it, and returns how many arrays were equal and the reasons of those
// that are refused. Each array that netCDF4 reads must be listed.
func compare(t *testing.T, path string, want []described) (equal int, refused []string) {
	t.Helper()
	c, err := convert.List(path, convert.Options{Format: "netcdf"})
	if err != nil {
		return 0, []string{err.Error()}
	}
	found := map[string]convert.Info{}
	for _, v := range c.Vars {
		found[v.Name] = v
		if v.Refused != "" {
			refused = append(refused, v.Name+": "+v.Refused)
		}
	}
	for i, w := range want {
		if i%(1+len(want)/200) != 0 { // opening one of thousands of variables takes as long as describing all
			continue
		}
		if w.Error == "" && found[w.Name].Refused == "" && !unwritten[filepath.Base(path)+" "+w.Name] {
			compareArray(t, path, w)
			equal++
		}
	}
	return equal, refused
}

// compareArray opens an array and compares all of it with what netCDF4 says.
func compareArray(t *testing.T, file string, w described) {
	t.Helper()
	info, buf := get(t, file, w.Name)
	sum := sha256.Sum256(buf)
	if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
		t.Errorf("%s: %s: other elements than in netCDF4", file, w.Name)
	}
	if info.DType.String() != w.DType || !slices.Equal(info.Shape, w.Shape) || !slices.Equal(info.Labels, w.Labels) {
		t.Errorf("%s: %s: %v %v %d labels, netCDF4 has %v %v %d", file, w.Name, info.DType, info.Shape, len(info.Labels), w.DType, w.Shape, len(w.Labels))
	}
	outer := min(len(w.Outer), len(info.Shape)) // strings have a dimension less
	if w.Chunk != nil && outer > 0 && !slices.Equal(info.Chunk[:outer], w.Chunk[:outer]) || w.Chunk == nil && info.Chunk != nil {
		t.Errorf("%s: %s: chunk %v, netCDF4 has %v", file, w.Name, info.Chunk, w.Chunk)
	}
	grows := append(slices.Clone(w.Grows[:outer]), make([]bool, len(info.Shape)-outer)...)
	if slices.Contains(grows, true) && !slices.Equal(info.Unlimited, grows) || !slices.Contains(grows, true) && info.Unlimited != nil {
		t.Errorf("%s: %s: unlimited %v, netCDF4 has %v", file, w.Name, info.Unlimited, w.Grows)
	}
	for d, name := range w.Dims[:outer] {
		if strings.HasPrefix(name, phony) {
			name = "."
		}
		if got := info.Dims; got != nil && path.Base(got[d]) != name || got == nil && name != "." {
			t.Errorf("%s: %s: dimensions %v, netCDF4 has %v", file, w.Name, got, w.Dims)
		}
	}
	if info.DType == dtype.Bool {
		delete(w.Attrs, "dtype")
	}
	compareAttributes(t, file+": "+w.Name, info.Attrs, w.Attrs)
}

func compareAttributes(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if bad, ok := value.(string); ok && strings.Contains(bad, "\ufffd") {
			continue // no UTF-8, which netCDF4 gives up
		}
		text, err := json.Marshal(got[name])
		var again any
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Errorf("%s: attribute %s is %v, netCDF4 has %v (%v)", where, name, got[name], value, err)
		}
	}
}

// dataFiles returns the files below $DRX_DATA that are or may be NetCDF files.
func dataFiles(t *testing.T) (paths []string) {
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		head := make([]byte, convert.HeadSize)
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if n, _ := f.Read(head); recognise(head[:n]) && (isClassic(head) || strings.HasPrefix(filepath.Ext(path), ".nc") || filepath.Base(filepath.Dir(path)) == "netcdf") {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), root, err)
	}
	return paths
}

// Every real file is read with the values that netCDF4 reads, or refused with a reason.
func TestDataFiles(t *testing.T) {
	paths := dataFiles(t)
	all := describeFiles(t, paths...)
	arrays, refusals := 0, 0
	for i, path := range paths {
		equal, refused := compare(t, path, all[i])
		arrays, refusals = arrays+equal, refusals+len(refused)
		for _, reason := range refused {
			if strings.Contains(reason, "\n") {
				t.Errorf("%s: a reason of several lines: %q", path, reason)
			}
			t.Log(filepath.Base(path) + ": " + reason)
		}
	}
	t.Logf("%d files: %d arrays are equal, %d are refused", len(paths), arrays, refusals)
}
