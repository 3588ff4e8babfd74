package drx

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// The extensions of the files, for tests that access files directly.
const (
	logExt      = fileset.LogExt
	dataExt     = fileset.DataExt
	tableExt    = fileset.TableExt
	presenceExt = fileset.PresenceExt
	journalExt  = fileset.JournalExt
	markExt     = fileset.MarkExt
	newExt      = fileset.NewExt
)

// identityOf returns the identity of the named file, or nil if there is none.
func identityOf(fsys vfs.FS, name string) (any, error) {
	id, err := fsys.Identity(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return id, err
}

// List has the arrays and the folders of a folder, and nothing else.
func TestList(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(MakeFolder("f"), MakeFolder("f/below"), os.WriteFile("f/notes.txt", nil, 0o600), os.WriteFile("f/.xmd", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f/b", "f/a.x", "f/below/c"} {
		a, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	arrays, folders, err := List("f")
	if !slices.Equal(arrays, []string{"a.x", "b"}) || !slices.Equal(folders, []string{"below"}) || err != nil {
		t.Errorf("arrays %q, folders %q: %v", arrays, folders, err)
	}
	if _, _, err := List("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
	if err := MakeFolder("f"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that exists: %v", err)
	}
	if err := MakeFolder("no/f"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder in a missing one: %v", err)
	}
}

func TestBaseName(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "a.xmd": "a", "d/a.xta": "d/a", "a.xck": "a", "a.xpm": "a", ".xmd": ".xmd", "d/.xmd": "d/.xmd", "a.b": "a.b", "a.xmd.xmd": "a.xmd",
		"d/a.xjl": "d/a", "a.xjl0": "a", "d/a.xjl63": "d/a", "d/.xjl7": "d/.xjl7", "a.xjlx": "a.xjlx",
	} {
		if got := BaseName(name); got != want {
			t.Errorf("BaseName(%q) = %q, want %q", name, got, want)
		}
	}
}
