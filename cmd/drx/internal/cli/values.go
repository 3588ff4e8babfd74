package cli

import (
	"errors"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"drx"
)

// AsUsageError marks err as an error of the command line if its cause is a value on the command
// line that is impossible in general or for this array. Use it only for calls whose input consists
// of such values, since the same errors may come from a file.
func AsUsageError(err error) error {
	if errors.Is(err, drx.ErrCorrupt) {
		return err
	}
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, fs.ErrInvalid} {
		if errors.Is(err, fault) {
			return UsageError{err}
		}
	}
	return err
}

// CheckNames returns an error for names of dimensions or attributes that cannot be stored.
func CheckNames(names ...string) error {
	for _, name := range names {
		if !utf8.ValidString(name) {
			return Usagef("name %q: not UTF-8 text", name)
		}
	}
	return nil
}

// CheckDims returns an error for names of dimensions that cannot be stored, or that are integers.
// On the command line a name takes precedence over a number, so a dimension named 1 would hide
// dimension number 1. An empty name stands for an unnamed dimension.
func CheckDims(names ...string) error {
	for _, name := range names {
		if _, err := strconv.Atoi(name); err == nil {
			return Usagef("name %q of a dimension: want a name that is no integer, which means the number of a dimension", name)
		}
	}
	return CheckNames(names...)
}
