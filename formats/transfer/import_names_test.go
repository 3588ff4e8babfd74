package transfer

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// A variable whose name a dataset cannot have must be left out with the reason; the others must be
// imported, and nothing may be half done.
func TestImportLeavesOutNames(t *testing.T) {
	for _, odd := range []string{".hidden", "a.xmd", "r.xta", "e.xjl", "b.drx", strings.Repeat("x", 300), "g/.h"} {
		dir := t.TempDir()
		file := fileOfNames(t, dir, odd, "one", "two")
		made, err := Import(context.Background(), filepath.Join(dir, "all"), ImportOptions{}, file)
		if err != nil || len(made.Vars) != 2 || len(made.Refused) != 1 || made.Refused[0].Name != odd || !strings.Contains(made.Refused[0].Reason, "name") {
			t.Errorf("%.20q: %+v, %v", odd, made, err)
		}
		if _, err := Import(context.Background(), filepath.Join(dir, "wanted"), ImportOptions{Vars: []string{odd, "one"}}, file); err == nil {
			t.Errorf("%.20q with another variable: no error", odd)
		}
		made, err = Import(context.Background(), filepath.Join(dir, "alone"), ImportOptions{Vars: []string{"/" + odd}}, file) // as h5dump prints it
		if err != nil || len(made.Vars) != 1 {
			t.Errorf("%.20q alone: %+v, %v", odd, made, err)
		}
	}
}

// fileOfNames returns an .npz file in a folder, with variables of these names.
func fileOfNames(t *testing.T, dir string, names ...string) string {
	t.Helper()
	file := filepath.Join(dir, "f.npz")
	var vars []formats.Info
	for _, name := range names {
		vars = append(vars, formats.Info{Name: name, DType: dtype.Uint8, Shape: []int{2}})
	}
	writers, err := formats.CreateFile(file, "", formats.Content{Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		if err := w.WriteSection(nil, []byte{byte(i), 7}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// A file with several arrays has stricter rules for names than a folder, which accepts such names.
func TestImportLeavesOutNamesOfOneFile(t *testing.T) {
	for _, odd := range []string{"a\nb", "tab\there", "bell\a"} {
		dir := t.TempDir()
		file := fileOfNames(t, dir, odd, "one", "two")
		for dst, left := range map[string]int{"folder": 0, "several.drx": 1} {
			made, err := Import(context.Background(), filepath.Join(dir, dst), ImportOptions{}, file)
			if err != nil || len(made.Vars) != 3-left || len(made.Refused) != left {
				t.Errorf("%q into %s: %+v, %v", odd, dst, made, err)
			}
		}
	}
}
