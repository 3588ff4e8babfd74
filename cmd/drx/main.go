// Command drx makes, grows, fills and looks at extendible arrays. Each verb has a file of
// its own.
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
)

// version is set by the build.
var version = "devel"

// Exit codes, part of the contract with other programs.
const (
	exitFailure = 1 // something went wrong, or verify found damage
	exitUsage   = 2 // the command line makes no sense
	exitSignal  = 130
)

func main() {
	ctx := interruptible()
	// Beyond a limit on file sizes a write is to fail like any other.
	signal.Ignore(syscall.SIGXFSZ)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit code. An error is one line on
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

// Unwrap returns the error without the mark.
func (e usageError) Unwrap() error { return e.error }

// usagef returns a usage error.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine returns an error as one line that is safe to print.
func oneLine(err error) string {
	return escaped(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " "))
}

// The groups of verbs in the help.
const (
	groupArray = "array"
	groupData  = "data"
	groupLook  = "look"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "drx",
		Short: "Arrays that grow along any dimension",
		Long: `drx stores dense multidimensional arrays that grow along any dimension, on either
side, at any time, without moving a stored byte.

An array A is four files: A.xmd (what it is and how it grew), A.xta (its elements),
A.xck (checksums) and A.xpm (which chunks were written). Dimensions are given by number or name, indices are the array's own:
negative ones exist after growth on the low side.`,
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
		&cobra.Group{ID: groupLook, Title: "Looking:"},
	)
	for _, verb := range verbs {
		root.AddCommand(verb())
	}
	return root
}

// verbs makes the commands, in no particular order: the help sorts them.
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
