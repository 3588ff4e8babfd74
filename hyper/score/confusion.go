package score

import (
	"fmt"
	"math"
)

// A Confusion counts pixels by true class and by assigned class. Classes are numbered from 1.
// Pixels whose true class is unknown, 0, do not count; an assigned class of 0 means that the pixel
// was not classified.
type Confusion struct {
	Classes int
	// Counts has the number of pixels of true class i with assigned class j at [i-1][j], where j
	// begins at 0.
	Counts [][]int
}

// NewConfusion returns an empty matrix for the classes from 1 on. It is an error if there are none.
func NewConfusion(classes int) (*Confusion, error) {
	if classes < 1 {
		return nil, fmt.Errorf("a confusion matrix of %d classes: at least 1 is needed", classes)
	}
	c := &Confusion{Classes: classes, Counts: make([][]int, classes)}
	for i := range c.Counts {
		c.Counts[i] = make([]int, classes+1)
	}
	return c, nil
}

// Add counts a pixel. It is an error if a class does not exist.
func (c *Confusion) Add(truth, class int) error {
	if truth < 0 || truth > c.Classes || class < 0 || class > c.Classes {
		return fmt.Errorf("true class %d, class %d: classes are 0 to %d", truth, class, c.Classes)
	}
	if truth > 0 {
		c.Counts[truth-1][class]++
	}
	return nil
}

// Pixels returns the number of pixels.
func (c *Confusion) Pixels() int {
	n := 0
	for _, row := range c.Counts {
		for _, v := range row {
			n += v
		}
	}
	return n
}

// totals returns the number of pixels of each true class, and of each assigned class, from 0.
func (c *Confusion) totals() (truth, given []int) {
	given = make([]int, c.Classes+1)
	for _, row := range c.Counts {
		t := 0
		for j, v := range row {
			t += v
			given[j] += v
		}
		truth = append(truth, t)
	}
	return truth, given
}

// Accuracy returns the overall accuracy: the share of pixels with the right class, from 0 to 1, or
// NaN if there are no pixels.
func (c *Confusion) Accuracy() float64 {
	right := 0
	for i, row := range c.Counts {
		right += row[i+1]
	}
	return float64(right) / float64(c.Pixels())
}

// ClassAccuracies returns, per class, the share of its pixels that were assigned to it (the
// producer's accuracy); NaN for a class without pixels.
func (c *Confusion) ClassAccuracies() []float64 {
	truth, _ := c.totals()
	shares := make([]float64, c.Classes)
	for i, row := range c.Counts {
		shares[i] = float64(row[i+1]) / float64(truth[i])
	}
	return shares
}

// Kappa returns Cohen's kappa (1960): the accuracy beyond that of chance with the same numbers of
// pixels per class. It is 1 for a perfect result and 0 for chance. It is NaN if there are no
// pixels, or if all are of one class, for which chance would be perfect.
func (c *Confusion) Kappa() float64 {
	truth, given := c.totals()
	n := float64(c.Pixels())
	chance := 0.0
	for i, t := range truth {
		chance += float64(t) / n * (float64(given[i+1]) / n)
	}
	return (c.Accuracy() - chance) / (1 - chance)
}

// CountMatch returns 1 - sum|given-true|/sum(true) for the numbers of pixels per class, the measure
// of tables 9.4 and 9.5 of the thesis (Nimako 2016). It is at most 1, and NaN if there are no
// pixels. It ignores positions: a map with the right numbers at the wrong pixels has the match 1.
func (c *Confusion) CountMatch() float64 {
	truth, given := c.totals()
	m, _ := CountMatch(given[1:], truth)
	return m
}

// CountMatch returns 1 - sum|given-true|/sum(true) for numbers of pixels per class. It is NaN if
// there are no true pixels. It is an error if the lengths differ.
func CountMatch(given, truth []int) (float64, error) {
	if len(given) != len(truth) {
		return math.NaN(), fmt.Errorf("counts of %d classes against those of %d: both need the same classes", len(given), len(truth))
	}
	off, n := 0, 0
	for i, t := range truth {
		off += max(given[i]-t, t-given[i])
		n += t
	}
	if n == 0 {
		return math.NaN(), nil
	}
	return 1 - float64(off)/float64(n), nil
}
