package search

import (
	"context"
	"math"

	"drx/hyper/derived"
	"drx/hyper/scene"
)

// Farthest returns, for each hull, the extremes of its scores (see Hull.Scores) over the usable
// pixels of a block. It reads the block in one pass, shared by the procs of the cube (see
// scene.Fold), with one matrix product per tile for all hulls. The errors are those of reading.
func Farthest(ctx context.Context, c *scene.Cube, within scene.Block, hulls []*Hull) ([][]Extreme, error) {
	rows := stack(hulls, c.Bands())
	found, err := scene.Fold(ctx, c, within, func(t *scene.Tile) ([][]Extreme, error) {
		return tileFarthest(t, hulls, rows), nil
	}, func(all, part [][]Extreme) [][]Extreme {
		for i := range part {
			for j := range part[i] {
				all[i][j].Merge(part[i][j])
			}
		}
		return all
	})
	if found == nil {
		found = ofNoPixels(hulls)
	}
	return found, err
}

// ofNoPixels returns the extremes of the scores of hulls over no pixels.
func ofNoPixels(hulls []*Hull) [][]Extreme {
	found := make([][]Extreme, len(hulls))
	for i, h := range hulls {
		found[i] = make([]Extreme, h.Count())
	}
	return found
}

// stack returns the basis and, after it, the origin of each hull, one below the other.
func stack(hulls []*Hull, bands int) []float64 {
	var rows []float64
	for _, h := range hulls {
		for _, q := range h.Basis {
			rows = append(rows, q...)
		}
		if h.Origin != nil {
			rows = append(rows, h.Origin...)
		}
	}
	return rows[:len(rows)/bands*bands]
}

func tileFarthest(t *scene.Tile, hulls []*Hull, rows []float64) [][]Extreme {
	x, pixels, norms, largest := usable(t)
	n, bands := len(pixels), t.Bands
	found := ofNoPixels(hulls)
	if n == 0 {
		return found
	}
	m := len(rows) / bands
	values := make([]float64, n*m)
	if m > 0 {
		multiply(values, x, rows, bands)
	}
	first := 0
	for i, h := range hulls {
		s := scanner{hull: h, bands: bands, x: x, pixels: pixels}
		s.prepare(largest)
		for p := range n {
			s.approximate(p, norms[p], values[p*m+first:])
		}
		found[i] = s.exact()
		first += len(h.Basis)
		if h.Origin != nil {
			first++
		}
	}
	return found
}

// A scanner finds the extremes of the scores of one hull in a tile.
type scanner struct {
	hull   *Hull
	bands  int
	x      []float64
	pixels []scene.Pixel

	origin2 float64   // square of the origin's length
	shift   []float64 // coordinates of the origin in the basis
	z       []float64
	margins []float64 // for each score: twice the largest error of an approximate score
	scores  []float64 // approximate, pixel by pixel
	best    []float64
}

// prepare computes the terms that do not depend on the pixel. largest is the largest norm in the
// tile.
func (s *scanner) prepare(largest float64) {
	h, k := s.hull, s.hull.Count()
	s.shift, s.z = make([]float64, len(h.Basis)), make([]float64, len(h.Basis))
	size := largest
	if h.Origin != nil {
		s.origin2 = derived.Dot(h.Origin, h.Origin)
		size += math.Sqrt(s.origin2)
		for i, q := range h.Basis {
			s.shift[i] = derived.Dot(q, h.Origin)
		}
	}
	// Each coordinate has an error of a few bands*unit*size. The square of the distance has the
	// error of the sum over coordinates of that times 2*size. The factor 16 covers the sums of few
	// terms and the errors of the exact score, whose basis is orthonormal up to rounding.
	e := 16 * float64(s.bands+len(h.Basis)+4) * float64(len(h.Basis)+1) * unit * size * size
	s.margins, s.best = make([]float64, k), make([]float64, k)
	for j := range k {
		s.best[j] = math.Inf(-1)
		s.margins[j] = 2 * e
		if h.faces != nil {
			// l = a'z + b: its error is |a| e/size, and |l| is at most |a| size + |b|.
			f := h.faces[j]
			a := math.Sqrt(f.norm2)
			s.margins[j] = 2 * (e*f.norm2 + 2*(a*size+math.Abs(f.b))*(a*e/size+16*unit*math.Abs(f.b)*float64(k)))
		}
	}
	s.scores = make([]float64, 0, len(s.pixels)*k)
}

// approximate computes the scores of pixel number p from the matrix product: the products with the
// basis and with the origin.
func (s *scanner) approximate(p int, norm float64, products []float64) {
	r2 := norm*norm + s.origin2
	if s.hull.Origin != nil {
		r2 -= 2 * products[len(s.z)]
	}
	for i := range s.z {
		s.z[i] = products[i] - s.shift[i]
		r2 -= s.z[i] * s.z[i]
	}
	k := len(s.best)
	s.scores = s.scores[:(p+1)*k]
	mine := s.scores[p*k:]
	s.hull.scores(mine, max(r2, 0), s.z)
	for j, v := range mine {
		s.best[j] = max(s.best[j], v)
	}
}

// exact computes the scores of the candidates.
func (s *scanner) exact() []Extreme {
	k := len(s.best)
	found, scores := make([]Extreme, k), make([]float64, k)
	for p, pixel := range s.pixels {
		for j := range k {
			if s.scores[p*k+j] < s.best[j]-s.margins[j] {
				continue
			}
			s.hull.Scores(scores, s.x[p*s.bands:][:s.bands])
			found[j].Add(scores[j], pixel)
		}
	}
	return found
}
