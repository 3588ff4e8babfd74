package drx

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
)

// A dimension gets another name, which is found when the array is opened, as of each commit.
func TestRenameDim(t *testing.T) {
	for _, form := range []string{"a", "a.drx"} {
		name := filepath.Join(t.TempDir(), form)
		a, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"y", "x"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []struct {
			dim  int
			name string
		}{{2, "z"}, {-1, "z"}, {0, "x"}, {0, "\xff"}} {
			if err := a.RenameDim(wrong.dim, wrong.name); err == nil || wrong.name != "\xff" && !errors.Is(err, ErrRank) {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		if err := errors.Join(a.RenameDim(1, "lon"), a.RenameDim(0, ""), a.RenameDim(1, "lon"), a.Close()); err != nil {
			t.Fatal(err)
		}
		for commit, want := range map[int][]string{1: {"y", "x"}, 2: {"", "lon"}} {
			b, err := OpenAt(name, commit, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Dims(); !slices.Equal(got, want) {
				t.Errorf("%s: commit %d has the dimensions %q, want %q", form, commit, got, want)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
