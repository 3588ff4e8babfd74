package arrays

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
)

// CompleteDims completes the dimensions of the array in the first argument.
func CompleteDims(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	switch {
	case len(args) > 0 && IsDataset(args[0]):
		_ = WithDataset(args[0], func(d *dataset.Dataset) error { // see below
			for _, dim := range d.Dims() {
				names = append(names, cli.Printable(dim.Name))
			}
			return nil
		})
	case len(args) > 0:
		// An array that cannot be opened has no dimensions to offer; the verb will say why.
		_ = With(args[0], false, func(a *drx.Array) error {
			names = cli.DimNames(a)
			return nil
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteVersions completes the commit numbers of the array in the first argument.
func CompleteVersions(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var versions []string
	if len(args) > 0 {
		// See CompleteDims.
		_ = With(args[0], false, func(a *drx.Array) error {
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
