package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/score"
)

func TestAngle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()
		}
		ab, aa, bb := 0.0, 0.0, 0.0
		for i := range a {
			ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
		}
		if want := math.Acos(ab / math.Sqrt(aa*bb)); math.Abs(score.Angle(a, b)-want) > 1e-12 {
			t.Fatalf("angle %v, want %v", score.Angle(a, b), want)
		}
	}
	if got := score.Angle([]float64{1, 0}, []float64{3, 3e-12}); math.Abs(got-1e-12) > 1e-24 {
		t.Errorf("a small angle: %v", got)
	}
	if got := score.Angle([]float64{1, 2}, []float64{-2, -4}); got != math.Pi {
		t.Errorf("opposite: %v", got)
	}
	if got := score.Angle([]float64{1, 2}, []float64{0, 0}); !math.IsNaN(got) {
		t.Errorf("zeros: %v", got)
	}
}

func TestDivergence(t *testing.T) {
	// p = (1/4, 3/4), q = (1/2, 1/2): -1/4 ln(1/2) + 1/4 ln(3/2) = ln(3)/4
	if got := score.Divergence([]float64{1, 3}, []float64{5, 5}); math.Abs(got-math.Log(3)/4) > 1e-15 {
		t.Errorf("divergence %v", got)
	}
	if got := score.Divergence([]float64{1, 3}, []float64{2, 6}); got != 0 {
		t.Errorf("of the same direction: %v", got)
	}
	if got := score.Divergence([]float64{0, 1}, []float64{1, 1}); math.IsInf(got, 0) || got < 5 {
		t.Errorf("with a zero: %v", got)
	}
	if got := score.Divergence([]float64{0, -1}, []float64{1, 1}); !math.IsNaN(got) {
		t.Errorf("of a negative sum: %v", got)
	}
}

// cheapest tries all pairings of rows and columns.
func cheapest(cost [][]float64, row int, used []bool, left int) float64 {
	if row == len(cost) {
		if left > 0 {
			return math.Inf(1)
		}
		return 0
	}
	best := cheapest(cost, row+1, used, left) // without a column
	for j, u := range used {
		if !u && left > 0 {
			used[j] = true
			best = min(best, cost[row][j]+cheapest(cost, row+1, used, left-1))
			used[j] = false
		}
	}
	return best
}

func TestAssignAgreesWithAllPermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 1500 {
		rows, columns := 1+r.IntN(6), 1+r.IntN(6)
		cost := make([][]float64, rows)
		for i := range cost {
			for range columns {
				cost[i] = append(cost[i], float64(r.IntN(12)-4)) // with ties, and negative
			}
		}
		column, total := score.Assign(cost)
		n, sum, used := 0, 0.0, map[int]bool{}
		for i, j := range column {
			if j >= 0 {
				if used[j] {
					t.Fatalf("column %d twice in %v", j, column)
				}
				used[j] = true
				n++
				sum += cost[i][j]
			}
		}
		want := cheapest(cost, 0, make([]bool, columns), min(rows, columns))
		if n != min(rows, columns) || total != sum || total != want {
			t.Fatalf("%v: %v costs %v (%v), the cheapest %v", cost, column, total, sum, want)
		}
	}
	if column, total := score.Assign(nil); column != nil || total != 0 {
		t.Errorf("nothing: %v %v", column, total)
	}
}

func TestMatchEndmembers(t *testing.T) {
	truth := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	found := [][]float64{{0, 0.1, 5}, {2, 0.2, 0}}
	m, err := score.MatchEndmembers(found, truth)
	if err != nil {
		t.Fatal(err)
	}
	a, b := math.Atan(0.1), math.Atan(0.02)
	if !slices.Equal(m.Found, []int{1, -1, 0}) || math.Abs(m.Angles[0]-a) > 1e-15 || !math.IsNaN(m.Angles[1]) || math.Abs(m.Mean-(a+b)/2) > 1e-15 {
		t.Errorf("%+v", m)
	}
	for want, f := range map[string][][]float64{
		"endmember 0 has 2 bands where 3 are needed":                               {{1, 2}},
		"no endmember is given: at least 1 is needed":                              nil,
		"endmember 0 or true endmember 0 has only zeros: it has no spectral angle": {{0, 0, 0}},
	} {
		if _, err := score.MatchEndmembers(f, truth); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestConfusion(t *testing.T) {
	c, err := score.NewConfusion(2)
	if err != nil {
		t.Fatal(err)
	}
	// The example of Cohen's kappa with 20, 5, 10, 15: accuracy 0.7, kappa 0.4.
	for _, n := range [][3]int{{1, 1, 20}, {1, 2, 5}, {2, 1, 10}, {2, 2, 15}, {0, 2, 99}} {
		for range n[2] {
			if err := c.Add(n[0], n[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.Pixels() != 50 || c.Accuracy() != 0.7 || math.Abs(c.Kappa()-0.4) > 1e-15 || c.CountMatch() != 1-10.0/50 ||
		!slices.Equal(c.ClassAccuracies(), []float64{0.8, 0.6}) {
		t.Errorf("%v: accuracy %v, kappa %v, count match %v, %v", c.Counts, c.Accuracy(), c.Kappa(), c.CountMatch(), c.ClassAccuracies())
	}
	if err := c.Add(1, 0); err != nil || c.Accuracy() != 35.0/51 {
		t.Errorf("a pixel that was not classified: %v %v", err, c.Accuracy())
	}
	if err := c.Add(1, 3); err == nil || err.Error() != "true class 1, class 3: classes are 0 to 2" {
		t.Errorf("a class that does not exist: %v", err)
	}
	if _, err := score.NewConfusion(0); err == nil {
		t.Error("no classes are accepted")
	}
}

func TestCountMatch(t *testing.T) {
	if got, err := score.CountMatch([]int{8, 14, 0}, []int{10, 10, 2}); err != nil || math.Abs(got-(1-8.0/22)) > 1e-15 {
		t.Errorf("%v %v", got, err)
	}
	if _, err := score.CountMatch([]int{1}, []int{1, 2}); err == nil {
		t.Error("counts of other classes are accepted")
	}
	if got, err := score.CountMatch([]int{1}, []int{0}); err != nil || !math.IsNaN(got) {
		t.Errorf("no pixels: %v %v", got, err)
	}
}

func TestAUCAgreesWithAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		n := 2 + r.IntN(30)
		scores, target := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i], target[i] = float64(r.IntN(8)), r.IntN(3) == 0
			if r.IntN(10) == 0 {
				scores[i] = math.NaN()
			}
			if r.IntN(20) == 0 {
				scores[i] = math.Inf(1)
			}
		}
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if target[i] && !target[j] && !math.IsNaN(scores[i]) && !math.IsNaN(scores[j]) {
					pairs++
					if scores[i] > scores[j] {
						wins++
					} else if scores[i] == scores[j] {
						wins += 0.5
					}
				}
			}
		}
		got, err := score.AUC(scores, target)
		if (err == nil) != (pairs > 0) || err == nil && math.Abs(got-wins/pairs) > 1e-12 {
			t.Fatalf("%v %v: %v %v, want %v", scores, target, got, err, wins/pairs)
		}
	}
	if _, err := score.AUC([]float64{1}, []bool{true, false}); err == nil || err.Error() != "1 scores for a truth of 2 pixels: both must be of the same pixels" {
		t.Errorf("another shape: %v", err)
	}
}
