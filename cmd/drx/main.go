// Command drx creates, grows, reads, writes and inspects extendible arrays. Each verb has its
// own file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"drx/cmd/internal/manpage"
)

// version is set by the build.
var version = "devel"

// Exit codes, part of the contract with other programs.
const (
	exitFailure = 1 // something went wrong, or verify found damage
	exitUsage   = 2 // the command line is wrong
	exitSignal  = 130
)

func main() {
	ctx := interruptible()
	// Without this, a write beyond the limit on file sizes would kill the process instead of failing.
	signal.Ignore(syscall.SIGXFSZ)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit code. It prints an error as one line on
// stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "drx: %s\n", oneLine(err))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "drx: interrupted")
		return exitSignal
	}
	fmt.Fprintf(stderr, "drx: %s\n", oneLine(err))
	return exitFailure
}

// usageError marks an error of the command line itself.
type usageError struct{ error }

// Unwrap returns the underlying error.
func (e usageError) Unwrap() error { return e.error }

// usagef returns a usage error.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine returns an error as one line that is safe to print.
func oneLine(err error) string {
	return escaped(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " "))
}

// The groups of verbs in the help.
const (
	groupArray   = "array"
	groupData    = "data"
	groupInspect = "look"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "drx",
		Short: "Arrays that grow along any dimension",
		Long: `drx stores dense multidimensional arrays that grow along any dimension, on either
side, at any time, without moving a stored byte.

An array A is four files: A.xmd (its description and how it grew), A.xta (its elements),
A.xck (checksums) and A.xpm (which chunks were written). Dimensions are given by number or
name. Growth on the low side adds negative indices; they do not count from the end.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown verb %q; 'drx --help' lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if !cmd.HasParent() {
			return usagef("%w; see 'drx --help'", err)
		}
		return usagef("%s: %w; see '%s --help'", cmd.Name(), err, cmd.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: groupArray, Title: "Arrays:"},
		&cobra.Group{ID: groupData, Title: "Data:"},
		&cobra.Group{ID: groupInspect, Title: "Inspection:"},
	)
	for _, verb := range verbs {
		cmd := verb()
		addJSONFlag(cmd)
		root.AddCommand(cmd)
	}
	for _, t := range topics() {
		root.AddCommand(newTopic(t))
	}
	return root
}

// verbs lists the constructors of the commands. The order is free: the help sorts them.
var verbs = []func() *cobra.Command{
	newAddDim,
	newAddr,
	newAdvise,
	newAppend,
	newAttr,
	newCompact,
	newCopy,
	newCreate,
	newDemo,
	newExtend,
	newFill,
	newInfo,
	newLabels,
	newLog,
	newLs,
	manpage.Command,
	newMap,
	newMv,
	newRead,
	newRecover,
	newReserve,
	newRm,
	newShrink,
	newSum,
	newVerify,
	newView,
	newWatch,
	newWrite,
}
