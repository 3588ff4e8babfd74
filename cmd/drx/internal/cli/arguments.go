package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"drx/cmd/internal/usage"
)

// Exactly checks the number of positional arguments. names are their names in the help.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return checkArguments(cmd, args, names, false)
	}
}

// AtLeast is like Exactly, but the last argument may be repeated.
func AtLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return checkArguments(cmd, args, names, true)
	}
}

// checkArguments checks the positional arguments. It refuses a duration that names no file beside a
// --wait without a value: the user meant --wait=10s, and pflag does not take the next argument as
// the value of a flag that may stand alone.
func checkArguments(cmd *cobra.Command, args, names []string, more bool) error {
	if f := cmd.Flags().Lookup("wait"); f != nil && f.Changed && f.Value.String() == noLimit {
		for _, arg := range args {
			_, noDuration := time.ParseDuration(arg)
			if _, err := os.Stat(arg); noDuration == nil && err != nil {
				return Usagef("%s: --wait takes its time with =: --wait=%s", cmd.Name(), arg)
			}
		}
	}
	return AsWrongUsage(usage.Arguments(cmd, args, names, more))
}

// AsWrongUsage marks an error, if there is one, as an error of the command line.
func AsWrongUsage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// RequireFlags checks that the flags were given.
func RequireFlags(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			return Usagef("%s needs --%s; see '%s --help'", cmd.Name(), name, cmd.CommandPath())
		}
		if cmd.Flags().Lookup(name).Value.String() == "" {
			return Usagef("%s needs a value of --%s; see '%s --help'", cmd.Name(), name, cmd.CommandPath())
		}
	}
	return nil
}

// CheckBy checks --by, the number of indices by which a dimension is to grow or to shrink.
func CheckBy(by int) error {
	if by < 1 {
		return Usagef("--by %d: want at least 1", by)
	}
	return nil
}
