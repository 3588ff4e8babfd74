package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/internal/fileset"
)

// A completer lists what may come next on a command line.
type completer = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// completeArrays completes the names of arrays, and after the first one those of files.
func completeArrays(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{strings.TrimPrefix(fileset.LogExt, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// completeOnlyArray completes the name of one array.
func completeOnlyArray(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeArrays(cmd, args, prefix)
}

// completeInputs completes the name of an array, then those of files that hold one.
func completeInputs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return []string{"npy", "png", "tif", "tiff", "pbm", "pgm", "ppm", "pnm"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return completeArrays(cmd, args, prefix)
}

// completeDims completes the dimensions of the array named before.
func completeDims(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) > 0 {
		// An array that cannot be opened has no dimensions to offer; the verb will say why.
		_ = withArray(args[0], false, func(a *drx.Array) error {
			names = dimNames(a)
			return nil
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeVersions completes the commits of the array named before.
func completeVersions(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var versions []string
	if len(args) > 0 {
		// See completeDims.
		_ = withArray(args[0], false, func(a *drx.Array) error {
			changes, err := a.History()
			for _, c := range changes {
				versions = append(versions, strconv.Itoa(c.Commit))
			}
			versions = slices.Compact(versions) // a commit may have several changes
			return err
		})
	}
	return versions, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeFlag sets how the value of a flag of the command is completed. (Cobra's error is
// for a flag that does not exist; there is nothing to complete then.)
func completeFlag(cmd *cobra.Command, flag string, f completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f)
}
