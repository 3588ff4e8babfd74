package fileset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/chunkstore"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/metalog"
	"drx/internal/onefile"
	"drx/internal/vfs"
)

// CheckName returns an error wrapping fs.ErrInvalid if an array cannot have the name.
func CheckName(name string) error {
	if last := filepath.Base(name); name == "" || strings.HasSuffix(name, "/") || last == "." || last == ".." {
		return errkind.Errorf(fs.ErrInvalid, "%q is not the name of a file, which an array's name must be", name)
	}
	return nil
}

// Claim creates log, data, table and presence map of a new array, and locks them. access is their
// mode and owner, nil for the defaults. Empty files, which an interrupted creation leaves, are
// replaced. No other file of an array with that name may exist; in particular no journal with
// contents, which would be mistaken for one of the new array. The error wraps fs.ErrExist, or is
// the file system's. After an error Claim has removed the files that it created.
func Claim(fsys vfs.FS, name string, access *vfs.Access) (Files, error) {
	// A name without extension would name that one, too.
	if err := mustNotBeArray(fsys, OtherForm(name)); err != nil {
		return Files{}, err
	}
	// The mark of a conversion may be all that is left of it.
	if err := removeIfExists(fsys, conversionMark(name)); err != nil {
		return Files{}, err
	}
	return claim(fsys, name, access)
}

// claim is Claim beside an array in the other form.
func claim(fsys vfs.FS, name string, access *vfs.Access) (Files, error) {
	if err := mustNotBeSeveral(fsys, name); err != nil {
		return Files{}, err
	}
	files, err := createFiles(fsys, name, "", access)
	if err != nil {
		return files, withLeftovers(fsys, name, err)
	}
	// Only now: the journal of an array that has the name may be in use, and its writer needs it
	// after a crash.
	if err := clearJournals(fsys, name); err != nil {
		Discard(fsys, files)
		return Files{}, err
	}
	return files, nil
}

// withLeftovers adds a remedy to the error for an existing file of a new array, if there is no log:
// the file belongs to an array whose log was lost, or whose removal was interrupted. The two cases
// cannot be distinguished.
func withLeftovers(fsys vfs.FS, name string, err error) error {
	var path *fs.PathError
	if errors.Is(err, fs.ErrExist) && errors.As(err, &path) && path.Path == markName(name) {
		return cmp.Or(mustNotBeArray(fsys, name), err) // the array, not the mark beside it
	}
	if OneFile(name) || !errors.Is(err, fs.ErrExist) || !errors.As(err, &path) || !slices.Contains([]string{Data(name), Table(name), Presence(name)}, path.Path) {
		return err
	}
	if exists, existsErr := Exists(fsys, name); existsErr != nil || exists {
		return err
	}
	return fmt.Errorf("%w, but there is no log %s: restore the log, or remove what is left of the array with drx rm", err, Log(name))
}

// clearJournals makes sure that no journal has a name that belongs to the new array, which would
// adopt it. It removes empty ones, which a power cut leaves if it loses the last steps of a
// removal, or of a Close before it. Any other journal is an error: it may have the last commit of
// an array whose files somebody has moved away. clearJournals searches beyond the first two names
// only if one of these exists: sharers number theirs without gaps, and removeNames removes the
// first ones last.
func clearJournals(fsys vfs.FS, name string) error {
	if err := mustNotExist(fsys, firstJournals(name)...); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, journal := range slices.Backward(chunkstore.Journals(Journal(name))) {
		if id, err := identityOf(fsys, journal); err != nil {
			return err
		} else if id == nil {
			continue
		}
		removed, err := removeBlank(fsys, journal)
		if err != nil {
			return err
		}
		if !removed {
			err = &fs.PathError{Op: "create", Path: journal, Err: fs.ErrExist}
			return fmt.Errorf("%w, and may have a commit of an array whose other files are gone: restore those, or remove the journal with drx rm", err)
		}
	}
	return nil
}

// mustNotExist returns an error wrapping fs.ErrExist if one of the files exists.
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

// mustNotBeArray returns an error wrapping fs.ErrExist if there is an array with one of the names.
func mustNotBeArray(fsys vfs.FS, names ...string) error {
	for _, name := range names {
		if exists, err := Exists(fsys, name); err != nil {
			return err
		} else if exists {
			return &fs.PathError{Op: "create", Path: Log(name), Err: fs.ErrExist}
		}
	}
	return nil
}

// createFiles creates log, data, table and presence map with names that end in suffix, and locks
// them. access is as in Claim. After an error none of them exists.
func createFiles(fsys vfs.FS, name, suffix string, access *vfs.Access) (Files, error) {
	raw, err := createRaw(fsys, name, suffix, access)
	if err != nil || !OneFile(name) {
		return several(raw), err
	}
	files := newInOne(raw[0])
	if err := cmp.Or(files.Data.Lock(), files.Table.Lock()); err != nil { // the log is locked
		Discard(fsys, files)
		return Files{}, err
	}
	return files, nil
}

// createRaw is createFiles for the files as they are in the folder.
func createRaw(fsys vfs.FS, name, suffix string, access *vfs.Access) (files []vfs.File, err error) {
	// If there were a mark, the next Open would replace the new files.
	if err := mustNotExist(fsys, markName(name)); err != nil {
		return nil, err
	}
	for _, ext := range exts(name) {
		f, err := createFile(fsys, name+ext+suffix, access)
		if err != nil {
			discard(fsys, files)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// createFile creates a file and locks it. An existing file without contents, which an interrupted
// creation leaves, is first removed rather than reused, because another user may own it or may have
// it open. The error wraps fs.ErrExist if the existing file has contents, cannot be removed, or is
// just being created by another process.
func createFile(fsys vfs.FS, name string, access *vfs.Access) (vfs.File, error) {
	f, err := newFile(fsys, name, access)
	if errors.Is(err, fs.ErrExist) {
		removed, removeErr := removeBlank(fsys, name)
		if removed {
			f, err = newFile(fsys, name, access)
		} else {
			err = cmp.Or(removeErr, err)
		}
	}
	if err != nil {
		return nil, err
	}
	own, err := lockIfUnused(fsys, f, isUnused)
	if own {
		return f, nil
	}
	if err != nil {
		_ = fsys.Remove(name)
	}
	_ = f.Close()
	return nil, cmp.Or(err, error(&fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}))
}

// removeBlank removes a file without contents, unless another process is just creating it. It
// reports whether the file was removed.
func removeBlank(fsys vfs.FS, name string) (bool, error) {
	f, err := fsys.OpenNoFollow(name, true)
	if err != nil {
		return false, nil // not ours to remove: no permission, or not a regular file
	}
	defer f.Close() // keeps the lock, so that nobody removes a newer file of that name
	if own, err := lockIfUnused(fsys, f, func(f vfs.File) (bool, error) { return isBlank(fsys, f) }); err != nil || !own {
		return false, err
	}
	err = fsys.Remove(name)
	if errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil, err
}

// newFile creates a file with the given mode and owner, nil for the defaults.
func newFile(fsys vfs.FS, name string, access *vfs.Access) (vfs.File, error) {
	if access == nil {
		return fsys.Create(name)
	}
	return fsys.CreateAs(name, *access)
}

// lockIfUnused locks a file. It reports whether the caller may use or remove the file: no other
// process has locked it, it has no contents according to blank, and it still has its name.
func lockIfUnused(fsys vfs.FS, f vfs.File, blank func(vfs.File) (bool, error)) (bool, error) {
	if err := f.Lock(); err != nil {
		if errors.Is(err, vfs.ErrLocked) {
			return false, nil
		}
		return false, err
	}
	if is, err := blank(f); err != nil || !is {
		return false, err
	}
	return hasStillItsName(fsys, f)
}

// hasStillItsName reports whether the name by which a file was opened or created still leads to
// that file.
func hasStillItsName(fsys vfs.FS, f vfs.File) (bool, error) {
	is, err := f.Identity()
	if err != nil {
		return false, err
	}
	now, err := identityOf(fsys, f.Name())
	return err == nil && now == is, err
}

// isBlank reports whether a file has no contents: it is empty, or it is the log of an array whose
// creation was interrupted (without a complete line, and beside files without contents), or the
// presence map of such an array.
func isBlank(fsys vfs.FS, f vfs.File) (bool, error) {
	if OneFile(strings.TrimSuffix(f.Name(), NewExt)) {
		return isBlankInOne(f)
	}
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
// commit.
func isUnused(f vfs.File) (bool, error) {
	if onefile.IsMember(f) {
		return onefile.Unborn(f)
	}
	size, err := f.Size()
	if err != nil || size == 0 || !strings.HasSuffix(f.Name(), PresenceExt) {
		return err == nil && size == 0, err
	}
	return chunktable.IsUnused(f)
}

// Unborn reports whether the files are remains of an interrupted creation: there is no commit in
// the log, and the other files are empty. The next creation would replace them.
func (f Files) Unborn() (bool, error) {
	if f.container != nil {
		return f.unbornInOne()
	}
	for _, file := range f.all()[1:] {
		if unused, err := isUnused(file); err != nil || !unused {
			return false, err
		}
	}
	return metalog.Unborn(f.Log)
}

// Discard removes newly created files and closes them. It closes them last, because that releases
// the locks, and nobody may lock a file that is about to be removed. It is called after an error
// and returns none of its own.
func Discard(fsys vfs.FS, files Files) {
	if files.container != nil {
		// Remove files.created, not the current name: that may belong to the array that this one
		// was to replace.
		_ = fsys.Remove(files.created)
		files.Close()
		// The array may have been the first in its file.
		if f, is := fsys.(interface{ removeEmpty(name string) }); is {
			f.removeEmpty(files.created)
		}
		return
	}
	discard(fsys, files.all())
}

// discard is Discard for files as they are in the folder.
func discard(fsys vfs.FS, files []vfs.File) {
	for _, f := range files {
		_, _ = fsys.Remove(f.Name()), f.Close()
	}
}
