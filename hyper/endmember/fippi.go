package endmember

import (
	"context"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// FIPPI is the fast iterative pixel purity index (C.-I. Chang, A. Plaza, IEEE Geoscience and Remote
// Sensing Letters 3, 2006): the first skewers are the Count pixels that ATGP finds. Each round adds
// the extremes of all skewers to the skewers, until none is new. The endmembers are the Count
// pixels that are extremes most often. It is meant for a projection to few values: with many noisy
// bands nearly all pixels become skewers. It makes one pass over the cube per endmember and per
// round.
type FIPPI struct {
	Options
	State
	// Apart, if not 0, is the least spectral angle in radians between two endmembers, as in PPI.
	Apart float64 `json:"apart,omitempty"`
	// Targets are the steps of ATGP.
	Targets []Step `json:"targets,omitempty"`
	// Skewers are the skewers of all rounds, with their extremes.
	Skewers []Skewer `json:"skewers,omitempty"`
}

var fippi = register(Kind{
	Choice: option.Choice{Name: "fippi", Help: "the same as ppi with lines through pixels found so far, without chance"},
	New:    func() Method { return &FIPPI{} },
})

// Kind describes FIPPI.
func (f *FIPPI) Kind() *Kind { return fippi }

// OwnOptions returns the least angle.
func (f *FIPPI) OwnOptions() []option.Option { return []option.Option{apartOption(&f.Apart)} }

// Fresh returns a FIPPI without a result.
func (f *FIPPI) Fresh(o Options) Method { return &FIPPI{Options: o, Apart: f.Apart} }

// A Skewer is a pixel onto which all others are projected.
type Skewer struct {
	Pixel scene.Pixel  `json:"pixel"`
	Point []float64    `json:"point"` // its values in the space of the search
	Range search.Range `json:"range"`
}

// Update finds the endmembers; see Method. The extremes of a skewer are kept as long as its pixel
// does not change.
func (f *FIPPI) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	space, err := f.begin(cube, f.Options, 0)
	if err != nil {
		return err
	}
	if err := option.Check(f.OwnOptions()); err != nil {
		return err
	}
	targets, err := newGreedy(space, f.Count, search.Span).update(ctx, f.Targets, changed)
	if err != nil {
		return err
	}
	known, err := f.refresh(ctx, space, changed)
	if err != nil {
		return err
	}
	all, err := rounds(ctx, space, pixels(targets), known)
	if err != nil {
		return err
	}
	chosen, err := purest(ctx, cube, indices(skewerRanges(all)), f.Count, f.Apart)
	if err != nil {
		return err
	}
	if err := f.end(ctx, cube, chosen); err != nil {
		return err
	}
	f.Targets, f.Skewers = targets, all
	return nil
}

// Indices returns all pixels that are extremes of a skewer, as PPI.Indices does.
func (f *FIPPI) Indices() []Purity { return indices(skewerRanges(f.Skewers)) }

func skewerRanges(list []Skewer) []search.Range {
	ranges := make([]search.Range, len(list))
	for i, s := range list {
		ranges[i] = s.Range
	}
	return ranges
}

// refresh returns the skewers whose own pixels have not changed, with updated extremes.
func (f *FIPPI) refresh(ctx context.Context, space *scene.Cube, changed scene.Block) (map[scene.Pixel]Skewer, error) {
	for _, s := range f.Skewers {
		if err := same("values per skewer", len(s.Point), space.Bands()); err != nil {
			return nil, err
		}
	}
	kept := slices.DeleteFunc(slices.Clone(f.Skewers), func(s Skewer) bool { return changed.Contains(s.Pixel) })
	known := map[scene.Pixel]Skewer{}
	if len(kept) == 0 {
		return known, nil
	}
	ranges, err := updateRanges(ctx, space, changed, skewerRanges(kept), forms(kept))
	if err != nil {
		return nil, err
	}
	for i, s := range kept {
		s.Range = ranges[i]
		known[s.Pixel] = s
	}
	return known, nil
}

// rounds returns the skewers of all rounds, each new set sorted by pixel. It searches the space
// only for skewers that are not known.
func rounds(ctx context.Context, space *scene.Cube, fresh []scene.Pixel, known map[scene.Pixel]Skewer) ([]Skewer, error) {
	var all []Skewer
	has := map[scene.Pixel]bool{}
	for len(fresh) > 0 {
		if err := learn(ctx, space, fresh, known); err != nil {
			return nil, err
		}
		for _, p := range fresh {
			has[p] = true
		}
		var next []scene.Pixel
		for _, p := range fresh {
			s := known[p]
			all = append(all, s)
			for _, e := range []scene.Pixel{s.Range.High.Pixel, s.Range.Low.Pixel} {
				if !has[e] {
					has[e] = true
					next = append(next, e)
				}
			}
		}
		slices.SortFunc(next, scene.Pixel.Compare)
		fresh = next
	}
	return all, nil
}

// learn finds the extremes for pixels that are not yet known as skewers.
func learn(ctx context.Context, space *scene.Cube, list []scene.Pixel, known map[scene.Pixel]Skewer) error {
	var fresh []scene.Pixel
	for _, p := range list {
		if _, ok := known[p]; !ok {
			fresh = append(fresh, p)
		}
	}
	if fresh == nil {
		return nil
	}
	read, err := spectra(ctx, space, fresh)
	if err != nil {
		return err
	}
	missing := make([]Skewer, len(fresh))
	for i, p := range fresh {
		missing[i] = Skewer{Pixel: p, Point: read[i]}
	}
	ranges, err := search.Ranges(ctx, space, space.Bounds(), forms(missing))
	for i, s := range missing {
		s.Range = ranges[i]
		known[s.Pixel] = s
	}
	return err
}

// forms returns the concatenated points of skewers.
func forms(list []Skewer) []float64 {
	var data []float64
	for _, s := range list {
		data = append(data, s.Point...)
	}
	return data
}
