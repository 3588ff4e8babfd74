package capi

import (
	"context"
	"errors"
	"io/fs"

	"drx"
	"drx/internal/errkind"
)

// Exists reports whether there is an array with a name.
func Exists(name string) (bool, error) { return drx.Exists(name) }

// Remove removes an array.
func Remove(name string) error { return notFound(name, drx.Remove(name)) }

// Rename gives an array another name.
func Rename(oldName, newName string) error {
	if err := checkFree(newName); err != nil {
		return err
	}
	return notFound(oldName, drx.Rename(oldName, newName))
}

// CopyFiles copies the files of an array.
func CopyFiles(oldName, newName string, progress Progress) error {
	if err := checkFree(newName); err != nil {
		return err
	}
	return notFound(oldName, long(progress, func(ctx context.Context, report func(done, total int64)) error {
		return drx.CopyFiles(ctx, oldName, newName, report)
	}))
}

// List returns the arrays and the folders in a folder as JSON.
func List(folder string) (string, error) {
	arrays, folders, err := drx.List(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = errkind.Errorf(fs.ErrNotExist, "there is no folder %q", folder)
	}
	if err != nil {
		return "", err
	}
	return toJSON(struct {
		Arrays  []string `json:"arrays"`
		Folders []string `json:"folders"`
	}{append([]string{}, arrays...), append([]string{}, folders...)})
}

// Recover copies the intact part of a damaged array, and returns the report as JSON.
func Recover(name, newName string, unchecked bool, progress Progress) (string, error) {
	var r drx.RecoverReport
	err := long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		r, err = drx.Recover(ctx, name, newName, drx.RecoverOptions{AcceptUnchecked: unchecked, Progress: report})
		return err
	})
	if err != nil {
		return "", notFound(name, err)
	}
	return toJSON(struct {
		Name string `json:"name"`
		drx.RecoverReport
	}{newName, r})
}

// AcceptLoss makes a damaged array writable again.
func AcceptLoss(name string) error {
	return notFound(name, drx.AcceptLoss(context.Background(), name))
}

// SetMemory limits the memory of arrays that are opened without the option cache, in bytes, and
// returns the previous limit.
func SetMemory(bytes int64) (before int64, err error) {
	if bytes < 0 {
		return 0, invalidf("memory of %d bytes: at least 0, which means a quarter of what the process can use", bytes)
	}
	before = drx.Memory()
	drx.SetMemory(bytes)
	return before, nil
}

// SetLocks sets the kind of locks with which writers exclude each other.
func SetLocks(kind string) error {
	l, err := drx.ParseLocks(kind)
	if err != nil {
		return invalidf("%v", err)
	}
	drx.SetLocks(l)
	return nil
}
