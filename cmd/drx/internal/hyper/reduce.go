package hyper

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/reduce"
	hyperscene "drx/hyper/scene"
	"drx/internal/plot"
)

// reduceOptions are the flags of pct and mnf.
type reduceOptions struct {
	cubeOptions
	method          *reduce.Method
	components      int
	explain, ridge  float64
	out, draw       string
	denoise, matrix bool
}

// A reduceResult is the result of pct and mnf.
type reduceResult struct {
	sceneResult
	Method     string            `json:"method"`
	Components int               `json:"components"`
	Values     []float64         `json:"values"`
	Explained  []float64         `json:"explained"`
	Output     string            `json:"output,omitempty"`
	Transform  *reduce.Transform `json:"transform,omitempty"`
}

func newHyperPCT(team cli.Team) *cobra.Command {
	return newReduction(team, reduce.ByPCT, "Transform a scene to principal components", `Find the principal components of a scene: the linear combinations of its bands that have the most
variance and are not correlated. -o writes them as an array of lines, samples and components.

The values are the variances of the components, the largest first, and explained is the part of
the variance that a component and those before it have. --draw draws the values: where they become
flat, noise begins.`, `  drx hyper pct jasper.hdr --draw scree.png
  drx hyper pct jasper.hdr --count 10 -o components`)
}

func newHyperMNF(team cli.Team) *cobra.Command {
	return newReduction(team, reduce.ByMNF, "Transform a scene to minimum noise fractions", `Find the minimum noise fractions of a scene: the linear combinations of its bands that have the
largest ratio of signal to noise. In them the noise has variance 1 and is not correlated, so that
distances mean something. -o writes them as an array of lines, samples and components, and with
--denoise the scene itself, computed back from these components.

The values are the ratios of signal to noise plus 1, the largest first: 1 is nothing but noise. The
noise is found from differences between neighbouring pixels. Where it has no variance in a band,
leave the band out, or add some by --ridge.`, `  drx hyper mnf jasper.hdr --draw scree.png
  drx hyper mnf salinas --count 20 -o components
  drx hyper mnf salinas --count 20 --denoise -o clean`)
}

func newReduction(team cli.Team, method *reduce.Method, short, long, example string) *cobra.Command {
	o := reduceOptions{cubeOptions: cubeOptions{team: team}, method: method}
	cmd := &cobra.Command{
		Use: method.Name + " CUBE", Short: short, Long: long, Example: example,
		Args: cli.Exactly("CUBE"),
		RunE: o.verb(o.check, o.run),
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.components, "count", 0, "`number` of components (default: all)")
	f.Float64Var(&o.explain, "explain", 0, "as few components as have this `part` of the sum of all values, as in 0.999")
	f.StringVarP(&o.out, "output", "o", "", "`array` to make, of float32")
	f.BoolVar(&o.matrix, "matrix", false, "with --json, print the transform as well")
	drawFlag(cmd, &o.draw, "the values")
	if method.Noise {
		f.Float64Var(&o.ridge, "ridge", 0, "`part` of the mean variance of the noise to add to each band")
		f.BoolVar(&o.denoise, "denoise", false, "write the scene computed back from the components")
	}
	return cmd
}

func (o *reduceOptions) check(cmd *cobra.Command) error {
	switch {
	case o.components < 0 || cmd.Flags().Changed("count") && o.components == 0:
		return cli.Usagef("hyper %s: --count %d: want at least 1", o.method, o.components)
	case o.components > 0 && o.explain != 0:
		return cli.Usagef("hyper %s: --count and --explain exclude each other", o.method)
	case cmd.Flags().Changed("explain") && !(o.explain > 0 && o.explain <= 1):
		return cli.Usagef("hyper %s: --explain %g: want a part above 0, of at most 1", o.method, o.explain)
	case o.denoise && o.out == "":
		return cli.Usagef("hyper %s: --denoise needs -o, the array to make", o.method)
	case o.matrix && !cli.WantsJSON(cmd):
		return cli.Usagef("hyper %s: --matrix needs --json", o.method)
	}
	if err := checkDraw(o.draw); err != nil {
		return err
	}
	return checkOut(o.out)
}

func (o *reduceOptions) run(cmd *cobra.Command, c *hyperCube) error {
	if o.components > c.Bands() {
		return cli.Usagef("--count %d: a scene of %d bands has as many components", o.components, c.Bands())
	}
	m, err := hyper.Measure(cmd.Context(), c.Cube, o.method.Noise)
	if err != nil {
		return err
	}
	noteLeftOut(cmd, c, m.Spectra.Count())
	t, err := m.Transform(hyper.Reduction{Method: o.method, Components: o.components}, o.ridge)
	if err != nil {
		return err
	}
	if o.explain > 0 {
		k, err := t.Enough(o.explain)
		if err == nil {
			t, err = t.Keep(k)
		}
		if err != nil {
			return err
		}
	}
	gate := o.team.Gate("creation of the result")
	if err := gate.Leave(o.write(cmd, c, t, gate)); err != nil || !o.team.First() {
		return err
	}
	return o.print(cmd, c, t)
}

// write draws the values, and writes the components, or the scene without noise, as an array, which
// all processes compute, behind a gate.
func (o *reduceOptions) write(cmd *cobra.Command, c *hyperCube, t *reduce.Transform, gate *cli.Gate) error {
	if o.draw != "" && o.team.First() {
		if err := drawScree(o.method.Name+" of "+plot.Printable(c.name), o.method.Values, []plot.Line{{Y: t.Values}}, o.draw); err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	derive, name := t.Scene, "component"
	if o.denoise {
		derive, name = t.Restore, "band"
	}
	y, err := derive(c.Cube)
	if err != nil {
		return err
	}
	spec := resultSpec{dtype: dtype.Float32, values: y.Bands(), name: name}
	if o.team.First() {
		spec.out = o.out
	}
	if waves, unit := y.Wavelengths(); waves != nil {
		spec.attrs = map[string]any{"wavelengths": waves, "wavelength_unit": unit}
	}
	_, err = writeResult(c, spec, func(to *hyperscene.Tee) error {
		if err := gate.Pass(nil); err != nil {
			return err
		}
		return hyperscene.CopyByProcs(cmd.Context(), y, to)
	})
	return err
}

func (o *reduceOptions) print(cmd *cobra.Command, c *hyperCube, t *reduce.Transform) error {
	explained := t.Explained()
	if cli.WantsJSON(cmd) {
		r := reduceResult{newSceneResult(c), o.method.Name, t.Components(), t.Values, explained, o.out, nil}
		if o.matrix {
			r.Transform = t
		}
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "component\tvalue\texplained\t")
	for i := range t.Components() {
		fmt.Fprintf(w, "%d\t%.6g\t%.4f %%\t\n", i+1, t.Values[i], 100*explained[i])
	}
	return w.Flush()
}
