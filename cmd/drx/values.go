package main

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"drx"
)

// valueError returns err as an error of the command line if a value there is at fault: one
// that is impossible, or that this array has no room for. It is for errors of calls that get
// such values and look at nothing else.
func valueError(err error) error {
	if errors.Is(err, drx.ErrCorrupt) {
		return err
	}
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, fs.ErrInvalid} {
		if errors.Is(err, fault) {
			return usageError{err}
		}
	}
	return err
}

// checkNames refuses names, of dimensions or attributes, that no file can hold.
func checkNames(names ...string) error {
	for _, name := range names {
		if !utf8.ValidString(name) {
			return usagef("name %q: not UTF-8 text", name)
		}
	}
	return nil
}

// shown returns a name, of an array, a dimension or an attribute, as it is safe to print: a
// name with characters that a terminal would obey, or that look like nothing, is quoted.
func shown(name string) string {
	if escaped(name) == name {
		return name
	}
	return strconv.Quote(name)
}

// escaped writes the characters of a text that do not print as Go does: \x1b.
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
