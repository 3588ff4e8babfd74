//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/convert"
)

// interpreter returns a Python that has h5py: the system's, or Debian's. Without one it skips the test, or fails it with CI=true.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import h5py").Run() == nil {
			return name
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Python has h5py: apt-get install python3-h5py")
	}
	t.Skip("no Python has h5py")
	return ""
}

// python runs a program of testdata.
func python(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.Command(interpreter(t), args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// described is what testdata/describe.py says of an array.
type described struct {
	Name, DType, SHA256, Error string
	Shape, Outer, Chunk        []int
	Grows                      []bool
	Labels                     []string
	Attrs                      map[string]any
}

// describeFiles returns what h5py says of each file.
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

// compare compares a file with what h5py says of it, and returns how many arrays were equal and how many are refused,
// with the reasons.
func compare(t *testing.T, path string, want []described) (equal int, refused []string) {
	t.Helper()
	c, err := convert.List(path, convert.Options{Format: "hdf5"})
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
	for _, w := range want {
		v, listed := found[w.Name]
		switch {
		case w.Error != "" || listed && v.Refused != "":
		default: // a path that is not listed may be a further one to something that is
			compareArray(t, path, w)
			equal++
		}
	}
	return equal, refused
}

// compareArray opens an array and compares all of it with what h5py says.
func compareArray(t *testing.T, path string, w described) {
	t.Helper()
	r, err := convert.Open(path, convert.Options{Format: "hdf5", Variable: w.Name})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer r.Close()
	info := r.Info()
	size, _ := info.Bytes()
	buf := make([]byte, size)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	sum := sha256.Sum256(buf)
	if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
		t.Errorf("%s: %s: other elements than in h5py", path, w.Name)
	}
	if info.DType.String() != w.DType || !slices.Equal(info.Shape, w.Shape) || !slices.Equal(info.Labels, w.Labels) {
		t.Errorf("%s: %s: %v %v %d labels, h5py has %v %v %d", path, w.Name, info.DType, info.Shape, len(info.Labels), w.DType, w.Shape, len(w.Labels))
	}
	inner := info.Shape[len(w.Outer):]
	if w.Chunk != nil && !slices.Equal(info.Chunk, append(slices.Clone(w.Chunk), inner...)) || w.Chunk == nil && info.Chunk != nil {
		t.Errorf("%s: %s: chunk %v, h5py has %v", path, w.Name, info.Chunk, w.Chunk)
	}
	if grows := slices.Contains(w.Grows, true); grows != (info.Unlimited != nil) || grows && !slices.Equal(info.Unlimited[:len(w.Grows)], w.Grows) {
		t.Errorf("%s: %s: unlimited %v, h5py has %v", path, w.Name, info.Unlimited, w.Grows)
	}
	compareAttributes(t, path+": "+w.Name, info.Attrs, w.Attrs)
}

// hidden are attributes that say what Info says in other fields.
var hidden = []string{"CLASS", "NAME", "_Netcdf4Dimid", "_nc3_strict", "_NCProperties"}

func compareAttributes(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if slices.Contains(hidden, name) {
			continue
		}
		text, err := json.Marshal(got[name])
		var again any
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Errorf("%s: attribute %s is %v, h5py has %v (%v)", where, name, got[name], value, err)
		}
	}
}

// dataFiles returns the files below $DRX_DATA that begin as HDF5 files.
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
		if n, _ := f.Read(head); recognise(head[:n]) {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), root, err)
	}
	return paths
}

// Every real file is read with the values that h5py reads, or refused with a reason.
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
