package main

import (
	"context"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx/cmd/drx/shared"
	"drx/cmd/internal/usage"
	"drx/parallel/mpi"
)

// shared returns a verb of drx. All processes run it with the command line of the program, each
// with flags of its own, which goroutines do not share.
func (c *command) shared(verb shared.Verb) *cobra.Command {
	if c.inside != nil {
		return verb.New(c.inside.team())
	}
	cmd := verb.New(shared.Team{})
	c.runAgain(cmd)
	return cmd
}

// runAgain lets a command, or those below it, run its command line in all processes.
func (c *command) runAgain(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		c.runAgain(below)
	}
	if cmd.HasSubCommands() {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		words, errors := wordsOf(cmd), cmd.ErrOrStderr()
		return c.run(cmd, func(p *process) error { return p.again(ctx, words, errors) })
	}
}

// team returns the processes for verbs of drx. Processes that are goroutines share the processors.
func (p *process) team() shared.Team {
	t := shared.Team{Comm: p.Comm, Goroutines: runtime.GOMAXPROCS(0), Engine: p.options.Engine}
	if !mpi.Launched() {
		t.Goroutines = max(1, t.Goroutines/p.Procs())
	}
	return t
}

// wordsOf returns the words of a command line that was parsed: the verb, its flags and arguments.
func wordsOf(cmd *cobra.Command) []string {
	words := strings.Fields(verbOf(cmd))
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+"="+v)
		}
	})
	return append(append(words, "--"), cmd.Flags().Args()...)
}

// again executes a command line in this process. Only the first one prints.
func (p *process) again(ctx context.Context, words []string, errors io.Writer) error {
	root := (&command{inside: p}).root()
	root.SetArgs(words)
	root.SetOut(p.out)
	root.SetErr(io.Discard)
	if p.Proc() == 0 {
		root.SetErr(errors)
	}
	return usage.WithFlags(root.ExecuteContext(ctx))
}
