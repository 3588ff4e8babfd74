package main

import (
	"math"

	"drx/dtype"
	"drx/internal/picture"
)

// fewSampled is the largest number of values of which percentiles are taken to see whether limits are to be robust.
const fewSampled = 1 << 18

// A look is how values become colours, in all pictures of an animation.
type look struct {
	heat  picture.HeatOptions // of a map; its Robust says that the limits are percentiles
	bands [3][2]float64       // the limits of red, green and blue
	full  [2]float64          // the least and the largest value
}

// lookOf returns the look of a picture.
func (s *scene) lookOf(parts []*slice) (look, error) {
	colors, err := picture.ParseColors(s.colors)
	if err != nil {
		return look{}, usagef("--colors: %w", err)
	}
	k := look{heat: s.limits(parts[0])}
	k.heat.Colors, k.heat.Zoom = colors, s.zoom
	if s.isBool() && math.IsNaN(s.lo) && math.IsNaN(s.hi) {
		k.heat.Lo, k.heat.Hi, k.heat.Robust = 0, 1, false
	}
	for i := range min(len(parts), 3) {
		k.bands[i] = s.bandLimits(parts[i])
	}
	k.full = [2]float64{parts[0].stat.min, parts[0].stat.max}
	return k, nil
}

// limits returns the limits of the colours: those of the flags, otherwise those of the elements, which are
// not those of the pixels, as these are means. With --robust, or if a few values would leave the rest with little of the
// colours and no flag says otherwise, limits are percentiles of the pixels.
func (o viewOptions) limits(s *slice) picture.HeatOptions {
	h := picture.HeatOptions{Lo: o.lo, Hi: o.hi, Robust: o.robust}
	given := !math.IsNaN(o.lo) || !math.IsNaN(o.hi)
	if !o.robustGiven && !given {
		h.Robust = picture.FewOutside(sampled(s.values, fewSampled), s.stat.min, s.stat.max)
	}
	if h.Robust {
		h.Lo, h.Hi = h.Limits(s.values)
	} else {
		h.Lo, h.Hi = h.Limits([]float64{s.stat.min, s.stat.max})
	}
	if o.colors == "diverging" {
		h.Lo, h.Hi = o.aroundZero(h.Lo, h.Hi)
	}
	h.Robust = h.Robust && (h.Lo > s.stat.min || h.Hi < s.stat.max)
	h.Fixed = true
	return h
}

// aroundZero makes limits that were not given the mirror of the others, so that zero is in the middle.
func (o viewOptions) aroundZero(lo, hi float64) (float64, float64) {
	switch {
	case !math.IsNaN(o.lo) && !math.IsNaN(o.hi):
		return lo, hi
	case !math.IsNaN(o.lo) && o.lo < 0:
		return lo, -lo
	case !math.IsNaN(o.hi) && o.hi > 0:
		return -hi, hi
	}
	most := max(math.Abs(lo), math.Abs(hi))
	return -most, most
}

// bandLimits returns the limits of a band of a composite: those of the flags, otherwise 0 and 255 for bytes, and for other
// types the percentiles 2 and 98, as composites are usually stretched.
func (s *scene) bandLimits(part *slice) [2]float64 {
	lo, hi := 0.0, 255.0
	if s.a.DType() != dtype.Uint8 || s.meaning.note != "" {
		lo, hi = picture.Percentiles(part.values, 0.02, 0.98)
	}
	if math.IsNaN(lo) {
		lo, hi = 0, 1
	}
	if !math.IsNaN(s.lo) {
		lo = s.lo
	}
	if !math.IsNaN(s.hi) {
		hi = s.hi
	}
	return [2]float64{lo, max(lo, hi)}
}
