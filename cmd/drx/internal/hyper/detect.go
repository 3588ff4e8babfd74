package hyper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/derived"
	"drx/hyper/detect"
	"drx/hyper/option"
	hyperscene "drx/hyper/scene"
	"drx/hyper/score"
	"drx/internal/plot"
)

// detectOptions are the flags of hyper detect.
type detectOptions struct {
	cubeOptions
	hyper.Detection
	method, target, name, undesired, truth, reduceText, out, draw string
	mean, inner, outer                                            int
	loading                                                       float64
}

// A detectResult is the result of hyper detect.
type detectResult struct {
	sceneResult
	Method  string        `json:"method"`
	Highest *pixelScore   `json:"highest,omitempty"`
	Without int           `json:"without"` // pixels without enough neighbours for a background
	AUC     *result.Float `json:"auc,omitempty"`
	Output  string        `json:"output,omitempty"`
}

// A pixelScore is a pixel and its score.
type pixelScore struct {
	Line   int          `json:"line"`
	Sample int          `json:"sample"`
	Score  result.Float `json:"score"`
}

func newHyperDetect() *cobra.Command {
	var o detectOptions
	cmd := &cobra.Command{
		Use:   "detect CUBE --method METHOD",
		Short: "Find anomalies, or pixels like a target",
		Long: `Give each pixel a score: how unlike the others it is (rx), or how like a target.

` + methodHelp(option.Choices(detect.Methods())) + `
--target is a pixel, LINE,SAMPLE, or a file of spectra, of which --name chooses one. --outer compares
with the surroundings. Without --undesired, osp suppresses pixels that atgp finds, --suppress of them,
but those within 0.1 rad of the target.

--truth is a map of the true targets, those that are not 0. The area under the curve (auc) is the
probability that a target has a higher score than another pixel. -o makes an array of the scores,
of float64, with NaN for pixels that are left out.`,
		Example: `  drx hyper detect airport --method rx --truth planes.png --draw scores.png
  drx hyper detect airport --method ace --target 61,40 -o scores
  drx hyper detect jasper.hdr --method osp --target usgs.sli --name "Oak leaf" --undesired E.json`,
		Args: cli.Exactly("CUBE"),
		RunE: o.verb(o.check, o.run),
	}
	o.flags(cmd)
	f := cmd.Flags()
	methodFlag(cmd, &o.method, "method", "", "`method`", option.Names(detect.Methods()))
	local, suppresses := methodsWith(detectLocal), methodsWith(detectSuppresses)
	f.StringVar(&o.target, "target", "", "the `target`: LINE,SAMPLE, or a file of spectra (.json, .csv, ENVI library)")
	f.StringVar(&o.name, "name", "", "`name` of the spectrum, in a file that has several")
	f.StringVar(&o.undesired, "undesired", "", suppresses+": `file` of spectra to suppress")
	f.IntVar(&o.Suppress, "suppress", 5, suppresses+" without --undesired: `number` of pixels to suppress")
	f.StringVar(&o.truth, "truth", "", "`map` of the true targets: an array, .npy or PNG of lines x samples")
	f.IntVar(&o.mean, "mean", 1, "search means of `K` x K pixels; odd")
	reduceFlag(cmd, &o.reduceText, "`components` to search: mnf:N, pct:N or none")
	f.IntVar(&o.outer, "outer", 0, local+": compare with the surroundings, a window of this `extent` in pixels; odd (default: the whole scene)")
	f.IntVar(&o.inner, "inner", 3, local+" with --outer: the `extent` of the window that is left out in the middle; odd")
	f.Float64Var(&o.loading, "loading", 0, local+" with --outer: `part` of the mean variance to add to each, where there are few pixels")
	f.StringVarP(&o.out, "output", "o", "", "`array` to make")
	drawFlag(cmd, &o.draw, "the scores")
	return cmd
}

func detectLocal(m *detect.Method) bool      { return m.Local }
func detectSuppresses(m *detect.Method) bool { return m.Suppresses }

// methodsWith returns the names of the methods for which has is true.
func methodsWith(has func(m *detect.Method) bool) string {
	list := slices.DeleteFunc(detect.Methods(), func(m *detect.Method) bool { return !has(m) })
	return strings.Join(option.Names(list), ", ")
}

func (o *detectOptions) check(cmd *cobra.Command) (err error) {
	if err := requireValues(cmd, "method"); err != nil {
		return err
	}
	if err := checkWord(cmd, "method", o.method, option.Names(detect.Methods())); err != nil {
		return err
	}
	if o.Method, err = option.Find("method", detect.Methods(), o.method); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	switch {
	case !o.Method.Target && o.target != "":
		return cli.Usagef("hyper detect: --target is for the other methods: %s finds what is unlike the rest", o.Method)
	case o.Method.Target && o.target == "":
		return cli.Usagef("hyper detect: method %s needs --target, a pixel or a file of spectra", o.Method)
	case !o.Method.Local && (given("outer") || given("inner") || given("loading")):
		return cli.Usagef("hyper detect: --outer, --inner and --loading are for %s, not for %s", methodsWith(detectLocal), o.Method)
	case o.outer == 0 && (given("inner") || given("loading")):
		return cli.Usagef("hyper detect: --inner and --loading need --outer")
	case !o.Method.Suppresses && (given("undesired") || given("suppress")):
		return cli.Usagef("hyper detect: --undesired and --suppress are for %s, not for %s", methodsWith(detectSuppresses), o.Method)
	}
	o.Apart = 0.1
	if o.outer != 0 {
		o.Local = &detect.Local{Inner: o.inner, Outer: o.outer, Loading: o.loading}
	}
	if err := checkMean(cmd, o.mean); err != nil {
		return err
	}
	if err := checkDraw(o.draw); err != nil {
		return err
	}
	return checkOut(o.out)
}

func (o *detectOptions) run(cmd *cobra.Command, c *hyperCube) error {
	space, err := o.prepare(cmd, c)
	if err != nil {
		return err
	}
	var truth *hyperscene.Plane
	if o.truth != "" {
		if truth, err = readMap(o.truth, c.Bounds(), c.memory); err != nil {
			return err
		}
	}
	r := detectResult{sceneResult: newSceneResult(c), Method: o.method, Output: o.out}
	spec := resultSpec{out: o.out, dtype: dtype.Float64, values: 1, attrs: map[string]any{"method": o.method}}
	best := &bestScore{}
	spec.keep, spec.also = o.truth != "" || o.draw != "", best
	scores, err := writeResult(c, spec, func(to *hyperscene.Tee) error {
		r.Without, err = o.Run(cmd.Context(), space, to)
		return err
	})
	if err != nil {
		return err
	}
	r.Highest = best.highest
	noteLeftOut(cmd, c, best.pixels+int64(r.Without))
	if truth != nil {
		auc, err := score.Detection(cmd.Context(), truth, scores)
		if err != nil {
			return otherFile{fmt.Errorf("%s: %w", cli.Printable(o.truth), err)}
		}
		r.AUC = (*result.Float)(&auc)
	}
	if o.draw != "" {
		title := fmt.Sprintf("%s in %s", o.Method, plot.Printable(c.name))
		if err := drawMaps(title, "score", scores, nil, [2]float64{math.NaN(), math.NaN()}, o.draw); err != nil {
			return err
		}
	}
	return r.print(cmd)
}

// prepare returns the scene to search, averaged or reduced as the flags say, and transforms the
// target and the undesired spectra to the same space.
func (o *detectOptions) prepare(cmd *cobra.Command, c *hyperCube) (*hyperscene.Cube, error) {
	var err error
	if o.target != "" {
		if o.Target, err = readTarget(cmd, c, o.target, o.name); err != nil {
			return nil, err
		}
	}
	if o.undesired != "" {
		if _, o.Undesired, err = fitSpectra(cmd, hyper.GridOf(c.Cube), o.undesired); err != nil {
			return nil, err
		}
	}
	space, err := derived.Mean(c.Cube, o.mean)
	if err != nil {
		return nil, err
	}
	reduction, err := parseReduce(o.reduceText)
	if err != nil {
		return nil, err
	}
	t, err := hyper.Reduce(cmd.Context(), c.Cube, reduction, 0)
	if err != nil || t == nil {
		return space, err
	}
	project := func(x []float64) []float64 {
		y := make([]float64, t.Components())
		t.Apply(y, x)
		return y
	}
	if o.Target != nil {
		o.Target = project(o.Target)
	}
	o.Undesired = slices.Clone(o.Undesired)
	for i, x := range o.Undesired {
		o.Undesired[i] = project(x)
	}
	return t.Scene(space)
}

// A bestScore is a sink that keeps the pixel with the highest score (ties: the first) and counts
// the pixels that have a score.
type bestScore struct {
	highest *pixelScore
	pixels  int64
}

// Values returns 1.
func (s *bestScore) Values() int { return 1 }

// Write compares the scores of a block with the best one so far.
func (s *bestScore) Write(_ context.Context, b hyperscene.Block, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		s.pixels++
		if p := b.At(i); s.highest == nil || v > float64(s.highest.Score) || v == float64(s.highest.Score) && p.Compare(s.highest.pixel()) < 0 {
			s.highest = &pixelScore{p.Line, p.Sample, result.Float(v)}
		}
	}
	return nil
}

func (p *pixelScore) pixel() hyperscene.Pixel {
	return hyperscene.Pixel{Line: p.Line, Sample: p.Sample}
}

// print prints the result.
func (r detectResult) print(cmd *cobra.Command) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	out := cmd.OutOrStdout()
	if r.Highest != nil {
		fmt.Fprintf(out, "highest score %.6g at line %d, sample %d\n", float64(r.Highest.Score), r.Highest.Line, r.Highest.Sample)
	}
	if r.Without > 0 {
		fmt.Fprintf(out, "%d pixels have too few neighbours for a background; --loading helps\n", r.Without)
	}
	if r.AUC != nil {
		fmt.Fprintf(out, "area under the curve %.4f\n", float64(*r.AUC))
	}
	return nil
}
