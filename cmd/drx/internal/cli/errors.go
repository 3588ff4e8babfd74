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

// ErrDifferent ends diff with the exit code of a failure and without a message: diff has already
// printed the differences.
var ErrDifferent = errors.New("the arguments differ")

// AsTrouble marks any error of diff as a usage error, which exits with 2. As in Unix diff, 1 means
// that the arguments differ, so no error may have that code.
func AsTrouble(err error) error { return UsageError{err} }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// OneLine returns an error as one line that is safe to print.
func OneLine(err error) string {
	return Escaped(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " "))
}

// The groups of verbs in the help.
const (
	GroupFirst   = "first" // ten verbs with which one begins
	GroupArray   = "array"
	GroupData    = "data"
	GroupInspect = "look"
	GroupStorage = "storage"
)

// incompleteHint extends the error for an incomplete array by how to complete or to remove it. It
// leaves errors alone that wrap fs.ErrExist.
func incompleteHint(err error) error {
	var incomplete *drx.IncompleteError
	if !errors.As(err, &incomplete) || errors.Is(err, fs.ErrExist) {
		return err
	}
	name := incomplete.Name
	if !IsCopy(name) {
		return fmt.Errorf("%w; the program that made it was interrupted: remove it with drx rm %s and make it again", err, name)
	}
	return fmt.Errorf("%w; the drx copy, cut or sort that made it goes on with its flags and --resume, drx rm %s removes it", err, name)
}

// IsCopy reports whether an incomplete array was made by a copy, which can be resumed. A copy
// stores its plan in the mark before it writes the first chunk; other programs, such as drx hyper,
// set the mark to true.
func IsCopy(name string) bool {
	a, err := drx.Open(name, drx.Options{Incomplete: true})
	if err != nil {
		return true // the caller has the reason
	}
	mark := string(a.Attrs()[relayout.IncompleteAttr])
	return a.Close() == nil && mark != "true"
}

// FileHint extends an error about an input file: for an unknown format by where the formats are
// listed, for a table with text by the verb that reads one.
func FileHint(err error) error {
	if unknown := (*formats.UnknownError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("%w, see drx help formats", err)
	}
	if errors.Is(err, formats.ErrText) {
		return fmt.Errorf("%w; for a table with text use drx append --coords, and --wide if it has a column per date or other label", err)
	}
	return err
}

// AsOptionUsageError marks errors of options as errors of the command line, and adds FileHint to
// others.
func AsOptionUsageError(err error) error {
	err = FileHint(err)
	if errors.Is(err, optionerr.ErrOption) {
		return UsageError{err}
	}
	return err
}

// ErrCountReached ends a watch after --count changes.
var ErrCountReached = errors.New("the number of changes is reached")

// AsSelectUsageError is AsOptionUsageError for errors of packages cube and dataset about a
// selection.
func AsSelectUsageError(err error) error { return AsOptionUsageError(transfer.ExplainSelection(err)) }
