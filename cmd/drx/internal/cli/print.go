package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
)

// AddJSONFlag adds the flag --json, which every verb has. docs/JSON.md describes what it prints.
func AddJSONFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("json", false, "print the result as JSON, as docs/JSON.md describes")
}

// WantsJSON reports whether --json was given.
func WantsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json") // no error: every verb has the flag
	return on
}

// PrintResult prints the result of a verb: with --json as JSON, otherwise as text.
func PrintResult(cmd *cobra.Command, v any, format string, args ...any) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), v)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format, args...)
	return err
}

// Confirm is PrintResult for text that only confirms what was done: --quiet suppresses it, but not
// JSON.
func Confirm(cmd *cobra.Command, v any, format string, args ...any) error {
	if IsQuiet(cmd) && !WantsJSON(cmd) {
		return nil
	}
	return PrintResult(cmd, v, format, args...)
}

// Note prints a note about an array on the error output, unless it is empty or --quiet was given.
func Note(cmd *cobra.Command, a *drx.Array, text string) {
	NoteOf(cmd, a.Name(), text)
}

// NoteOf is Note about an array that is not open.
func NoteOf(cmd *cobra.Command, name, text string) {
	if text != "" && !IsQuiet(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: %s\n", Printable(name), text)
	}
}

// NoteHoles prints a note if the codec of a new array or dataset compresses its chunks and the file
// system has no holes, so that a compressed chunk saves no space. It prints nothing if that cannot
// be determined: the array is made, and a note is not worth an error.
func NoteHoles(cmd *cobra.Command, name, codec string) {
	if codec == "" || codec == "none" || IsQuiet(cmd) {
		return
	}
	if has, err := drx.HasHoles(name); err == nil && !has {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: the file system has no holes, so that a compressed chunk takes as much space as another one\n", Printable(name))
	}
}

// CheckNotJSON returns an error if --json was given together with something else that goes to
// standard output.
func CheckNotJSON(cmd *cobra.Command, other bool, flags string) error {
	if other && WantsJSON(cmd) {
		return Usagef("%s: --json and %s exclude each other", cmd.Name(), flags)
	}
	return nil
}

// The types below are results as JSON, on which other programs rely. The same field has the same
// name in all of them.

// An ArrayResult names an array and its bounds after a change.
type ArrayResult struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Lo    []int  `json:"lo"`
	Hi    []int  `json:"hi"`
}

// NewArrayResult returns the name and the bounds of an array.
func NewArrayResult(a *drx.Array) ArrayResult {
	r := ArrayResult{Name: a.Name(), Shape: a.Shape()}
	r.Lo, r.Hi = LowHigh(a.Bounds())
	return r
}

// A NameResult names an array.
type NameResult struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // its former name, or the name of the array that was copied
}

// PrintJSON writes a value as one line of JSON that is safe to print.
func PrintJSON(w io.Writer, v any) error { return result.Print(w, v) }
