//go:build linux && amd64 && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// killedExports are the command lines of exports, by the name of the file that they make.
var killedExports = map[string][]string{
	"a.h5": {"ds"}, "a.nc": {"ds", "--deflate", "1"}, "a.nc3": {"ds"}, "a.zarr": {"ds"}, "a.zarr3": {"ds"}, "a.zip": {"ds", "--codec", "gzip"},
	"a.npy": {"ds/v"}, "a.npz": {"ds"}, "a.npy.gz": {"ds/v"}, "a.csv": {"ds/v"}, "a.tsv": {"ds/v"}, "a.png": {"ds/v"},
	"a.fits": {"ds"}, "a.mat": {"ds", "--deflate", "1"}, "a.tif": {"ds/v"}, "a.img": {"ds/v"},
}

// TestKilledExports kills exports to every format before changes of files, including changes by
// this program. If the file exists then, it is complete, and the same command makes it, or reports
// that it exists. Nothing else remains.
func TestKilledExports(t *testing.T) {
	program := buildPrograms(t)
	source := t.TempDir()
	for _, line := range []string{
		"create ds --dataset",
		"create ds/v --dtype uint8 --shape 40,30 --chunk 16,16 --dims y,x", "fill ds/v --section 3:30,:20 --value 7",
		"create ds/y --dtype int32 --shape 40 --dims y", "fill ds/y --value 3",
	} {
		runIn(t, source, program, strings.Fields(line)...)
	}
	for name, arguments := range killedExports {
		t.Run(name, func(t *testing.T) {
			killedExport{program, source, name, arguments, nil}.test(t)
		})
	}
}

// TestKilledAppending is TestKilledExports for appending to existing files.
func TestKilledAppending(t *testing.T) {
	program := buildPrograms(t)
	source := t.TempDir()
	runIn(t, source, program, "create", "v", "--dtype", "uint8", "--shape", "40,30", "--chunk", "16,16", "--dims", "y,x")
	before := map[string]map[string]string{}
	arguments := []string{"v", "--append", "y"}
	for _, name := range []string{"a.h5", "a.nc"} {
		k := killedExport{program, source, name, arguments, nil}
		folder := t.TempDir()
		runIn(t, source, program, k.command(folder)[1:]...)
		before[name] = contents(t, folder)
	}
	runIn(t, source, program, "extend", "v", "--dim", "y", "--by", "30")
	runIn(t, source, program, "fill", "v", "--section", "40:,:", "--value", "9")
	for name := range before {
		t.Run(name, func(t *testing.T) {
			killedExport{program, source, name, arguments, before[name]}.test(t)
		})
	}
}

// runIn runs a command in a folder.
func runIn(t *testing.T, folder, program string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(program, arguments...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
}

// A killedExport is an export to a file in a folder that already has some files.
type killedExport struct {
	program, source, name string
	arguments             []string
	before                map[string]string
}

func (k killedExport) command(folder string) []string {
	return slices.Concat([]string{k.program, "export", "--quiet", filepath.Join(k.source, k.arguments[0]), filepath.Join(folder, k.name)}, k.arguments[1:])
}

// folder returns a new folder with the initial files.
func (k killedExport) folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, data := range k.before {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func (k killedExport) test(t *testing.T) {
	whole := k.folder(t)
	all := killAt(t, whole, 0, k.command(whole)...)
	want := contents(t, whole)
	first := max(1, all-7) // the last steps publish the file
	for n := 1; n <= all; n++ {
		if n < first && n%(1+first/4) != 1 {
			continue
		}
		folder := k.folder(t)
		killAt(t, folder, n, k.command(folder)...)
		what := fmt.Sprintf("killed before change %d of %d", n, all)
		left := contents(t, folder)
		_, there := left[k.name]
		maps.DeleteFunc(left, func(file, _ string) bool { return strings.HasPrefix(file, ".") || strings.HasSuffix(file, ".hdr") })
		if there && !maps.Equal(left, withoutHeaders(want)) && !maps.Equal(left, k.before) {
			t.Fatalf("%s: %s is there, but not whole: %v", what, k.name, slices.Sorted(maps.Keys(left)))
		}
		out, err := exec.Command(k.program, k.command(folder)[1:]...).CombinedOutput()
		if err != nil && (!there || k.before != nil || !strings.Contains(string(out), "exists")) {
			t.Fatalf("%s, once more: %v, %s", what, err, out)
		}
		if got := contents(t, folder); !maps.Equal(got, want) {
			t.Fatalf("%s, once more: there are %v, want %v", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
	t.Logf("%d changes", all)
}

// withoutHeaders returns the files without ENVI headers.
func withoutHeaders(files map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(file, _ string) bool { return strings.HasSuffix(file, ".hdr") })
	return files
}

// contents returns the files in a folder and its subfolders, by name. Names of folders end in a
// slash.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(strings.TrimPrefix(path, folder), "/")
		if err != nil || name == "" {
			return err
		}
		if e.IsDir() {
			files[name] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
