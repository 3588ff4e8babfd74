package inspect

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	count, since int
}

// NewWatch returns the verb watch.
func NewWatch() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:     "watch ARRAY",
		Short:   "Print each change as it is committed",
		GroupID: cli.GroupInspect,
		Long: `Print a line in the form of log for each change of the bounds, the dimensions and the
attributes when another program commits it. Interrupt the command to end it; the exit code is
then 0. With --count it ends by itself. With --json each change is a line of JSON.

With --since it first prints the changes after an earlier commit, so that none is missed.`,
		Example: `  drx watch radar
  drx watch radar --since 12 --json
  drx watch radar --count 1 && drx view radar --section 0,:,:`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.count < 0 || o.since < 0 {
				return cli.Usagef("watch: --count %d --since %d: want 0 or more", o.count, o.since)
			}
			return arrays.With(args[0], false, func(a *drx.Array) error {
				err := o.watch(cmd, a)
				if errors.Is(err, context.Canceled) || errors.Is(err, cli.ErrCountReached) {
					return nil
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.count, "count", 0, "end after this `number` of changes, 0 for never")
	f.IntVar(&o.since, "since", 0, "print changes after this `commit`, 0 for all (default: new ones only)")
	cli.CompleteFlag(cmd, "since", arrays.CompleteVersions)
	return cmd
}

func (o watchOptions) watch(cmd *cobra.Command, a *drx.Array) error {
	seen := 0
	report := func(c drx.Change) error {
		if err := o.print(cmd, a, c); err != nil {
			return err
		}
		if seen++; seen == o.count {
			return cli.ErrCountReached
		}
		return nil
	}
	if cmd.Flags().Changed("since") {
		changes, err := a.History()
		if err != nil {
			return err
		}
		u, err := a.Usage()
		if err != nil {
			return err
		}
		if o.since > u.Commits {
			return arrays.NoCommit(a.Name(), o.since, u.Commits)
		}
		for _, c := range changes {
			if c.Commit <= o.since {
				continue
			}
			if err := report(c); err != nil {
				return err
			}
		}
	}
	return a.Follow(cmd.Context(), report)
}

func (o watchOptions) print(cmd *cobra.Command, a *drx.Array, c drx.Change) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), result.NewChange(c))
	}
	return printChange(cmd.OutOrStdout(), a, c)
}
