package drx

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/nd"
)

// allExts are the extensions of all files that an array may have.
var allExts = []string{
	logExt, dataExt, tableExt, journalExt, journalExt + "0", journalExt + "1", markExt,
	logExt + newExt, dataExt + newExt, tableExt + newExt,
}

// useOfFiles are the ways of using an array by its name.
var useOfFiles = map[string]func(name string) error{
	"read":  func(name string) error { return readAll(name, Options{}) },
	"write": func(name string) error { return appendRow(name, Options{Write: true}) },
	"share": func(name string) error { return appendRow(name, Options{Shared: true}) },
	"compact": func(name string) error {
		a, err := Open(name, Options{Write: true})
		if err != nil {
			return err
		}
		return errors.Join(a.Compact(context.Background(), nil), a.Close())
	},
	"recover": func(name string) error {
		_, err := Recover(context.Background(), name, name+"-saved", RecoverOptions{})
		return err
	},
	"create": func(name string) error {
		a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{1}})
		if err == nil {
			err = a.Close()
		}
		return err
	},
}

func readAll(name string, o Options) error {
	a, err := Open(name, o)
	if err != nil {
		return err
	}
	_, readErr := Read[uint8](a, nil)
	_, verifyErr := a.Verify(context.Background(), nil)
	return errors.Join(readErr, verifyErr, a.Close())
}

// appendRow appends a row to the array of smallFiles, in a chunk that has other rows, and
// overwrites it.
func appendRow(name string, o Options) error {
	a, err := Open(name, o)
	if err != nil {
		return err
	}
	var sec nd.Section
	if o.Shared {
		sec, err = a.Reserve(0, 1)
	} else {
		sec, err = a.Extend(0, 1)
	}
	for v := uint8(1); v <= 2 && err == nil; v++ {
		if err = Fill(a, sec, v); err == nil {
			err = a.Sync()
		}
	}
	return errors.Join(err, a.Close())
}

// smallFiles makes an array with data in a folder, and a file beside it that does not belong to the
// array.
func smallFiles(t *testing.T) (name, precious string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), named(t, "a"))
	precious = filepath.Join(filepath.Dir(name), "precious")
	a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{1, 100}, ChunkShape: []int{4, 100}})
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Close(), os.WriteFile(precious, bytes.Repeat([]byte("data "), 1000), 0o666)); err != nil {
		t.Fatal(err)
	}
	return name, precious
}

// If a file of an array is replaced by a symbolic link to a file outside of the array, no use of
// the array changes that file. A writer refuses links in place of its own files.
func TestLinksToOtherFiles(t *testing.T) {
	for _, ext := range allExts {
		for use, do := range useOfFiles {
			name, precious := smallFiles(t)
			if err := os.Remove(name + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.Symlink("precious", name+ext); err != nil {
				t.Fatal(err)
			}
			err := do(name)
			if text, readErr := os.ReadFile(precious); !bytes.Equal(text, bytes.Repeat([]byte("data "), 1000)) || readErr != nil {
				t.Errorf("%s with a link as %s: the file that it leads to has %d bytes, %v", use, ext, len(text), readErr)
			}
			refused := err != nil && strings.Contains(err.Error(), name+ext)
			leftover := strings.HasSuffix(ext, newExt) || ext == journalExt+"1" // or ignored
			if writes := use == "write" || use == "share" || use == "compact"; writes && !refused && !leftover {
				t.Errorf("%s with a link as %s: %v", use, ext, err)
			}
		}
	}
}

// A file that is not regular gives an error that names it, not an endless loop.
func TestIrregularFiles(t *testing.T) {
	kinds := map[string]func(name string) error{
		"FIFO":      func(name string) error { return syscall.Mkfifo(name, 0o666) },
		"directory": func(name string) error { return os.Mkdir(name, 0o777) },
		"device":    func(name string) error { return os.Symlink("/dev/null", name) },
	}
	for kind, make := range kinds {
		for _, ext := range []string{logExt, dataExt, tableExt, journalExt, markExt} {
			for use, do := range useOfFiles {
				name, _ := smallFiles(t)
				if err := os.Remove(name + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				if err := make(name + ext); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				err := do(name)
				if took := time.Since(begin); took > time.Minute {
					t.Errorf("%s with a %s as %s: took %v", use, kind, ext, took)
				}
				if err == nil || use != "create" && (!strings.Contains(err.Error(), name+ext) || !strings.Contains(err.Error(), "not a regular file")) {
					t.Errorf("%s with a %s as %s: %v", use, kind, ext, err)
				}
			}
		}
	}
}

// The principal array may be a link to another volume. Compact refuses to replace it by a file.
func TestDataOnAnotherVolume(t *testing.T) {
	name, _ := smallFiles(t)
	volume := t.TempDir()
	for _, err := range []error{
		os.Rename(name+dataExt, filepath.Join(volume, "b"+dataExt)), os.Symlink(filepath.Join(volume, "b"+dataExt), name+dataExt),
		appendRow(name, Options{Write: true}), appendRow(name, Options{Shared: true}), readAll(name, Options{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := useOfFiles["compact"](name); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), name+dataExt) {
		t.Errorf("compact: %v", err)
	}
	if info, err := os.Lstat(name + dataExt); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("after compact: %v, %v", info, err)
	}
	a, err := Open(name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read[uint8](a, nd.Sec(nd.All, nd.At(0))); err != nil || !bytes.Equal(got, []uint8{7, 2, 2}) {
		t.Errorf("read %v, %v", got, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// After Compact, errors name the files by their final names.
func TestNamesAfterCompact(t *testing.T) { inBothForms(t, testNamesAfterCompact) }

func testNamesAfterCompact(t *testing.T) {
	name, _ := smallFiles(t)
	a, err := Open(name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Compact(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(a.SetAttr("n", 1), a.file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), fileset.Log(name)) || strings.Contains(err.Error(), newExt) {
		t.Errorf("sync with the log closed: %v", err)
	}
	_ = a.store.Close(true)
}
