package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drx/internal/fileset"
)

// Errors about files must keep their causes and the text after these; of joined errors all must be
// reworded.
func TestFileError(t *testing.T) {
	dir := t.TempDir()
	open := func(path string, err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }
	at := func(name string) string { return fileset.Log(filepath.Join(dir, name)) }
	other := errors.New("other")
	for _, c := range []struct {
		err  error
		want string
	}{
		{other, "other"},
		{fmt.Errorf("A: open: %w", open(at("A"), syscall.ENOENT)), fmt.Sprintf("no array \"A\" in %q; 'drx ls %s' lists arrays", dir, dir)},
		{fmt.Errorf("B: create: %w: or resume", open(at("B"), syscall.EEXIST)), fmt.Sprintf("an array %q exists already; choose another name, or remove it with 'drx rm': or resume", filepath.Join(dir, "B"))},
		{open(dir+"/x", syscall.EACCES), fmt.Sprintf("open %s/x: permission denied: you may not create files in folder %q", dir, dir)},
		{open(dir, syscall.EACCES), fmt.Sprintf("open %s: permission denied", dir)},
		{fmt.Errorf("proc 0: A: open: %s", open(at("A"), syscall.ENOENT)), fmt.Sprintf("no array \"A\" in %q; 'drx ls %s' lists arrays", dir, dir)},
		{open(dir+"/y/x", syscall.ENOENT), fmt.Sprintf("open %s/y/x: no such file or directory: there is no folder %q", dir, dir+"/y")},
		{open(dir+"/x", syscall.EIO), fmt.Sprintf("open %s/x: input/output error", dir)},
	} {
		got := FileError(c.err)
		if got.Error() != c.want || !errors.Is(got, errors.Unwrap(c.err)) && errors.Unwrap(c.err) != nil {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	if err := os.WriteFile(at("C"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	part := open(fileset.Presence(filepath.Join(dir, "C")), syscall.ENOENT)
	if got := FileError(part); !strings.Contains(got.Error(), "; it records which") {
		t.Errorf("a part that is missing: %v", got)
	}
	for inPlace, verb := range map[bool]string{false: "(drx recover)", true: "(drx recover, with --in-place or a new name)"} {
		known := &fileset.Advice{Err: part, Text: "advice", InPlace: inPlace}
		if got := FileError(known); got.Error() != known.Error()+" "+verb || !errors.Is(got, part) {
			t.Errorf("advice is there: %v", got)
		}
	}
	joined := FileError(errors.Join(open(at("A"), syscall.ENOENT), other))
	if !strings.HasPrefix(joined.Error(), "no array") || !errors.Is(joined, other) || !errors.Is(joined, fs.ErrNotExist) {
		t.Errorf("joined: %v", joined)
	}
	if FileError(nil) != nil {
		t.Error("an error of nothing")
	}
}
