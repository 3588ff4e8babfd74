package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/vfs"
)

// Compact replaces the files of an array by new ones. Four renames are not atomic, so
// it goes through these steps, holding the locks on the old log and the new one:
//
//	write    the new files, as name.xmd.new and so on, and make them durable
//	mark     create name.xcp and make that durable: from now on the new files count
//	rename   data, table, presence map and, last, the log; make that durable
//	unmark   remove name.xcp and make that durable, before there are new files again
//
// So while there is a mark, the files with the extension .new count where they exist and the
// others where not; without a mark those with .new are left over from a writer that died.

// markOf returns the name of the mark.
func markOf(name string) string { return name + MarkExt }

// CreateNew creates files that are to take the place of those of an array, and locks them. They get an Access.
// After an error there is none of them.
func CreateNew(fsys vfs.FS, name string, as *vfs.Access) (Files, error) {
	return createAll(fsys, name, NewExt, as)
}

// Renamed returns new files as they are called when they are in place.
func (f Files) Renamed(name string) Files {
	for _, ext := range mainExts {
		*f.of(ext) = vfs.Renamed(*f.of(ext), name+ext)
	}
	return f
}

// MarkNew makes the new files count, which must be durable. The mark gets the mode of the log.
func MarkNew(fsys vfs.FS, name string, log vfs.File) error {
	mark, err := vfs.CreateLike(fsys, markOf(name), log)
	if err != nil {
		return err
	}
	if err := mark.Close(); err != nil {
		return err
	}
	return syncFolder(fsys, name)
}

// PutInPlace gives the new files of an array their names, once there is a mark, and removes
// that. It can be called again after an error. The lock on the new log must be held.
func PutInPlace(fsys vfs.FS, name string) error {
	for _, ext := range []string{DataExt, TableExt, PresenceExt, LogExt} {
		if err := fsys.Rename(name+ext+NewExt, name+ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncFolder(fsys, name); err != nil {
		return err
	}
	return Unmark(fsys, name)
}

// Unmark removes the mark, durably.
func Unmark(fsys vfs.FS, name string) error {
	if err := removeIfThere(fsys, markOf(name)); err != nil {
		return err
	}
	return syncFolder(fsys, name)
}

// RemoveNew removes new files that an unfinished Compact left behind. There must be no mark.
func RemoveNew(fsys vfs.FS, name string) error {
	for _, ext := range mainExts {
		if err := removeIfThere(fsys, name+ext+NewExt); err != nil {
			return err
		}
	}
	return nil
}

// removeIfThere removes a file that may not exist.
func removeIfThere(fsys vfs.FS, name string) error {
	if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
