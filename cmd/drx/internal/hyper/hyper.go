// Package hyper has the verb hyper, which analyses hyperspectral scenes, and its own verbs.
package hyper

import (
	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/usage"
)

// verbs lists the constructors of the verbs of hyper for one process.
var verbs = []func() *cobra.Command{
	newHyperClassify,
	newHyperDetect,
	newHyperInfo,
	newHyperScore,
	newHyperSynth,
	newHyperWatch,
}

// shared lists those of the verbs that a team of processes can divide.
var shared = []func(cli.Team) *cobra.Command{
	newHyperAbundance,
	newHyperCount,
	newHyperEndmembers,
	newHyperMNF,
	newHyperPCT,
	newHyperStats,
}

// New returns the verb hyper, with its own verbs.
func New() *cobra.Command {
	cmd := NewShared(cli.Team{})
	cmd.Example = `  drx hyper info jasper.hdr --draw scene.png
` + cmd.Example + `
  drx hyper classify salinas --endmembers E.json --truth labels.png --draw classes.png`
	for _, verb := range verbs {
		cmd.AddCommand(verb())
	}
	for _, sub := range cmd.Commands() {
		cli.AddJSONFlag(sub)
	}
	return cmd
}

// NewShared returns the verb hyper with those of its own verbs that a team of processes can divide.
func NewShared(team cli.Team) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hyper",
		Short:   "Analyse hyperspectral scenes",
		GroupID: cli.GroupData,
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
		Example: `  drx hyper endmembers jasper.hdr --method nfindr --count 4 --mean 3 --json > E.json
  drx hyper abundance jasper.hdr --endmembers E.json --method fcls -o abundance`,
		Args: func(cmd *cobra.Command, args []string) error { return cli.AsWrongUsage(usage.CheckVerb(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, verb := range shared {
		cmd.AddCommand(verb(team))
	}
	return cmd
}
