package endmember

import (
	"context"
	"math"
	"math/rand/v2"

	"drx/hyper/derived"
	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/scene"

	"gonum.org/v1/gonum/mat"
)

// VCA is vertex component analysis (J. Nascimento, J. Bioucas-Dias, IEEE Trans. Geoscience and
// Remote Sensing 43, 2005): in a subspace of Count dimensions, each step draws a random direction f
// orthogonal to the earlier endmembers, and selects the pixel with the largest |f'y|. It makes one
// pass over the cube for the subspace and one or two per endmember.
//
// If the options have no Projection, the first Update computes the subspace of the paper, see
// Subspace, and keeps it in Options.Projection. So later Updates give, bit for bit, the result of a
// new VCA with this projection for the whole scene. Sessions of package hyper begin anew instead,
// with the subspace of the present scene.
type VCA struct {
	Options
	State
	// Seed chooses the random directions.
	Seed uint64 `json:"seed,omitempty"`
	// Steps are the endmembers in the order in which they were found.
	Steps []Step `json:"steps,omitempty"`
}

var vca = register(Kind{
	Choice: option.Choice{Name: "vca", Help: "extremes of random directions in a subspace"},
	Anew:   true, // the subspace of the scene changes with every pixel
	New:    func() Method { return &VCA{Seed: 1} },
})

// Kind describes VCA.
func (v *VCA) Kind() *Kind { return vca }

// OwnOptions returns the seed.
func (v *VCA) OwnOptions() []option.Option { return []option.Option{seedOption(&v.Seed)} }

// Fresh returns a VCA without a result.
func (v *VCA) Fresh(o Options) Method { return &VCA{Options: o, Seed: v.Seed} }

// Update finds the endmembers; see Method.
func (v *VCA) Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error {
	o := v.Options
	if o.Projection == nil {
		if err := checkCount(o.Count, cube.Bands(), 0); err != nil {
			return err
		}
		var err error
		if o.Projection, err = Subspace(ctx, cube, o.Count); err != nil {
			return err
		}
	}
	space, err := v.begin(cube, o, 0)
	if err != nil {
		return err
	}
	g := &greedy{space: space, count: o.Count, hull: search.Span}
	g.best = func(ctx context.Context, within scene.Block, earlier [][]Step) ([]search.Extreme, error) {
		var directions []float64
		for _, steps := range earlier {
			directions = append(directions, v.direction(points(steps), space.Bands())...)
		}
		ranges, err := search.Ranges(ctx, space, within, directions)
		best := make([]search.Extreme, len(ranges))
		for i, r := range ranges {
			best[i] = r.Largest()
		}
		return best, err
	}
	steps, err := g.update(ctx, v.Steps, changed)
	if err != nil {
		return err
	}
	if err := v.end(ctx, cube, pixels(steps)); err != nil {
		return err
	}
	v.Options, v.Steps = o, steps
	return nil
}

// direction returns a random unit vector orthogonal to the points, or, without points, to the last
// axis.
func (v *VCA) direction(points [][]float64, d int) []float64 {
	rng := rand.New(rand.NewPCG(v.Seed, uint64(len(points))))
	f := make([]float64, d)
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	if len(points) == 0 {
		last := make([]float64, d)
		last[d-1] = 1
		points = [][]float64{last}
	}
	h, _ := search.Span(points)
	for range 2 { // the second time removes rounding errors
		h.Remove(f)
	}
	normalize(f)
	return f
}

// Subspace returns the projection of VCA to count values. It estimates the signal-to-noise ratio
// from the power in and outside of the subspace. Above 15 + 10 log10(count) dB it projects on the
// first axes of the mean of x x', along rays onto a plane; otherwise it projects the centred pixels
// on count-1 principal axes and adds the largest length among them as a constant value.
func Subspace(ctx context.Context, cube *scene.Cube, count int) (*derived.Projection, error) {
	m, err := momentsOf(ctx, cube)
	if err != nil {
		return nil, err
	}
	principal, variances, err := axes(m.cov, count)
	if err != nil {
		return nil, err
	}
	if m.decibels(variances) > 15+10*math.Log10(float64(count)) {
		own, _, err := axes(m.corr, count)
		if err != nil {
			return nil, err
		}
		p := &derived.Projection{Axes: own}
		u := make([]float64, count)
		p.Apply(u, m.mean, nil)
		p.Divisor = u
		return p, nil
	}
	p := &derived.Projection{Axes: principal[:count-1], Offset: m.mean}
	space, err := derived.Project(cube, p)
	if err != nil {
		return nil, err
	}
	longest, err := search.Farthest(ctx, space, space.Bounds(), []*search.Hull{{}})
	if err != nil {
		return nil, err
	}
	if !(longest[0][0].Value > 0) {
		return nil, tooFlat(ctx, cube, 1, count)
	}
	p.Constant = math.Sqrt(longest[0][0].Value)
	return p, nil
}

// decibels estimates the signal-to-noise ratio: 10 log10((Px - d/n P) / (P - Px)). P is the mean
// power of a pixel of n bands, and Px the power of its mean and its first d principal components,
// which have the given variances.
func (m *moments) decibels(variances []float64) float64 {
	power, within := mat.Trace(m.corr), derived.Dot(m.mean, m.mean)
	for _, v := range variances {
		within += v
	}
	if within >= power { // no noise, except for rounding
		return math.Inf(1)
	}
	part := float64(len(variances)) / float64(len(m.mean))
	return 10 * math.Log10((within-part*power)/(power-within))
}
