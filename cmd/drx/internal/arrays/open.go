// Package arrays opens the arrays and datasets that a command line names, for reading, as of a
// commit, or to change them, waits for their locks, and completes the names of their dimensions.
package arrays

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
)

// With opens an array, calls f and closes the array. It returns an error of Close as well,
// because Close commits.
func With(name string, write bool, f func(a *drx.Array) error) error {
	return WithOptions(name, drx.Options{Write: write}, f)
}

// NotFound returns the error of opening an array if err says that a file does not exist and neither
// an array nor a folder has the name, which may be that of a dataset: this error says what is there
// instead. Otherwise it returns err.
func NotFound(name string, err error) error {
	info, statErr := os.Stat(name)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || statErr == nil && info.IsDir() {
		return err
	}
	return cmp.Or(With(name, false, func(*drx.Array) error { return nil }), err)
}

// WithOptions is With with any options.
func WithOptions(name string, opts drx.Options, f func(a *drx.Array) error) error {
	a, err := drx.Open(name, opts)
	if err != nil {
		return err
	}
	return ThenClose(a, f)
}

// ThenClose calls f with an array and closes the array.
func ThenClose(a *drx.Array, f func(a *drx.Array) error) error {
	err := f(a)
	if closeErr := a.Close(); err == nil {
		err = closeErr
	}
	return err
}

// AddVersionFlag adds the flag --at-version to a verb that calls WithVersion.
func AddVersionFlag(cmd *cobra.Command, version *int) {
	cmd.Flags().IntVar(version, "at-version", 0, "show the array as it was after this `commit`, see log (default: the last)")
	cli.CompleteFlag(cmd, "at-version", CompleteVersions)
}

// WithVersion is With for reading. With --at-version it opens the array as it was after that
// commit; a commit that the array does not have is an error of the command line.
func WithVersion(cmd *cobra.Command, name string, version int, f func(a *drx.Array) error) error {
	if !cmd.Flags().Changed("at-version") {
		return With(name, false, f)
	}
	a, err := drx.OpenAt(name, version, drx.Options{})
	if errors.Is(err, drx.ErrBounds) {
		return With(name, false, func(a *drx.Array) error {
			u, usageErr := a.Usage()
			if usageErr != nil {
				return cli.AsUsageError(err)
			}
			return NoCommit(a.Name(), version, u.Commits)
		})
	}
	if err != nil {
		return cli.AsUsageError(err)
	}
	return ThenClose(a, f)
}

// NoCommit returns the error for a commit number that an array does not have; last is its last one.
func NoCommit(name string, commit, last int) error {
	return cli.Usagef("%s: no commit %d: the last is %d, see drx log", cli.Printable(name), commit, last)
}

// Change opens an array for writing, calls f and commits the changes that f made. After an error or
// an interruption the array and its files are as they were at the last Sync.
func Change(cmd *cobra.Command, name string, f func(a *drx.Array) error) error {
	return ChangeWith(cmd, name, drx.Options{Write: true}, f)
}

// ChangeWith is Change with options for opening the array.
func ChangeWith(cmd *cobra.Command, name string, o drx.Options, f func(a *drx.Array) error) error {
	a, err := OpenToChange(cmd, name, o)
	if err != nil {
		return err
	}
	interrupt.Changes.Begin(a)
	return interrupt.Changes.Close(a, f(a))
}
