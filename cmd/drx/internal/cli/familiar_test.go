package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"drx/cmd/internal/usage"
)

// For a word of other programs, the error must name the verbs that do its job, and what they do;
// other words are compared with the names of the verbs.
func TestFamiliarWords(t *testing.T) {
	verb := func(name, short string) func() *cobra.Command {
		return func() *cobra.Command {
			return &cobra.Command{Use: name, Short: short, Run: func(*cobra.Command, []string) {}}
		}
	}
	root := NewRoot(verb("info", "Show the type"), verb("read", "Read a section"), verb("ls", "List arrays"), verb("recompress", "Compress the chunks"))
	for word, want := range map[string]string{
		"ncdump":   "info (show the type) or read (read a section)",
		"compress": "recompress (compress the chunks)", "recode": "recompress (", "zip": "recompress (",
		"LIST": "ls (list arrays)",
		"inof": "did you mean info?",
	} {
		if err := usage.CheckVerb(root, []string{word}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
}
