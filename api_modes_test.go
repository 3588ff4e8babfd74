package drx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// wantAccess checks the mode and, for the superuser, the owner and group of all files of an array,
// and returns their extensions.
func wantAccess(t *testing.T, when, name string, mode fs.FileMode, id int) (exts string) {
	t.Helper()
	least := 3
	if fileset.OneFile(name) {
		least = 1
	}
	files, err := filepath.Glob(strings.TrimSuffix(name, OneFileExt) + ".*")
	if err != nil || len(files) < least {
		t.Fatalf("%s: files %v, %v", when, files, err)
	}
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		if info.Mode().Perm() != mode || os.Geteuid() == 0 && (int(stat.Uid) != id || int(stat.Gid) != id) {
			t.Errorf("%s: %s has mode %v, owner %d and group %d, want %v and %d", when, filepath.Base(file), info.Mode(), stat.Uid, stat.Gid, mode, id)
		}
		exts += strings.TrimPrefix(file, name) + " "
	}
	return exts
}

// setAccess gives the files of an array a mode and, for the superuser, an owner and a group.
func setAccess(t *testing.T, name string, mode fs.FileMode, id int) {
	t.Helper()
	for _, file := range []string{fileset.Log(name), fileset.Data(name), fileset.Table(name), fileset.Presence(name)} {
		err := os.Chmod(file, mode)
		if err == nil && os.Geteuid() == 0 {
			err = os.Chown(file, id, id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// All files that are created beside a log get its mode, group and owner, whatever the umask: the
// journals, those of sharers, the mark of a Compact, and its new files.
func TestNewFilesFollowTheLog(t *testing.T) { inBothForms(t, testNewFilesFollowTheLog) }

func testNewFilesFollowTheLog(t *testing.T) {
	const id = 4321
	for _, umask := range []int{0o022, 0o077} {
		defer syscall.Umask(syscall.Umask(umask))
		for _, mode := range []fs.FileMode{0o600, 0o660, 0o644} {
			name, _ := smallFiles(t)
			setAccess(t, name, mode, id)
			want := func(when, exts string) {
				t.Helper()
				if got := wantAccess(t, when, name, mode, id); !strings.Contains(got, exts) {
					t.Errorf("%s: files %s, want %s among them", when, got, exts)
				}
			}
			errStop := errors.New("stopped")
			stop := func(op vfstest.Op, ext string, do func(o Options) error) {
				t.Helper()
				fails := vfstest.Faulty{FS: vfs.OS, Fail: func(at vfstest.Op, file string) error {
					if at == op && strings.HasSuffix(file, ext) {
						return errStop
					}
					return nil
				}}
				if err := do(Options{fs: fails}); !errors.Is(err, errStop) {
					t.Fatalf("%s of %s: %v", op, ext, err)
				}
			}
			stop(vfstest.OpRemove, journalExt, func(o Options) error { o.Write = true; return appendRow(name, o) })
			want("an append", journalExt)
			if err := appendRow(name, Options{Shared: true}); err != nil {
				t.Fatal(err)
			}
			want("a shared append", journalExt+"0")
			stop(vfstest.OpRename, newExt, func(o Options) error {
				o.Write = true
				a, err := Open(name, o)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _, _ = a.store.Close(true), a.file.Close() }()
				return a.Compact(context.Background(), nil)
			})
			if !fileset.OneFile(name) {
				want("a compaction that is not complete", markExt)
			}
			if err := appendRow(name, Options{Write: true}); err != nil {
				t.Fatal(err)
			}
			want("a compaction", "")
		}
	}
}

// An array made from another one is not accessible to users who cannot access the other one.
func TestPermissionsOfArraysMadeFromPrivateOnes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for mode, want := range map[fs.FileMode]fs.FileMode{0o600: 0o600, 0o640: 0o640, 0o444: 0o644, 0o666: 0o644} {
		name, _ := smallFiles(t)
		setAccess(t, name, mode, os.Getegid())
		if err := useOfFiles["recover"](name); err != nil {
			t.Fatal(err)
		}
		a, err := Create(name+"-copy", Spec{DType: dtype.Uint8, Shape: []int{1}, Source: name + logExt})
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		wantAccess(t, "recover", name+"-saved", want, os.Geteuid())
		wantAccess(t, "create", name+"-copy", want, os.Geteuid())
	}
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := Create(missing+"-copy", Spec{DType: dtype.Uint8, Shape: []int{1}, Source: missing}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("from an array that is not there: %v", err)
	}
}

// An empty journal that belongs to another user and cannot be written, which earlier versions left,
// does not prevent anything.
func TestJournalOfSomebodyElse(t *testing.T) { inBothForms(t, testJournalOfSomebodyElse) }

func testJournalOfSomebodyElse(t *testing.T) {
	name, _ := smallFiles(t)

	theirs := readOnlyJournal{vfs.OS, name + journalExt + "0"}
	for _, o := range []Options{{Shared: true, fs: theirs}, {Write: true, fs: theirs}} {
		if err := os.WriteFile(theirs.name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := appendRow(name, o); err != nil {
			t.Errorf("shared %t: %v", o.Shared, err)
		}
	}
	if err := readAll(name, Options{}); err != nil {
		t.Error(err)
	}
}

// readOnlyJournal is a file system with one file that cannot be written.
type readOnlyJournal struct {
	vfs.FS
	name string
}

func (r readOnlyJournal) OpenNoFollow(name string, write bool) (vfs.File, error) {
	if name == r.name && write {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.FS.OpenNoFollow(name, write)
}
