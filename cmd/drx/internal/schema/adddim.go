package schema

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
)

// NewAddDim returns the verb adddim.
func NewAddDim() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "adddim ARRAY [NAME]",
		Short:   "Add a dimension to an array",
		GroupID: cli.GroupArray,
		Long: `Add a dimension of extent one to an array, as its last. No stored byte moves, and every
element has index 0 in the new dimension. It can then be extended like any other.`,
		Example: `  drx adddim radar height
  drx extend radar --dim height --by 9`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return cli.Exactly("ARRAY", "[NAME]")(cmd, args)
		},
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 2 {
				name = args[1]
			}
			if err := cli.CheckDims(name); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				if name != "" && slices.Contains(a.Dims(), name) {
					return cli.Usagef("%s: name %q is taken; the dimensions are %s", a.Name(), name, strings.Join(cli.DimNames(a), ", "))
				}
				_, err := a.AddDim(name)
				return err
			})
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}
