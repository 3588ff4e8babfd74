package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"drx/internal/chunkio"
	"drx/internal/metalog"
	"drx/internal/vfs"
)

// Exists reports whether there is an array with a name, which may be given with one of the extensions. Files
// that a Create or a Remove has left behind, because the process was killed, are no array. The error is the file
// system's.
func Exists(name string) (bool, error) {
	name = BaseName(name)
	ok, err := exists(vfs.OS, name)
	if err != nil {
		return false, fmt.Errorf("%s: exists: %w", name, err)
	}
	return ok, nil
}

// Remove removes the files of an array; name may be given with one of the extensions. Nobody may have the
// array open for writing (ErrLocked); readers go on with the files that they have. A Remove that is interrupted leaves
// the array whole, or no array and files that the next Remove removes. Damaged arrays are removed as well. Of
// a .xta file that is a symbolic link only the link is removed. The error wraps fs.ErrNotExist if there is
// nothing to remove.
func Remove(name string) error {
	name = BaseName(name)
	if err := remove(vfs.OS, name); err != nil {
		return fmt.Errorf("%s: remove: %w", name, err)
	}
	return nil
}

func exists(fsys vfs.FS, name string) (bool, error) {
	s := &fileSet{fsys: fsys, name: name}
	if err := s.openMark(); err != nil {
		return false, err
	}
	defer s.closeMark()
	log, err := s.open(logExt, false)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer log.Close()
	unborn, err := metalog.Unborn(log)
	return err == nil && !unborn, err
}

func remove(fsys vfs.FS, name string) error {
	o := Options{Write: true, fs: fsys}
	_, err := withFiles(name, o, standIn, func(files []vfs.File) (*Array, error) {
		if err := removeLog(fsys, name); err != nil {
			return nil, err
		}
		if err := removeLeft(fsys, name); err != nil {
			return nil, err
		}
		for _, f := range files {
			_ = f.Close() // nothing was written
		}
		return nil, nil
	})
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if id, idErr := identityOf(fsys, name+logExt); idErr != nil || id != nil {
		return err
	}
	return removeUnowned(fsys, name, err)
}

// standIn returns an empty file in place of a missing one; the log must be there.
func standIn(ext string, err error) (vfs.File, error) {
	if ext == logExt {
		return nil, err
	}
	return vfs.NewMem().Create(ext)
}

// removeLog removes the log, durably: without it there is no array, and nobody looks at the other files.
func removeLog(fsys vfs.FS, name string) error {
	if err := fsys.Remove(name + logExt); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// removeLeft removes the files of an array that has no log any more.
func removeLeft(fsys vfs.FS, name string) error {
	for _, file := range filesBesideLog(name) {
		if err := fsys.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// filesBesideLog returns the names of all files that an array may have, but for its log.
func filesBesideLog(name string) []string {
	return append(chunkio.Journals(name+journalExt), name+presenceExt, name+tableExt, name+dataExt)
}

// removeUnowned removes what an interrupted Remove has left. It returns the error none if that is nothing.
func removeUnowned(fsys vfs.FS, name string, none error) error {
	found := false
	for _, file := range filesBesideLog(name) {
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
	return removeLeft(fsys, name)
}
