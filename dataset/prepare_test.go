package dataset

import (
	"errors"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// New elements are written by other processes between the phases of a commit, and must become
// visible at once; a writer that dies in between must leave nothing behind.
func TestPrepare(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "t", []int{4}, "t")
	create(t, d, "v", nil, "t")
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
	for _, dies := range []bool{true, false} {
		if _, err := d.Extend("t", 3); err != nil {
			t.Fatal(err)
		}
		spec := drx.Spec{DType: dtype.Int32, Shape: []int{7}, Dims: []string{"t"}, ChunkShape: []int{4}}
		if _, err := d.CreatePending("new", spec); err != nil {
			t.Fatal(err)
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		fillShared(t, "ds/v", 4, 7)
		fillShared(t, "ds/new", 0, 7)
		wantSeen(t, 4, []string{"t", "v"})
		if dies {
			if err := d.Discard(); err != nil {
				t.Fatal(err)
			}
			if d, err = Open("ds", drx.Options{Write: true}); err != nil {
				t.Fatal(err)
			}
			wantSeen(t, 4, []string{"t", "v"})
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	wantSeen(t, 7, []string{"new", "t", "v"})
	r, err := drx.Open("ds/v", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := drx.Read[int32](r, nd.Sec(nd.Span(4, 7))); err != nil || !slices.Equal(v, []int32{5, 5, 5}) {
		t.Errorf("%v, %v", v, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// fillShared writes a part of an array, as another process does.
func fillShared(t *testing.T, name string, lo, hi int) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{Shared: true})
	if err == nil {
		err = errors.Join(drx.Fill(a, nd.Sec(nd.Span(lo, hi)), int32(5)), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantSeen checks what readers see.
func wantSeen(t *testing.T, n int, variables []string) {
	t.Helper()
	r, err := Open("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dim, err := r.Dim("t")
	if err != nil || dim.Bounds.Len() != n || !slices.Equal(r.Variables(), variables) {
		t.Errorf("readers see %v, %v, %v, want %d of %v", dim.Bounds, r.Variables(), err, n, variables)
	}
}

// Several processes may write elements of a shared dataset at the same time, and nothing else may
// be changed.
func TestSharedDataset(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("ds", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "t", []int{4}, "t")
	create(t, d, "v", nil, "t")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var open []*Dataset
	for i := range 2 {
		s, err := Open("ds", drx.Options{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
		v, err := s.Variable("v")
		if err != nil {
			t.Fatal(err)
		}
		if err := drx.Fill(v.Array(), nd.Sec(nd.Span(2*i, 2*i+2)), int32(i+1)); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open("ds", drx.Options{Write: true}); !errors.Is(err, drx.ErrLocked) {
		t.Errorf("a writer beside sharers: %v", err)
	}
	_, extend := open[0].Extend("t", 1)
	for what, err := range map[string]error{"extend": extend, "attribute": open[0].SetAttr("", "n", 1), "prepare": open[0].Prepare()} {
		if !errors.Is(err, drx.ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	v, err := open[0].Variable("v")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drx.Read[int32](v.Array(), nil); err != nil || !slices.Equal(got, []int32{1, 1, 2, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range open {
		if err := errors.Join(s.Sync(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
