package view

import (
	"math"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/internal/picture"
	"drx/nd"
)

// fewSampled is the largest number of values in the sample that decides whether limits are robust.
// A sample keeps the decision cheap for large pictures.
const fewSampled = 1 << 18

// A colorScale maps values to colours, the same in all pictures of an animation.
type colorScale struct {
	Heat  picture.HeatOptions // of a map; Robust means that the limits are percentiles
	bands [3][2]float64       // the limits of red, green and blue
	full  [2]float64          // the least and the largest value
}

// ColorScale returns the scale of a picture.
func (s *Scene) ColorScale(parts []*Slice) (colorScale, error) {
	colors, err := picture.ParseColors(s.Colors)
	if err != nil {
		return colorScale{}, cli.Usagef("--colors: %w", err)
	}
	k := colorScale{Heat: s.limits(parts[0])}
	k.Heat.Colors, k.Heat.Zoom = colors, s.zoom
	if s.isBool() && math.IsNaN(s.Lo) && math.IsNaN(s.Hi) {
		k.Heat.Lo, k.Heat.Hi, k.Heat.Robust = 0, 1, false
	}
	for i := range min(len(parts), 3) {
		k.bands[i] = s.bandLimits(parts[i])
	}
	k.full = [2]float64{parts[0].Stat.min, parts[0].Stat.max}
	return k, nil
}

// limits returns the limits of the colours: from the flags, otherwise from the elements. The least
// and the largest element count, not the pixels, which are means of elements and have a narrower
// range. With --robust, or without any of the flags if a few outliers would leave the rest with
// little of the colours, limits are percentiles of the pixels.
func (o Options) limits(s *Slice) picture.HeatOptions {
	h := picture.HeatOptions{Lo: o.Lo, Hi: o.Hi, Robust: o.Robust}
	given := !math.IsNaN(o.Lo) || !math.IsNaN(o.Hi)
	if !o.RobustGiven && !given {
		h.Robust = picture.FewOutside(sampled(s.Values, fewSampled), s.Stat.min, s.Stat.max)
	}
	if h.Robust {
		h.Lo, h.Hi = h.Limits(s.Values)
	} else {
		h.Lo, h.Hi = h.Limits([]float64{s.Stat.min, s.Stat.max})
	}
	if o.Colors == "diverging" {
		h.Lo, h.Hi = o.aroundZero(h.Lo, h.Hi)
	}
	h.Robust = h.Robust && (h.Lo > s.Stat.min || h.Hi < s.Stat.max)
	h.Fixed = true
	return h
}

// aroundZero makes the limits symmetric about zero: a limit that no flag gives mirrors the one that
// a flag gives, and without flags both take the larger magnitude.
func (o Options) aroundZero(lo, hi float64) (float64, float64) {
	switch {
	case !math.IsNaN(o.Lo) && !math.IsNaN(o.Hi):
		return lo, hi
	case !math.IsNaN(o.Lo) && o.Lo < 0:
		return lo, -lo
	case !math.IsNaN(o.Hi) && o.Hi > 0:
		return -hi, hi
	}
	most := max(math.Abs(lo), math.Abs(hi))
	return -most, most
}

// bandLimits returns the limits of a band of a composite: from the flags, otherwise 0 and 255 for
// bytes and the percentiles 2 and 98 for other types, the usual stretch of composites.
func (s *Scene) bandLimits(part *Slice) [2]float64 {
	lo, hi := 0.0, 255.0
	if s.a.DType() != dtype.Uint8 || s.Meaning.Note != "" {
		lo, hi = picture.Percentiles(part.Values, 0.02, 0.98)
	}
	if math.IsNaN(lo) {
		lo, hi = 0, 1
	}
	if !math.IsNaN(s.Lo) {
		lo = s.Lo
	}
	if !math.IsNaN(s.Hi) {
		hi = s.Hi
	}
	return [2]float64{lo, max(lo, hi)}
}

// sampled returns at most n of the values, evenly spread.
func sampled(values []float64, n int) []float64 {
	var some []float64
	for i := 0; i < len(values); i += nd.CeilDiv(len(values), n) {
		some = append(some, values[i])
	}
	return some
}
