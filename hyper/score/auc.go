package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// AUC returns the area under the receiver operating characteristic: the probability that a pixel
// with a target has a higher score than one without; a tie counts half. It is computed from ranks
// (Mann and Whitney 1947). Pixels with the score NaN do not count. It is an error if the lengths
// differ, or if no pixel of one kind is left.
func AUC(scores []float64, target []bool) (float64, error) {
	if len(scores) != len(target) {
		return 0, fmt.Errorf("%d scores for a truth of %d pixels: both must be of the same pixels", len(scores), len(target))
	}
	var order []int
	for i, v := range scores {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	var targets, below, wins2 int // wins2 is twice the number of pairs in which the target wins
	for first := 0; first < len(order); {
		end, t := first, 0
		for ; end < len(order) && scores[order[end]] == scores[order[first]]; end++ {
			if target[order[end]] {
				t++
			}
		}
		others := end - first - t
		wins2 += t * (2*below + others)
		targets += t
		below += others
		first = end
	}
	if targets == 0 || below == 0 {
		return 0, fmt.Errorf("the area under the curve needs pixels with a target and without: there are %d and %d", targets, below)
	}
	return float64(wins2) / 2 / (float64(targets) * float64(below)), nil
}
