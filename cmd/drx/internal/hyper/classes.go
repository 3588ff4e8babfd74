package hyper

import (
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/hyper"
	hyperscene "drx/hyper/scene"
	"drx/internal/plot"
)

// result returns the result of a classification.
func (o *classifyOptions) result(c *hyperCube, s *hyper.Spectra, done *hyper.FittedClassifier) *classifyResult {
	return &classifyResult{
		sceneResult: newSceneResult(c), Measure: o.measure, Mean: o.Mean, Reduce: o.Reduce.String(),
		Names: s.Names, Counts: done.Counts, Moved: floats(done.Moved), Output: o.out,
	}
}

// pixels returns the number of pixels that were classified.
func (r *classifyResult) pixels() int {
	n := 0
	for _, count := range r.Counts {
		n += count
	}
	return n
}

// compare adds the comparison with the truth.
func (r *classifyResult) compare(c *hyper.Comparison) {
	match, accuracy, kappa := result.Float(c.Confusion.CountMatch()), result.Float(c.Confusion.Accuracy()), result.Float(c.Confusion.Kappa())
	r.CountMatch, r.Accuracy, r.Kappa = &match, &accuracy, &kappa
	r.Labels, r.Confusion, r.Accuracies = c.Labels, c.Confusion.Counts, floats(c.Confusion.ClassAccuracies())
	for _, class := range c.Named {
		r.NamedAs = append(r.NamedAs, c.Labels[class-1])
	}
}

// writeLabels writes a map of labels as an array, if one is wanted.
func (o *classifyOptions) writeLabels(cmd *cobra.Command, c *hyperCube, labels *hyperscene.Plane) error {
	if o.out == "" {
		return nil
	}
	_, err := writeResult(c, resultSpec{out: o.out, dtype: dtype.Int32, values: 1}, func(to *hyperscene.Tee) error {
		cube, err := hyperscene.New(labels, hyperscene.Options{KeepZero: true, Memory: c.memory})
		if err != nil {
			return err
		}
		return hyperscene.Copy(cmd.Context(), cube, to)
	})
	return err
}

// drawResult draws the classes, beside the truth if there is one.
func (o *classifyOptions) drawResult(c *hyperCube, s *hyper.Spectra, classes, truth *hyperscene.Plane, compared *hyper.Comparison) error {
	title := fmt.Sprintf("Classes of %s, by %s", plot.Printable(c.name), o.measure)
	if compared == nil {
		return drawClasses(title, []*hyperscene.Plane{classes}, nil, s.Names, nil, o.draw)
	}
	var labels []string
	for _, label := range compared.Labels {
		labels = append(labels, strconv.Itoa(label))
	}
	note := fmt.Sprintf("Accuracy %.2f %%, kappa %.4f, count match %.2f %%; labels only name the classes.",
		100*compared.Confusion.Accuracy(), compared.Confusion.Kappa(), 100*compared.Confusion.CountMatch())
	maps := []*hyperscene.Plane{numbered(compared.Name(classes), compared.Labels), numbered(truth, compared.Labels)}
	return drawClasses(title, maps, []string{"found", "truth"}, labels, []string{note}, o.draw)
}

// numbered returns a map in which each label is replaced by its position in labels, counted from 1.
func numbered(p *hyperscene.Plane, labels []int) *hyperscene.Plane {
	b := p.Bounds()
	out, _ := hyperscene.NewPlane(b, 1) // no error: one value is enough
	for i := range b.Pixels() {
		at := b.At(i)
		out.At(at)[0] = p.At(at)[0]
		if v := p.At(at)[0]; v > 0 {
			k, found := slices.BinarySearch(labels, int(v))
			out.At(at)[0] = 0
			if found {
				out.At(at)[0] = float64(k + 1)
			}
		}
	}
	return out
}

// print prints the result.
func (r *classifyResult) print(cmd *cobra.Command) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "class\tspectrum\tpixels\t")
	if r.NamedAs != nil {
		fmt.Fprint(w, "label\t")
	}
	fmt.Fprintln(w)
	for i, name := range r.Names {
		fmt.Fprintf(w, "%d\t%s\t%d\t", i+1, cli.Printable(name), r.Counts[i+1])
		if r.NamedAs != nil {
			fmt.Fprintf(w, "%d\t", r.NamedAs[i])
		}
		fmt.Fprintln(w)
	}
	if r.Counts[0] > 0 {
		fmt.Fprintf(w, "0\tnone\t%d\t\n", r.Counts[0])
	}
	if err := w.Flush(); err != nil || r.Labels == nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "accuracy %.2f %%, kappa %.4f, count match %.2f %%\n", 100*float64(*r.Accuracy), float64(*r.Kappa), 100*float64(*r.CountMatch))
	return err
}
