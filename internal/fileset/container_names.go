package fileset

import (
	"errors"
	"path"
	"strings"
	"sync/atomic"

	"drx/internal/onefile"
	"drx/internal/remote"
	"drx/internal/vfs"
)

// FS is a file system in which a file with several arrays is a folder, and the arrays in it are
// arrays in one file each. Creating the first array creates the file. The journals of the arrays
// are files beside it. Callers of FS treat both kinds of folder alike.
type FS struct{ vfs.FS }

// lastSystem is the last result of system.
var lastSystem atomic.Pointer[remote.FS]

// system returns the file system of the machine, safe where others use it too. Tests replace
// vfs.OS.
func system() *remote.FS {
	last := lastSystem.Load()
	if last != nil && last.FS == vfs.OS {
		return last
	}
	now := Remote(vfs.OS, nil)
	if !lastSystem.CompareAndSwap(last, now) {
		return system()
	}
	return now
}

// OS returns the file system of the machine.
func OS() vfs.FS { return FS{system()} }

// Remote returns a file system in which arrays are safe on several machines, see package remote.
// host is nil for this one.
func Remote(fsys vfs.FS, host *remote.Host) *remote.FS {
	return remote.Over(fsys, remote.Names{Lock: lockName, Checked: isChecked}, host)
}

// SetLocks sets when lock files are used, and returns the previous mode.
func SetLocks(m remote.Mode) (before remote.Mode) { return system().SetMode(m) }

// SetLockNotice has notice called with a sentence when the lock of a dead process is taken over, or
// waited for.
func SetLockNotice(notice func(string)) { system().SetNotice(notice) }

// In returns a file system in which files with several arrays are folders.
func In(fsys vfs.FS) vfs.FS {
	if f, is := fsys.(FS); is {
		return f
	}
	return FS{fsys}
}

// plain returns the file system in which containers are files.
func plain(fsys vfs.FS) vfs.FS {
	if f, is := fsys.(FS); is {
		return f.FS
	}
	return fsys
}

// split divides a name into that of a file with several arrays, which need not exist, and that of a
// file in it. It returns false for other names.
func split(fsys vfs.FS, name string) (container, inside string, ok bool) {
	for at := 0; ; {
		i := strings.Index(name[at:], OneFileExt+"/")
		if i < 0 {
			return "", "", false
		}
		at += i + len(OneFileExt)
		if container = name[:at]; OneFile(container) && !isFolder(plain(fsys), container) {
			return container, strings.TrimPrefix(path.Clean("/"+name[at:]), "/"), true
		}
	}
}

// isFolder reports whether there is something with the name that is no regular file.
func isFolder(fsys vfs.FS, name string) bool {
	f, err := fsys.Open(name, false)
	if err == nil {
		_ = f.Close()
	}
	return errors.Is(err, vfs.ErrNotRegular)
}

// Container returns the name of the file that has the named array, or would have it, if the array
// is one of several in that file.
func Container(fsys vfs.FS, name string) (container string, ok bool) {
	container, _, ok = split(fsys, name)
	return container, ok
}

// IsContainer reports whether there is a file with several arrays with a name.
func IsContainer(fsys vfs.FS, name string) bool {
	if !OneFile(name) {
		return false
	}
	f, err := plain(fsys).Open(name, false)
	if err != nil {
		return false
	}
	defer f.Close()
	several, err := onefile.Several(f)
	return several && err == nil
}

// NewName returns the name of a new array: in a file with several arrays it gets the extension of
// the one-file form.
func NewName(fsys vfs.FS, name string) string {
	if _, in := Container(fsys, name); in && !OneFile(name) {
		return name + OneFileExt
	}
	return name
}

// ShownName returns the name of an array for people: in a file with several arrays it has no
// extension, since there is only one form.
func ShownName(fsys vfs.FS, name string) string {
	if _, in := Container(fsys, name); in {
		return strings.TrimSuffix(name, OneFileExt)
	}
	return name
}

// OnDisk returns the name of the file in which the bytes of a file of an array are.
func OnDisk(fsys vfs.FS, name string) string {
	if container, in := Container(fsys, name); in {
		return container
	}
	return name
}
