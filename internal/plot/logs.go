package plot

import (
	"iter"
	"math"
	"strconv"
)

// Logs is a scale of logarithms to the base 10. Its labels are the numbers themselves: powers of
// ten, and multiples of them if they fit.
type Logs struct{}

func (Logs) levels(lo, hi float64) iter.Seq[[]Tick] {
	return func(yield func([]Tick) bool) {
		for _, step := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1} {
			var multiples []float64
			for i := range int(math.Round(9 / step)) {
				multiples = append(multiples, 1+float64(i)*step)
			}
			if ticks := logTicks(lo, hi, multiples, 1); len(ticks) > 0 && !yield(ticks) {
				return
			}
		}
		if ticks := logTicks(lo, hi, []float64{1, 2, 5}, 1); len(ticks) > 0 && !yield(ticks) {
			return
		}
		for every := 1; every <= mostExponent; every *= 2 {
			if ticks := logTicks(lo, hi, []float64{1}, every); len(ticks) > 0 && !yield(ticks) {
				return
			}
		}
	}
}

// mostExponent exceeds the exponents of all float64.
const mostExponent = 1 << 10

// logTicks returns the ticks at multiples of every n-th power of ten, or none if there are too
// many.
func logTicks(lo, hi float64, multiples []float64, every int) []Tick {
	var ticks []Tick
	first := int(math.Floor(lo/float64(every))) * every
	for exponent := first; float64(exponent) <= hi; exponent += every {
		for _, m := range multiples {
			at := float64(exponent) + math.Log10(m)
			if at < lo-1e-9 || at > hi+1e-9 {
				continue
			}
			if len(ticks) == 3*mostTicks {
				return nil
			}
			ticks = append(ticks, Tick{At: min(max(at, lo), hi), Label: logLabel(m, exponent)})
		}
	}
	return ticks
}

// logLabel formats a number below 10 times a power of ten.
func logLabel(m float64, exponent int) string {
	text := strconv.FormatFloat(m, 'g', 3, 64) + "e" + strconv.Itoa(exponent)
	if exponent < -3 || exponent > 4 {
		return text
	}
	v, _ := strconv.ParseFloat(text, 64) // cannot fail: the text is a number
	return strconv.FormatFloat(v, 'f', -1, 64)
}
