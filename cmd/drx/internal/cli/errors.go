// Package cli has what the verbs of drx share: errors of the command line and exit codes, the
// values of flags, completion, and the printing of results.
package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drx"
	"drx/formats"
	"drx/formats/transfer"
	"drx/optionerr"
	"drx/relayout"
)

// Exit codes, part of the contract with other programs.
const (
	ExitFailure = 1 // something went wrong: no such array or file, wrong files, or verify found damage
	ExitUsage   = 2 // the command line is wrong, in general or for the array
)

// UsageError marks an error of the command line itself.
type UsageError struct{ error }

// Unwrap returns the underlying error.
func (e UsageError) Unwrap() error { return e.error }

// ErrDifferent ends diff with the exit code of a failure, without another word: what it has printed
// says how its arguments differ.
var ErrDifferent = errors.New("the arguments differ")

// AsTrouble gives an error of diff, which has the code 1 for arguments that differ, the code of a
// wrong command line.
func AsTrouble(err error) error { return UsageError{err} }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// OneLine returns an error as one line that is safe to print.
func OneLine(err error) string {
	return Escaped(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " "))
}

// The groups of verbs in the help.
const (
	GroupArray   = "array"
	GroupData    = "data"
	GroupInspect = "look"
)

// incompleteHint adds to the error of a verb that the array is incomplete what to do about it.
func incompleteHint(err error) error {
	var incomplete *drx.IncompleteError
	if !errors.As(err, &incomplete) || errors.Is(err, fs.ErrExist) {
		return err
	}
	name := incomplete.Name
	if !IsCopy(name) {
		return fmt.Errorf("%w; the program that made it was interrupted: remove it with drx rm %s and make it again", err, name)
	}
	return fmt.Errorf("%w; drx copy SRC %s --resume with the flags of that copy continues it, drx rm %s removes it", err, name, name)
}

// IsCopy reports whether an incomplete array was made by a copy, which can go on. A copy writes
// what it copies before the first chunk; other programs, such as drx hyper, only mark their
// results.
func IsCopy(name string) bool {
	a, err := drx.Open(name, drx.Options{Incomplete: true})
	if err != nil {
		return true // the caller has the reason
	}
	mark := string(a.Attrs()[relayout.IncompleteAttr])
	return a.Close() == nil && mark != "true"
}

// FileHint adds to the error of a file what the program can do with it.
func FileHint(err error) error {
	if unknown := (*formats.UnknownError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("%w, see drx help formats", err)
	}
	if errors.Is(err, formats.ErrText) {
		return fmt.Errorf("%w; for a table with text use drx append --coords, and --wide if it has a column per date or other label", err)
	}
	return err
}

// AsOptionUsageError marks errors of options as errors of the command line.
func AsOptionUsageError(err error) error {
	err = FileHint(err)
	if errors.Is(err, optionerr.ErrOption) {
		return UsageError{err}
	}
	return err
}

// ErrCountReached ends a watch after --count changes.
var ErrCountReached = errors.New("the number of changes is reached")

// AsSelectUsageError is AsUsageError for errors of packages cube and dataset.
func AsSelectUsageError(err error) error { return AsOptionUsageError(transfer.ExplainSelection(err)) }
