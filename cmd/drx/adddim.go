package main

import (
	"github.com/spf13/cobra"

	"drx"
)

func newAddDim() *cobra.Command {
	return &cobra.Command{
		Use:     "adddim ARRAY [NAME]",
		Short:   "Add a dimension to an array",
		GroupID: groupArray,
		Long: `Add a dimension to an array, the last, of extent one. Every element keeps its place in
the file and has index 0 there; the dimension can then be extended like any other.`,
		Example: `  drx adddim radar height
  drx extend radar --dim height --by 9`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return exactly("ARRAY", "[NAME]")(cmd, args)
		},
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 2 {
				name = args[1]
			}
			if err := checkNames(name); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				_, err := a.AddDim(name)
				return err
			})
		},
	}
}
