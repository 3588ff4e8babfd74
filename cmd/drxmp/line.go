package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx/parallel/par"
)

// A line is the command line of a process, which must be the same in all processes: the verb, its
// arguments and all flags, in the order in which they are compared.
type line []word

type word struct{ Name, Value string }

// lineOf returns the command line of this process.
func lineOf(cmd *cobra.Command, args []string) line {
	l := line{{"version", version}, {"verb", verbOf(cmd)}}
	relative := false
	for i, a := range args {
		l = append(l, word{fmt.Sprintf("argument %d", i+1), a})
		relative = relative || !filepath.IsAbs(a)
	}
	if relative {
		folder, _ := os.Getwd()
		l = append(l, word{"folder (name arrays by absolute paths where it differs)", folder})
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { l = append(l, word{"--" + f.Name, f.Value.String()}) })
	return l
}

// verbOf returns the words that name a verb, as they were given: an alias may mean another default.
func verbOf(cmd *cobra.Command) string {
	name := cmp.Or(cmd.CalledAs(), cmd.Name())
	if above := cmd.Parent(); above != nil && above.HasParent() {
		return above.Name() + " " + name
	}
	return name
}

// value returns the value of a name in quotes, or "nothing" if the line does not have it.
func (l line) value(name string) string {
	if i := slices.IndexFunc(l, func(w word) bool { return w.Name == name }); i >= 0 {
		return fmt.Sprintf("%q", l[i].Value)
	}
	return "nothing"
}

// agreeLine returns nil if all processes have the same command line. Otherwise it returns an error,
// the same in all processes, that says what differs.
func (p *process) agreeLine(mine line) error {
	text, err := json.Marshal(mine)
	if err := p.Agree("command line", err); err != nil {
		return err
	}
	all, err := p.AllGather(text)
	if err != nil {
		return err
	}
	lines := make([]line, len(all))
	for i, text := range all {
		if err := json.Unmarshal(text, &lines[i]); err != nil {
			return fmt.Errorf("command line of process %d: %w", i, err)
		}
	}
	return compareLines(lines)
}

// compareLines returns the error of the first process that differs from process 0.
func compareLines(lines []line) error {
	for proc, l := range lines {
		if slices.Equal(l, lines[0]) {
			continue
		}
		for _, w := range append(slices.Clone(lines[0]), l...) {
			if l.value(w.Name) != lines[0].value(w.Name) {
				err := fmt.Errorf("%w on their command lines: %s: %s", par.ErrDisagree, w.Name, byProcess(lines, w.Name))
				return &par.ProcError{Proc: proc, Err: err}
			}
		}
	}
	return nil
}

// shown is the largest number of values that an error lists, and of processes for each.
const shown = 4

// byProcess lists which processes have which value of a name.
func byProcess(lines []line, name string) string {
	var values []string
	who := map[string][]int{}
	for proc, l := range lines {
		v := l.value(name)
		if who[v] == nil {
			values = append(values, v)
		}
		who[v] = append(who[v], proc)
	}
	var parts []string
	for i, v := range values {
		if i == shown {
			parts = append(parts, "...")
			break
		}
		procs := strings.Trim(fmt.Sprint(who[v][:min(shown, len(who[v]))]), "[]")
		if more := len(who[v]) - shown; more > 0 {
			procs += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, v+" on process "+procs)
	}
	return strings.Join(parts, ", ")
}
