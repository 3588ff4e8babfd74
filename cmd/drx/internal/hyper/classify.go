package hyper

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/classify"
	"drx/hyper/option"
	hyperscene "drx/hyper/scene"
)

// classifyOptions are the flags of hyper classify.
type classifyOptions struct {
	cubeOptions
	hyper.Classification
	endmembers, truth, measure, reduceText, out, draw string
}

// A classifyResult is the result of hyper classify. The fields from CountMatch on need a truth.
type classifyResult struct {
	sceneResult
	Measure string         `json:"measure"`
	Mean    int            `json:"mean"`
	Reduce  string         `json:"reduce"`
	Names   []string       `json:"names"`
	Counts  []int          `json:"counts"`
	Moved   []result.Float `json:"moved,omitempty"`
	Output  string         `json:"output,omitempty"`

	CountMatch *result.Float  `json:"count_match,omitempty"`
	Accuracy   *result.Float  `json:"overall_accuracy,omitempty"`
	Kappa      *result.Float  `json:"kappa,omitempty"`
	Labels     []int          `json:"labels,omitempty"`
	Accuracies []result.Float `json:"class_accuracies,omitempty"`
	NamedAs    []int          `json:"named_as,omitempty"`
	Confusion  [][]int        `json:"confusion,omitempty"`
}

func newHyperClassify() *cobra.Command {
	var o classifyOptions
	cmd := &cobra.Command{
		Use:   "classify CUBE --endmembers E.json",
		Short: "Give each pixel the class of the nearest spectrum",
		Long: `Give each pixel the class of the nearest spectrum, by the spectral angle, the spectral information
divergence (sid), or the distance. Distances mean something where the noise is equal in all bands,
as after --reduce mnf:N. --mean and --reduce are by default those with which the endmembers were
found, and the measure is the distance after a reduction and the angle without one. --rounds moves
each class to the mean of its pixels, several times.

--truth compares the result with a map of labels, 0 for unknown. The labels do nothing but name each
endmember, by the nearest mean of the pixels of a label. Count match is 1 minus the sum of the
differences between numbers of pixels per class, divided by the number of pixels: it does not see
where they are, so look at the accuracy, too. Of the classes that get the same name several may be
one material; take two to three times as many endmembers as there are classes.

-o makes an array of the classes: the numbers of the endmembers, from 1, or with --truth the labels;
0 for pixels that are left out or beyond --limit.`,
		Example: `  drx hyper classify salinas --endmembers E.json --rounds 10 --truth labels.npy --draw classes.png
  drx hyper classify jasper.hdr --endmembers usgs.sli --measure angle --limit 0.1 -o classes`,
		Args: cli.Exactly("CUBE"),
		RunE: o.verb(o.check, o.run),
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.endmembers, "endmembers", "", "`file` of class spectra: .json as endmembers --json prints it, .csv, or an ENVI library")
	f.StringVar(&o.truth, "truth", "", "`map` of labels to compare with: an array, .npy or PNG of lines x samples")
	methodFlag(cmd, &o.measure, "measure", "", "`measure`", option.Names(classify.Measures()))
	f.Lookup("measure").Usage += fmt.Sprintf(" (default: %s with --reduce, else %s)", measureAfter(true), measureAfter(false))
	f.IntVar(&o.Mean, "mean", 1, "classify means of `K` x K pixels; odd (default: that of the endmembers)")
	reduceFlag(cmd, &o.reduceText, "`components` to compare: mnf:N, pct:N or none (default: that of the endmembers)")
	f.Float64Var(&o.Ridge, "ridge", 0, "with --reduce mnf:N, the `part` of the mean variance of the noise to add to each band")
	f.IntVar(&o.Rounds, "rounds", 0, "move classes to the means of their pixels, this `number` of times at most")
	f.Float64Var(&o.Limit, "limit", 0, "`distance` from all spectra beyond which a pixel has no class (default: no limit)")
	f.StringVarP(&o.out, "output", "o", "", "`array` to make")
	drawFlag(cmd, &o.draw, "the classes, beside the truth if there is one,")
	return cmd
}

func (o *classifyOptions) check(cmd *cobra.Command) (err error) {
	if err := requireValues(cmd, "endmembers"); err != nil {
		return err
	}
	if cmd.Flags().Changed("measure") {
		if err := checkWord(cmd, "measure", o.measure, option.Names(classify.Measures())); err != nil {
			return err
		}
	}
	if o.Reduce, err = parseReduce(o.reduceText); err != nil {
		return err
	}
	if o.Rounds < 0 {
		return cli.Usagef("hyper classify: --rounds %d: want at least 0", o.Rounds)
	}
	if o.Limit < 0 {
		return cli.Usagef("hyper classify: --limit %g: want at least 0", o.Limit)
	}
	if err := checkMean(cmd, o.Mean); err != nil {
		return err
	}
	if err := checkDraw(o.draw); err != nil {
		return err
	}
	return checkOut(o.out)
}

// complete copies the mean, the reduction and the measure from the endmembers, unless flags set
// them.
func (o *classifyOptions) complete(cmd *cobra.Command, s *hyper.Spectra) (err error) {
	if !cmd.Flags().Changed("mean") {
		o.Mean = max(1, s.Mean)
	}
	if !cmd.Flags().Changed("reduce") {
		o.Reduce = s.Reduce
	}
	o.measure = cmp.Or(o.measure, measureAfter(o.Reduce.Method != nil).Name)
	o.Measure, err = option.Find("measure", classify.Measures(), o.measure)
	return err
}

// measureAfter returns the default measure. Distances are meaningful only after a reduction, when
// the noise is equal in all components.
func measureAfter(reduced bool) *classify.Measure {
	if reduced {
		return classify.Distance
	}
	return classify.Angle
}

func (o *classifyOptions) run(cmd *cobra.Command, c *hyperCube) error {
	set, spectra, err := fitSpectra(cmd, hyper.GridOf(c.Cube), o.endmembers)
	if err != nil {
		return err
	}
	if err := o.complete(cmd, set); err != nil {
		return err
	}
	var truth *hyperscene.Plane
	if o.truth != "" {
		if truth, err = readMap(o.truth, c.Bounds(), c.memory); err != nil {
			return err
		}
	}
	var done *hyper.FittedClassifier
	// With a truth, the array has labels. They are known only when all pixels have a class.
	spec := resultSpec{out: o.out, dtype: dtype.Int32, values: 1, keep: o.draw != "" || truth != nil}
	if truth != nil {
		spec.out = ""
	}
	classes, err := writeResult(c, spec, func(to *hyperscene.Tee) error {
		done, err = o.Run(cmd.Context(), c.Cube, spectra, to)
		return err
	})
	if err != nil {
		return err
	}
	r := o.result(c, set, done)
	noteLeftOut(cmd, c, int64(r.pixels()))
	var compared *hyper.Comparison
	if truth != nil {
		if compared, err = done.Compare(cmd.Context(), o.Measure, classes, truth); err != nil {
			return otherFile{fmt.Errorf("%s: %w", cli.Printable(o.truth), err)}
		}
		r.compare(compared)
		if err := o.writeLabels(cmd, c, compared.Name(classes)); err != nil {
			return err
		}
	}
	if o.draw != "" {
		if err := o.drawResult(c, set, classes, truth, compared); err != nil {
			return err
		}
	}
	return r.print(cmd)
}
