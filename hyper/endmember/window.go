package endmember

import (
	"drx/hyper/scene"
)

// windows computes the morphology of a tile by spectral angles. Positions and pixels are numbered
// as in the tile. After dilations, a position has the spectrum of another pixel.
type windows struct {
	t         *scene.Tile
	norms     []float64
	source    []int     // for each position, the pixel of its spectrum; -1 if not usable
	radius    int       // the largest radius of a window
	angles    []float64 // see pair
	cumulated []float64 // D for each position: the sum of the angles to all others of its window
}

func newWindows(t *scene.Tile, radius int) *windows {
	n := len(t.Valid)
	w := &windows{t: t, radius: radius, norms: make([]float64, n), source: make([]int, n), cumulated: make([]float64, n)}
	for i, valid := range t.Valid {
		w.source[i] = -1
		if valid {
			w.source[i] = i
			w.norms[i] = norm(t.Spectrum(i))
		}
	}
	w.angles = make([]float64, n*pairs(radius))
	return w
}

// pairs returns the number of angles kept for each position: those to the later positions of its
// window, line by line.
func pairs(radius int) int { return radius + radius*(2*radius+1) }

// pair returns the index of the angle between position a and the one dl lines and ds samples after
// it.
func (w *windows) pair(a, dl, ds int) int {
	if dl == 0 {
		return a*pairs(w.radius) + ds - 1
	}
	return a*pairs(w.radius) + w.radius + (dl-1)*(2*w.radius+1) + ds + w.radius
}

// measure computes the angles of all pairs of positions within a block. An angle to a position that
// is not usable is 0.
func (w *windows) measure(b scene.Block) {
	b = b.Intersect(w.t.Block)
	r, stride := w.radius, w.t.Block.Samples()
	for i := range b.Pixels() {
		p := b.At(i)
		at := w.t.Block.Index(p)
		for dl := 0; dl <= min(r, b.Hi.Line-1-p.Line); dl++ {
			first := max(-r, b.Lo.Sample-p.Sample)
			if dl == 0 {
				first = 1
			}
			for ds := first; ds <= min(r, b.Hi.Sample-1-p.Sample); ds++ {
				w.angles[w.pair(at, dl, ds)] = w.angle(at, at+dl*stride+ds)
			}
		}
	}
}

// angle returns the angle between the spectra at two positions.
func (w *windows) angle(a, b int) float64 {
	a, b = w.source[a], w.source[b]
	if a < 0 || b < 0 || a == b {
		return 0
	}
	return angle(w.t.Spectrum(a), w.t.Spectrum(b), w.norms[a], w.norms[b])
}

// window calls f with the positions of the window around a pixel, line by line, and their distance
// to it in lines and samples. The window is cut to the tile.
func (w *windows) window(center scene.Pixel, radius int, f func(at, dl, ds int)) {
	b := center.Block().Grow(radius).Intersect(w.t.Block)
	for line := b.Lo.Line; line < b.Hi.Line; line++ {
		first := w.t.Block.Index(scene.Pixel{Line: line, Sample: b.Lo.Sample})
		for i := range b.Samples() {
			f(first+i, line-center.Line, b.Lo.Sample+i-center.Sample)
		}
	}
}

// cumulate computes D for the positions of a block, from the angles that measure has computed for
// the block grown by the radius.
func (w *windows) cumulate(b scene.Block, radius int) {
	b = b.Intersect(w.t.Block)
	for i := range b.Pixels() {
		p, sum := b.At(i), 0.0
		center := w.t.Block.Index(p)
		w.window(p, radius, func(at, dl, ds int) {
			switch {
			case at < center:
				sum += w.angles[w.pair(at, -dl, -ds)]
			case at > center:
				sum += w.angles[w.pair(center, dl, ds)]
			}
		})
		w.cumulated[center] = sum
	}
}

// extremes returns the positions with the largest and the smallest D in the window around a usable
// pixel; of equal ones, the first.
func (w *windows) extremes(center scene.Pixel, radius int) (dilated, eroded int) {
	dilated, eroded = -1, -1
	w.window(center, radius, func(at, _, _ int) {
		if w.source[at] < 0 {
			return
		}
		if dilated < 0 || w.cumulated[at] > w.cumulated[dilated] {
			dilated = at
		}
		if eroded < 0 || w.cumulated[at] < w.cumulated[eroded] {
			eroded = at
		}
	})
	return dilated, eroded
}

// pass visits the windows around the usable pixels of a block, and raises the index of the pixel at
// each dilated position to the angle between it and the eroded one, if that is larger. With dilate,
// the dilated pixel then replaces the one in the middle.
func (w *windows) pass(b scene.Block, radius int, index []float64, dilate bool) {
	b = b.Intersect(w.t.Block)
	w.cumulate(b.Grow(radius), radius)
	next := make([]int, b.Pixels())
	for i := range next {
		p := b.At(i)
		next[i] = w.source[w.t.Block.Index(p)]
		if next[i] < 0 {
			continue
		}
		dilated, eroded := w.extremes(p, radius)
		next[i] = w.source[dilated]
		index[next[i]] = max(index[next[i]], w.angle(dilated, eroded))
	}
	if !dilate {
		return
	}
	for i, s := range next {
		w.source[w.t.Block.Index(b.At(i))] = s
	}
}
