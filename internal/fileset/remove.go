package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/vfs"
)

// Remove removes the files of an array that nobody has open for writing, damaged ones and what an interrupted Remove has
// left too. The error wraps vfs.ErrLocked, or fs.ErrNotExist if there is nothing to remove.
func Remove(fsys vfs.FS, name string) error {
	err := Use(fsys, name, Writer, standIn, func(files Files) error {
		err := RemoveLocked(fsys, name)
		if err == nil {
			files.Close()
		}
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if id, idErr := identityOf(fsys, Log(name)); idErr != nil || id != nil {
		return err
	}
	return removeUnowned(fsys, name, err)
}

// standIn returns an empty file in place of a missing one; the log must be there.
func standIn(ext string, err error) (vfs.File, error) {
	if ext == LogExt {
		return nil, err
	}
	return vfs.NewMem().Create(ext)
}

// RemoveLocked is Remove for a caller that holds the locks of a writer. The log goes first, durably: without it there
// is no array, and nobody looks at the other files.
func RemoveLocked(fsys vfs.FS, name string) error {
	if err := fsys.Remove(Log(name)); err != nil {
		return err
	}
	if err := syncFolder(fsys, name); err != nil {
		return err
	}
	return removeRest(fsys, name)
}

// removeRest removes the files of an array that has no log any more.
func removeRest(fsys vfs.FS, name string) error {
	for _, file := range besideLog(name) {
		if err := removeIfThere(fsys, file); err != nil {
			return err
		}
	}
	return syncFolder(fsys, name)
}

// removeUnowned removes what an interrupted Remove has left. It returns the error none if that is nothing.
func removeUnowned(fsys vfs.FS, name string, none error) error {
	found := false
	for _, file := range besideLog(name) {
		f, err := fsys.OpenNoFollow(file, true)
		link := (*vfs.LinkError)(nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.As(err, &link):
			found = true
			continue
		case err != nil:
			return err
		}
		err = f.Lock() // nobody is just creating an array
		_ = f.Close()
		if err != nil {
			return err
		}
		found = true
	}
	if !found {
		return none
	}
	return removeRest(fsys, name)
}
