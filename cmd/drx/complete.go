package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/dataset"
	"drx/internal/fileset"
)

// A completer returns the possible next words of a command line.
type completer = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// completeArrays completes the name of an array, then names of files.
func completeArrays(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{strings.TrimPrefix(fileset.LogExt, "."), strings.TrimPrefix(fileset.OneFileExt, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// completeOnlyArray completes the name of one array.
func completeOnlyArray(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeArrays(cmd, args, prefix)
}

// completeInputs completes the name of an array, then names of files in a format that drx reads.
func completeInputs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return []string{"npy", "png", "npz", "jpg", "jpeg", "tif", "tiff", "pbm", "pgm", "ppm", "pnm", "pam", "pfm", "csv", "tsv", "txt", "gz", "zarr", "zip"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return completeArrays(cmd, args, prefix)
}

// completeDims completes the dimensions of the array in the first argument.
func completeDims(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	switch {
	case len(args) > 0 && isDataset(args[0]):
		_ = withDataset(args[0], func(d *dataset.Dataset) error { // see below
			for _, dim := range d.Dims() {
				names = append(names, printable(dim.Name))
			}
			return nil
		})
	case len(args) > 0:
		// An array that cannot be opened has no dimensions to offer; the verb will say why.
		_ = withArray(args[0], false, func(a *drx.Array) error {
			names = dimNames(a)
			return nil
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeVersions completes the commit numbers of the array in the first argument.
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

// completeFlag sets the completer for the value of a flag. Cobra returns an error only if the flag
// does not exist; then there is nothing to complete.
func completeFlag(cmd *cobra.Command, flag string, f completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f)
}
