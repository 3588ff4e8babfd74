package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/usage"
	"drx/dtype"
	"drx/internal/wording"
	"drx/nd"
)

// exactly checks the number of positional arguments. names are their names in the help.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return checkArguments(cmd, args, names, false)
	}
}

// atLeast is like exactly, but the last argument may be repeated.
func atLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return checkArguments(cmd, args, names, true)
	}
}

// checkArguments checks the positional arguments. One that is a duration, behind --wait without a value, is meant as its value.
func checkArguments(cmd *cobra.Command, args, names []string, more bool) error {
	if f := cmd.Flags().Lookup("wait"); f != nil && f.Changed && f.Value.String() == noLimit {
		for _, arg := range args {
			_, noDuration := time.ParseDuration(arg)
			if _, err := os.Stat(arg); noDuration == nil && err != nil {
				return usagef("%s: --wait takes its time with =: --wait=%s", cmd.Name(), arg)
			}
		}
	}
	return asWrongUsage(usage.Arguments(cmd, args, names, more))
}

// asWrongUsage marks an error, if there is one, as an error of the command line.
func asWrongUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// requireFlags checks that the flags were given.
func requireFlags(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			return usagef("%s needs --%s; see 'drx %s --help'", cmd.Name(), name, cmd.Name())
		}
		if cmd.Flags().Lookup(name).Value.String() == "" {
			return usagef("%s needs a value of --%s; see 'drx %s --help'", cmd.Name(), name, cmd.Name())
		}
	}
	return nil
}

// withArray opens an array, calls f and closes the array. It returns an error of Close as well,
// because Close commits.
func withArray(name string, write bool, f func(a *drx.Array) error) error {
	return withOpened(name, drx.Options{Write: write}, f)
}

// withOpened is withArray with any options.
func withOpened(name string, opts drx.Options, f func(a *drx.Array) error) error {
	a, err := drx.Open(name, opts)
	if err != nil {
		return err
	}
	return thenClose(a, f)
}

// thenClose calls f with an array and closes the array.
func thenClose(a *drx.Array, f func(a *drx.Array) error) error {
	err := f(a)
	if closeErr := a.Close(); err == nil {
		err = closeErr
	}
	return err
}

// addVersionFlag adds the flag --at-version to a verb that calls withVersion.
func addVersionFlag(cmd *cobra.Command, version *int) {
	cmd.Flags().IntVar(version, "at-version", 0, "show the array as it was after this `commit`, see log (default: the last)")
	completeFlag(cmd, "at-version", completeVersions)
}

// withVersion is withArray for reading. If --at-version is given, the array is as it was after
// that commit.
func withVersion(cmd *cobra.Command, name string, version int, f func(a *drx.Array) error) error {
	if !cmd.Flags().Changed("at-version") {
		return withArray(name, false, f)
	}
	a, err := drx.OpenAt(name, version, drx.Options{})
	if errors.Is(err, drx.ErrBounds) {
		return withArray(name, false, func(a *drx.Array) error {
			changes, historyErr := a.History()
			if historyErr != nil || len(changes) == 0 {
				return asUsageError(err)
			}
			return noCommit(a.Name(), version, changes[len(changes)-1].Commit)
		})
	}
	if err != nil {
		return asUsageError(err)
	}
	return thenClose(a, f)
}

// noCommit returns the error for a commit that an array does not have.
func noCommit(name string, commit, last int) error {
	return usagef("%s: no commit %d: the last is %d, see drx log", printable(name), commit, last)
}

// changeArray opens an array for writing, calls f and commits the changes that f made. After an
// error or an interruption the array is as it was at the last Sync, and takes no more space.
func changeArray(cmd *cobra.Command, name string, f func(a *drx.Array) error) error {
	return changeWith(cmd, name, drx.Options{Write: true}, f)
}

// changeWith is changeArray with options for opening the array.
func changeWith(cmd *cobra.Command, name string, o drx.Options, f func(a *drx.Array) error) error {
	a, err := openToChange(cmd, name, o)
	if err != nil {
		return err
	}
	underChange.begin(a)
	return underChange.close(a, f(a))
}

// parseInts reads a comma-separated list of integers; flag names it in errors.
func parseInts(flag, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var ints []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if errors.Is(err, strconv.ErrRange) {
			return nil, usagef("%s %q: %s is too large for a 64-bit integer", flag, text, field)
		}
		if err != nil {
			return nil, usagef("%s %q: %q is not a 64-bit integer; write integers with commas, as in 3,4", flag, text, field)
		}
		ints = append(ints, n)
	}
	return ints, nil
}

// parseDim returns the dimension with the given name or number.
func parseDim(a *drx.Array, text string) (int, error) {
	d, err := a.Dim(text)
	if err != nil {
		return 0, noDim(a, text)
	}
	return d, nil
}

// noDim returns the error for a dimension that an array does not have.
func noDim(a *drx.Array, text string) error {
	named := "without names"
	if names := a.Dims(); strings.Join(names, "") != "" {
		named = fmt.Sprintf("named %q", names)
	}
	return usagef("%s: no dimension %q%s: there are 0 to %d, %s", a.Name(), text, usage.DidYouMean(text, a.Dims()), a.Rank()-1, named)
}

// dimNames returns the names of the dimensions for printing.
func dimNames(a *drx.Array) []string { return printableDims(a.Dims()) }

// printableDims returns the names of dimensions for printing. A dimension without a name gets its
// number.
func printableDims(dims []string) []string {
	names := make([]string, len(dims))
	for d, name := range dims {
		names[d] = printable(name)
		if name == "" {
			names[d] = strconv.Itoa(d)
		}
	}
	return names
}

// nameDim replaces the number of a dimension of an array in an error by its name, if it has one.
func nameDim(a *drx.Array, err error) error { return usage.NameDim(dimNames(a), err) }

// checkBy checks --by, the number of indices by which a dimension is to grow or to shrink.
func checkBy(by int) error {
	if by < 1 {
		return usagef("--by %d: want at least 1", by)
	}
	return nil
}

// otherTypeNames are names of types in C and NumPy.
var otherTypeNames = map[string]string{
	"float": "float32 or float64", "double": "float64", "single": "float32", "half": "float16", "int": "int32 or int64",
	"uint": "uint32 or uint64", "long": "int64", "short": "int16", "byte": "uint8", "char": "int8", "boolean": "bool",
	"complex": "complex64 or complex128", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
	"u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}

// parseType parses the name of an element type, the value of --dtype.
func parseType(name string) (dtype.DType, error) {
	t, err := dtype.Parse(name)
	if err != nil {
		hint := usage.DidYouMean(name, dtypeNames())
		if known := otherTypeNames[strings.ToLower(name)]; known != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", known)
		}
		return t, usagef("--dtype %q: no such type%s: known are %s", name, hint, strings.Join(dtypeNames(), ", "))
	}
	return t, nil
}

// parseSection parses --section and resolves it against bounds, which are within those of the array. Empty text selects all
// of them.
func parseSection(a *drx.Array, bounds nd.Section, text string) (nd.Section, error) {
	var sec nd.Section
	if text != "" {
		var err error
		if sec, err = nd.ParseSection(text); err != nil {
			return nil, usageError{nameDim(a, err)}
		}
	}
	lo, hi := lowHigh(bounds)
	given := sec
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, usagef("%s: section %s: %w%s", a.Name(), text, nameDim(a, err), hiddenHint(a, bounds, given))
	}
	return sec, nil
}

// hiddenHint returns what to add to an error about a section that is outside of the bounds that a dataset has of an array,
// although the array has it.
func hiddenHint(a *drx.Array, bounds, sec nd.Section) string {
	if _, err := resolve(a, sec); err != nil || slices.Equal(bounds, a.Bounds()) {
		return ""
	}
	return fmt.Sprintf(": the dimension of the dataset ends there, although the array has %v; see 'drx help datasets'", a.Bounds())
}

// resolve resolves a section against the bounds.
func resolve(a *drx.Array, sec nd.Section) (nd.Section, error) {
	lo, hi := lowHigh(a.Bounds())
	return sec.Resolve(lo, hi)
}

// lowHigh returns the low and the high bounds of a section of ranges without steps.
func lowHigh(sec nd.Section) (lo, hi []int) {
	lo, hi = make([]int, len(sec)), make([]int, len(sec))
	for d, r := range sec {
		lo[d], hi[d] = r.Lo, r.Hi
	}
	return lo, hi
}

// formatInts formats integers in the form that parseInts accepts.
func formatInts(ints []int) string { return wording.Ints(ints) }
