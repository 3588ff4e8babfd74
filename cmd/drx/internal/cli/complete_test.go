package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"drx/formats"
)

// Inputs must be completed with the extensions of all formats that can be read, and no others.
func TestCompleteInputs(t *testing.T) {
	formats.Register(formats.Format{Name: "only-written", Extensions: []string{".only-written"}})
	words, directive := CompleteInputs(nil, []string{"a"}, "")
	if directive != cobra.ShellCompDirectiveFilterFileExt || slices.Contains(words, "only-written") {
		t.Errorf("%v, directive %v", words, directive)
	}
	for _, f := range formats.Formats() {
		for _, ext := range f.Extensions {
			if f.Open != nil && !slices.Contains(words, strings.TrimPrefix(ext, ".")) {
				t.Errorf("%s is not in %v", ext, words)
			}
		}
	}
}
