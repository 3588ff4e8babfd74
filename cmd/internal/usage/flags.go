// Package usage words the errors of the commands: what is wrong, what is possible, and what to do,
// in one line.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx/internal/wording"
)

// FlagError rewords an error of parsing the flags of a verb.
func FlagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var twice twiceError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("unknown flag: --%s%s; %s", unknown.GetSpecifiedName(), wording.DidYouMean("--", unknown.GetSpecifiedName(), flagNames(cmd)), help)
	case errors.As(err, &invalid) && errors.As(invalid.Unwrap(), &twice):
		return fmt.Errorf("--%s: %v: give it once; %s", invalid.GetFlag().Name, twice, help)
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return fmt.Errorf("--%s: %q%s; %s", flag.Name, invalid.GetValue(), notOfType(flag.Value.Type(), invalid.Unwrap()), help)
	case errors.As(err, &missing):
		return fmt.Errorf("--%s needs a value; %s", missing.GetFlag().Name, help)
	}
	return fmt.Errorf("%w; %s", err, help)
}

// flagNames returns the names of the flags of a verb.
func flagNames(cmd *cobra.Command) []string {
	names := []string{"help"}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// notOfType says why a text is no value of a type of flags.
func notOfType(t string, err error) string {
	if errors.Is(err, strconv.ErrRange) {
		return " is too large: beyond 64 bits"
	}
	switch {
	case strings.HasPrefix(t, "int"):
		return " is not an integer"
	case strings.HasPrefix(t, "uint"):
		return " is not an integer of at least 0"
	case strings.HasPrefix(t, "float"):
		return " is not a number"
	case t == "bool":
		return " is neither true nor false"
	case t == "duration":
		return " is not a time, as in 500ms, 10s or 2m"
	}
	return ": " + err.Error()
}

// CheckVerb returns an error if the first word of a command line is no verb of root. It is called
// before cobra parses the flags, which would complain about flags of the misspelled verb first. It
// returns nil if there is no word.
func CheckVerb(root *cobra.Command, args []string) error {
	noun := "unknown verb"
	if len(args) > 0 && args[0] == "help" {
		args, noun = args[1:], "no verb or topic"
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	known := []string(nil)
	if cmd, _, err := root.Find(args); err == nil && cmd != root || strings.HasPrefix(args[0], "__complete") {
		return nil
	}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			known = append(known, cmd.Name())
		}
	}
	if root.HasParent() {
		return fmt.Errorf("%s: no %q%s: there are %s", root.Name(), args[0], DidYouMean(args[0], known), strings.Join(known, ", "))
	}
	hint := DidYouMean(args[0], known)
	if jobs := suggestions(root, args[0]); jobs != "" {
		hint = ": " + jobs
	}
	return fmt.Errorf("%s %q%s; '%s --help' lists them", noun, args[0], hint, root.CommandPath())
}

// suggestions lists the verbs of root that do the job of a word in other programs, with
// descriptions, as in "info (show the type and shape) or read (read a section)".
func suggestions(root *cobra.Command, word string) string {
	var jobs []string
	for _, cmd := range root.Commands() {
		if slices.Contains(cmd.SuggestFor, strings.ToLower(word)) {
			short := strings.ToLower(cmd.Short[:1]) + cmd.Short[1:]
			jobs = append(jobs, fmt.Sprintf("%s (%s)", cmd.Name(), short))
		}
	}
	return wording.Or(jobs)
}

// DidYouMean returns a question for the known word that is nearest to an unknown one, to be added
// to an error. It is empty if none is near.
func DidYouMean(word string, known []string) string { return wording.DidYouMean("", word, known) }

// Nearest is wording.Nearest.
func Nearest(word string, known []string) string { return wording.Nearest(word, known) }

// Arguments returns an error unless a verb got one argument for each name. If more is set, the last
// may be repeated.
func Arguments(cmd *cobra.Command, args, names []string, more bool) error {
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	want, hint := "none", ""
	if len(names) > 0 {
		want = strings.Join(names, " ")
	}
	if more {
		want += "..."
	}
	if len(args) < len(names) || !more && len(args) > len(names) {
		if len(args) > 0 {
			hint = ": " + quoted(args)
		}
		if len(args) > max(1, len(names)) {
			hint += " (put quotes around a name with spaces, write lists as 3,4)"
		}
		noun := "arguments"
		if len(args) == 1 {
			noun = "argument"
		}
		return fmt.Errorf("%s: want %s, got %d %s%s; %s", cmd.Name(), want, len(args), noun, hint, help)
	}
	if slices.Contains(args[:len(names)], "") {
		return fmt.Errorf("%s: want %s, got an empty name; %s", cmd.Name(), want, help)
	}
	return nil
}

// quoted returns some words in quotes, and dots for more.
func quoted(words []string) string {
	const most = 5
	var parts []string
	for _, w := range words[:min(most, len(words))] {
		parts = append(parts, strconv.Quote(w))
	}
	if len(words) > most {
		parts = append(parts, "...")
	}
	return strings.Join(parts, " ")
}
