package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/nd"
)

// growing makes a dataset with a coordinate, a variable that has it, and a group.
func growing(t *testing.T, folder string) *Dataset {
	t.Helper()
	d, err := Create(folder, drx.Options{})
	if err == nil {
		err = d.CreateGroup("g")
	}
	for _, name := range []string{"time", "a", "g/b"} {
		if err == nil {
			_, err = d.CreateVariable(name, intSpec([]int{5}, "time"))
		}
	}
	if err = errors.Join(err, d.SetAttr("g", "kind", "test"), d.Sync()); err != nil {
		t.Fatal(err)
	}
	return d
}

// Shrink must remove the same indices from all variables, and commit earlier changes first.
func TestShrink(t *testing.T) { inBothForms(t, testShrink) }

func testShrink(t *testing.T, ds string) {
	folder := filepath.Join(t.TempDir(), ds)
	d := growing(t, folder)
	v, err := d.Variable("a")
	if err == nil {
		err = drx.Fill(v.Array(), nil, int32(7))
	}
	if err = errors.Join(err, d.ShrinkLow("time", 1), d.Shrink("time", 2)); err != nil {
		t.Fatal(err)
	}
	if err := d.Discard(); err != nil { // everything is committed
		t.Fatal(err)
	}
	if d, err = Open(folder, drx.Options{Write: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil || v.Array().Bounds().String() != nd.Sec(nd.Span(1, 3)).String() {
			t.Errorf("%s: %v, %v", name, v.Array().Bounds(), err)
		}
	}
	if got, err := drx.Read[int32](d.vars["a"].Array(), nil); err != nil || got[0] != 7 || got[1] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	for by, want := range map[int]string{0: "want 1 to 2", 3: "want 1 to 2"} {
		if err := d.Shrink("time", by); !errors.Is(err, drx.ErrBounds) || !strings.Contains(err.Error(), want) {
			t.Errorf("by %d: %v", by, err)
		}
	}
	if err := d.Shrink("x", 1); !errors.Is(err, ErrDim) {
		t.Error(err)
	}
	if err := errors.Join(d.Shrink("time", 2), d.Close()); err != nil {
		t.Error(err)
	}
}

// Only Create makes a dataset of a folder, or of a file with several arrays.
func TestOpenForWritingDeclaresNothing(t *testing.T) {
	inBothForms(t, testOpenForWritingDeclaresNothing)
}

func testOpenForWritingDeclaresNothing(t *testing.T, ds string) {
	folder := filepath.Join(t.TempDir(), ds)
	if filepath.Ext(ds) == "" {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	a, err := drx.Create(filepath.Join(folder, "a"), intSpec([]int{2}, "x"))
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, drx.Options{Write: true}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no dataset") {
		t.Error(err)
	}
	if declared, err := isDeclared(folder); declared || err != nil {
		t.Errorf("declared: %v, %v", declared, err)
	}
	r, err := Open(folder, drx.Options{})
	if err == nil {
		err = r.Close()
	}
	if err != nil {
		t.Error(err)
	}
}

// The files of a dataset are renamed, copied and removed together, but not while somebody writes.
func TestFiles(t *testing.T) { inBothForms(t, testFiles) }

func testFiles(t *testing.T, ds string) {
	dir, ext := t.TempDir(), filepath.Ext(ds)
	one, two, three := filepath.Join(dir, "one"+ext), filepath.Join(dir, "two"+ext), filepath.Join(dir, "three"+ext)
	d := growing(t, one)
	for name, f := range map[string]func() error{
		"rename": func() error { return Rename(one, two) },
		"copy":   func() error { return Copy(t.Context(), one, two, nil) },
		"remove": func() error { return Remove(one) },
	} {
		if err := f(); !errors.Is(err, drx.ErrLocked) {
			t.Errorf("%s beside a writer: %v", name, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(filepath.Join(one, "g", "b"), drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := Rename(one, two); !errors.Is(err, drx.ErrLocked) {
		t.Errorf("beside a writer of a variable: %v", err)
	}
	if err := errors.Join(a.Close(), Rename(one, two), Copy(t.Context(), two, three, nil)); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{two, three} {
		r, err := Open(folder, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		attrs, err := r.Attrs("g")
		if len(r.Variables()) != 3 || string(attrs["kind"]) != `"test"` || err != nil {
			t.Errorf("%s: %v, %s, %v", folder, r.Variables(), attrs, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := Rename(two, three); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := Copy(t.Context(), two, three, nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if ext == "" {
		mustKeepOtherFiles(t, two)
	} else if err := Rename(two, strings.TrimSuffix(two, ext)); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "two.drx has several arrays, so its name must end in .drx") {
		t.Error(err)
	}
	if err := errors.Join(Remove(two), Remove(three)); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	if err := Remove(two); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// mustKeepOtherFiles checks that a dataset is not removed if there is another file in its folder.
func mustKeepOtherFiles(t *testing.T, folder string) {
	t.Helper()
	notes := filepath.Join(folder, "g", "notes.txt")
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(folder); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), notes) {
		t.Error(err)
	}
	if err := os.Remove(notes); err != nil {
		t.Fatal(err)
	}
}
