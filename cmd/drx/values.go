package main

import (
	"errors"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"drx"
	"drx/cmd/internal/usage"
	"drx/internal/wording"
)

// asUsageError marks err as an error of the command line if its cause is a value on the command line that
// is impossible in general or for this array. Use it only for errors of calls whose sole input are such
// values.
func asUsageError(err error) error {
	if errors.Is(err, drx.ErrCorrupt) {
		return err
	}
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, fs.ErrInvalid} {
		if errors.Is(err, fault) {
			return usageError{usage.WithoutKind(err, drx.ErrRank)}
		}
	}
	return err
}

// checkNames returns an error for names of dimensions or attributes that cannot be stored.
func checkNames(names ...string) error {
	for _, name := range names {
		if !utf8.ValidString(name) {
			return usagef("name %q: not UTF-8 text", name)
		}
	}
	return nil
}

// checkDims returns an error for names of dimensions that cannot be stored, or that are integers: a name comes before a number
// on the command line, so that the dimension of that number could not be named. An empty name is none.
func checkDims(names ...string) error {
	for _, name := range names {
		if _, err := strconv.Atoi(name); err == nil {
			return usagef("name %q of a dimension: want a name that is no integer, which means the number of a dimension", name)
		}
	}
	return checkNames(names...)
}

// printable returns the name of an array, a dimension or an attribute in a form that is safe to print: it
// is quoted if it has characters that a terminal would interpret or that are invisible.
func printable(name string) string { return wording.Printable(name) }

// escaped escapes the unprintable characters of a text in the syntax of Go: \x1b.
func escaped(text string) string { return wording.Escaped(text) }
