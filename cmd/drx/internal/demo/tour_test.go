package demo

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/clitest"
	"drx/nd"
)

// fakeTour creates an array and a picture with the names that a tour uses.
func fakeTour(t *testing.T, dir string) {
	t.Helper()
	tr := tour{out: io.Discard, dir: dir}
	if err := tr.create(); err != nil {
		t.Fatal(err)
	}
	if err := tr.a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sum.png"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestClearTourRemovesOnlyItsOwnFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fakeTour(t, dir)
	all := clitest.Names(t, dir)
	if err := ClearTour(dir, true); err == nil || clitest.Names(t, dir) != all {
		t.Errorf("--keep over an earlier tour: %v", err)
	}
	if err := ClearTour(dir, false); err != nil || clitest.Names(t, dir) != "notes.txt" {
		t.Errorf("an earlier tour: %v, %s is left", err, clitest.Names(t, dir))
	}
	fakeTour(t, dir)
	err := arrays.With(filepath.Join(dir, TourArray), true, func(a *drx.Array) error { return a.DeleteAttr(tourAttr) })
	if err != nil {
		t.Fatal(err)
	}
	if err := ClearTour(dir, false); err == nil || clitest.Names(t, dir) != all {
		t.Errorf("over an array of somebody else: %v", err)
	}
	other := t.TempDir()
	mine := filepath.Join(other, "map.png")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := ClearTour(other, false); err == nil {
		t.Error("over a picture of somebody else: no error")
	}
	if b, err := os.ReadFile(mine); string(b) != "mine" {
		t.Errorf("somebody's picture holds %q: %v", b, err)
	}
}

// The checks of the tour must fail if a value or a stored byte has changed.
func TestDemoChecksFail(t *testing.T) {
	dir := t.TempDir()
	tr, err := newTour(io.Discard, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		tr.create,
		func() error { return tr.growInTime(t.Context()) },
		func() error { return tr.growInSpace(t.Context()) },
		func() error { return tr.growInTimeAgain(t.Context()) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	defer tr.a.Close()
	if err := drx.Set(tr.a, uint16(1234), 5, -3, 17); err != nil {
		t.Fatal(err)
	}
	if err := tr.check(t.Context()); err == nil || !strings.Contains(err.Error(), "5,-3,17 is 1234") {
		t.Errorf("a wrong element: %v", err)
	}
	if err := tr.a.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := tr.checkUnmoved(); err != nil {
		t.Errorf("an element of a later chunk: %v", err)
	}
	if err := drx.Write(tr.a, nd.Sec(nd.At(0), nd.At(0), nd.At(0)), []uint16{1234}); err != nil {
		t.Fatal(err)
	}
	if err := tr.a.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := tr.checkUnmoved(); err == nil {
		t.Error("a changed byte of the first chunks went unnoticed")
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"demo/radar": "demo/radar", "my demo": "'my demo'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'",
	} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
