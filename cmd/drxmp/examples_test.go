package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The examples of the help, most of which are those of drx, must be of verbs that drxmp has.
func TestExamplesAreOfVerbs(t *testing.T) {
	root := (&command{}).root()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(line)
			found, _, err := root.Find(words[slices.Index(words, "drxmp")+1:])
			if err != nil || found.HasSubCommands() {
				t.Errorf("%s: there is no verb of the example %q", cmd.CommandPath(), strings.TrimSpace(line))
			}
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
}
