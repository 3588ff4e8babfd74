package endmember

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// PPI is the pixel purity index (J. Boardman, F. Kruse, R. Green, Summaries of the Fifth JPL
// Airborne Earth Science Workshop, 1995): all pixels are projected onto random unit vectors, the
// skewers, and the index of a pixel is the number of times that it is an extreme of a skewer. The
// endmembers are the pixels with the highest indices. It makes one pass over the cube, and needs 8
// bytes of memory per skewer and band.
type PPI struct {
	Options
	State
	// Skewers is the number of skewers; 0 means 1000. Seed chooses them.
	Skewers int    `json:"skewers,omitempty"`
	Seed    uint64 `json:"seed,omitempty"`
	// Apart, if not 0, is the least spectral angle in radians between two endmembers: a pixel is
	// skipped if it is nearer than that to a pixel with a higher index.
	Apart float64 `json:"apart,omitempty"`
	// Ranges are the extremes of each skewer.
	Ranges []search.Range `json:"ranges,omitempty"`
}

var ppi = register(Kind{
	Choice: option.Choice{Name: "ppi", Help: "the pixels that most random lines have as an end"},
	New:    func() Method { return &PPI{Skewers: 1000, Seed: 1} },
})

// Kind describes PPI.
func (p *PPI) Kind() *Kind { return ppi }

// OwnOptions returns the number of skewers, the seed and the least angle.
func (p *PPI) OwnOptions() []option.Option {
	return []option.Option{
		{Name: "skewers", Help: "`number` of random lines", Value: &p.Skewers, Least: 1},
		seedOption(&p.Seed), apartOption(&p.Apart),
	}
}

// Fresh returns a PPI without a result.
func (p *PPI) Fresh(o Options) Method {
	return &PPI{Options: o, Skewers: p.Skewers, Seed: p.Seed, Apart: p.Apart}
}

// A Purity is a pixel with its index.
type Purity struct {
	Pixel scene.Pixel `json:"pixel"`
	Index int         `json:"index"` // the number of skewers that it is an extreme of
}

// Update finds the endmembers; see Method. Further errors: too few pixels are extremes, or far
// enough apart (*ApartError).
func (p *PPI) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	space, err := p.begin(cube, p.Options, 0)
	if err != nil {
		return err
	}
	if err := option.Check(p.OwnOptions()); err != nil {
		return err
	}
	n := cmp.Or(p.Skewers, 1000)
	if p.Ranges != nil {
		if err := same("skewers", len(p.Ranges), n); err != nil {
			return err
		}
	}
	ranges, err := updateRanges(ctx, space, changed, p.Ranges, skewers(n, space.Bands(), p.Seed))
	if err != nil {
		return err
	}
	chosen, err := purest(ctx, cube, indices(ranges), p.Count, p.Apart)
	if err != nil {
		return err
	}
	if err := p.end(ctx, cube, chosen); err != nil {
		return err
	}
	p.Ranges = ranges
	return nil
}

// Indices returns the pixels whose index is not 0, highest index first; for equal indices, the
// lowest pixel first.
func (p *PPI) Indices() []Purity { return indices(p.Ranges) }

// skewers returns n random unit vectors, concatenated. Each depends only on its number and the
// seed.
func skewers(n, bands int, seed uint64) []float64 {
	data := make([]float64, n*bands)
	for k := range n {
		w := data[k*bands:][:bands]
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		normalize(w)
	}
	return data
}

// updateRanges returns the ranges of the forms over the whole space. old has the ranges from before
// the pixels of a block changed, or is nil. It reads the block, and the whole space for forms whose
// extreme was in the block and has decreased.
func updateRanges(ctx context.Context, space *scene.Cube, changed scene.Block, old []search.Range, forms []float64) ([]search.Range, error) {
	if old == nil {
		return search.Ranges(ctx, space, space.Bounds(), forms)
	}
	ranges, err := search.Ranges(ctx, space, changed, forms)
	if err != nil {
		return nil, err
	}
	var stale []int
	var again []float64
	bands := space.Bands()
	for i, r := range old {
		if fallen(r.High, ranges[i].High, changed) || fallen(r.Low, ranges[i].Low, changed) {
			stale = append(stale, i)
			again = append(again, forms[i*bands:][:bands]...)
		}
		ranges[i].Merge(r)
	}
	if stale == nil {
		return ranges, nil
	}
	fresh, err := search.Ranges(ctx, space, space.Bounds(), again)
	for i, k := range stale {
		ranges[k] = fresh[i]
	}
	return ranges, err
}

// fallen reports whether an extreme was in the changed block and exceeds the block's present
// extreme. Then any pixel may be the new extreme.
func fallen(old, now search.Extreme, changed scene.Block) bool {
	return old.Found && changed.Contains(old.Pixel) && old.Beats(now)
}

// indices counts how often each pixel is an extreme, and sorts the pixels.
func indices(ranges []search.Range) []Purity {
	count := map[scene.Pixel]int{}
	for _, r := range ranges {
		for _, e := range []search.Extreme{r.High, r.Low} {
			if e.Found {
				count[e.Pixel]++
			}
		}
	}
	list := make([]Purity, 0, len(count))
	for p, n := range count {
		list = append(list, Purity{p, n})
	}
	slices.SortFunc(list, func(a, b Purity) int {
		return cmp.Or(cmp.Compare(b.Index, a.Index), a.Pixel.Compare(b.Pixel))
	})
	return list
}

// purest returns the first count pixels of a list with the least angle between them.
func purest(ctx context.Context, cube *scene.Cube, list []Purity, count int, apart float64) ([]scene.Pixel, error) {
	d := distinct{apart: apart}
	for _, e := range list {
		if len(d.pixels) == count {
			break
		}
		x, err := spectrum(ctx, cube, e.Pixel)
		if err != nil {
			return nil, err
		}
		d.add(e.Pixel, x)
	}
	if len(d.pixels) == count {
		return d.pixels, nil
	}
	n, err := usablePixels(ctx, cube)
	if err != nil {
		return nil, err
	}
	if n < count {
		return nil, tooFew(n, count)
	}
	if apart > 0 {
		return nil, &ApartError{len(d.pixels), count, apart, fmt.Sprintf("%d pixels are extreme, and no more of them", len(list))}
	}
	return nil, fmt.Errorf("%d of %d endmembers: no more pixels are extreme for a skewer", len(d.pixels), count)
}
