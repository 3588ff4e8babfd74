//go:build matio

package classify_test

import (
	"slices"
	"testing"

	"drx/formats/bridgetest"
	_ "drx/formats/mat"
	"drx/hyper/classify"
	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/score"
	"drx/hyper/stats"
)

// TestSalinasA classifies a real scene of six crops without using its labels: minimum noise
// fractions, the mean of 5 x 5 pixels, three times as many endmembers as classes, ten rounds of
// means. Then the labels name each endmember by the nearest class mean, and score the result.
func TestSalinasA(t *testing.T) {
	const components, mean, count, rounds = 20, 5, 18, 10
	data, shape := bridgetest.Floats(t, bridgetest.Data(t, "hyperspectral/SalinasA_corrected.mat")[0], "salinasA_corrected")
	labels, _ := bridgetest.Floats(t, bridgetest.Data(t, "hyperspectral/SalinasA_gt.mat")[0], "salinasA_gt")
	b := scene.Block{Hi: scene.Pixel{Line: shape[0], Sample: shape[1]}}
	src, err := scene.InMemory(b, shape[2], data)
	check(t, err)
	spoilt := []scene.Pixel{{Line: 12, Sample: 13}, {Line: 12, Sample: 14}}
	c, err := scene.New(src, scene.Options{Masked: func(p scene.Pixel) bool { return slices.Contains(spoilt, p) }})
	check(t, err)

	smooth, err := derived.Mean(whitened(t, c, components), mean)
	check(t, err)
	found, err := endmember.Find(t.Context(), smooth, &endmember.NFINDR{Options: endmember.Options{Count: count}, Starts: 5, Seed: 1})
	check(t, err)
	var spectra [][]float64
	for _, e := range found {
		spectra = append(spectra, e.Spectrum)
	}
	classifier, err := classify.New(classify.Distance, spectra, 0)
	check(t, err)
	classifier, _, err = classifier.Refine(t.Context(), smooth, b, rounds)
	check(t, err)
	plane, err := scene.NewPlane(b, 1)
	check(t, err)
	_, err = classifier.Cube(t.Context(), smooth, b, plane)
	check(t, err)

	classOf := map[float64]int{1: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6}
	namer, err := classify.New(classify.Distance, classMeans(t, smooth, labels, classOf), 0)
	check(t, err)
	confusion, err := score.NewConfusion(len(classOf))
	check(t, err)
	for i, label := range labels {
		p := b.At(i)
		if slices.Contains(spoilt, p) {
			continue
		}
		class, _ := namer.Class(classifier.Spectra()[int(plane.At(p)[0])-1])
		check(t, confusion.Add(classOf[label], class))
	}
	t.Logf("count match %.2f, accuracy %.2f %%", 100*confusion.CountMatch(), 100*confusion.Accuracy())
	if confusion.CountMatch() < 0.97 || confusion.Accuracy() < 0.98 {
		t.Errorf("count match %.4f, accuracy %.4f: at least 0.97 and 0.98 are wanted", confusion.CountMatch(), confusion.Accuracy())
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// whitened returns the scene of the minimum noise fractions.
func whitened(t *testing.T, c *scene.Cube, components int) *scene.Cube {
	t.Helper()
	b := c.Bounds()
	moments, err := stats.Sum(t.Context(), c, stats.Spectra, b, b)
	check(t, err)
	differences, err := stats.Sum(t.Context(), c, stats.Neighbours, b, b)
	check(t, err)
	mean, err := moments.Mean()
	check(t, err)
	covariance, err := moments.Covariance()
	check(t, err)
	noise, err := stats.Noise(differences)
	check(t, err)
	mnf, err := reduce.MNF(mean, covariance, noise, 0)
	check(t, err)
	mnf, err = mnf.Keep(components)
	check(t, err)
	y, err := mnf.Scene(c)
	check(t, err)
	return y
}

// classMeans returns the mean of the pixels of each class.
func classMeans(t *testing.T, c *scene.Cube, labels []float64, classOf map[float64]int) [][]float64 {
	t.Helper()
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	means, counts := make([][]float64, len(classOf)), make([]float64, len(classOf))
	for i, ok := range tile.Valid {
		if k := classOf[labels[i]] - 1; ok && k >= 0 {
			counts[k]++
			if means[k] == nil {
				means[k] = make([]float64, tile.Bands)
			}
			for b, v := range tile.Spectrum(i) {
				means[k][b] += v
			}
		}
	}
	for k := range means {
		for b := range means[k] {
			means[k][b] /= counts[k]
		}
	}
	return means
}
