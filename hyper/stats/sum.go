package stats

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"drx/hyper/scene"
	"drx/internal/gemm"

	"gonum.org/v1/gonum/floats"
)

// A Kind selects the vectors of a scene to sum.
type Kind int

// The kinds. A difference is between two usable pixels, the first minus the second.
const (
	Spectra    Kind = iota // the spectra of the usable pixels
	Right                  // differences between a pixel and the next one of its line
	Below                  // differences between a pixel and the one of the next line
	Neighbours             // the differences of Right and those of Below
)

// Halo returns the distance within which a pixel changes the contribution of other pixels.
func (k Kind) Halo() int {
	if k == Spectra {
		return 0
	}
	return 1
}

// steps returns the offsets from a pixel to the pixels that are subtracted from it.
func (k Kind) steps() []scene.Pixel {
	right, below := scene.Pixel{Sample: 1}, scene.Pixel{Line: 1}
	switch k {
	case Right:
		return []scene.Pixel{right}
	case Below:
		return []scene.Pixel{below}
	case Neighbours:
		return []scene.Pixel{right, below}
	}
	return nil
}

// Sum returns the moments of the vectors of a part of a cube, as if the cube had only the pixels
// within. A difference belongs to the part that has its first pixel. It is an error if there is no
// such kind; other errors are those of reading.
//
// Sum(ctx, c, kind, c.Bounds(), c.Bounds()) sums the whole cube. If the cube has procs, Sum is
// collective: they share the reading (see scene.Options), and all get the same moments.
func Sum(ctx context.Context, c *scene.Cube, kind Kind, part, within scene.Block) (*Moments, error) {
	if kind < Spectra || kind > Neighbours {
		return nil, fmt.Errorf("kind %d of vectors: the kinds are %d to %d", kind, Spectra, Neighbours)
	}
	steps := kind.steps()
	tiling := scene.Tiling{
		Lines: scene.TileLines, Samples: scene.TileSamples,
		Halo: kind.Halo(), Extra: int64(8 * c.Bands() * max(1, len(steps))),
	}
	var idle []*summer
	var mu sync.Mutex
	err := scene.MapShare(ctx, c, part.Intersect(within), tiling, func(t *scene.Tile, core scene.Block) (struct{}, error) {
		var s *summer
		mu.Lock()
		if last := len(idle) - 1; last >= 0 {
			s, idle = idle[last], idle[:last]
		}
		mu.Unlock()
		if s == nil {
			s = newSummer(c.Bands())
		}
		s.tile(t, core, within, scene.Block{}, steps)
		mu.Lock()
		idle = append(idle, s)
		mu.Unlock()
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
	mine := New(c.Bands())
	for _, s := range idle {
		err = errorsOf(err, mine.Add(s.moments))
		s.release()
	}
	parts, err := scene.Exchange(c, "sums of moments", mine, err)
	all := New(c.Bands())
	for _, m := range parts {
		err = errorsOf(err, all.Add(m))
	}
	return all, err
}

// A summer adds the moments of tiles one by one.
type summer struct {
	moments      *Moments
	vectors      []float64
	sum, product []float64
}

// idleSummers keeps memory for later tiles. A tile needs several MB, which take longer to allocate
// than to fill.
var idleSummers sync.Pool

func newSummer(bands int) *summer {
	s, ok := idleSummers.Get().(*summer)
	if !ok || len(s.sum) != bands {
		s = &summer{sum: make([]float64, bands), product: make([]float64, bands*bands)}
	}
	s.moments = New(bands)
	return s
}

// release ends the use of a summer and of its moments.
func (s *summer) release() {
	s.moments = nil
	idleSummers.Put(s)
}

// tile adds the vectors of the pixels of core: their spectra, or with steps their differences. It
// skips vectors that only pixels of known contribute to.
func (s *summer) tile(t *scene.Tile, core, within, known scene.Block, steps []scene.Pixel) {
	var x []float64
	if len(steps) == 0 {
		x = s.spectra(t, core.Intersect(within), known)
	} else {
		x = s.differences(t, core, within, known, steps)
	}
	n := len(x) / t.Bands
	if n == 0 {
		return
	}
	clear(s.sum)
	for i := 0; i < len(x); i += t.Bands {
		floats.Add(s.sum, x[i:i+t.Bands])
	}
	gemm.Gram(s.product, x, n, t.Bands, t.Bands)
	s.moments.addVectors(n, s.sum, s.product)
}

// spectra returns the spectra of the usable pixels of core that are not in known.
func (s *summer) spectra(t *scene.Tile, core, known scene.Block) []float64 {
	if core == t.Block && core.Intersect(known).Pixels() == 0 && !slices.Contains(t.Valid, false) {
		return t.Data
	}
	s.vectors = slices.Grow(s.vectors[:0], core.Pixels()*t.Bands)
	for i := range core.Pixels() {
		p := core.At(i)
		if k := t.Block.Index(p); t.Valid[k] && !known.Contains(p) {
			s.vectors = append(s.vectors, t.Spectrum(k)...)
		}
	}
	return s.vectors
}

// differences returns the differences between usable pixels within the block, step by step, except
// for those between two pixels of known.
func (s *summer) differences(t *scene.Tile, core, within, known scene.Block, steps []scene.Pixel) []float64 {
	s.vectors = slices.Grow(s.vectors[:0], len(steps)*core.Pixels()*t.Bands)
	for _, step := range steps {
		for i := range core.Pixels() {
			p := core.At(i)
			q := scene.Pixel{Line: p.Line + step.Line, Sample: p.Sample + step.Sample}
			if !within.Contains(q) || !t.Block.Contains(q) || known.Contains(p) && known.Contains(q) {
				continue
			}
			if k, l := t.Block.Index(p), t.Block.Index(q); t.Valid[k] && t.Valid[l] {
				s.vectors = appendDifference(s.vectors, t.Spectrum(k), t.Spectrum(l))
			}
		}
	}
	return s.vectors
}

// appendDifference appends x - y.
func appendDifference(list, x, y []float64) []float64 {
	n := len(list)
	list = list[:n+len(x)] // the capacity suffices
	to := list[n:]
	y = y[:len(x)]
	for b, v := range x {
		to[b] = v - y[b]
	}
	return list
}
