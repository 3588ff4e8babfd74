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

func newHyperAbundance(team cli.Team) *cobra.Command {
	o := cubeOptions{team: team}
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
				return unmixScene(cmd, team, c, endmembers, method, out, draw)
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

// readSolver returns the spectra of a file, which fit a scene, and the solver for them.
func readSolver(cmd *cobra.Command, c *hyperCube, file, methodName string) (*hyper.Spectra, *unmix.Solver, error) {
	method, err := option.Find("method", unmix.Methods(), methodName)
	if err != nil {
		return nil, nil, cli.AsWrongUsage(err)
	}
	set, spectra, err := fitSpectra(cmd, hyper.GridOf(c.Cube), file)
	if err != nil {
		return nil, nil, err
	}
	solver, err := unmix.New(method, spectra)
	if err != nil {
		return nil, nil, otherFile{fmt.Errorf("%s: %w", cli.Printable(file), err)}
	}
	return set, solver, nil
}

// unmixScene finds the abundances by all processes of a team; the first one writes and prints.
func unmixScene(cmd *cobra.Command, team cli.Team, c *hyperCube, file, methodName, out, draw string) error {
	set, solver, err := readSolver(cmd, c, file, methodName)
	if err := team.Agree("spectra of "+file, err); err != nil {
		return err
	}
	r := abundanceResult{sceneResult: newSceneResult(c), Method: methodName, Names: set.Names, Output: out}
	spec := resultSpec{dtype: dtype.Float32, values: solver.Endmembers(), name: "endmember"}
	if team.First() {
		spec.out, spec.keep = out, draw != ""
		spec.attrs = map[string]any{"method": methodName, "endmembers": set.Names}
	}
	gate := team.Gate("creation of the result")
	plane, err := writeResult(c, spec, func(to *hyperscene.Tee) error {
		if err := gate.Pass(nil); err != nil {
			return err
		}
		sum, err := solver.CubeByProcs(cmd.Context(), c.Cube, c.Bounds(), to, nil)
		r.Pixels, r.LeftOut, r.RMSE, r.Means = sum.Pixels, sum.LeftOut, result.Float(sum.RMSE), floats(to.Means())
		if err == nil && sum.Pixels == 0 && team.First() {
			err = fmt.Errorf("none of the %d pixels can be used; see drx hyper info", sum.LeftOut)
		}
		return err
	})
	if err = gate.Leave(err); err != nil || !team.First() {
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
