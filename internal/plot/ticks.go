package plot

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// Tick is a labelled position on an axis.
type Tick struct {
	At    float64
	Label string
	Sub   string // second line of the label, such as the day of a time
}

// A Scale finds the ticks of an axis: Numbers, Logs, Times or Names.
type Scale interface {
	// levels yields lists of ticks from lo to hi, lo < hi, each with fewer ticks than the one
	// before it. The first may have a few more than mostTicks.
	levels(lo, hi float64) iter.Seq[[]Tick]
}

// mostTicks is the largest number of ticks of an axis. With this limit, steps of 1-2-5 always give
// at least three.
const mostTicks = 10

// ticksOf returns the longest list of at most mostTicks ticks whose labels fit. If none fits, it
// returns the first tick of the last list.
func ticksOf(s Scale, lo, hi float64, fits func([]Tick) bool) []Tick {
	if lo > hi {
		lo, hi = hi, lo
	}
	if lo == hi {
		return []Tick{{At: lo, Label: Numbers{}.label(lo)}}
	}
	var last []Tick
	for ticks := range s.levels(lo, hi) {
		if len(ticks) == 0 {
			break
		}
		if len(ticks) <= mostTicks && fits(ticks) {
			return ticks
		}
		last = ticks[:1]
	}
	return last
}

// Numbers is a scale of numbers, with ticks at multiples of 1, 2 or 5 times a power of ten.
type Numbers struct {
	Whole bool // only at integers
}

func (n Numbers) levels(lo, hi float64) iter.Seq[[]Tick] {
	return func(yield func([]Tick) bool) {
		width := min(hi-lo, math.MaxFloat64)
		// Beyond that power, only zero is a multiple.
		last := int(math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi)))))
		for power := int(math.Floor(math.Log10(width / mostTicks))); power <= min(last, 308); power++ {
			for _, digit := range []int{1, 2, 5} {
				if n.Whole && power < 0 {
					continue
				}
				if ticks := numberTicks(lo, hi, digit, power); len(ticks) > 0 && !yield(ticks) {
					return
				}
			}
		}
	}
}

// numberTicks returns the ticks at multiples of digit times a power of ten, or none if they are too
// many or too close to each other for float64.
func numberTicks(lo, hi float64, digit, power int) []Tick {
	step := float64(digit) * math.Pow10(power)
	first := math.Ceil(lo/step - 1e-9)
	count := math.Floor(hi/step+1e-9) - first + 1
	if !(count <= 3*mostTicks) || first+1 == first {
		return nil
	}
	var at []float64
	for i := range int(max(count, 0)) {
		v := min(max((first+float64(i))*step, lo), hi)
		if len(at) == 0 || v > at[len(at)-1] {
			at = append(at, v)
		}
	}
	texts := shorter(at, power)
	ticks := make([]Tick, len(at))
	for i := range at {
		ticks[i] = Tick{At: at[i], Label: texts[i]}
	}
	return ticks
}

// shorter formats multiples of a power of ten as 1500000, or as 1.5e6 if that is shorter and there
// are many plain digits.
func shorter(at []float64, power int) []string {
	plain, short := make([]string, len(at)), make([]string, len(at))
	longest, shortest := 0, 0
	for i, v := range at {
		plain[i], short[i] = positive(strconv.FormatFloat(v, 'f', max(0, -power), 64)), scientific(v, power)
		longest, shortest = max(longest, len(plain[i])), max(shortest, len(short[i]))
	}
	if longest > 7 && shortest < longest {
		return short
	}
	return plain
}

// scientific formats a multiple of a power of ten as 1.5e6.
func scientific(v float64, power int) string {
	if v == 0 {
		return "0"
	}
	digits := max(0, int(math.Floor(math.Log10(math.Abs(v))))-power)
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', min(digits, 17), 64), "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	sign := ""
	if exponent[0] == '-' {
		sign = "-"
	}
	if exponent = strings.TrimLeft(exponent[1:], "0"); exponent == "" {
		return positive(mantissa)
	}
	return mantissa + "e" + sign + exponent
}

// positive removes the sign of a zero.
func positive(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// label formats any number, not only multiples of a step.
func (Numbers) label(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		return positive(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Names is a scale of positions 0, 1, 2, ... that have names: labels, or the values of a coordinate
// that is not uniform. Ticks are at every position, or at every 2nd, 5th, 10th, ...
type Names struct {
	Name func(position int) string // the name of a position from lo to hi
}

func (n Names) levels(lo, hi float64) iter.Seq[[]Tick] {
	return func(yield func([]Tick) bool) {
		for ticks := range (Numbers{Whole: true}).levels(lo, hi) {
			for i, t := range ticks {
				ticks[i].Label = cut(n.Name(int(t.At)))
			}
			if !yield(ticks) {
				return
			}
		}
	}
}

// cut shortens a name that is too long for a tick.
func cut(s string) string {
	const most = 24
	s = Printable(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
