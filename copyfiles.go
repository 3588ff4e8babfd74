package drx

import (
	"context"
	"fmt"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// CopyFiles copies the files of an array to another name, in any folder and on any file system: the same chunks in the
// same places, with the same history. (Package relayout copies elements into other chunks.) Both names may have one
// of the extensions of an array's files; a new name that ends in .drx makes the copy one in one file, any other name one in several
// files. Holes stay holes, and where the file system can share the bytes of two
// files, they are shared until one of them changes. Like Rename it first completes what a writer that died has left,
// and refuses an array that is open for writing elsewhere (ErrLocked) or cannot be opened for writing; readers may
// have it open. Damaged chunks are copied as they are. A principal array behind a symbolic link is copied, and
// not the link. The new files give nobody a permission that the log does not give.
//
// If progress is not nil, it is called with the number of bytes copied so far, and of all. If CopyFiles is
// interrupted, there is no new array, except if all of it was durable already; files that are left do not prevent
// another attempt.
//
// The error names the file. It wraps fs.ErrExist if a file with the new name exists, also if both names are the
// same, fs.ErrNotExist if there is no such array or no folder for it, and fs.ErrInvalid if the new name is no file
// name; or it is ctx's or the file system's.
func CopyFiles(ctx context.Context, oldName, newName string, progress func(done, total int64)) error {
	return copyFiles(ctx, fileset.OS(), oldName, BaseName(newName), progress)
}

func copyFiles(ctx context.Context, fsys vfs.FS, from, to string, progress func(done, total int64)) error {
	to = fileset.NewName(fsys, to)
	op := "copy to " + to
	from, err := resolve(fsys, from)
	if err == nil {
		err = fileset.CheckName(to)
	}
	var a *Array
	if err == nil {
		a, err = open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0) // locks the files
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	return a.closeFiles(op, func() (keepJournal bool, err error) {
		c, err := a.newCopying(to, progress)
		if err != nil {
			return true, err
		}
		return true, c.Copy(ctx)
	})
}

// newCopying returns a copy of the array's files that is to be made. It empties the journal, which is not copied.
func (a *Array) newCopying(to string, progress func(done, total int64)) (*fileset.Copying, error) {
	if fileset.OneFile(to) {
		if err := a.upgradeNow(); err != nil {
			return nil, err
		}
	}
	if err := a.writer.EmptyJournal(); err != nil {
		return nil, err
	}
	access, err := limitedAccess(a.file)
	if err != nil {
		return nil, err
	}
	s := a.state.Load()
	return &fileset.Copying{
		FS: a.fsys, From: a.name, To: to, Access: access, Progress: progress,
		Chunks: fileset.Chunks{Slot: s.Slot(), Bytes: int64(s.ChunkBytes), Align: s.Align, Count: int64(s.Grid.Chunks())},
	}, nil
}
