package main

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"drx"
	"drx/cmd/internal/usage"
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
func printable(name string) string {
	if escaped(name) == name {
		return name
	}
	return strconv.Quote(name)
}

// escaped escapes the unprintable characters of a text in the syntax of Go: \x1b.
func escaped(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[0]), 16))
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[n:]
	}
	return b.String()
}
