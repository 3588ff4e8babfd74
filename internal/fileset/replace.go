package fileset

import (
	"errors"
	"io/fs"

	"drx/internal/vfs"
)

// Compact replaces the files of an array by new ones. Four renames are not atomic, so it does these
// steps, while it holds the locks on the old log and the new one:
//
//	write    the new files, as name.xmd.new and so on, and make them durable
//	mark     create name.xcp and make that durable: from now on the new files count
//	rename   data, table, presence map and, last, the log; make that durable
//	unmark   remove name.xcp and make that durable, before there are new files again
//
// So while there is a mark, a file with a name in .new counts if it exists, and the file without
// .new otherwise. Without a mark, files with names in .new were left by a writer that died.

// For an array in one file, the only step is MarkNew, which renames the new file and thus replaces
// the old one. Of the other steps only the durability remains.

// markName returns the name of the mark.
func markName(name string) string { return name + MarkExt }

// CreateNew creates files that are to replace those of an array, and locks them. access is their
// mode and owner. After an error none of them exists.
func CreateNew(fsys vfs.FS, name string, access *vfs.Access) (Files, error) {
	return createFiles(fsys, name, NewExt, access)
}

// Renamed returns the new files with the names that they have after PutInPlace.
func (f Files) Renamed(name string) Files {
	if f.container != nil {
		f.container.Rename(name)
		return f
	}
	for i, ext := range mainExts {
		*f.file(i) = vfs.Renamed(*f.file(i), name+ext)
	}
	return f
}

// MarkNew creates the mark, durably, which makes the new files count. These must be durable
// already. The mark gets the mode of the log.
func MarkNew(fsys vfs.FS, name string, log vfs.File) error {
	if OneFile(name) {
		return fsys.Rename(name+NewExt, name)
	}
	mark, err := vfs.CreateLike(fsys, markName(name), log)
	if err != nil {
		return err
	}
	if err := mark.Close(); err != nil {
		return err
	}
	return syncDir(fsys, name)
}

// PutInPlace gives the new files their final names and removes the mark. It can be called again
// after an error. The caller holds the lock on the new log.
func PutInPlace(fsys vfs.FS, name string) error {
	if OneFile(name) {
		return syncDir(fsys, name)
	}
	for _, ext := range []string{DataExt, TableExt, PresenceExt, LogExt} {
		if err := fsys.Rename(name+ext+NewExt, name+ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncDir(fsys, name); err != nil {
		return err
	}
	return Unmark(fsys, name)
}

// Unmark removes the mark, durably. The error wraps fs.ErrNotExist if the new file counts already:
// a file system may report an error of MarkNew although it has renamed the file.
func Unmark(fsys vfs.FS, name string) error {
	if OneFile(name) {
		_, err := fsys.Identity(name + NewExt)
		return err
	}
	if err := removeIfExists(fsys, markName(name)); err != nil {
		return err
	}
	return syncDir(fsys, name)
}

// RemoveNew removes new files that an interrupted Compact has left. There must be no mark.
func RemoveNew(fsys vfs.FS, name string) error {
	for _, file := range newNames(name) {
		if err := removeIfExists(fsys, file); err != nil {
			return err
		}
	}
	return nil
}

// removeIfExists removes a file, if it exists.
func removeIfExists(fsys vfs.FS, name string) error {
	if err := fsys.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
