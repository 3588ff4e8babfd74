package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/internal/usage"
	"drx/hyper/option"
	"drx/hyper/reduce"
	"drx/internal/wording"
)

// hyperVerbs lists the constructors of the verbs of hyper.
var hyperVerbs = []func() *cobra.Command{
	newHyperAbundance,
	newHyperClassify,
	newHyperCount,
	newHyperDetect,
	newHyperEndmembers,
	newHyperInfo,
	newHyperMNF,
	newHyperPCT,
	newHyperScore,
	newHyperStats,
	newHyperSynth,
	newHyperWatch,
}

func newHyper() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hyper",
		Short:   "Analyse hyperspectral scenes",
		GroupID: groupData,
		Long: `Analyse hyperspectral scenes: statistics, principal components, endmembers, abundances, classes
and targets, in bounded memory. docs/HYPER.md says what each method does and when to use which.

CUBE is an array of lines, samples and bands in any order, a variable of a dataset, an ENVI image by
its header (.hdr) or its file of numbers, or a file of another format with one variable of three
dimensions. The dimensions of an array are known by names such as line, sample, band or y, x,
wavelength; --dims names others. Wavelengths are those of the coordinate of the bands, of the
attributes wavelengths and wavelength_unit, or of the header; bad bands those of the header, or of
the attribute bbl. Scales that differ from band to band are applied.

Pixels that cannot be used are left out, and every verb says how many there are: masked ones
(--mask), those with NaN, an infinity, the value of --no-data or one from --saturated on, and
those with nothing but zeros. Lines, samples and bands are counted from 0, in arrays by their
indices. --bad-bands leaves bands out.`,
		Example: `  drx hyper info jasper.hdr --draw scene.png
  drx hyper endmembers jasper.hdr --method nfindr --count 4 --mean 3 --json > E.json
  drx hyper abundance jasper.hdr --endmembers E.json --method fcls -o abundance
  drx hyper classify salinas --endmembers E.json --truth labels.png --draw classes.png`,
		Args: func(cmd *cobra.Command, args []string) error { return usage.CheckVerb(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, verb := range hyperVerbs {
		sub := verb()
		addJSONFlag(sub)
		cmd.AddCommand(sub)
	}
	return cmd
}

// requireValues is requireFlags for a verb of hyper.
func requireValues(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) || cmd.Flags().Lookup(name).Value.String() == "" {
			return usagef("hyper %s needs --%s; see '%s --help'", cmd.Name(), name, cmd.CommandPath())
		}
	}
	return nil
}

// checkWord returns an error unless a flag has one of some values.
func checkWord(cmd *cobra.Command, flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return usagef("hyper %s: --%s %q%s: want %s", cmd.Name(), flag, value, usage.DidYouMean(value, known), strings.Join(known, ", "))
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
	completeFlag(cmd, flag, fixedWords(names...))
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
	completeFlag(cmd, "reduce", fixedWords(append(reductionNames("10"), "none")...))
}

// fixedWords returns a completer for fixed words.
func fixedWords(list ...string) completer {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}
