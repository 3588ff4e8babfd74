package fileset

import (
	"errors"
	"io/fs"
	"slices"

	"drx/internal/vfs"
)

// Remove removes the files of an array that nobody has open for writing. The array may be damaged,
// or what an interrupted Remove has left. The error wraps vfs.ErrLocked, or fs.ErrNotExist if there
// is nothing to remove.
func Remove(fsys vfs.FS, name string) error {
	if err := mustNotBeSeveral(fsys, name); err != nil {
		return err
	}
	return remove(fsys, name, func() error { return finishConversion(fsys, name) })
}

// remove is Remove. It calls first while it holds the locks.
func remove(fsys vfs.FS, name string, first func() error) error {
	err := removeWithLog(fsys, name, first)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if id, idErr := identityOf(fsys, Log(name)); idErr != nil || id != nil {
		return err
	}
	return removeWithoutLog(fsys, name, err)
}

// removeWithLog is Remove for an array that has a log.
func removeWithLog(fsys vfs.FS, name string, first func() error) error {
	if OneFile(name) {
		return removeInOne(fsys, name, first)
	}
	return openAndRetry(fsys, name, true, emptySubstitute, func(s *fileSet) (again bool, err error) {
		if again, err = s.lockCurrent(Writer); again || err != nil {
			return again, err
		}
		if err = first(); err == nil {
			err = RemoveLocked(fsys, name)
		}
		if err == nil {
			s.files.Close()
		}
		return false, err
	})
}

// emptySubstitute is an Absent that returns an empty file, except for the log.
func emptySubstitute(ext string, err error) (vfs.File, error) {
	if ext == LogExt {
		return nil, err
	}
	return vfs.NewMem().Create(ext)
}

// RemoveLocked is Remove for a caller that holds the locks of a writer. It first removes the log,
// durably, because nobody looks at the other files without it.
func RemoveLocked(fsys vfs.FS, name string) error {
	if err := fsys.Remove(Log(name)); err != nil {
		return err
	}
	if err := syncDir(fsys, name); err != nil {
		return err
	}
	return removeRest(fsys, name)
}

// removeRest removes the remaining files of an array without a log.
func removeRest(fsys vfs.FS, name string) error {
	if err := removeNames(fsys, name); err != nil {
		return err
	}
	return syncDir(fsys, name)
}

// removeNames removes the remaining names of an array without a log. The first journals are there,
// durably, until the others are gone, because whoever takes the name looks only for them.
func removeNames(fsys vfs.FS, name string) error {
	later := false
	for _, file := range slices.Backward(laterJournals(name)) {
		err := fsys.Remove(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		later = later || err == nil
	}
	if later {
		if err := syncDir(fsys, name); err != nil {
			return err
		}
	}
	for _, file := range namesButLog(name) {
		if err := removeIfExists(fsys, file); err != nil {
			return err
		}
	}
	return nil
}

// removeWithoutLog removes what an interrupted Remove or Unpack has left. It returns the error none
// if there is nothing.
func removeWithoutLog(fsys vfs.FS, name string, none error) error {
	found := false
	for _, file := range append(namesButLog(name), newNames(name)...) {
		f, err := vfs.IfExists(fsys.OpenNoFollow(file, true))
		link := (*vfs.LinkError)(nil)
		if err != nil && !errors.As(err, &link) {
			return err
		}
		if f != nil {
			err := f.Lock() // fails if another process is just creating an array
			_ = f.Close()
			if err != nil {
				return err
			}
		}
		found = found || f != nil || link != nil
	}
	if !found {
		return none
	}
	if err := RemoveNew(fsys, name); err != nil {
		return err
	}
	return removeRest(fsys, name)
}
