// Package outfile writes files atomically: a file appears complete or not at all. It keeps the set
// of files to remove if the program is interrupted.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"drx/internal/fileset"
)

// Temporary is the set of files to remove if the program is interrupted.
var Temporary tempFiles

// tempFiles is the set of incomplete files: files that will be renamed when they are complete, and
// arrays without a commit.
type tempFiles struct {
	mu    sync.Mutex
	names map[string]func() // with the function that removes each
}

// add adds a file to the set.
func (t *tempFiles) add(name string) { t.AddAs(name, func() { os.Remove(name) }) }

// AddArray adds an array that this process has created and has open for writing.
func (t *tempFiles) AddArray(name string) {
	t.AddAs(fileset.Log(name), func() { _ = fileset.RemoveLocked(fileset.OS(), fileset.NewName(fileset.OS(), name)) })
}

func (t *tempFiles) AddAs(name string, remove func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]func(){}
	}
	t.names[name] = remove
}

// Done removes a file from the set.
func (t *tempFiles) Done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// DoneArray removes an array from the set.
func (t *tempFiles) DoneArray(name string) { t.Done(fileset.Log(name)) }

// Remove deletes the files. It keeps the lock, so that no file is added afterwards: the program is
// about to end.
func (t *tempFiles) Remove() {
	t.mu.Lock()
	for _, remove := range t.names {
		remove()
	}
}

// Replace writes a file under a temporary name in the same folder and then renames it, so that
// after an error the old file is unchanged. It keeps the mode, the group and the owner of the old
// file as far as the process is allowed to. A file that is not regular, such as a device or a pipe,
// is written directly.
func Replace(name string, write func(io.Writer) error) error {
	name, info, err := replaced(name)
	if err != nil {
		return err
	}
	if info != nil && !info.Mode().IsRegular() {
		return writeTo(name, os.O_WRONLY, nil, write)
	}
	// The name is random, because a killed process may have left a temporary file, and another
	// process may be writing one for the same name.
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%s", filepath.Base(name), rand.Text()[:10]))
	err = writeTo(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info, func(w io.Writer) error {
		Temporary.add(temp)
		return write(w)
	})
	defer Temporary.Done(temp)
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		os.Remove(temp)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == temp {
		path.Path = name // the name that the user knows
	}
	return err
}

// replaced returns the name of the file that a new file of that name replaces, which is another one
// if it is a symbolic link, and what the file is, nil if there is none.
func replaced(name string) (string, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return name, nil, nil //nolint:nilerr // creating it says what is wrong
	}
	if info.Mode().IsRegular() {
		name, err = filepath.EvalSymlinks(name)
	}
	return name, info, err
}

// writeTo opens a file, writes it and syncs it if it is a regular file. old is the file that it
// will replace, or nil. Until the new file has the mode of the old one only its owner can access
// it, so that it is never open to more users than the old one.
func writeTo(name string, flags int, old fs.FileInfo, write func(io.Writer) error) error {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = 0o600
	}
	f, err := os.OpenFile(name, flags, perm)
	if err != nil {
		return err
	}
	if old != nil {
		keepAccess(f, old)
	}
	err = write(f)
	if info, statErr := f.Stat(); err == nil && statErr == nil && info.Mode()&fs.ModeType == 0 {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// keepAccess gives a new file the owner, the group and the mode of an old one, as far as the
// process is allowed to. If the group cannot be set, the new file's group gets only those
// permissions of the old group that everybody has.
func keepAccess(f *os.File, old fs.FileInfo) {
	mode := old.Mode().Perm()
	stat := old.Sys().(*syscall.Stat_t)
	if f.Chown(int(stat.Uid), int(stat.Gid)) != nil && f.Chown(-1, int(stat.Gid)) != nil {
		mode = mode&^0o070 | mode&(mode<<3)&0o070
	}
	_ = f.Chmod(mode) // on failure the file stays accessible to the owner only
}
