// Package usage words the errors of the commands: what is wrong, what is possible, and what to do, in
// one line.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError rewords an error of parsing the flags of a verb.
func FlagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("unknown flag: --%s%s; %s", unknown.GetSpecifiedName(), didYouMean("--", unknown.GetSpecifiedName(), flagNames(cmd)), help)
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

// CheckVerb returns an error if the first word of a command line is no verb of root, even if flags that
// only a verb has come after it. It returns nil if there is no verb.
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
	return fmt.Errorf("%s %q%s; '%s --help' lists them", noun, args[0], DidYouMean(args[0], known), root.CommandPath())
}

// DidYouMean returns a question for the known word that is nearest to an unknown one, to be added to an
// error. It is empty if none is near.
func DidYouMean(word string, known []string) string { return didYouMean("", word, known) }

func didYouMean(prefix, word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %s%s?)", prefix, near)
	}
	return ""
}

// Nearest returns the known word with the least changes of letters from an unknown one, or "" if it takes
// more than one change for each three letters. A word that the unknown one begins, or that ends with it,
// is near as well.
func Nearest(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		n := distance(strings.ToLower(word), strings.ToLower(k))
		if len(word) > 1 && (strings.HasPrefix(k, word) || strings.HasSuffix(k, word)) {
			n = min(n, 1)
		}
		if n < least && k != "" && n < len(k) {
			best, least = k, n
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, replace or exchange with the next one to
// get from a to b. Long words are not compared, which would take long.
func distance(a, b string) int {
	const longest = 256
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var before, last []int // the rows above
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Arguments returns an error unless a verb got its arguments, whose names are given. With more, the last
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
