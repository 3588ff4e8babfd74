package chart

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// A scale is the range of an axis, from lo to hi. It implements plot.Ticker.
type scale struct {
	lo, hi float64
	log    bool
	whole  bool // all values are whole numbers, and so are the ticks
	names  []string
}

// scale returns a scale that shows all points, with a margin.
func (c Chart) scale(a Axis, value func(Point) float64) scale {
	if a.Names != nil {
		return scale{lo: -0.5, hi: float64(len(a.Names)) - 0.5, names: a.Names}
	}
	s := scale{lo: math.Inf(1), hi: math.Inf(-1), log: a.Log, whole: true}
	for _, series := range c.Series {
		for _, p := range series.Points {
			v := value(p)
			s.lo, s.hi, s.whole = min(s.lo, v), max(s.hi, v), s.whole && v == math.Trunc(v)
		}
	}
	if a.Log {
		return s.logarithmic()
	}
	return s.linear()
}

// logarithmic adds margins of a sixth of a decade.
func (s scale) logarithmic() scale {
	const air = 1.5
	s.lo, s.hi = s.lo/air, s.hi*air
	return s
}

// linear starts the scale at zero unless all values are in its upper half,
// and ends it at a tick.
func (s scale) linear() scale {
	if s.lo > 0 && s.lo < s.hi/2 || s.lo == s.hi && s.lo > 0 {
		s.lo = 0
	}
	if s.lo == s.hi {
		s.hi = s.lo + 1
	}
	step := s.step()
	s.lo, s.hi = math.Floor(s.lo/step)*step, math.Ceil(s.hi/step)*step
	return s
}

// step returns the distance of ticks, 1, 2 or 5 times a power of ten, for about
// six of them.
func (s scale) step() float64 {
	raw := (s.hi - s.lo) / 6
	if s.whole {
		raw = max(raw, 1)
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return m * power
		}
	}
	return 10 * power
}

// Ticks returns the ticks of the axis. It ignores the requested range.
func (s scale) Ticks(_, _ float64) []plot.Tick {
	var marks []plot.Tick
	if s.names != nil {
		for i, name := range s.names {
			if runes := []rune(name); len(runes) > longestName {
				name = strings.TrimSpace(string(runes[:longestName-1])) + "…"
			}
			marks = append(marks, plot.Tick{Value: float64(i), Label: name})
		}
		return marks
	}
	for _, v := range s.ticks() {
		marks = append(marks, plot.Tick{Value: v, Label: label(v)})
	}
	return marks
}

// ticks returns the values of the labelled ticks.
func (s scale) ticks() []float64 {
	var ticks []float64
	if !s.log {
		step := s.step()
		for i := math.Ceil(s.lo/step - 1e-9); i*step <= s.hi+step*1e-9; i++ {
			ticks = append(ticks, i*step)
		}
		return ticks
	}
	decades := math.Log10(s.hi / s.lo)
	for e := math.Floor(math.Log10(s.lo)); e <= math.Log10(s.hi); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			skip := m > 1 && decades > 2.5 || math.Mod(e, math.Ceil(decades/8)) != 0
			if v >= s.lo && v <= s.hi && !skip {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// minor returns the values of fine lines between the ticks of a logarithmic scale:
// the multiples of the powers of ten.
func (s scale) minor() []float64 {
	var lines []float64
	if !s.log || math.Log10(s.hi/s.lo) > 8 {
		return nil
	}
	for e := math.Floor(math.Log10(s.lo)); e <= math.Log10(s.hi); e++ {
		for m := 1.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v >= s.lo && v <= s.hi {
				lines = append(lines, v)
			}
		}
	}
	return lines
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻")

// label formats the value of a tick: in plain digits from a thousandth to below a hundred
// thousand, otherwise as a multiple of a power of ten.
func label(v float64) string {
	if v == 0 {
		return "0"
	}
	if size := math.Abs(v); size >= 0.000999 && size < 99_999 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	power := "10" + superscripts.Replace(strconv.Itoa(e))
	if digits == "1" {
		return power
	}
	if len(digits) > 4 {
		digits = digits[:4]
	}
	return digits + "·" + power
}
