package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AddOutputFlags adds the flags that all verbs have for the amount of output.
func AddOutputFlags(f *pflag.FlagSet) {
	f.Bool("progress", false, "print how far a long verb is every few seconds, on the error output, without a terminal too")
	f.Bool("quiet", false, "print no progress, no notes, and no lines that only confirm what was done; answers, --json, warnings and errors remain")
}

// CheckOutputFlags checks the flags of AddOutputFlags.
func CheckOutputFlags(cmd *cobra.Command) error {
	if IsQuiet(cmd) && WantsProgress(cmd) {
		return Usagef("%s: --quiet and --progress exclude each other", cmd.Name())
	}
	return nil
}

// IsQuiet reports whether --quiet was given.
func IsQuiet(cmd *cobra.Command) bool { return isOn(cmd, "quiet") }

// WantsProgress reports whether --progress was given.
func WantsProgress(cmd *cobra.Command) bool { return isOn(cmd, "progress") }

func isOn(cmd *cobra.Command, flag string) bool {
	on, _ := cmd.Flags().GetBool(flag) // no error: the root command has the flag
	return on
}
