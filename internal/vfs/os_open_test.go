package vfs_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx/internal/vfs"
)

// A file that is not regular is rejected at once with its kind, and is not changed.
func TestIrregularFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // the name of a socket has to be short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, err := range []error{
		os.Mkdir("folder", 0o777), syscall.Mkfifo("fifo", 0o666), os.WriteFile("file", []byte("precious"), 0o666),
		os.Symlink("/dev/null", "device"), os.Symlink("fifo", "to fifo"), os.Symlink("file", "link"), os.Symlink("link", "chain"),
		os.Symlink("nowhere", "dangling"), os.Symlink("loop", "loop"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, follow, noFollow string }{
		{"folder", "a directory", "a directory"},
		{"fifo", "a FIFO", "a FIFO"},
		{"socket", "a socket", "a socket"},
		{"device", "a device", "link to /dev/null"},
		{"/dev/null", "a device", "a device"},
		{"to fifo", "a FIFO", "link to fifo"},
		{"link", "", "link to file"},
		{"chain", "", "link to file"},
		{"dangling", "no such file", "link to nowhere"},
		{"loop", "too many levels", "link to loop"},
		{"file", "", ""},
	} {
		for _, write := range []bool{false, true} {
			refused(t, c.name, c.follow, func() (vfs.File, error) { return vfs.OS.Open(c.name, write) })
			refused(t, c.name, c.noFollow, func() (vfs.File, error) { return vfs.OS.OpenNoFollow(c.name, write) })
		}
		if _, err := vfs.OS.Create(c.name); !errors.Is(err, fs.ErrExist) {
			t.Errorf("create %s: %v", c.name, err)
		}
	}
	if text, err := os.ReadFile("file"); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q, %v", text, err)
	}
	var link *vfs.LinkError
	if _, err := vfs.OS.OpenNoFollow("chain", true); !errors.As(err, &link) || link.Name != "chain" || link.Target != "file" || !errors.Is(err, vfs.ErrNotRegular) {
		t.Errorf("error %v", err)
	}
	f, err := vfs.Devices.Open("/dev/null", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// refused opens a file and checks that the error names it and contains why; an empty why means no
// error.
func refused(t *testing.T, name, why string, open func() (vfs.File, error)) {
	t.Helper()
	begin := time.Now()
	f, err := open()
	switch {
	case time.Since(begin) > time.Minute:
		t.Errorf("%s: took %v", name, time.Since(begin))
	case why == "" && err != nil, why != "" && (err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), why)):
		t.Errorf("%s: %v, want %q", name, err, why)
	}
	if err == nil {
		_ = f.Close()
	}
}

// A new file gets the access requested, whatever the umask, and with a limit no more than both
// permit.
func TestCreateAsUnderUmask(t *testing.T) {
	dir := t.TempDir()
	for _, umask := range []int{0o000, 0o022, 0o077} {
		old := syscall.Umask(umask)
		for _, mode := range []fs.FileMode{0o600, 0o640, 0o664, 0o444} {
			for limit, want := range map[bool]fs.FileMode{false: mode, true: mode&^fs.FileMode(umask) | 0o600} {
				own := create(t, vfs.OS, filepath.Join(dir, "own"))
				access, err := own.Access()
				if err != nil {
					t.Fatal(err)
				}
				access.Mode, access.Limit = mode, limit
				f, err := vfs.OS.CreateAs(filepath.Join(dir, "new"), access)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := f.Access(); got.Mode != want || err != nil {
					t.Errorf("umask %o, mode %o, limit %t: %o, %v; want %o", umask, mode, limit, got.Mode, err, want)
				}
				for _, f := range []vfs.File{own, f} {
					if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		syscall.Umask(old)
	}
}

// For the superuser a new file also gets the owner and the group. With a limit it gets neither:
// other groups have the permissions of all users.
func TestCreateAsForOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives files away")
	}
	dir := t.TempDir()
	f, err := vfs.OS.CreateAs(filepath.Join(dir, "theirs"), vfs.Access{Mode: 0o640, UID: 4321, GID: 1234})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := f.Access(); got != (vfs.Access{Mode: 0o640, UID: 4321, GID: 1234}) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0o640: 0o600, 0o644: 0o644, 0o664: 0o644} {
		name := filepath.Join(dir, mode.String())
		f, err := vfs.OS.CreateAs(name, vfs.Access{Mode: mode, UID: 4321, GID: 1234, Limit: true})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := f.Access(); got.Mode&^want != 0 || got.UID != 0 || err != nil {
			t.Errorf("limit %v: %+v, %v; want at most %v", mode, got, err, want)
		}
	}
}
