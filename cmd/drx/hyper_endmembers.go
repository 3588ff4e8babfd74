package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/hyper"
	"drx/internal/plot"
)

func newHyperEndmembers() *cobra.Command {
	var o cubeOptions
	var s hyper.Search
	var reduceText, draw, out string
	cmd := &cobra.Command{
		Use:   "endmembers CUBE --method METHOD --count N",
		Short: "Find the spectra of pure materials",
		Long: `Find endmembers: the spectra of pure materials, of which the pixels of a scene are mixtures.
--json prints what other verbs take as --endmembers.

  nfindr  the simplex of the largest volume; no pixel enlarges it, which the certificate shows
  atgp    each the pixel with the largest part that those before do not explain
  sga     each the pixel farthest from the simplex of those before
  vca     extremes of random directions in a subspace; --seed chooses them
  ppi     the pixels that most random lines have as an end; --skewers, --seed
  fippi   the same with lines through pixels found so far, without chance
  amee    pixels unlike their neighbours, by windows; --window, --rounds or --max-window, --apart
  sisal   the smallest simplex around nearly all pixels; its endmembers are no pixels; --weight

--mean K looks at means of K x K pixels, which have less noise, and gives their spectra. --reduce
looks for them among the components of the scene; amee and sisal look at the scene computed back from
these, without most of the noise, because angles between components mean nothing. The best --count is
often a little above that of the materials: shade and bright pixels take part.`,
		Example: `  drx hyper endmembers jasper.hdr --method nfindr --count 4 --mean 3 --json > E.json
  drx hyper endmembers salinas --method nfindr --count 18 --mean 5 --reduce mnf:20 --starts 5 --json > E.json
  drx hyper endmembers jasper.hdr --method amee --count 4 --draw spectra.png
  drx hyper endmembers salinas --method amee --count 16 --mean 3 --reduce mnf:15 --apart 0.05`,
		Args: exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSearch(cmd, &s, reduceText); err != nil {
				return err
			}
			if err := checkDraw(draw); err != nil {
				return err
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error {
				found, err := s.Find(cmd.Context(), c.Cube)
				if err != nil {
					return searchHint(s, err)
				}
				return reportEndmembers(cmd, c, found, out, draw)
			})
		},
	}
	o.flags(cmd)
	searchFlags(cmd, &s, &reduceText)
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write: .json as printed with --json, .csv as a spectral library")
	drawFlag(cmd, &draw, "the spectra")
	return cmd
}

// searchFlags adds the flags of a search for endmembers.
func searchFlags(cmd *cobra.Command, s *hyper.Search, reduceText *string) {
	f := cmd.Flags()
	f.StringVar(&s.Method, "method", "", "`method`: "+strings.Join(hyper.Methods(), ", "))
	f.IntVar(&s.Count, "count", 0, "`number` of endmembers")
	f.IntVar(&s.Mean, "mean", 1, "look at means of `K` x K pixels; odd")
	f.StringVar(reduceText, "reduce", "none", "`components` to look at: mnf:N, pct:N or none")
	f.Float64Var(&s.Ridge, "ridge", 0, "with --reduce mnf:N, the `part` of the mean variance of the noise to add to each band")
	f.Uint64Var(&s.Seed, "seed", 1, "`number` that chooses what is random")
	f.IntVar(&s.Starts, "starts", 10, "nfindr: `number` of random simplices to begin with, besides that of atgp")
	f.IntVar(&s.Skewers, "skewers", 1000, "ppi: `number` of random lines")
	f.Float64Var(&s.Apart, "apart", 0, "ppi, fippi, amee: least `angle` between two endmembers, in rad (default: 0.2 for amee)")
	f.IntVar(&s.Window, "window", 5, "amee: `extent` of the window in pixels; odd")
	f.IntVar(&s.Rounds, "rounds", 0, "amee: `number` of rounds (default: 3); sisal: of convex problems (default: until it converges)")
	f.IntVar(&s.MaxWindow, "max-window", 0, "amee: `extent` of the largest window, instead of rounds: the form of 2002")
	f.Float64Var(&s.Weight, "weight", 0, "sisal: `weight` of the pixels outside of the simplex (default: 1)")
	f.IntVar(&s.Pixels, "pixels", 0, "sisal: use at most this `number` of pixels, drawn by chance (default: all)")
	completeFlag(cmd, "method", fixedWords(hyper.Methods()...))
	completeFlag(cmd, "reduce", fixedWords("mnf:10", "pct:10", "none"))
}

// checkSearch checks the flags of a search.
func checkSearch(cmd *cobra.Command, s *hyper.Search, reduceText string) error {
	if err := requireValues(cmd, "method", "count"); err != nil {
		return err
	}
	if err := checkWord(cmd, "method", s.Method, hyper.Methods()); err != nil {
		return err
	}
	var err error
	if s.Reduce, err = parseReduce(reduceText); err != nil {
		return err
	}
	if s.Count < 2 {
		return usagef("hyper endmembers: --count %d: want at least 2", s.Count)
	}
	if !cmd.Flags().Changed("apart") && s.Method == "amee" {
		s.Apart = 0.2
	}
	for flag, methods := range map[string]string{
		"starts": "nfindr", "skewers": "ppi", "apart": "ppi fippi amee", "window": "amee", "max-window": "amee", "rounds": "amee sisal", "weight": "sisal", "pixels": "sisal",
	} {
		if cmd.Flags().Changed(flag) && !strings.Contains(" "+methods+" ", " "+s.Method+" ") {
			return usagef("hyper endmembers: --%s is for %s, not for %s", flag, strings.ReplaceAll(methods, " ", ", "), s.Method)
		}
	}
	return checkMean(cmd, s.Mean)
}

// checkMean checks --mean.
func checkMean(cmd *cobra.Command, k int) error {
	if k < 1 || k%2 == 0 {
		return usagef("hyper %s: --mean %d: want an odd number, at least 1", cmd.Name(), k)
	}
	return nil
}

// parseReduce parses --reduce.
func parseReduce(text string) (hyper.Reduction, error) {
	r, err := hyper.ParseReduction(text)
	if err != nil {
		return r, usagef("--reduce %s: want mnf:N or pct:N, with N components, or none", text)
	}
	return r, nil
}

// searchHint adds to an error of amee which flag helps.
func searchHint(s hyper.Search, err error) error {
	if s.Method == "amee" && strings.Contains(err.Error(), "apart") {
		return fmt.Errorf("%w; --apart is %g rad, a smaller one gives more endmembers", err, s.Apart)
	}
	return err
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
		err := replaceFile(out, func(w io.Writer) error {
			if strings.HasSuffix(strings.ToLower(out), ".csv") {
				return set.WriteCSV(w)
			}
			return printJSON(w, found)
		})
		if err != nil {
			return err
		}
	}
	if wantsJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), found)
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
