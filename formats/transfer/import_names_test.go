package transfer

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// A variable whose name a dataset cannot have is left out with the reason; the others are imported,
// and nothing is half done.
func TestImportLeavesOutNames(t *testing.T) {
	for _, odd := range []string{".hidden", "a.xmd", "r.xta", "e.xjl", "b.drx", strings.Repeat("x", 300), "g/.h"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f.npz")
		var vars []formats.Info
		for _, name := range []string{odd, "one", "two"} {
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
