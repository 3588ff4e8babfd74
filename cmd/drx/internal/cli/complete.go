package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"drx/formats"
	"drx/internal/fileset"
)

// A Completer returns the possible next words of a command line.
type Completer = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// CompleteArrays completes the name of an array, then names of files.
func CompleteArrays(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{strings.TrimPrefix(fileset.LogExt, "."), strings.TrimPrefix(fileset.OneFileExt, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteOnlyArray completes the name of one array.
func CompleteOnlyArray(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return CompleteArrays(cmd, args, prefix)
}

// CompleteInputs completes the name of an array, then names of files in a format that drx reads,
// itself or by drx-bridge, and of folders, which some formats are.
func CompleteInputs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return CompleteArrays(cmd, args, prefix)
	}
	var extensions []string
	for _, f := range formats.Formats() {
		if f.Open == nil {
			continue
		}
		for _, ext := range f.Extensions {
			extensions = append(extensions, strings.TrimPrefix(ext, "."))
		}
	}
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteFlag sets the completer for the value of a flag. Cobra returns an error only if the flag
// does not exist; then there is nothing to complete.
func CompleteFlag(cmd *cobra.Command, flag string, f Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f)
}
