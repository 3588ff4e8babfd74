// Command drxmp has the verbs of drx that gain from several processes. Some are its own; others,
// those of package shared, are drx's with a group of processes:
//
//	mpirun -n 4 drxmp verify radar      built with -tags mpi
//	drxmp verify radar --procs 4
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"drx/cmd/drx/shared"
	"drx/cmd/internal/manpage"
	"drx/cmd/internal/usage"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/spmd"
)

func main() {
	c := &command{}
	cmd, err := c.root().ExecuteC()
	if !c.ran && mpi.Built && mpi.Launched() && !errors.Is(err, par.ErrTimeout) {
		err = c.join(cmd, err)
	}
	err = usage.FileError(err)
	var wrong usageError
	if errors.As(err, &wrong) || shared.IsUsage(err) {
		spmd.Report("drxmp", err)
		os.Exit(exitUsage)
	}
	spmd.Exit(err)
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "drxmp",
		Short: "Work on arrays with several processes",
		Long: `drxmp works on the arrays of drx with several processes. If the program was built with MPI, mpirun
starts them; otherwise --procs sets how many of them run within one process.

	mpirun -n 4 drxmp verify radar
	drxmp verify radar --procs 4

Exit codes are those of drx: 0 if all went well, 1 if something went wrong, 2 if the command line is wrong.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return asUsageError(usage.CheckVerb(cmd, args)) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if unknown := usage.CheckVerb(root, os.Args[1:]); unknown != nil {
			return asUsageError(unknown)
		}
		return usagef("%s: %w", cmd.Name(), usage.FlagError(cmd, err))
	})
	f := root.PersistentFlags()
	f.IntVar(&c.procs, "procs", 0, fmt.Sprintf("run `n` processes within this one, at most %d, instead of mpirun -n", maxProcs))
	f.StringVar(&c.engine, "engine", drxmp.Auto.String(), "how chunks move between file and memory: auto, direct or mpiio")
	f.DurationVar(&c.timeout, "timeout", 0, "give up when a process has waited for others for this long; 0 is no limit")
	f.BoolVar(&c.asJSON, "json", false, "print the result as JSON, as docs/JSON.md describes")
	root.AddCommand(c.verify(), c.stat(), c.copy(), c.bench(), manpage.Command())
	for _, verb := range shared.Verbs() {
		root.AddCommand(c.shared(verb))
	}
	usage.GiveOnce(root)
	return root
}
