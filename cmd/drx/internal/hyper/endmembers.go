package hyper

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/hyper"
	"drx/internal/plot"
	"drx/internal/wording"
)

func newHyperEndmembers(team cli.Team) *cobra.Command {
	o := cubeOptions{team: team}
	var s searchOptions
	var draw, out string
	cmd := &cobra.Command{
		Use:   "endmembers CUBE --method METHOD --count N",
		Short: "Find the spectra of pure materials",
		Long: `Find endmembers: the spectra of pure materials, of which the pixels of a scene are mixtures.
--json prints what other verbs take as --endmembers.

` + searchHelp() + `
--mean K searches means of K x K pixels, which have less noise, and gives their spectra. --reduce
searches the components of the scene; amee and sisal search the scene computed back from them,
without most of the noise, because angles between components mean nothing. The best --count is often
a little above that of the materials: shade and bright pixels take part.`,
		Example: `  drx hyper endmembers jasper.hdr --method nfindr --count 4 --mean 3 --json > E.json
  drx hyper endmembers salinas --method nfindr --count 18 --mean 5 --reduce mnf:20 --starts 5 --json > E.json
  drx hyper endmembers jasper.hdr --method amee --count 4 --draw spectra.png
  drx hyper endmembers salinas --method amee --count 16 --mean 3 --reduce mnf:15 --apart 0.05`,
		Args: cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(cmd); err != nil {
				return err
			}
			if err := checkDraw(draw); err != nil {
				return err
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error {
				found, err := s.Find(cmd.Context(), c.Cube)
				if err != nil {
					return s.hint(err)
				}
				if !team.First() {
					return nil
				}
				return reportEndmembers(cmd, c, found, out, draw)
			})
		},
	}
	o.flags(cmd)
	s.flags(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write: .json as printed with --json, .csv as a spectral library")
	drawFlag(cmd, &draw, "the spectra")
	return cmd
}

// checkMean checks --mean.
func checkMean(cmd *cobra.Command, k int) error {
	if k < 1 || k%2 == 0 {
		return cli.Usagef("hyper %s: --mean %d: want an odd number, at least 1", cmd.Name(), k)
	}
	return nil
}

// parseReduce parses --reduce.
func parseReduce(text string) (hyper.Reduction, error) {
	r, err := hyper.ParseReduction(text)
	if err != nil {
		return r, cli.Usagef("--reduce %s: want %s, with N components, or none", text, wording.Or(reductionNames("N")))
	}
	return r, nil
}

// reportEndmembers draws, saves and prints endmembers.
func reportEndmembers(cmd *cobra.Command, c *hyperCube, found *hyper.Found, out, draw string) error {
	set, err := found.Set()
	if err != nil {
		return err
	}
	if draw != "" {
		if err := drawSpectra(found.Method+" endmembers of "+plot.Printable(c.name), set, draw); err != nil {
			return err
		}
	}
	if out != "" {
		err := outfile.Replace(out, func(w io.Writer) error {
			if strings.HasSuffix(strings.ToLower(out), ".csv") {
				return set.WriteCSV(w)
			}
			return cli.PrintJSON(w, found)
		})
		if err != nil {
			return err
		}
	}
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), found)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "endmember\tline\tsample\t")
	for i, e := range found.Endmembers {
		if e.NoPixel {
			fmt.Fprintf(w, "%d\t-\t-\t\n", i+1)
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t\n", i+1, e.Line, e.Sample)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if found.Volume != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "volume %.6g\n", *found.Volume)
	}
	if found.Certificate != nil && found.Certificate.Holds {
		fmt.Fprintln(cmd.OutOrStdout(), "no pixel enlarges the simplex")
	}
	return nil
}
