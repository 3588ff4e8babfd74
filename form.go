package drx

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Convert gives an array another name, in any folder of the same file system, and the form that the name says: an array in one
// file if newName ends in .drx, one in several files otherwise. If only one of the names is that of an array in one file, the
// files are copied, with the same chunks, the same history and the same holes, as CopyFiles copies them, and then the
// old ones are removed. Otherwise Convert renames, see Rename. The names may differ in nothing but the form, as "radar" and
// "radar.drx". If the array has the form already, under its old or its new name, Convert completes what an interrupted one has left.
//
// If Convert is interrupted, the array is whole, in one of the forms and under one of the names. If only the form was to be
// changed, the name without .drx leads to it at any time; otherwise it may be left under its old name in the new form. The same Convert
// goes on, and whoever opens the array for writing removes the files that are left over. Readers should open the new name.
//
// If progress is not nil, it is called with the number of bytes copied so far, and of all. The error is one of those of
// Rename and CopyFiles.
func Convert(ctx context.Context, oldName, newName string, progress func(done, total int64)) error {
	return convert(ctx, fileset.OS(), oldName, BaseName(newName), progress)
}

func convert(ctx context.Context, fsys vfs.FS, from, to string, progress func(done, total int64)) error {
	op := "convert to " + to
	from, err := resolve(fsys, from)
	if err == nil {
		err = fileset.CheckName(to)
	}
	if err == nil {
		err = checkContainers(fsys, from, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	// An interrupted Convert may have left files under the old name.
	if done, err := fileset.Converted(fsys, fileset.OtherForm(from)); err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	} else if done {
		from = fileset.OtherForm(from)
	}
	if changed, finished, err := resumeConvert(fsys, from, to); err != nil || finished {
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", from, op, err)
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
	a, err := open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0) // removes what is left over
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	return a.Close()
}

// resumeConvert looks for what a Convert with the same names has left that was interrupted after it had changed the form: the
// array is under its old name in the form that it is to have (changed), or has its new name already, beside old names of its
// files, which resumeConvert removes (finished). The mark of the conversion is gone by then. An array in one form and one in
// the other are two forms of one name everywhere, so nobody's other array can be meant.
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

// changeForm gives an array the other form, in which it is to get the name to. If that differs in more than the form, it first
// looks whether the array can get it.
func changeForm(ctx context.Context, fsys vfs.FS, from, to, op string, progress func(done, total int64)) error {
	a, err := open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0) // locks the files
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	return a.closeFiles(op, func() (keepJournal bool, err error) {
		other := fileset.OtherForm(from)
		if other != to {
			if err := cmp.Or(fileset.CheckFree(fsys, to), fsys.SyncDir(filepath.Dir(to))); err != nil { // is there a folder?
				return true, err
			}
		}
		c, err := a.newCopying(other, progress)
		if err != nil {
			return true, err
		}
		return true, c.Convert(ctx)
	})
}

// checkContainers returns an error if an array cannot be converted because it is, or would be, one of several in a file.
func checkContainers(fsys vfs.FS, from, to string) error {
	container, in := fileset.Container(fsys, from)
	target, toIn := fileset.Container(fsys, to)
	switch {
	case container != target:
		return fmt.Errorf("an array stays in its file, use drx cp, then drx rm: %w", vfs.ErrOtherDevice)
	case (in || toIn) && fileset.OneFile(from) != fileset.OneFile(to):
		return fmt.Errorf("%s has several arrays, which have one form: copy the array out of it with drx cp: %w", container, fs.ErrInvalid)
	}
	return nil
}
