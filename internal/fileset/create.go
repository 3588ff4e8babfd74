package fileset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/chunktable"
	"drx/internal/metalog"
	"drx/internal/vfs"
)

// CheckName returns an error wrapping fs.ErrInvalid for a text that names no file.
func CheckName(name string) error {
	if last := filepath.Base(name); name == "" || strings.HasSuffix(name, "/") || last == "." || last == ".." {
		return fmt.Errorf("%q is no name for an array: %w", name, fs.ErrInvalid)
	}
	return nil
}

// Claim creates log, data, table and presence map of an array that does not exist, with an Access, nil for that of
// any new file, and locks them. Empty files, as an interrupted creation leaves them, are replaced. Other files
// of that name must not exist: the journal of an array that is gone would be taken for this one's. The error wraps
// fs.ErrExist; there is none of the files then.
func Claim(fsys vfs.FS, name string, as *vfs.Access) (Files, error) {
	if err := mustNotExist(fsys, firstJournals(name)...); err != nil {
		return Files{}, err
	}
	files, err := createAll(fsys, name, "", as)
	var path *fs.PathError
	if errors.Is(err, fs.ErrExist) && errors.As(err, &path) && slices.Contains([]string{Data(name), Table(name), Presence(name)}, path.Path) {
		err = fmt.Errorf("%w, but there is no log %s: restore the log, or move the other files of this array away", err, Log(name))
	}
	return files, err
}

// mustNotExist returns an error wrapping fs.ErrExist when one of the files exists.
func mustNotExist(fsys vfs.FS, names ...string) error {
	for _, name := range names {
		if id, err := identityOf(fsys, name); err != nil {
			return err
		} else if id != nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
	}
	return nil
}

// createAll creates log, data, table and presence map, the names ending with a suffix, and locks them. They
// get an Access, nil for that of any new file. After an error there is none of them.
func createAll(fsys vfs.FS, name, suffix string, as *vfs.Access) (files Files, err error) {
	// A mark would make the next Open put other files in their place.
	if err := mustNotExist(fsys, markOf(name)); err != nil {
		return Files{}, err
	}
	for _, ext := range mainExts {
		f, err := createFile(fsys, name+ext+suffix, as)
		if err != nil {
			Discard(fsys, files)
			return Files{}, err
		}
		*files.of(ext) = f
	}
	return files, nil
}

// createFile creates a file and locks it. One that holds nothing, as a creation leaves it that was interrupted,
// is removed before: it may be somebody else's, open to anybody. The error wraps fs.ErrExist when there is one that
// holds something, or cannot be removed, or that somebody else is just creating.
func createFile(fsys vfs.FS, name string, as *vfs.Access) (vfs.File, error) {
	f, err := newFile(fsys, name, as)
	if errors.Is(err, fs.ErrExist) {
		removed, removeErr := removeBlank(fsys, name)
		if removed {
			f, err = newFile(fsys, name, as)
		} else {
			err = cmp.Or(removeErr, err)
		}
	}
	if err != nil {
		return nil, err
	}
	own, err := take(fsys, f, isUnused)
	if own {
		return f, nil
	}
	if err != nil {
		_ = fsys.Remove(name)
	}
	_ = f.Close()
	return nil, cmp.Or(err, error(&fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}))
}

// removeBlank removes a file that holds nothing and that nobody is just creating, and reports whether it did.
func removeBlank(fsys vfs.FS, name string) (bool, error) {
	f, err := fsys.OpenNoFollow(name, true)
	if err != nil {
		return false, nil // it is somebody else's, or no file
	}
	defer f.Close() // not before: nobody else may remove what has the name by then
	if own, err := take(fsys, f, func(f vfs.File) (bool, error) { return isBlank(fsys, f) }); err != nil || !own {
		return false, err
	}
	err = fsys.Remove(name)
	if errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil, err
}

func newFile(fsys vfs.FS, name string, as *vfs.Access) (vfs.File, error) {
	if as == nil {
		return fsys.Create(name)
	}
	return fsys.CreateAs(name, *as)
}

// take locks a file, and reports whether it is this caller's then: it holds nothing, as blank says, nobody else has
// locked it, and it still has its name.
func take(fsys vfs.FS, f vfs.File, blank func(vfs.File) (bool, error)) (bool, error) {
	if err := f.Lock(); err != nil {
		if errors.Is(err, vfs.ErrLocked) {
			return false, nil
		}
		return false, err
	}
	if is, err := blank(f); err != nil || !is {
		return false, err
	}
	return hasItsName(fsys, f)
}

// hasItsName reports whether a name still stands for the file that was opened or created by it.
func hasItsName(fsys vfs.FS, f vfs.File) (bool, error) {
	is, err := f.Identity()
	if err != nil {
		return false, err
	}
	now, err := identityOf(fsys, f.Name())
	return err == nil && now == is, err
}

// isBlank reports whether a file holds nothing: it is empty, or a log that never had a commit, its first line
// being cut short by a crash, without anything in the other files; or the presence map of such an array.
func isBlank(fsys vfs.FS, f vfs.File) (bool, error) {
	name, isLog := strings.CutSuffix(f.Name(), LogExt)
	if !isLog {
		return isUnused(f)
	}
	if unborn, err := metalog.Unborn(f); err != nil || !unborn {
		return false, err
	}
	for _, other := range []string{Data(name), Table(name), Presence(name)} {
		f, err := fsys.Open(other, false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		unused, err := isUnused(f)
		_ = f.Close()
		if err != nil || !unused {
			return false, err
		}
	}
	return true, nil
}

// isUnused reports whether a file is empty, or a presence map that knows of no chunk and of no
// commit but the creation.
func isUnused(f vfs.File) (bool, error) {
	size, err := f.Size()
	if err != nil || size == 0 || !strings.HasSuffix(f.Name(), PresenceExt) {
		return err == nil && size == 0, err
	}
	return chunktable.IsUnused(f)
}

// Unborn reports whether the files are as an interrupted creation leaves them, and the next one would replace them:
// there is no commit in the log and nothing in the other files.
func (f Files) Unborn() (bool, error) {
	for _, file := range f.all()[1:] {
		if unused, err := isUnused(file); err != nil || !unused {
			return false, err
		}
	}
	return metalog.Unborn(f.Log)
}

// Discard removes files that were created and closes them, which gives the locks back: nobody takes one that is about to
// be removed. Whatever cannot be undone, the error before is what the caller needs.
func Discard(fsys vfs.FS, files Files) {
	for _, f := range files.all() {
		_, _ = fsys.Remove(f.Name()), f.Close()
	}
}
