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
	"drx/cmd/internal/usage"
	"drx/formats/pipe"
)

// version is set by the build.
var version = "devel"

// Exit codes, part of the contract with other programs.
const (
	exitFailure = 1 // something went wrong: no such array or file, wrong files, or verify found damage
	exitUsage   = 2 // the command line is wrong, in general or for the array
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
	addBuiltIn(root) // it keeps the outputs set so far
	begun := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkOutputFlags(cmd); err != nil {
			return err
		}
		begun = true
		return nil
	}
	err := usage.CheckVerb(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil && !begun { // the verb has not begun: only the command line can be wrong
		err = usageError{err}
	}
	err = incompleteHint(usage.FileError(err))
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "drx: %s\n", oneLine(err))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, interruptionOf(err))
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
	pipe.Register() // the help lists the formats
	root := &cobra.Command{
		Use:   "drx",
		Short: "Arrays that grow along any dimension",
		Long: `drx stores dense multidimensional arrays that grow along any dimension, on either
side, at any time, without moving a stored byte.

An array A is four files: A.xmd (its description and how it grew), A.xta (its elements),
A.xck (checksums) and A.xpm (which chunks were written); or one, A.drx. Dimensions are given
by number or name. Growth on the low side adds negative indices; they do not count from the
end.

Exit codes: 0 if all went well; 1 if something went wrong, as when there is no such array or
file, when a file is not what it should be, or when verify found damage; 2 if the command
line is wrong: an unknown verb, flag, dimension or label, or a value that is impossible in
general or for the array; 130 after an interruption.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return usage.CheckVerb(cmd, args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if !cmd.HasParent() {
			return usageError{usage.FlagError(cmd, err)}
		}
		return usagef("%s: %w", cmd.Name(), usage.FlagError(cmd, err))
	})
	root.AddGroup(
		&cobra.Group{ID: groupArray, Title: "Arrays:"},
		&cobra.Group{ID: groupData, Title: "Data:"},
		&cobra.Group{ID: groupInspect, Title: "Inspection:"},
	)
	addOutputFlags(root)
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

// addBuiltIn adds the verbs of package cobra, which the first execution would add otherwise, so that
// they are known, and makes an unknown shell an error.
func addBuiltIn(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = func(cmd *cobra.Command, args []string) error { return usage.CheckVerb(cmd, args) }
			cmd.RunE = root.RunE
		}
	}
}

// verbs lists the constructors of the commands. The order is free: the help sorts them.
var verbs = []func() *cobra.Command{
	newAddDim,
	newAddr,
	newAdvise,
	newAppend,
	newAttr,
	newCompact,
	newConvert,
	newCopy,
	newCp,
	newCreate,
	newDemo,
	newExport,
	newExtend,
	newFill,
	newHyper,
	newImport,
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
