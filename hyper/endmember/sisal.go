package endmember

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"drx/hyper/derived"
	"drx/hyper/option"
	"drx/hyper/scene"
	"drx/optionerr"

	"gonum.org/v1/gonum/mat"
)

// SISAL is simplex identification via split augmented Lagrangian (J. Bioucas-Dias, First IEEE
// WHISPERS, 2009): the smallest simplex around nearly all pixels. It needs no pure pixels; its
// endmembers are computed and are no pixels of the scene. With Q the inverse of the matrix of the
// endmembers and Y the pixels in the affine hull of Count-1 principal axes, scaled to variances of
// 1, it minimizes
//
//	-log |det Q| + Weight * (sum of the negative parts of Q Y, negated),  such that the columns of Q Y sum to 1
//
// by a sequence of convex problems, each solved by variable splitting. It begins at the simplex of
// VCA, expanded.
//
// Vertices lie outside of the pixels, so those of dark materials, such as water, may have values
// below 0, and angles to them have no meaning. Real spectra are not negative, so such values become
// 0, unless more than a tenth of the values of the scene are negative, as in scenes of components.
//
// Pixels that are not mixtures, and uneven illumination, inflate the simplex. A Weight of 0.1
// leaves more of them outside.
//
// Update computes everything again. The pixels need 16 bytes of memory per pixel and endmember,
// which must fit in the memory of the cube.
type SISAL struct {
	State
	Count  int     `json:"count"`            // number of endmembers, from 2 to the number of bands
	Seed   uint64  `json:"seed,omitempty"`   // of VCA, and for the choice of Pixels
	Weight float64 `json:"weight,omitempty"` // weight of pixels outside of the simplex; 0 means 1
	// Rounds is the number of convex problems; the author solves 80. 0 means until Objective stops
	// falling, which takes hundreds in real scenes.
	Rounds int `json:"rounds,omitempty"`
	// Pixels, if not 0, is the largest number of pixels to use, selected at random.
	Pixels int `json:"pixels,omitempty"`
	// Objective is the value of the function above for the result, for comparing results of
	// different Rounds.
	Objective float64 `json:"objective,omitempty"`
}

var sisal = register(Kind{
	Choice:   option.Choice{Name: "sisal", Help: "the smallest simplex around nearly all pixels; its endmembers are no pixels"},
	Restored: true, // it has components of its own
	Anew:     true,
	New:      func() Method { return &SISAL{Seed: 1} },
})

// Kind describes SISAL.
func (s *SISAL) Kind() *Kind { return sisal }

// OwnOptions returns the weight, the number of convex problems, the number of pixels and the seed.
func (s *SISAL) OwnOptions() []option.Option {
	return []option.Option{
		{Name: "weight", Help: "`weight` of the pixels outside of the simplex", Zero: "1", Value: &s.Weight},
		{Name: "rounds", Help: "`number` of convex problems", Zero: "until it converges", Value: &s.Rounds},
		{Name: "pixels", Help: "use at most this `number` of pixels, drawn by chance", Zero: "all", Value: &s.Pixels},
		seedOption(&s.Seed),
	}
}

// Fresh returns a SISAL without a result. It ignores a projection, because it computes its own.
func (s *SISAL) Fresh(o Options) Method {
	return &SISAL{Count: o.Count, Seed: s.Seed, Weight: s.Weight, Rounds: s.Rounds, Pixels: s.Pixels}
}

// Update finds the endmembers; see Method. Further errors: the pixels do not fit in the memory; the
// iteration does not find a simplex.
func (s *SISAL) Update(ctx context.Context, cube *scene.Cube, _ scene.Block) error {
	if err := s.fits(cube); err != nil {
		return err
	}
	if err := checkCount(s.Count, cube.Bands(), 0); err != nil {
		return err
	}
	if err := option.Check(s.OwnOptions()); err != nil {
		return err
	}
	sphere, scales, err := s.sphere(ctx, cube)
	if err != nil {
		return err
	}
	vca := &VCA{Options: Options{Count: s.Count, Projection: sphere}, Seed: s.Seed}
	if err := vca.Update(ctx, cube, cube.Bounds()); err != nil {
		return err
	}
	y, err := s.collect(ctx, cube, sphere)
	if err != nil {
		return err
	}
	split := newSplitSolver(y, s.Count, cmp.Or(s.Weight, 1), cube)
	q, objective, err := split.minimize(ctx, expand(points(vca.Steps)), s.Rounds)
	if err != nil {
		return err
	}
	var vertices mat.Dense
	if err := vertices.Inverse(q); err != nil {
		return fmt.Errorf("SISAL found a flat simplex for %d endmembers: %w", s.Count, err)
	}
	signed, err := hasNegatives(ctx, cube)
	if err != nil {
		return err
	}
	found := make([]Endmember, s.Count)
	for j := range found {
		x := slices.Clone(sphere.Offset)
		for i, scale := range scales {
			for b, a := range sphere.Axes[i] {
				x[b] += a * scale * scale * vertices.At(i, j)
			}
		}
		for b := range x {
			if !signed {
				x[b] = max(x[b], 0)
			}
		}
		found[j] = Endmember{Spectrum: x, NoPixel: true}
	}
	s.finish(cube, found)
	s.Objective = objective
	return nil
}

// sphere returns the projection of the centred pixels on Count-1 principal axes, with variances of
// 1/Count, and a further value of sqrt(1/Count). Its axis i is a unit vector divided by scales[i].
func (s *SISAL) sphere(ctx context.Context, cube *scene.Cube) (p *derived.Projection, scales []float64, err error) {
	m, err := momentsOf(ctx, cube)
	if err != nil {
		return nil, nil, err
	}
	if m.n < s.Count {
		return nil, nil, tooFew(m.n, s.Count)
	}
	unit, variances, err := axes(m.cov, s.Count-1)
	if err != nil {
		return nil, nil, err
	}
	p = &derived.Projection{Axes: unit, Offset: m.mean, Constant: math.Sqrt(1 / float64(s.Count))}
	power := mat.Trace(m.corr)
	for i, v := range variances {
		if !(v > 1e-14*power) {
			return nil, nil, tooFlat(ctx, cube, i+1, s.Count)
		}
		scale := math.Sqrt(v * float64(s.Count))
		scales = append(scales, scale)
		for b := range unit[i] {
			unit[i][b] /= scale
		}
	}
	return p, scales, nil
}

// expand returns the inverse of the matrix whose columns are the points, moved away from their mean
// so that nearly all pixels are inside the simplex.
func expand(points [][]float64) *mat.Dense {
	p := len(points)
	m := mat.NewDense(p, p, nil)
	for i := range p {
		mean := 0.0
		for _, x := range points {
			mean += x[i] / float64(p)
		}
		for j, x := range points {
			m.Set(i, j, x[i]+float64(p)*(x[i]-mean))
		}
	}
	var q mat.Dense
	if err := q.Inverse(m); err != nil {
		return nil
	}
	return &q
}

// collect returns the projected pixels, concatenated.
func (s *SISAL) collect(ctx context.Context, cube *scene.Cube, p *derived.Projection) ([]float64, error) {
	n, err := usablePixels(ctx, cube)
	if err != nil {
		return nil, err
	}
	chosen := map[scene.Pixel]bool{}
	if s.Pixels > 0 && s.Pixels < n {
		drawn, err := draw(ctx, cube, 1, s.Pixels, s.Seed)
		if err != nil {
			return nil, err
		}
		for _, q := range drawn[0] {
			chosen[q] = true
		}
		n = len(chosen)
	}
	memory := cmp.Or(cube.Options().Memory, scene.DefaultMemory)
	if need := int64(n) * int64(s.Count) * 16; need > memory {
		return nil, optionerr.Wrong("memory", memory,
			"SISAL needs %d bytes for %d pixels and %d endmembers: give it these, or at most %d pixels", need, n, s.Count, memory/int64(16*s.Count))
	}
	space, err := derived.Project(cube, p)
	if err != nil {
		return nil, err
	}
	return scene.Fold(ctx, space, space.Bounds(), func(t *scene.Tile) (part []float64, _ error) {
		for i, valid := range t.Valid {
			if valid && (len(chosen) == 0 || chosen[t.Block.At(i)]) {
				part = append(part, t.Spectrum(i)...)
			}
		}
		return part, nil
	}, func(y, part []float64) []float64 { return append(y, part...) })
}

// hasNegatives reports whether more than a tenth of the values of the pixels are below 0.
func hasNegatives(ctx context.Context, cube *scene.Cube) (bool, error) {
	type count struct{ Below, All int }
	total, err := scene.Fold(ctx, cube, cube.Bounds(), func(t *scene.Tile) (c count, _ error) {
		for i, valid := range t.Valid {
			if !valid {
				continue
			}
			c.All += t.Bands
			for _, v := range t.Spectrum(i) {
				if v < 0 {
					c.Below++
				}
			}
		}
		return c, nil
	}, func(a, b count) count { return count{a.Below + b.Below, a.All + b.All} })
	return total.Below > total.All/10, err
}
