package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// Rename renames a dataset on the same file system, atomically: after an interruption it is
// complete under one of the two names. It first removes what a writer that died has left. Readers
// should open the new name.
//
// The error wraps fs.ErrNotExist if the folder is no dataset, fs.ErrExist if the new name exists,
// and drx.ErrLocked if the dataset or a variable is open for writing; otherwise it is the file
// system's.
func Rename(from, to string) error {
	d, err := openAlone(from)
	if err != nil {
		return err
	}
	if drx.IsContainer(d.folder) { // which is locked by Rename
		return errors.Join(d.Discard(), drx.Rename(d.folder, to))
	}
	defer func() { _ = d.Discard() }() // nothing was changed
	return drx.RenameFolder(d.folder, to)
}

// Remove removes a dataset with all its variables and groups. It first renames the folder to a
// hidden name, so that after an interruption the dataset is complete or gone; IsLeft then reports
// whether another Remove is needed. It also removes what an interrupted copy or Unpack has left. A
// folder with files that belong to no array is not removed: the error wraps fs.ErrInvalid.
// Otherwise the error is that of Rename.
func Remove(folder string) error {
	hidden := hiddenName(folder, "removed")
	if there, err := IsLeft(folder); err != nil || there {
		declared, existsErr := isDeclared(folder)
		err = errors.Join(err, existsErr)
		for _, left := range leftNames(folder) {
			if err == nil {
				if err = drx.RemoveFolder(left); errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
			}
		}
		if err != nil || !declared {
			return err
		}
	}
	d, err := openAlone(folder)
	if err != nil {
		return err
	}
	if drx.IsContainer(d.folder) { // which Remove locks, and removes at once
		return errors.Join(d.Discard(), drx.Remove(d.folder))
	}
	if err := drx.CheckRemoval(d.folder); err != nil {
		return errors.Join(err, d.Discard())
	}
	err = drx.RenameFolder(d.folder, hidden)
	_ = d.Discard() // nothing was changed
	if err != nil {
		return err
	}
	return drx.RemoveFolder(hidden)
}

// copying is the suffix of the hidden folder of a copy that is not complete.
const copying = "copying"

// leftNames returns the names under which an interrupted Remove, Unpack, Copy or Rearrange leaves
// files.
func leftNames(folder string) []string {
	return []string{hiddenName(folder, "removed"), hiddenName(folder, unpacking), hiddenName(folder, copying)}
}

// IsLeft reports whether an interrupted Remove, Unpack, Copy or Rearrange has left files of a
// dataset behind.
func IsLeft(folder string) (bool, error) {
	for _, left := range leftNames(folder) {
		if _, _, err := drx.List(left); !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// fileExt is the extension of a dataset that is a file with several arrays.
const fileExt = ".drx"

// hiddenName returns the name of a hidden folder, or hidden file with several arrays, beside a
// dataset.
func hiddenName(folder, suffix string) string {
	folder = filepath.Clean(folder)
	own, ext := filepath.Base(folder), ""
	if base := strings.TrimSuffix(own, fileExt); base != "" && base != own {
		own, ext = base, fileExt
	}
	return filepath.Join(filepath.Dir(folder), "."+own+"."+suffix+ext)
}

// leftovers are the suffixes of hidden names, with what an operation that has the name does, or did
// until it was interrupted.
var leftovers = map[string]string{
	"removed": "is being removed, or its removal was interrupted",
	unpacking: "is being unpacked, or that was interrupted",
	copying:   "is being made, or that was interrupted",
}

// LeftOf returns the dataset to which a hidden folder or file belongs, and what an operation that
// still runs, or was interrupted, does with it: "is being removed, or ...". It returns "" for other
// names. Remove, with the name of the dataset, removes what was left.
func LeftOf(name string) (dataset, is string) {
	own, ext := filepath.Base(filepath.Clean(name)), ""
	if base, cut := strings.CutSuffix(own, fileExt); cut {
		own, ext = base, fileExt
	}
	of, hides := strings.CutPrefix(own, ".")
	i := strings.LastIndexByte(of, '.')
	if !hides || i < 1 || leftovers[of[i+1:]] == "" {
		return "", ""
	}
	return filepath.Join(filepath.Dir(name), of[:i]+ext), leftovers[of[i+1:]]
}

// asNamed returns an error about the files of a hidden folder with the name that the user knows.
func asNamed(to string, err error, suffix string) error {
	if err == nil {
		return nil
	}
	return wording.Reworded(strings.ReplaceAll(err.Error(), hiddenName(to, suffix), filepath.Clean(to)), err)
}

// Copy copies the groups of a dataset with their attributes, and the files of all variables, see
// drx.CopyFiles. The new dataset appears when it is complete. An interrupted Copy leaves a hidden
// folder, which the next Copy to the same name removes. If progress is not nil, it is called with
// the name of a variable, the number of its bytes copied so far, and their total. The error is that
// of Rename or of drx.CopyFiles.
func Copy(ctx context.Context, from, to string, progress func(variable string, done, total int64)) error {
	if err := checkNew(to); err != nil {
		return fmt.Errorf("%s: copy: %w", from, err)
	}
	d, err := openAlone(from)
	if err != nil {
		return err
	}
	defer func() { _ = d.Discard() }() // nothing was changed
	return appear(to, drx.Options{}, func(copied *Dataset) error { return d.copyTo(ctx, copied, progress) })
}

// CreateFilled creates a dataset with what fill creates in it. The dataset appears when fill has
// returned, with all of it. An interrupted CreateFilled leaves a hidden folder, which the next one
// of the same name removes. The error is that of Create or of fill; after an error there is no
// dataset.
func CreateFilled(folder string, o drx.Options, fill func(d *Dataset) error) error {
	if err := checkNew(folder); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	return appear(folder, o, fill)
}

// checkNew returns an error wrapping fs.ErrExist if the name of a new dataset is taken.
func checkNew(name string) error {
	switch _, _, err := drx.List(name); {
	case errors.Is(err, fs.ErrNotExist), isClaimed(name):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", name, errors.Join(err, fs.ErrExist))
	}
	return errkind.Errorf(fs.ErrExist, "%s exists: choose another name, or remove it first", name)
}

// appear creates a dataset in a hidden folder and renames it when fill has returned.
func appear(to string, o drx.Options, fill func(d *Dataset) error) error {
	hidden := hiddenName(to, copying)
	if err := drx.RemoveFolder(hidden); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, err := Create(hidden, o)
	if err != nil {
		return err
	}
	if err := d.nameAs(to, fill(d)); err != nil {
		return asNamed(to, errors.Join(err, drx.RemoveFolder(hidden)), copying)
	}
	return nil
}

// nameAs commits and closes a hidden dataset and gives it its name, unless filling it has failed.
func (d *Dataset) nameAs(to string, err error) error {
	if err == nil {
		err = d.Sync()
	}
	if drx.IsContainer(d.folder) { // which Rename locks
		err = errors.Join(err, d.Close())
	}
	if err == nil { // the lock of a folder keeps others from removing it
		err = drx.RenameFolder(d.folder, to)
	}
	_ = d.Discard() // everything is committed
	return err
}

// isClaimed reports whether name is an empty file, with which a killed Copy has claimed the name. A
// rename may replace such a file, and no other.
func isClaimed(name string) bool {
	if filepath.Ext(name) != fileExt || drx.IsContainer(name) {
		return false
	}
	exists, err := drx.Exists(name)
	return err == nil && !exists
}

// copyGroups copies the groups and their attributes to a new dataset.
func (d *Dataset) copyGroups(to *Dataset) error {
	for _, group := range d.scan.groups {
		if group != "" {
			if err := to.CreateGroup(group); err != nil {
				return err
			}
		}
		attrs, err := d.Attrs(group)
		for name, value := range attrs {
			if err == nil {
				err = to.SetAttr(group, name, value)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arrayOf returns the name of the array of a variable, with the extension of an array in one file.
func (d *Dataset) arrayOf(name string) (string, error) {
	inOne, err := drx.Exists(d.path(name + drx.OneFileExt))
	if inOne {
		name += drx.OneFileExt
	}
	return name, err
}

// copyTo copies the groups, attributes and files of variables to a new dataset.
func (d *Dataset) copyTo(ctx context.Context, to *Dataset, progress func(variable string, done, total int64)) error {
	if err := d.copyGroups(to); err != nil {
		return err
	}
	for _, name := range d.Variables() {
		var count func(done, total int64)
		if progress != nil {
			count = func(done, total int64) { progress(name, done, total) }
		}
		array, err := d.arrayOf(name)
		if err != nil {
			return err
		}
		if err := drx.CopyFiles(ctx, d.path(array), to.path(array), count); err != nil {
			return err
		}
	}
	return nil
}

// openAlone opens a dataset for writing, which removes what a writer that died has left, and makes
// sure that nobody has a variable open for writing. It leaves no variable open. The folder must be
// a dataset.
func openAlone(folder string) (*Dataset, error) {
	declared, err := isDeclared(folder)
	if err == nil && !declared {
		err = errkind.Errorf(fs.ErrNotExist, "%s is no dataset", folder)
	}
	if err != nil {
		return nil, err
	}
	d, err := Open(folder, drx.Options{Write: true})
	if err != nil {
		return nil, err
	}
	for name, v := range d.vars { // those that Open has repaired
		err = errors.Join(err, v.a.Close())
		delete(d.vars, name)
	}
	for _, name := range d.Variables() {
		a, openErr := drx.Open(d.path(name), drx.Options{Write: true})
		if openErr == nil {
			openErr = a.Discard()
		}
		if errors.Is(openErr, drx.ErrLocked) { // a damaged one can be moved, too
			err = errors.Join(err, openErr)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}
