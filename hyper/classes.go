package hyper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"drx/hyper/classify"
	"drx/hyper/derived"
	"drx/hyper/scene"
	"drx/hyper/score"
)

// A Classification assigns each pixel to the class of the most similar spectrum.
type Classification struct {
	Measure *classify.Measure
	Limit   float64 // see classify.New
	// Mean is odd: means of Mean x Mean neighbouring pixels are classified. 0 means 1: single
	// pixels.
	Mean   int
	Reduce Reduction // applied to pixels and spectra first
	Ridge  float64   // see reduce.MNF
	Rounds int       // see classify.Classifier.Refine
}

// FittedClassifier is a classifier and the scene of means and components that it fits.
type FittedClassifier struct {
	Classifier *classify.Classifier
	Cube       *scene.Cube
	Moved      []float64 // by round: see classify.Classifier.Refine
	Counts     []int     // pixels per class; class 0 counts those beyond the limit
}

// Run classifies the pixels of a cube. The spectra have the bands of the cube. It writes class
// numbers to the sink: numbers of the spectra, from 1. The errors are those of Reduce, derived.Mean
// and package classify.
func (o Classification) Run(ctx context.Context, c *scene.Cube, spectra [][]float64, sink scene.Sink) (*FittedClassifier, error) {
	space, err := derived.Mean(c, max(1, o.Mean))
	if err != nil {
		return nil, err
	}
	t, err := Reduce(ctx, c, o.Reduce, o.Ridge)
	if err != nil {
		return nil, err
	}
	if t != nil {
		if space, err = t.Scene(space); err != nil {
			return nil, err
		}
		spectra = slices.Clone(spectra)
		for i, x := range spectra {
			spectra[i] = make([]float64, t.Components())
			t.Apply(spectra[i], x)
		}
	}
	r := &FittedClassifier{Cube: space}
	if r.Classifier, err = classify.New(o.Measure, spectra, o.Limit); err != nil {
		return nil, err
	}
	if o.Rounds > 0 {
		if r.Classifier, r.Moved, err = r.Classifier.Refine(ctx, space, space.Bounds(), o.Rounds); err != nil {
			return nil, err
		}
	}
	r.Counts, err = r.Classifier.Cube(ctx, space, space.Bounds(), sink)
	return r, err
}

// A Comparison compares a class map with a truth map. The labels of the truth are used only to name
// the spectra.
type Comparison struct {
	Labels    []int // of the truth, ascending, without 0, which means unknown
	Named     []int // per spectrum: number of the label with the nearest class mean, from 1
	Confusion *score.Confusion
}

// Compare names each spectrum of a classification by the label whose pixels have the nearest mean,
// and compares the class map, classes, with the truth. Both have one value per pixel and the bounds
// of the scene. Masked pixels of the scene do not count. It is an error if the truth has other
// bounds, a value that is not a label, or no label at any usable pixel.
func (r *FittedClassifier) Compare(ctx context.Context, measure *classify.Measure, classes, truth *scene.Plane) (*Comparison, error) {
	if truth.Bounds() != r.Cube.Bounds() {
		return nil, fmt.Errorf("the truth has %s, the scene %s", truth.Bounds(), r.Cube.Bounds())
	}
	labels, means, err := classMeans(ctx, r.Cube, truth)
	if err != nil {
		return nil, err
	}
	namer, err := classify.New(measure, means, 0)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Labels: labels}
	for _, x := range r.Classifier.Spectra() {
		class, _ := namer.Class(x)
		c.Named = append(c.Named, class)
	}
	if c.Confusion, err = score.NewConfusion(len(labels)); err != nil {
		return nil, err
	}
	for i := range truth.Bounds().Pixels() {
		p := truth.Bounds().At(i)
		label, class := truth.At(p)[0], classes.At(p)[0]
		if label == 0 || math.IsNaN(label) || math.IsNaN(class) {
			continue
		}
		found, _ := slices.BinarySearch(labels, int(label))
		named := 0
		if class > 0 {
			named = c.Named[int(class)-1]
		}
		if err := c.Confusion.Add(found+1, named); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Name returns the class map with labels of the truth instead of numbers of spectra.
func (c *Comparison) Name(classes *scene.Plane) *scene.Plane {
	b := classes.Bounds()
	named, _ := scene.NewPlane(b, 1) // no error: one value per pixel is valid
	for i := range b.Pixels() {
		p := b.At(i)
		switch class := classes.At(p)[0]; {
		case class > 0:
			named.At(p)[0] = float64(c.Labels[c.Named[int(class)-1]-1])
		case class == 0:
			named.At(p)[0] = 0
		}
	}
	return named
}

// classMeans returns the labels that occur at usable pixels, ascending, and the mean of each one's
// pixels.
func classMeans(ctx context.Context, c *scene.Cube, truth *scene.Plane) ([]int, [][]float64, error) {
	type sum struct {
		n     int
		total []float64
	}
	sums := map[int]*sum{}
	add := func(to map[int]*sum, label, n int, x []float64) {
		s := to[label]
		if s == nil {
			s = &sum{total: make([]float64, len(x))}
			to[label] = s
		}
		s.n += n
		for b, v := range x {
			s.total[b] += v
		}
	}
	err := scene.Map(ctx, c, c.Bounds(), func(t *scene.Tile) (map[int]*sum, error) {
		part := map[int]*sum{}
		for i, valid := range t.Valid {
			p := t.Block.At(i)
			v := truth.At(p)[0]
			label := int(v)
			if !math.IsNaN(v) && (float64(label) != v || label < 0) {
				return nil, fmt.Errorf("the truth has %g at line %d, sample %d: labels are integers from 1, and 0 for unknown", v, p.Line, p.Sample)
			}
			if valid && label > 0 {
				add(part, label, 1, t.Spectrum(i))
			}
		}
		return part, nil
	}, func(part map[int]*sum) error {
		for label, s := range part {
			add(sums, label, s.n, s.total)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var labels []int
	for label := range sums {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	if labels == nil {
		return nil, nil, fmt.Errorf("the truth labels no usable pixel")
	}
	means := make([][]float64, len(labels))
	for k, label := range labels {
		means[k] = sums[label].total
		for b := range means[k] {
			means[k][b] /= float64(sums[label].n)
		}
	}
	return labels, means, nil
}
