package hyper

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/hyper"
	hyperscene "drx/hyper/scene"
	"drx/hyper/score"
)

// scoreOptions are the flags of hyper score.
type scoreOptions struct {
	endmembers, truth, abundance, trueAbundance, memory string
}

// A scoreResult is the result of hyper score. The lists have an element per true spectrum.
type scoreResult struct {
	Names   []string       `json:"names"`
	SAD     []result.Float `json:"sad"`
	MeanSAD result.Float   `json:"mean_sad"`
	SID     []result.Float `json:"sid"`
	Matched []int          `json:"matched"`
	RMSE    []result.Float `json:"rmse,omitempty"`
	AllRMSE *result.Float  `json:"mean_rmse,omitempty"`
}

func newHyperScore() *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:   "score --endmembers E.json --truth T.csv",
		Short: "Compare endmembers with the true ones",
		Long: `Pair endmembers with true ones so that the sum of the spectral angles is the least possible, and
print the angle (sad, in radians) and the spectral information divergence (sid) of each pair.
Neither sees how bright a spectrum is. matched has for each true spectrum the number of the
endmember, from 0, and -1 for one without.

--abundance and --true-abundance compare abundances as well, arrays or .npy files of lines, samples
and endmembers, in the order of their spectra: rmse is the root of the mean squared difference per
true endmember, over pixels that are not left out.`,
		Example: `  drx hyper score --endmembers E.json --truth jasper.csv
  drx hyper score --endmembers E.json --truth jasper.csv --abundance abundance --true-abundance truth.npy --json`,
		Args: cli.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := requireValues(cmd, "endmembers", "truth"); err != nil {
				return err
			}
			if (o.abundance == "") != (o.trueAbundance == "") {
				return cli.Usagef("hyper score: --abundance and --true-abundance belong together")
			}
			return o.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.endmembers, "endmembers", "", "`file` of spectra: .json as endmembers --json prints it, .csv, or an ENVI library")
	f.StringVar(&o.truth, "truth", "", "`file` of the true spectra")
	f.StringVar(&o.abundance, "abundance", "", "`array` or .npy of abundances")
	f.StringVar(&o.trueAbundance, "true-abundance", "", "`array` or .npy of the true abundances")
	f.StringVar(&o.memory, "memory", "512MiB", "`bytes` of memory for each of the abundances, as in 64MiB")
	return cmd
}

func (o *scoreOptions) run(cmd *cobra.Command) error {
	found, err := readSpectra(o.endmembers)
	if err != nil {
		return err
	}
	truth, spectra, err := fitSpectra(cmd, found.Grid(), o.truth)
	if err != nil {
		return err
	}
	match, err := score.MatchEndmembers(found.Spectra, spectra)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", cli.Printable(o.endmembers), cli.Printable(o.truth), err)
	}
	r := scoreResult{Names: truth.Names, SAD: floats(match.Angles), MeanSAD: result.Float(match.Mean), Matched: match.Found}
	r.SID = make([]result.Float, len(spectra))
	for i, x := range spectra {
		r.SID[i] = result.Float(divergence(found, match.Found[i], x))
	}
	if o.abundance != "" {
		if err := o.compareAbundances(cmd, &r); err != nil {
			return err
		}
	}
	return r.print(cmd)
}

// compareAbundances adds the errors of the abundances.
func (o *scoreOptions) compareAbundances(cmd *cobra.Command, r *scoreResult) error {
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return err
	}
	var sources [2]hyperscene.Source
	for i, name := range []string{o.trueAbundance, o.abundance} {
		values, _, shape, err := readValues(name, 3, 0, int64(memory))
		if err != nil {
			return err
		}
		if len(shape) != 3 {
			return fmt.Errorf("%s: abundances have lines, samples and endmembers; this has the extents %s", cli.Printable(name), times(shape))
		}
		b := hyperscene.Block{Hi: hyperscene.Pixel{Line: shape[0], Sample: shape[1]}}
		if sources[i], err = hyperscene.InMemory(b, shape[2], values); err != nil {
			return err
		}
	}
	each, all, err := score.Abundances(cmd.Context(), sources[0], sources[1], r.Matched)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", cli.Printable(o.abundance), cli.Printable(o.trueAbundance), err)
	}
	r.RMSE, r.AllRMSE = floats(each), (*result.Float)(&all)
	return nil
}

// print prints the result.
func (r scoreResult) print(cmd *cobra.Command) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "true spectrum\tendmember\tangle\tSID\t")
	for i, name := range r.Names {
		matched := "-"
		if r.Matched[i] >= 0 {
			matched = fmt.Sprint(r.Matched[i] + 1)
		}
		fmt.Fprintf(w, "%s\t%s\t%.4f\t%.4g\t\n", cli.Printable(name), matched, float64(r.SAD[i]), float64(r.SID[i]))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "mean angle %.4f rad\n", float64(r.MeanSAD))
	if r.AllRMSE != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "RMSE of the abundances %.4f\n", float64(*r.AllRMSE))
	}
	return nil
}

// divergence returns the divergence between an endmember and a true spectrum, NaN without an
// endmember.
func divergence(s *hyper.Spectra, found int, x []float64) float64 {
	if found < 0 {
		return score.Divergence(nil, nil)
	}
	return score.Divergence(s.Spectra[found], x)
}
