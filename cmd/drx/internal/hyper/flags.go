package hyper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/usage"
	"drx/hyper/option"
	"drx/hyper/reduce"
	"drx/internal/wording"
)

// requireValues is cli.RequireFlags for a verb of hyper.
func requireValues(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) || cmd.Flags().Lookup(name).Value.String() == "" {
			return cli.Usagef("hyper %s needs --%s; see '%s --help'", cmd.Name(), name, cmd.CommandPath())
		}
	}
	return nil
}

// checkWord returns a usage error unless the value of a flag is in known.
func checkWord(cmd *cobra.Command, flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return cli.Usagef("hyper %s: --%s %q%s: want %s", cmd.Name(), flag, value, usage.DidYouMean(value, known), strings.Join(known, ", "))
}

// methodHelp returns a line for each method: its name and what it does.
func methodHelp(list []option.Choice) string {
	width := 0
	for _, c := range list {
		width = max(width, len(c.Name))
	}
	text := ""
	for _, c := range list {
		text += fmt.Sprintf("  %-*s  %s\n", width, c.Name, c.Help)
	}
	return text
}

// methodFlag adds the flag of a method, one of a list of names.
func methodFlag(cmd *cobra.Command, to *string, flag, standard, help string, names []string) {
	cmd.Flags().StringVar(to, flag, standard, help+": "+wording.Or(names))
	cli.CompleteFlag(cmd, flag, fixedWords(names...))
}

// reductionNames returns the values that --reduce can have, with n components.
func reductionNames(n string) []string {
	var list []string
	for _, m := range reduce.Methods() {
		list = append(list, m.Name+":"+n)
	}
	return list
}

// reduceFlag adds --reduce.
func reduceFlag(cmd *cobra.Command, to *string, help string) {
	cmd.Flags().StringVar(to, "reduce", "none", help)
	cli.CompleteFlag(cmd, "reduce", fixedWords(append(reductionNames("10"), "none")...))
}

// fixedWords returns a completer for fixed words.
func fixedWords(list ...string) cli.Completer {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}
