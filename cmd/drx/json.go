package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cube"
)

// addJSONFlag adds the flag --json, which every verb has. docs/JSON.md describes what it prints.
func addJSONFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("json", false, "print the result as JSON, as docs/JSON.md describes")
}

// wantsJSON reports whether --json was given.
func wantsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json") // no error: every verb has the flag
	return on
}

// printResult prints the result of a verb: with --json as JSON, otherwise as text.
func printResult(cmd *cobra.Command, v any, format string, args ...any) error {
	if wantsJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), v)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format, args...)
	return err
}

// confirm is printResult for text that only confirms what was done: --quiet suppresses it, but not JSON.
func confirm(cmd *cobra.Command, v any, format string, args ...any) error {
	if isQuiet(cmd) && !wantsJSON(cmd) {
		return nil
	}
	return printResult(cmd, v, format, args...)
}

// note prints a note about an array on the error output, unless it is empty or --quiet was given.
func note(cmd *cobra.Command, a *drx.Array, text string) {
	if text != "" && !isQuiet(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: %s\n", printable(a.Name()), text)
	}
}

// checkNotJSON returns an error if --json was given together with something else that goes to standard output.
func checkNotJSON(cmd *cobra.Command, other bool, flags string) error {
	if other && wantsJSON(cmd) {
		return usagef("%s: --json and %s exclude each other", cmd.Name(), flags)
	}
	return nil
}

// The types below are results as JSON, on which other programs rely. The same field has the same name
// in all of them.

// An arrayResult names an array and its bounds after a change.
type arrayResult struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Lo    []int  `json:"lo"`
	Hi    []int  `json:"hi"`
}

func newArrayResult(a *drx.Array) arrayResult {
	r := arrayResult{Name: a.Name(), Shape: a.Shape()}
	r.Lo, r.Hi = lowHigh(a.Bounds())
	return r
}

// A createResult describes a new array.
type createResult struct {
	arrayResult
	DType string   `json:"dtype"`
	Dims  []string `json:"dims"`
	Chunk []int    `json:"chunk"`
}

// An appendResult says what append has added: indices along a dimension, or rows of CSV.
type appendResult struct {
	arrayResult
	Dim  *int `json:"dim,omitempty"`
	By   *int `json:"by,omitempty"`
	Rows *int `json:"rows,omitempty"`

	Labels []string `json:"labels,omitempty"` // of the new indices
}

// A nameResult names an array.
type nameResult struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // its name before, or that of the array that was copied
}

// A storageResult is what compact changes.
type storageResult struct {
	Segments int   `json:"segments"`
	Chunks   int64 `json:"chunks"`
	OnDisk   int64 `json:"bytes_on_disk"`
	Log      int64 `json:"bytes_log"`
	Table    int64 `json:"bytes_table"`
}

func newStorageResult(u drx.Usage, segments int) storageResult {
	return storageResult{segments, u.Chunks, u.DataBytes, u.LogBytes, u.TableBytes}
}

// selectionText returns a selection in the form of --section. The ranges of a dimension with several of them are
// separated by a vertical bar.
func selectionText(sel cube.Selection) string {
	dims := make([]string, len(sel))
	for d, x := range sel {
		ranges := make([]string, len(x))
		for i, r := range x {
			ranges[i] = r.String()
		}
		dims[d] = strings.Join(ranges, "|")
	}
	return strings.Join(dims, ",")
}
