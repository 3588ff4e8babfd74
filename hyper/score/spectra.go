// Package score compares results with the truth: spectra, matched endmembers, class maps, scores of
// a detector.
package score

import (
	"fmt"
	"math"

	"drx/hyper/scene"
)

// Angle returns the spectral angle between two spectra of the same length, in radians, from 0 to
// pi; NaN if one has only zeros or a value that is not finite. Multiplying a spectrum by a positive
// number does not change it. It is computed from the chord between the two directions, because the
// arc cosine of their inner product would be 0 for all angles below 1e-8.
func Angle(a, b []float64) float64 {
	fa, fb := 1/length(a), 1/length(b)
	var minus, plus float64
	for i, v := range a {
		x, y := v*fa, b[i]*fb
		d, s := x-y, x+y
		minus += d * d
		plus += s * s
	}
	return 2 * math.Atan2(math.Sqrt(minus), math.Sqrt(plus))
}

// length returns the Euclidean length of a spectrum.
func length(a []float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// LeastShare is the least share of a band in Divergence: smaller, zero and negative shares are
// raised to it.
const LeastShare = 1e-9

// Divergence returns the spectral information divergence of two spectra of the same length:
// sum((p-q) ln(p/q)), where p and q are the spectra divided by their sums (Chang, IEEE Trans.
// Information Theory 46, 2000). It is 0 for spectra that differ by a positive factor, and has no
// upper bound. A band with less than 1e-9 of the sum, also a negative one, counts as 1e-9. It is
// NaN if a sum is not positive.
func Divergence(a, b []float64) float64 {
	sa, sb := sum(a), sum(b)
	if !(sa > 0 && sb > 0) {
		return math.NaN()
	}
	d := 0.0
	for i, v := range a {
		p, q := max(v/sa, LeastShare), max(b[i]/sb, LeastShare)
		d += (p - q) * math.Log(p/q)
	}
	return d
}

// sum returns the sum of values.
func sum(a []float64) float64 {
	s := 0.0
	for _, v := range a {
		s += v
	}
	return s
}

// A Matching pairs found endmembers with true ones.
type Matching struct {
	Found  []int     // per true endmember the number of the found one, -1 if there are fewer
	Angles []float64 // per true endmember the spectral angle to it, in radians; NaN if there is none
	Mean   float64   // of the angles of the pairs
}

// MatchEndmembers pairs found endmembers with true ones, all with the same bands, so that the sum
// of the spectral angles is minimal (see Assign). If there are fewer of one kind, all of them are
// paired. It is an error if a spectrum has another number of bands, a value that is not finite, or
// only zeros.
func MatchEndmembers(found, truth [][]float64) (Matching, error) {
	bands := 0
	if len(truth) > 0 {
		bands = len(truth[0])
	}
	if err := scene.CheckSpectra("true endmember", truth, bands); err != nil {
		return Matching{}, err
	}
	if err := scene.CheckSpectra("endmember", found, bands); err != nil {
		return Matching{}, err
	}
	angles := make([][]float64, len(truth))
	for i, t := range truth {
		for j, f := range found {
			angle := Angle(t, f)
			if math.IsNaN(angle) {
				return Matching{}, fmt.Errorf("endmember %d or true endmember %d has only zeros: it has no spectral angle", j, i)
			}
			angles[i] = append(angles[i], angle)
		}
	}
	assigned, total := Assign(angles)
	m := Matching{Found: assigned, Mean: total / float64(min(len(found), len(truth)))}
	for i, j := range assigned {
		angle := math.NaN()
		if j >= 0 {
			angle = angles[i][j]
		}
		m.Angles = append(m.Angles, angle)
	}
	return m, nil
}
