package drx

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// A reader keeps its bounds until Refresh, and sees then what was committed.
func TestRefresh(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		t.Run(name, func(t *testing.T) {
			file := "a"
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), "a")
			}
			w, err := Create(file, Spec{DType: dtype.Int32, Shape: []int{2, 3}, Chunk: []int{2, 2}, Options: Options{fs: fsys}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Open(file, Options{fs: fsys})
			if err != nil {
				t.Fatal(err)
			}
			for i := range int32(20) {
				if _, err := w.Extend(int(i)%2, 1, Growth(i%3%2)); err != nil {
					t.Fatal(err)
				}
				if i == 11 {
					if err := w.Shrink(0, 3); err != nil {
						t.Fatal(err)
					}
				}
				if err := Fill(w, nil, i); err != nil {
					t.Fatal(err)
				}
				old := r.Bounds()
				if changed, err := r.Refresh(); err != nil || changed || !slices.Equal(r.Bounds(), old) {
					t.Fatalf("step %d: refresh before sync: %v, %v, bounds %v, were %v", i, changed, err, r.Bounds(), old)
				}
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
				if changed, err := r.Refresh(); err != nil || !changed || !slices.Equal(r.Bounds(), w.Bounds()) {
					t.Fatalf("step %d: refresh: %v, %v, bounds %v, want %v", i, changed, err, r.Bounds(), w.Bounds())
				}
				got, err := Read[int32](r, nil)
				if err != nil || slices.Min(got) != i || slices.Max(got) != i {
					t.Fatalf("step %d: read %v, %v", i, got, err)
				}
			}
			if changed, err := w.Refresh(); err != nil || changed {
				t.Errorf("refresh of the writer: %v, %v", changed, err)
			}
		})
	}
}

// Earlier versions have the bounds and attributes of then.
func TestHistoryAndOpenAt(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{2}, Chunk: []int{4}, Options: o})
	steps := []func() error{
		func() error { _, err := a.Extend(0, 3); return err },
		func() error { return a.SetAttr("n", 1) },
		func() error { return a.Shrink(0, 2, Low) },
		func() error { _, err := a.AddDim("time"); return err },
		func() error { _, err := a.Extend(1, 2); return err },
	}
	bounds := []nd.Section{a.Bounds()}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		bounds = append(bounds, a.Bounds())
	}
	changes, err := a.History()
	if err != nil || len(changes) != len(bounds) {
		t.Fatalf("history %v, %v", changes, err)
	}
	kinds := []ChangeKind{Created, Extended, Attrs, Shrunk, AddedDim, Extended}
	for i, c := range changes {
		if c.Commit != i+1 || c.Kind != kinds[i] || !slices.Equal(c.Bounds, bounds[i]) {
			t.Errorf("change %d: %+v", i, c)
		}
		v, err := OpenAt("a", i+1, o)
		if err != nil || !slices.Equal(v.Bounds(), bounds[i]) || len(v.Attrs()) != map[bool]int{true: 1}[i >= 2] {
			t.Errorf("version %d: %v, bounds %v, want %v", i+1, err, v.Bounds(), bounds[i])
		}
	}
	for _, commit := range []int{-1, 0, 7} {
		if _, err := OpenAt("a", commit, o); !errors.Is(err, ErrBounds) {
			t.Errorf("version %d: %v", commit, err)
		}
	}
}

// Follow tells every committed change once, in order.
func TestFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	w, err := Create(file, Spec{DType: dtype.Int32, Shape: []int{0, 3}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	enough := errors.New("enough")
	followed := make(chan error)
	var commits []int
	go func() {
		followed <- r.Follow(ctx, func(c Change) error {
			if c.Kind != Extended || !slices.Equal(c.Bounds, r.Bounds()) && c.Bounds[0].Hi > r.Bounds()[0].Hi {
				return errors.New("a change that is not there")
			}
			if commits = append(commits, c.Commit); len(commits) == 30 {
				return enough
			}
			return nil
		})
	}()
	for range 30 {
		if _, err := w.Extend(0, 1); err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-followed; !errors.Is(err, enough) {
		t.Fatal(err)
	}
	for i, c := range commits {
		if c != i+2 {
			t.Fatalf("commits %v", commits)
		}
	}
	ctx, cancel = context.WithCancel(ctx)
	cancel()
	if err := r.Follow(ctx, func(Change) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("follow: %v", err)
	}
	if err := w.Follow(ctx, func(Change) error { return nil }); err == nil {
		t.Error("a writer follows itself")
	}
}
