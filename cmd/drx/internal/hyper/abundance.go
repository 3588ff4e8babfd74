package hyper

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/derived"
	"drx/hyper/option"
	hyperscene "drx/hyper/scene"
	"drx/hyper/unmix"
	"drx/internal/plot"
)

// An abundanceResult is the result of hyper abundance.
type abundanceResult struct {
	sceneResult
	Method  string         `json:"method"`
	Names   []string       `json:"names"`
	Pixels  int            `json:"pixels"`
	LeftOut int            `json:"left_out"`
	RMSE    result.Float   `json:"rmse"`
	Means   []result.Float `json:"means"`
	Output  string         `json:"output,omitempty"`
}

func newHyperAbundance() *cobra.Command {
	var o cubeOptions
	var endmembers, method, out, draw string
	var mean int
	cmd := &cobra.Command{
		Use:   "abundance CUBE --endmembers E.json",
		Short: "Find what part of each pixel every endmember has",
		Long: `Find the abundances of endmembers in each pixel: those whose mixture is nearest to its spectrum.

` + methodHelp(option.Choices(unmix.Methods())) + `
-o makes an array of lines, samples and endmembers, of float32, with NaN for pixels that are left
out. The RMSE is the root of the mean squared difference between pixels and mixtures.`,
		Example: `  drx hyper abundance jasper.hdr --endmembers E.json --method fcls -o abundance --draw maps.png`,
		Args:    cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireValues(cmd, "endmembers"); err != nil {
				return err
			}
			if err := checkWord(cmd, "method", method, option.Names(unmix.Methods())); err != nil {
				return err
			}
			if err := checkMean(cmd, mean); err != nil {
				return err
			}
			if err := checkDraw(draw); err != nil {
				return err
			}
			if err := checkOut(out); err != nil {
				return err
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error {
				if mean > 1 {
					smooth, err := derived.Mean(c.Cube, mean)
					if err != nil {
						return err
					}
					c.Cube = smooth
				}
				return unmixScene(cmd, c, endmembers, method, out, draw)
			})
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&endmembers, "endmembers", "", "`file` of spectra: .json as endmembers --json prints it, .csv, or an ENVI library")
	methodFlag(cmd, &method, "method", unmix.FCLS.Name, "`method`", option.Names(unmix.Methods()))
	f.IntVar(&mean, "mean", 1, "unmix means of `K` x K pixels; odd")
	f.StringVarP(&out, "output", "o", "", "`array` to make")
	drawFlag(cmd, &draw, "a map of each endmember's abundances")
	return cmd
}

func unmixScene(cmd *cobra.Command, c *hyperCube, file, methodName, out, draw string) error {
	method, err := option.Find("method", unmix.Methods(), methodName)
	if err != nil {
		return cli.AsWrongUsage(err)
	}
	set, spectra, err := fitSpectra(cmd, hyper.GridOf(c.Cube), file)
	if err != nil {
		return err
	}
	solver, err := unmix.New(method, spectra)
	if err != nil {
		return otherFile{fmt.Errorf("%s: %w", cli.Printable(file), err)}
	}
	r := abundanceResult{sceneResult: newSceneResult(c), Method: methodName, Names: set.Names, Output: out}
	spec := resultSpec{
		out: out, dtype: dtype.Float32, values: len(spectra), name: "endmember", keep: draw != "",
		attrs: map[string]any{"method": methodName, "endmembers": set.Names},
	}
	plane, err := writeResult(c, spec, func(to *hyperscene.Tee) error {
		sum, err := solver.Cube(cmd.Context(), c.Cube, c.Bounds(), to, nil)
		r.Pixels, r.LeftOut, r.RMSE, r.Means = sum.Pixels, sum.LeftOut, result.Float(sum.RMSE), floats(to.Means())
		if err == nil && sum.Pixels == 0 {
			err = fmt.Errorf("none of the %d pixels can be used; see drx hyper info", sum.LeftOut)
		}
		return err
	})
	if err != nil {
		return err
	}
	noteLeftOut(cmd, c, int64(r.Pixels))
	if draw != "" {
		title := fmt.Sprintf("Abundances in %s, %s", plot.Printable(c.name), methodName)
		limits := [2]float64{0, 1}
		if err := drawMaps(title, "abundance", plane, set.Names, limits, draw); err != nil {
			return err
		}
	}
	return r.print(cmd)
}

// print prints the result.
func (r abundanceResult) print(cmd *cobra.Command) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "endmember\tmean abundance\t")
	for i, name := range r.Names {
		fmt.Fprintf(w, "%s\t%.4f\t\n", cli.Printable(name), float64(r.Means[i]))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d pixels, RMSE %.6g\n", r.Pixels, float64(r.RMSE))
	return err
}
