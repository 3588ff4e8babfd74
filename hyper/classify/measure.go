package classify

import (
	"math"

	"drx/hyper/option"
	"drx/hyper/score"
)

// A Measure is a distance between spectra.
type Measure struct {
	option.Choice
	// prepare computes p from a spectrum and reports whether the spectrum can be compared.
	prepare func(x []float64, p *preparedSpectrum) bool
	// compare returns a number that grows with the distance of two spectra.
	compare func(a, b *preparedSpectrum) float64
	// value returns the distance for a result of compare.
	value func(compared float64) float64
}

// The measures.
var (
	Angle = &Measure{
		Choice:  option.Choice{Name: "angle", Help: "spectral angle, in radians; it does not see how bright pixels are"},
		prepare: unitLength, compare: squares,
		value: func(chord float64) float64 { return 2 * math.Asin(min(1, math.Sqrt(chord)/2)) },
	}
	Divergence = &Measure{
		Choice:  option.Choice{Name: "sid", Help: "spectral information divergence, see score.Divergence"},
		prepare: shares, compare: divergence,
		value: func(compared float64) float64 { return compared },
	}
	Distance = &Measure{
		Choice:  option.Choice{Name: "distance", Help: "Euclidean distance, in the unit of the values"},
		prepare: plainValues, compare: squares, value: math.Sqrt,
	}
)

// Measures returns all measures.
func Measures() []*Measure { return []*Measure{Angle, Divergence, Distance} }

// preparedSpectrum holds the data of a spectrum that are computed once and used in all comparisons.
type preparedSpectrum struct {
	values []float64 // normalised: length 1 for angles, sum 1 for divergences
	logs   []float64 // of the values, for divergences
}

// plainValues prepares a spectrum for distances. Every spectrum can be compared.
func plainValues(x []float64, p *preparedSpectrum) bool {
	p.values = append(p.values[:0], x...)
	return true
}

// unitLength prepares a spectrum for angles; its length must be above 0.
func unitLength(x []float64, p *preparedSpectrum) bool {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) {
		return false
	}
	p.values = p.values[:0]
	for _, v := range x {
		p.values = append(p.values, v/length)
	}
	return true
}

// shares prepares a spectrum for divergences; its sum must be above 0.
func shares(x []float64, p *preparedSpectrum) bool {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	p.values, p.logs = p.values[:0], p.logs[:0]
	for _, v := range x {
		share := max(v/sum, score.LeastShare)
		p.values, p.logs = append(p.values, share), append(p.logs, math.Log(share))
	}
	return true
}

// squares returns the sum of the squared differences: for angles the square of the chord.
func squares(a, b *preparedSpectrum) float64 {
	sum := 0.0
	for i, v := range a.values {
		d := v - b.values[i]
		sum += d * d
	}
	return sum
}

// divergence returns the sum of the divergences in both directions.
func divergence(a, b *preparedSpectrum) float64 {
	sum := 0.0
	for i, v := range a.values {
		sum += (v - b.values[i]) * (a.logs[i] - b.logs[i])
	}
	return sum
}
