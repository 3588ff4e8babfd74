package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/internal/usage"
)

// Run executes one command line of a root command and returns the exit code. It prints an error as
// one line on stderr.
func Run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	addBuiltIn(root) // it keeps the outputs set so far
	begun := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := CheckOutputFlags(cmd); err != nil {
			return err
		}
		drx.SetLockNotice(func(text string) { fmt.Fprintf(stderr, "drx: warning: %s\n", text) })
		begun = true
		return nil
	}
	err := usage.CheckVerb(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil && !begun { // the verb has not begun: only the command line can be wrong
		err = UsageError{err}
	}
	err = incompleteHint(usage.FileError(usage.WithFlags(err)))
	var wrong UsageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrDifferent):
		return ExitFailure
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "drx: %s\n", OneLine(err))
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, interrupt.InterruptionOf(err))
		return interrupt.ExitSignal
	}
	fmt.Fprintf(stderr, "drx: %s\n", OneLine(err))
	return ExitFailure
}

// wordsOfLine is the function of the package bash-completion that the script of cobra calls, for
// shells without that package. It divides the line at spaces alone.
const wordsOfLine = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref()
{
    local line="${COMP_LINE:0:COMP_POINT}"
    read -ra words <<< "$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    cur="${words[cword]}"
    prev="${words[cword - 1]}"
}

`

// bashCompletion prints the script that completes command lines in bash.
func bashCompletion(root, cmd *cobra.Command) error {
	if _, err := io.WriteString(cmd.OutOrStdout(), wordsOfLine); err != nil {
		return err
	}
	noDescriptions, _ := cmd.Flags().GetBool("no-descriptions") // no error: cobra adds the flag
	return root.GenBashCompletionV2(cmd.OutOrStdout(), !noDescriptions)
}

// NewRoot returns the root command with the verbs that the constructors return.
func NewRoot(verbs ...func() *cobra.Command) *cobra.Command {
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
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return usage.CheckVerb(cmd, args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if !cmd.HasParent() {
			return UsageError{usage.FlagError(cmd, err)}
		}
		return Usagef("%s: %w", cmd.Name(), usage.FlagError(cmd, err))
	})
	root.AddGroup(
		&cobra.Group{ID: GroupFirst, Title: "First:"},
		&cobra.Group{ID: GroupArray, Title: "Arrays:"},
		&cobra.Group{ID: GroupData, Title: "Data:"},
		&cobra.Group{ID: GroupInspect, Title: "Inspection:"},
		&cobra.Group{ID: GroupStorage, Title: "Storage:"},
	)
	AddOutputFlags(root.PersistentFlags())
	addLocksFlag(root)
	for _, verb := range verbs {
		cmd := verb()
		AddJSONFlag(cmd)
		root.AddCommand(cmd)
	}
	addFamiliar(root)
	usage.GiveOnce(root)
	return root
}

// addBuiltIn adds the verbs of package cobra, which the first execution would add otherwise, so
// that they are known, and makes an unknown shell an error.
func addBuiltIn(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = func(cmd *cobra.Command, args []string) error { return usage.CheckVerb(cmd, args) }
			cmd.RunE = root.RunE
			for _, shell := range cmd.Commands() {
				if shell.Name() == "bash" {
					shell.Run = nil
					shell.RunE = func(cmd *cobra.Command, _ []string) error { return bashCompletion(root, cmd) }
				}
			}
		}
	}
}
