package endmember

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
	"drx/optionerr"
)

// AMEE is automated morphological endmember extraction. D(x) is the sum of the spectral angles
// between a pixel x and all pixels of the window around it. In the window around each pixel, the
// dilation is the pixel with the largest D, the erosion the one with the smallest. The
// morphological eccentricity index, MEI, of the dilated pixel is the angle between the two; if it
// is the dilated pixel of several windows, the largest of these angles. Windows are cut at the
// bounds of the scene and contain only usable pixels.
//
// There are two variants. With MaxWindow (A. Plaza, P. Martinez, R. Perez, J. Plaza, IEEE Trans.
// Geoscience and Remote Sensing 40, 2002), the windows have the extents Window, Window+2, ...,
// MaxWindow, and MEI is the mean over them. With Rounds (A. Plaza, D. Valencia, J. Plaza, P.
// Martinez, J. Parallel and Distributed Computing 66, 2006), the window is constant, and after each
// round the dilation replaces the scene; MEI belongs to the pixel from which the spectrum
// originates, and is the largest one of all rounds.
//
// The endmembers are the pixels of highest MEI with at least Apart between them. AMEE compares
// angles between spectra, so it needs the cube itself, not principal components.
type AMEE struct {
	State
	Count int `json:"count"` // number of endmembers, from 2 to the number of bands
	// Window is the extent of the window in lines and samples, odd; 0 means 5.
	Window int `json:"window,omitempty"`
	// MaxWindow is the extent of the largest window; 0 means the variant with rounds.
	MaxWindow int `json:"max_window,omitempty"`
	Rounds    int `json:"rounds,omitempty"` // 0 means 3
	// Apart is the least spectral angle in radians between two endmembers. With 0 the endmembers
	// are the pixels of highest MEI, several of which mostly belong to the same material.
	Apart float64 `json:"apart,omitempty"`
	// MEI has the index in radians of each pixel of Bounds, line by line; 0 for a pixel that was
	// never the dilated one.
	MEI Indices `json:"mei,omitempty"`
}

var amee = register(Kind{
	Choice:   option.Choice{Name: "amee", Help: "pixels unlike their neighbours, by windows"},
	Restored: true, // angles between components have no meaning
	New:      func() Method { return &AMEE{Window: 5, Apart: 0.2} },
})

// Kind describes AMEE.
func (a *AMEE) Kind() *Kind { return amee }

// OwnOptions returns the extents of the windows, the number of rounds and the least angle.
func (a *AMEE) OwnOptions() []option.Option {
	return []option.Option{
		{Name: "window", Help: "`extent` of the window in pixels; odd", Value: &a.Window, Least: 3, Odd: true},
		{Name: "rounds", Help: "`number` of rounds", Zero: "3", Value: &a.Rounds, Least: 1},
		{
			Name: "max-window", Help: "`extent` of the largest window, instead of rounds: the form of 2002",
			Value: &a.MaxWindow, Least: float64(a.window()), Odd: true,
		},
		apartOption(&a.Apart),
	}
}

// Fresh returns an AMEE without a result. It ignores a projection, as it compares angles.
func (a *AMEE) Fresh(o Options) Method {
	return &AMEE{Count: o.Count, Window: a.Window, MaxWindow: a.MaxWindow, Rounds: a.Rounds, Apart: a.Apart}
}

// ameeTile is the number of lines and samples of the tiles of a scene, without halo.
const ameeTile = 64

// tiling returns tiles for a zone of pixels, with a halo of reach lines and samples on all sides.
// If the zone of an update has fewer lines than a tile, it returns one row of wider tiles, because
// most of the time is spent on halos.
// take most of the time.
func tiling(zone scene.Block, reach int) scene.Tiling {
	whole := ameeTile + 2*reach
	lines := even(zone.Lines(), ameeTile)
	samples := even(zone.Samples(), whole*whole/(lines+2*reach)-2*reach)
	return scene.Tiling{Lines: lines, Samples: samples, Origin: zone.Lo, Halo: reach}
}

// even returns the extent of the parts when n is divided into equal parts of about size; the last
// part may be smaller.
func even(n, size int) int {
	parts := max(1, (n+size/2)/size)
	return max(1, (n+parts-1)/parts)
}

// Reach returns the distance in lines and samples within which pixels change the MEI of each other:
// that close to an edge of the scene, the MEI is provisional until the scene grows. In each round
// three pixels are one radius apart from the next: a pixel, the centre of the window that selects
// it, and the pixels in the window of its D.
func (a *AMEE) Reach() int {
	if a.MaxWindow > 0 {
		return 3 * (a.MaxWindow / 2)
	}
	return 3 * (a.window() / 2) * a.rounds()
}

func (a *AMEE) window() int { return cmp.Or(a.Window, 5) }
func (a *AMEE) rounds() int { return cmp.Or(a.Rounds, 3) }

// check returns an error if the options do not fit the cube.
func (a *AMEE) check(cube *scene.Cube) error {
	if err := a.fits(cube); err != nil {
		return err
	}
	if err := option.Check(a.OwnOptions()); err != nil {
		return err
	}
	if a.MaxWindow != 0 && a.Rounds != 0 {
		return optionerr.Wrong("rounds", a.Rounds, "with a largest window, of %d, there are no rounds", a.MaxWindow)
	}
	if a.MEI != nil {
		if err := same("values of MEI", len(a.MEI), a.Bounds.Pixels()); err != nil {
			return err
		}
	}
	return checkCount(a.Count, cube.Bands(), 0)
}

// Update finds the endmembers; see Method. It computes the MEI of the pixels within Reach of the
// changed ones. A further error: too few pixels with an MEI are apart (*ApartError).
func (a *AMEE) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	if err := a.check(cube); err != nil {
		return err
	}
	bounds := cube.Bounds()
	if err := fitsIndex(cube); err != nil {
		return err
	}
	zone := changed.Grow(a.Reach()).Intersect(bounds)
	if a.MEI == nil {
		zone = bounds
	}
	mei := make([]float64, bounds.Pixels())
	for line := range a.Bounds.Lines() {
		n := a.Bounds.Samples()
		if a.MEI != nil && n > 0 {
			copy(mei[bounds.Index(a.Bounds.At(line*n)):], a.MEI[line*n:][:n])
		}
	}
	type part struct {
		Core scene.Block
		MEI  []float64
	}
	radius := max(a.window(), a.MaxWindow) / 2
	tiles := tiling(zone, a.Reach())
	tiles.Extra = int64(8*pairs(radius) + 32)
	parts, err := scene.FoldTiling(ctx, cube, zone, tiles, func(t *scene.Tile, core scene.Block) ([]part, error) {
		return []part{{core, a.eccentricity(newWindows(t, radius), core)}}, nil
	}, func(all, more []part) []part { return append(all, more...) })
	if err != nil {
		return err
	}
	for _, p := range parts {
		for i, v := range p.MEI {
			mei[bounds.Index(p.Core.At(i))] = v
		}
	}
	s := selection{cube: cube, mei: mei, distinct: distinct{apart: a.Apart}}
	if err := s.choose(ctx, a.Count); err != nil {
		return err
	}
	found := make([]Endmember, a.Count)
	for i, p := range s.pixels {
		found[i] = Endmember{Line: p.Line, Sample: p.Sample, Spectrum: s.spectra[i]}
	}
	a.finish(cube, found)
	a.MEI = mei
	return nil
}

// indexBytes is the memory of AMEE per pixel of the scene: three values, the MEI and the indices of
// the present and the last pass.
const indexBytes = 24

// fitsIndex returns an error if the indices of all pixels do not fit in the memory of the cube.
func fitsIndex(cube *scene.Cube) error {
	memory := cmp.Or(cube.Options().Memory, scene.DefaultMemory)
	n := cube.Bounds().Pixels()
	if need := int64(n) * indexBytes; need > memory {
		return optionerr.Wrong("memory", memory, "AMEE needs at least %d, %d bytes for each of %d pixels", need, indexBytes, n)
	}
	return nil
}

// Clone returns a copy that can be updated without changing a.
func (a *AMEE) Clone() Method {
	b := *a // Update replaces the lists
	return &b
}

// eccentricity returns the MEI of the pixels of a block, from a tile with a halo of Reach. Each
// pass is computed only where later passes or the MEI of the block depend on it.
func (a *AMEE) eccentricity(w *windows, core scene.Block) []float64 {
	index := make([]float64, len(w.norms))
	if a.MaxWindow == 0 {
		radius := a.window() / 2
		for left := a.rounds() - 1; left >= 0; left-- {
			b := core.Grow(radius * (a.rounds() + 2*left))
			w.measure(b.Grow(2 * radius))
			w.pass(b, radius, index, true)
		}
		return cut(index, w.t.Block, core, 1)
	}
	w.measure(w.t.Block)
	sum := make([]float64, len(index))
	n := 0
	for e := a.window(); e <= a.MaxWindow; e += 2 {
		clear(index)
		w.pass(core.Grow(e/2), e/2, index, false)
		for i, v := range index {
			sum[i] += v
		}
		n++
	}
	return cut(sum, w.t.Block, core, float64(n))
}

// cut returns the values of the pixels of core, a part of the block of, divided by n.
func cut(values []float64, of, core scene.Block, n float64) []float64 {
	part := make([]float64, core.Pixels())
	for i := range part {
		part[i] = values[of.Index(core.At(i))] / n
	}
	return part
}

// A selection selects pixels of high MEI with a least angle between them.
type selection struct {
	distinct
	cube *scene.Cube
	mei  []float64
}

// shortList is the number of pixels with the highest MEI that choose reads one by one, before it
// reads the whole cube.
const shortList = 1024

// choose selects count pixels. The next one is always the pixel of the highest MEI (ties: the
// lowest pixel) that has at least the least angle to all selected ones.
func (s *selection) choose(ctx context.Context, count int) error {
	bounds := s.cube.Bounds()
	for _, i := range highest(s.mei, shortList) {
		if len(s.pixels) == count {
			return nil
		}
		x, err := spectrum(ctx, s.cube, bounds.At(i))
		if err != nil {
			return err
		}
		s.add(bounds.At(i), x)
	}
	for len(s.pixels) < count {
		if err := s.next(ctx, count); err != nil {
			return err
		}
	}
	return nil
}

// highest returns the numbers of the n highest values above 0, sorted by value. Of equal values,
// the lower number comes first.
func highest(values []float64, n int) []int {
	var list []int
	least := 0.0
	sort := func() {
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b))
		})
		list = list[:min(n, len(list))]
	}
	for i, v := range values {
		if v <= least {
			continue
		}
		if list = append(list, i); len(list) == 2*n {
			sort()
			least = values[list[n-1]]
		}
	}
	sort()
	return list
}

// next reads the cube to find the next pixel.
func (s *selection) next(ctx context.Context, count int) error {
	bounds := s.cube.Bounds()
	best, err := scene.Fold(ctx, s.cube, bounds, func(t *scene.Tile) (c search.Extreme, _ error) {
		for i, valid := range t.Valid {
			p := t.Block.At(i)
			m := s.mei[bounds.Index(p)]
			next := search.Extreme{Value: m, Pixel: p, Found: true}
			if !valid || m <= 0 || !next.Beats(c) || slices.Contains(s.pixels, p) {
				continue
			}
			if x := t.Spectrum(i); s.far(x, norm(x)) {
				c = next
			}
		}
		return c, nil
	}, func(best, c search.Extreme) search.Extreme {
		best.Merge(c)
		return best
	})
	if err != nil {
		return err
	}
	if !best.Found {
		n, err := usablePixels(ctx, s.cube)
		if err == nil && n < count {
			err = tooFew(n, count)
		}
		if err == nil {
			err = &ApartError{len(s.pixels), count, s.apart, fmt.Sprintf("no more of the %d usable pixels have an MEI above 0 and", n)}
		}
		return err
	}
	x, err := spectrum(ctx, s.cube, best.Pixel)
	if err == nil {
		s.add(best.Pixel, x)
	}
	return err
}
