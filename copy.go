package drx

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// CopyFiles copies the files of an array to another name, in any folder and on any file system,
// with the same chunk numbers and the same history. (Package relayout copies elements into other
// chunks.) Both names may have one of the extensions of an array's files. The copy is in one file
// if the new name ends in .drx, and in several files otherwise. Holes stay holes, and where the
// file system can share the bytes of two files, they are shared until one of them changes. Like
// Rename, CopyFiles first completes the work of a writer that died, and refuses an array that is
// open for writing elsewhere (ErrLocked) or cannot be opened for writing; readers may have it open.
// Damaged chunks are copied as they are. If the principal array is a symbolic link, its target is
// copied. The new files grant no permission that the log does not grant.
//
// If progress is not nil, it is called with the number of bytes copied so far, and the number of
// all bytes. If CopyFiles is interrupted, there is no new array, unless all of it was durable
// already; leftover files do not prevent another attempt.
//
// The error names the file. It wraps fs.ErrExist if a file with the new name exists, also if both
// names are the same, and says so if the array there has the same commits and chunks already: an
// interrupted copy of which all is durable gets its names first. It wraps fs.ErrNotExist if there
// is no such array or no folder for it, and fs.ErrInvalid if the new name is no file name; or it is
// ctx's or the file system's.
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
		return errkind.Doing(from, op, err)
	}
	return a.closeFiles(op, func() (keepJournal bool, err error) {
		c, err := a.newCopyJob(to, progress)
		if err != nil {
			return true, err
		}
		if err = c.Copy(ctx); errors.Is(err, fs.ErrExist) {
			err = existingCopy(c, err)
		}
		return true, err
	})
}

// existingCopy returns the error for a copy whose name is taken. It says whether the existing array
// has the same commits and chunks. If that is a copy that was interrupted while its files were
// renamed, existingCopy completes the renaming. The error wraps err.
func existingCopy(c *fileset.CopyJob, err error) error {
	same := func() bool {
		is, sameErr := fileset.SameCommit(c.FS, c.From, c.To, c.Chunks.Count)
		return sameErr == nil && is
	}
	marked, markErr := fileset.Marked(c.FS, c.To)
	switch {
	case c.From == c.To || markErr != nil || !same():
		return err
	case !marked:
		return &fileset.CopiedError{From: c.From, Err: err}
	}
	b, openErr := open(c.To, Options{Write: true, Incomplete: true, fs: c.FS}, 0)
	if openErr != nil {
		return err // another process has it, or it is damaged
	}
	if b.Close() != nil || !same() { // it could have completed a commit of its own
		return err
	}
	return &fileset.CopiedError{From: c.From, Finished: true, Err: err}
}

// newCopyJob returns the job that copies the array's files. It empties the journal, which is not
// copied.
func (a *Array) newCopyJob(to string, progress func(done, total int64)) (*fileset.CopyJob, error) {
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
	return &fileset.CopyJob{
		FS: a.fsys, From: a.name, To: to, Access: access, Progress: progress,
		Chunks: fileset.Chunks{Slot: s.Slot(), Bytes: int64(s.ChunkBytes), Align: s.Align, Count: int64(s.Grid.Chunks())},
	}, nil
}

// Convert renames an array, in any folder of the same file system, and converts it to the form of
// the new name: one file if newName ends in .drx, several files otherwise. If the form changes,
// Convert copies the files as CopyFiles does, with the same chunk numbers, history and holes, and
// then removes the old ones. Otherwise it only renames; see Rename. The names may differ in the
// form alone, such as "radar" and "radar.drx". If the array already has the form, under its old or
// its new name, Convert completes an interrupted conversion.
//
// If Convert is interrupted, the array is complete, in one of the forms and under one of the names.
// If only the form was to change, the name without .drx always finds it; otherwise the array may
// have its old name in the new form. The same Convert continues, and the next writer that opens the
// array removes leftover files. Readers should open the new name.
//
// If progress is not nil, it is called with the number of bytes copied so far, and the number of
// all bytes. The error is one of those of Rename and CopyFiles.
func Convert(ctx context.Context, oldName, newName string, progress func(done, total int64)) error {
	return convert(ctx, fileset.OS(), oldName, BaseName(newName), progress)
}

func convert(ctx context.Context, fsys vfs.FS, from, to string, progress func(done, total int64)) error {
	op := "convert"
	from, err := resolve(fsys, from)
	if to != from {
		op += " to " + to
	}
	if err == nil {
		err = fileset.CheckName(to)
	}
	if err == nil {
		err = checkContainers(fsys, from, to)
	}
	if err != nil {
		return errkind.Doing(from, op, err)
	}
	// An interrupted Convert may have left files under the old name.
	if done, err := fileset.Converted(fsys, fileset.OtherForm(from)); err != nil {
		return errkind.Doing(from, op, err)
	} else if done {
		from = fileset.OtherForm(from)
	}
	if changed, finished, err := resumeConvert(fsys, from, to); err != nil || finished {
		if err != nil {
			err = errkind.Doing(from, op, err)
		}
		return err
	} else if changed {
		from = fileset.OtherForm(from)
	}
	if fileset.OneFile(from) != fileset.OneFile(to) {
		if err := changeForm(ctx, fsys, from, to, op, progress); err != nil {
			return err
		}
		from = fileset.OtherForm(from)
	}
	if from != to {
		return rename(fsys, from, to)
	}
	// Recovery removes what a killed copy has left.
	a, err := open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0)
	if err != nil {
		return errkind.Doing(from, op, err)
	}
	return a.Close()
}

// resumeConvert detects a Convert with the same names that was interrupted after it had changed the
// form. Either the array still has its old name, in the new form (changed), or it has its new name
// beside old names of its files, which resumeConvert removes (finished). By then the mark of the
// conversion is gone. The two forms of one name always belong to the same array, so no other array
// is touched.
func resumeConvert(fsys vfs.FS, from, to string) (changed, finished bool, err error) {
	if fileset.OneFile(from) == fileset.OneFile(to) {
		return false, false, nil
	}
	if exists, err := fileset.Exists(fsys, from); err != nil || exists {
		return false, false, err
	}
	other := fileset.OtherForm(from)
	if changed, err = fileset.Exists(fsys, other); err != nil || changed || other == to {
		return changed, false, err
	}
	finished, err = fileset.FinishRename(fsys, other, to)
	return false, finished, err
}

// changeForm gives an array the other form. If the name "to" differs from its name in more than the
// form, changeForm first checks that the name is free and that its folder exists.
func changeForm(ctx context.Context, fsys vfs.FS, from, to, op string, progress func(done, total int64)) error {
	a, err := open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0) // locks the files
	if err != nil {
		return errkind.Doing(from, op, err)
	}
	return a.closeFiles(op, func() (keepJournal bool, err error) {
		other := fileset.OtherForm(from)
		if other != to {
			// SyncDir fails if there is no folder.
			if err := cmp.Or(fileset.CheckFree(fsys, to), fsys.SyncDir(filepath.Dir(to))); err != nil {
				return true, err
			}
		}
		c, err := a.newCopyJob(other, progress)
		if err != nil {
			return true, err
		}
		return true, c.Convert(ctx)
	})
}

// checkContainers returns an error if an array cannot be converted because its old or its new name
// is in a file with several arrays.
func checkContainers(fsys vfs.FS, from, to string) error {
	container, in := fileset.Container(fsys, from)
	target, toIn := fileset.Container(fsys, to)
	switch {
	case container != target:
		return errkind.Errorf(vfs.ErrOtherDevice, "an array stays in its file, use drx cp, then drx rm")
	case (in || toIn) && fileset.OneFile(from) != fileset.OneFile(to):
		return errkind.Errorf(fs.ErrInvalid, "%s has several arrays, which have one form: copy the array out of it with drx cp", container)
	}
	return nil
}
