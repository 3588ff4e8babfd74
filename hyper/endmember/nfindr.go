package endmember

import (
	"context"
	"math"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// NFINDR finds the pixels whose simplex has the largest volume (M. Winter, Proc. SPIE 3753, 1999):
// it exchanges vertices for pixels that enlarge the simplex until no pixel does. The volume is
// computed from the Gram matrix, in the space of the search: all bands, or a projection to Count-1
// or more values. One pass computes, with one matrix product per tile, the ratio by which each
// pixel would change the volume in place of each vertex (see search.Hull.Scores).
//
// The exchanges end at a simplex that no single exchange enlarges, which may not be the largest of
// all. So they start from several simplices: that of ATGP (or of SGA, if ATGP gives none), and
// Starts random ones. NFINDR keeps the largest result (ties: the first).
type NFINDR struct {
	Options
	State
	Starts   int      `json:"starts,omitempty"` // random initial simplices, besides that of ATGP
	Seed     uint64   `json:"seed,omitempty"`   // chooses them
	Vertices []Vertex `json:"vertices,omitempty"`
	// LogVolume is the natural logarithm of the volume of the simplex, in the unit of the space to
	// the power of Count-1.
	LogVolume   float64     `json:"log_volume,omitempty"`
	Certificate Certificate `json:"certificate,omitempty"`
}

var nfindr = register(Kind{
	Choice: option.Choice{Name: "nfindr", Help: "the simplex of the largest volume; no pixel enlarges it, which the certificate shows"},
	New:    func() Method { return &NFINDR{Starts: 10, Seed: 1} },
})

// Kind describes N-FINDR.
func (n *NFINDR) Kind() *Kind { return nfindr }

// OwnOptions returns the number of random starts and the seed.
func (n *NFINDR) OwnOptions() []option.Option {
	return []option.Option{
		{Name: "starts", Help: "`number` of random simplices to begin with, besides that of atgp", Value: &n.Starts},
		seedOption(&n.Seed),
	}
}

// Fresh returns an NFINDR without a result.
func (n *NFINDR) Fresh(o Options) Method {
	return &NFINDR{Options: o, Starts: n.Starts, Seed: n.Seed}
}

// Certified returns the certificate.
func (n *NFINDR) Certified() Certificate { return n.Certificate }

// A Certificate has, for each vertex of a simplex, the usable pixel of the scene that enlarges it
// most in place of that vertex.
type Certificate []Exchange

// An Exchange replaces a vertex by a pixel.
type Exchange struct {
	Pixel scene.Pixel `json:"pixel"`
	// Square is the square of the ratio by which the volume changes: 1 for the vertex itself.
	Square float64 `json:"square"`
}

// Holds reports whether no exchange enlarges the simplex by more than a factor of 1 + 1e-9.
func (c Certificate) Holds() bool {
	return len(c) > 0 && !slices.ContainsFunc(c, func(e Exchange) bool { return !(e.Square <= enlarges) })
}

// Update finds the endmembers; see Method. After growth it continues with the simplex so far: if no
// changed pixel enlarges it, Update reads nothing else, and the certificate holds for the whole
// scene; otherwise exchanges continue over the whole scene. Restart compares the result with new
// searches.
func (n *NFINDR) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	space, err := n.begin(cube, n.Options, 1)
	if err != nil {
		return err
	}
	if err := option.Check(n.OwnOptions()); err != nil {
		return err
	}
	s, err := n.goOn(ctx, space, changed)
	if err == nil && s == nil {
		s, err = n.fromStarts(ctx, space)
	}
	if err != nil {
		return err
	}
	list := make([]scene.Pixel, len(s.vertices))
	for i, v := range s.vertices {
		list[i] = v.Pixel
	}
	if err := n.end(ctx, cube, list); err != nil {
		return err
	}
	n.Vertices, n.LogVolume, n.Certificate = s.vertices, s.logVolume, nil
	for _, e := range s.largest {
		n.Certificate = append(n.Certificate, Exchange{e.Pixel, e.Value})
	}
	return nil
}

// Volume returns the volume of the simplex. It may be too large or too small for a float64, unlike
// LogVolume.
func (n *NFINDR) Volume() float64 { return math.Exp(n.LogVolume) }

// Restart searches the whole cube several times, with consecutive seeds. It returns the result with
// the largest simplex, nil if the simplex of n is as large, and the ratio of the volume of n to the
// largest one.
func (n *NFINDR) Restart(ctx context.Context, cube *scene.Cube, runs int) (Method, float64, error) {
	var best *NFINDR
	least := 1.0
	for run := range max(1, runs) {
		fresh := &NFINDR{Options: n.Options, Starts: n.Starts, Seed: n.Seed + uint64(run)}
		if err := fresh.Update(ctx, cube, cube.Bounds()); err != nil {
			return nil, 0, err
		}
		ratio := math.Exp(n.LogVolume - fresh.LogVolume)
		if run == 0 {
			least = ratio
		}
		if ratio < 1 && ratio <= least {
			best = fresh
		}
		least = min(least, ratio)
	}
	if best == nil {
		return nil, least, nil
	}
	best.Seed = n.Seed // the seed from the options of the search
	return best, least, nil
}

// goOn returns the simplex that follows from the previous one, or nil if there is none or it has
// become flat.
func (n *NFINDR) goOn(ctx context.Context, space *scene.Cube, changed scene.Block) (*simplex, error) {
	if len(n.Vertices) == 0 {
		return nil, nil
	}
	if err := n.matches(space); err != nil {
		return nil, err
	}
	vertices, moved, err := n.refresh(ctx, space, changed)
	if err != nil || vertices == nil {
		return nil, err
	}
	s := newSimplex(vertices)
	if s == nil {
		return nil, nil
	}
	if moved {
		return s, maximize(ctx, space, []*simplex{s})
	}
	found, err := search.Farthest(ctx, space, changed, []*search.Hull{s.hull})
	if err != nil {
		return nil, err
	}
	grown, err := s.exchange(ctx, space, found[0])
	if err != nil {
		return nil, err
	}
	stale := false
	for j, c := range n.Certificate {
		old := search.Extreme{Value: c.Square, Pixel: c.Pixel, Found: true}
		stale = stale || fallen(old, found[0][j], changed)
		found[0][j].Merge(old)
	}
	if grown || stale {
		return s, maximize(ctx, space, []*simplex{s})
	}
	s.largest = found[0]
	return s, nil
}

// matches returns an error if the vertices do not match the options.
func (n *NFINDR) matches(space *scene.Cube) error {
	for _, v := range n.Vertices {
		if err := same("values per vertex", len(v.Point), space.Bands()); err != nil {
			return err
		}
	}
	if err := same("certified vertices", len(n.Certificate), len(n.Vertices)); err != nil {
		return err
	}
	return same("vertices", len(n.Vertices), n.Count)
}

// refresh returns the vertices with their present points, or nil if one is no longer usable. moved
// reports whether any has changed.
func (n *NFINDR) refresh(ctx context.Context, space *scene.Cube, changed scene.Block) (vertices []Vertex, moved bool, err error) {
	vertices = slices.Clone(n.Vertices)
	for i, v := range vertices {
		if !changed.Contains(v.Pixel) {
			continue
		}
		x, err := spectrum(ctx, space, v.Pixel)
		if err != nil || x == nil {
			return nil, true, err
		}
		moved = moved || !slices.Equal(x, v.Point)
		vertices[i].Point = x
	}
	return vertices, moved, nil
}

// fromStarts makes exchanges from all starts and returns the largest simplex.
func (n *NFINDR) fromStarts(ctx context.Context, space *scene.Cube) (*simplex, error) {
	first, err := n.systematic(ctx, space)
	if err != nil {
		return nil, err
	}
	all := []*simplex{first}
	if n.Starts > 0 {
		drawn, err := draw(ctx, space, n.Starts, n.Count, n.Seed)
		if err != nil {
			return nil, err
		}
		for _, list := range drawn {
			s, err := simplexOf(ctx, space, list)
			if err != nil {
				return nil, err
			}
			if s != nil {
				all = append(all, s)
			}
		}
	}
	if err := maximize(ctx, space, slices.Clone(all)); err != nil {
		return nil, err
	}
	return slices.MaxFunc(all, func(a, b *simplex) int {
		if a.logVolume < b.logVolume {
			return -1
		}
		if a.logVolume > b.logVolume {
			return 1
		}
		return 0
	}), nil
}

// systematic returns the simplex of ATGP, or else of SGA.
func (n *NFINDR) systematic(ctx context.Context, space *scene.Cube) (*simplex, error) {
	if steps, err := newGreedy(space, n.Count, search.Span).update(ctx, nil, space.Bounds()); err == nil {
		if s, err := simplexOf(ctx, space, pixels(steps)); err != nil || s != nil {
			return s, err
		}
	}
	steps, err := newGreedy(space, n.Count, search.Affine).update(ctx, nil, space.Bounds())
	if err != nil {
		return nil, err
	}
	s, err := simplexOf(ctx, space, pixels(steps))
	if err == nil && s == nil {
		err = tooFlat(ctx, space, n.Count-1, n.Count)
	}
	return s, err
}

// simplexOf returns the simplex of pixels, or nil if it is flat.
func simplexOf(ctx context.Context, space *scene.Cube, list []scene.Pixel) (*simplex, error) {
	read, err := spectra(ctx, space, list)
	if err != nil {
		return nil, err
	}
	vertices := make([]Vertex, len(list))
	for i, p := range list {
		vertices[i] = Vertex{p, read[i]}
	}
	return newSimplex(vertices), nil
}
