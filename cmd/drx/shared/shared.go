// Package shared has the verbs of drx that drxmp has as well: with the same flags and the same
// results, by several processes. It is the way into the packages below cmd/drx/internal.
package shared

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/hyper"
	"drx/cmd/drx/internal/ingest"
	"drx/cmd/drx/internal/query"
)

// A Team is the processes that run a verb together.
type Team = cli.Team

// A Verb is a verb of drx for several processes.
type Verb struct {
	make func(Team) *cobra.Command
	how  string // what the processes divide, for the help
}

// Verbs returns the verbs.
func Verbs() []Verb {
	return []Verb{
		{ingest.NewFill, `Each process fills its zone, a part of the chunks; the commit is one, of all of them.`},
		{hyper.NewShared, `The processes divide the scene by tiles, each with --memory of its own; the first one prints and
writes. The other verbs of drx hyper are one process.`},
		{query.NewStats, `The processes divide the chunks, each with --memory of its own; the first one merges what they have
reduced, and prints or saves the result, which has the bits of that of drx stats.`},
	}
}

// New returns the command of a verb for the process of a team.
func (v Verb) New(t Team) *cobra.Command {
	cmd := v.make(t)
	cmd.GroupID = ""
	cmd.Long += "\n\n" + v.how
	adapt(cmd)
	return cmd
}

// adapt gives a command and those below it the examples and the flags of drxmp.
func adapt(cmd *cobra.Command) {
	cmd.Example = strings.ReplaceAll(cmd.Example, "  drx ", "  mpirun -n 4 drxmp ")
	for _, below := range cmd.Commands() {
		adapt(below)
	}
	if cmd.HasSubCommands() {
		return
	}
	cli.AddOutputFlags(cmd.Flags())
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return cli.CheckOutputFlags(cmd) }
}

// IsUsage reports whether an error of a verb is about the command line.
func IsUsage(err error) bool {
	var wrong cli.UsageError
	return errors.As(err, &wrong)
}
