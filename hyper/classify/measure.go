package classify

import (
	"fmt"
	"math"
	"strings"

	"drx/hyper/score"
)

// A Measure says how far apart two spectra are.
type Measure int

// The measures.
const (
	Angle      Measure = iota // spectral angle, in radians; it does not see how bright pixels are
	Divergence                // spectral information divergence, see score.Divergence
	Distance                  // Euclidean distance, in the unit of the values
)

// measures are the names by Measure.
var measures = []string{"angle", "sid", "distance"}

// String returns the name, which ParseMeasure accepts.
func (m Measure) String() string { return measures[m] }

// ParseMeasure returns the measure of a name: angle, sid or distance.
func ParseMeasure(name string) (Measure, error) {
	for m, n := range measures {
		if n == name {
			return Measure(m), nil
		}
	}
	return 0, fmt.Errorf("no measure %q: %s", name, strings.Join(measures, ", "))
}

// prepared is what a measure needs of a spectrum, computed once for all comparisons.
type prepared struct {
	values []float64 // for angles of length 1, for divergences with the sum 1
	logs   []float64 // of the values, for divergences
}

// prepare computes p from a spectrum and reports whether it can be compared: its length, or its sum, is above 0.
func (m Measure) prepare(x []float64, p *prepared) bool {
	p.values = append(p.values[:0], x...)
	factor := 0.0
	switch m {
	case Distance:
		return true
	case Angle:
		for _, v := range x {
			factor += v * v
		}
		factor = math.Sqrt(factor)
	default:
		for _, v := range x {
			factor += v
		}
	}
	if !(factor > 0) || math.IsInf(factor, 0) {
		return false
	}
	p.logs = p.logs[:0]
	for i, v := range p.values {
		p.values[i] = v / factor
		if m == Divergence {
			p.values[i] = max(v/factor, score.LeastShare)
			p.logs = append(p.logs, math.Log(p.values[i]))
		}
	}
	return true
}

// compare returns a number that is the larger the further two spectra are apart; see value.
func (m Measure) compare(a, b *prepared) float64 {
	sum := 0.0
	if m == Divergence {
		for i, v := range a.values {
			sum += (v - b.values[i]) * (a.logs[i] - b.logs[i])
		}
		return sum
	}
	for i, v := range a.values {
		d := v - b.values[i]
		sum += d * d
	}
	return sum
}

// value returns what the measure is, from the result of compare: for angles that is the square of the chord.
func (m Measure) value(compared float64) float64 {
	switch m {
	case Angle:
		return 2 * math.Asin(min(1, math.Sqrt(compared)/2))
	case Divergence:
		return compared
	}
	return math.Sqrt(compared)
}
