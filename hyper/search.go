package hyper

import (
	"context"
	"errors"
	"math"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/endmember/search"
	"drx/hyper/option"
	"drx/hyper/reduce"
	"drx/hyper/scene"
)

// A Search finds endmembers by a method of package endmember.
type Search struct {
	// Method has the options of the method. Find uses a copy and leaves Method unchanged.
	Method endmember.Method
	Count  int // number of endmembers
	// Mean is odd: the search uses means of Mean x Mean neighbouring pixels. 0 means 1: the scene
	// itself.
	Mean int
	// Reduce is the space of the search. Methods whose Kind is Restored search in the scene that is
	// restored from the components.
	Reduce Reduction
	Ridge  float64 // see reduce.MNF
}

// Found is the result of a Search, with the settings and bands needed to use it later.
type Found struct {
	Method     string                `json:"method"`
	Count      int                   `json:"count"`
	Mean       int                   `json:"mean"`
	Reduce     string                `json:"reduce"`
	Endmembers []endmember.Endmember `json:"endmembers"`
	// Volume is the volume of the simplex of the endmembers in the space of the search, and
	// LogVolume its natural logarithm. Both are nil if the simplex is flat, and Volume also if it
	// does not fit a float64.
	Volume      *float64     `json:"volume,omitempty"`
	LogVolume   *float64     `json:"log_volume,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"`
	// Bands are the numbers of the bands of the spectra in the source.
	Bands       []int     `json:"bands"`
	Wavelengths []float64 `json:"wavelengths,omitempty"`
	Unit        string    `json:"unit,omitempty"` // of the wavelengths
}

// A Certificate has, for each vertex of a simplex, the pixel of the scene that would enlarge the
// volume most if it replaced the vertex.
type Certificate struct {
	Holds     bool       `json:"holds"` // no replacement enlarges the volume
	Exchanges []Exchange `json:"exchanges"`
}

// An Exchange is a pixel and the volume with it, relative to the present one. The ratio of the
// vertex itself is 1.
type Exchange struct {
	Line   int     `json:"line"`   // of the pixel
	Sample int     `json:"sample"` // of the pixel
	Ratio  float64 `json:"ratio"`  // volume with the pixel divided by the present volume
}

// Find searches a cube. It returns an error if there is no method or an option is out of its
// limits, or one of Reduce, derived.Mean and endmember.Method.
func (s Search) Find(ctx context.Context, c *scene.Cube) (*Found, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	space, projection, err := s.space(ctx, c)
	if err != nil {
		return nil, err
	}
	method := s.fresh(projection)
	if _, err := endmember.Find(ctx, space, method); err != nil {
		return nil, err
	}
	return s.found(c, method, projection), nil
}

// fresh returns a copy of the method without results.
func (s Search) fresh(projection *derived.Projection) endmember.Method {
	return s.Method.Fresh(endmember.Options{Count: s.Count, Projection: projection})
}

// name returns the name of the method.
func (s Search) name() string { return s.Method.Kind().Name }

// found returns the result of a method in a cube.
func (s Search) found(c *scene.Cube, method endmember.Method, projection *derived.Projection) *Found {
	f := &Found{Method: s.name(), Count: s.Count, Mean: max(1, s.Mean), Reduce: s.Reduce.String(), Endmembers: method.Endmembers(), Bands: c.SourceBands()}
	f.Wavelengths, f.Unit = c.Wavelengths()
	f.measure(projection)
	if m, ok := method.(endmember.Certifier); ok {
		f.certify(m.Certified())
	}
	return f
}

// check returns an error if the search is invalid for every cube.
func (s Search) check() error {
	if s.Method == nil {
		return errors.New("a search without a method")
	}
	return option.Check(s.Method.OwnOptions())
}

// beginsAnew reports whether a session must search from the start at each update that finds a
// change. A reduction requires that, because every new pixel changes the components.
func (s Search) beginsAnew() bool { return s.Method.Kind().Anew || s.Reduce.Method != nil }

// space returns the scene to search, and, for methods that use one, the projection of its spectra.
func (s Search) space(ctx context.Context, c *scene.Cube) (*scene.Cube, *derived.Projection, error) {
	t, err := Reduce(ctx, c, s.Reduce, s.Ridge)
	if err != nil {
		return nil, nil, err
	}
	return s.spaceOf(t, c)
}

// spaceOf is space for a given transform of the reduction; nil means none.
func (s Search) spaceOf(t *reduce.Transform, c *scene.Cube) (space *scene.Cube, projection *derived.Projection, err error) {
	switch {
	case t == nil:
	case s.Method.Kind().Restored:
		if c, err = t.Restore(c); err != nil {
			return nil, nil, err
		}
	default:
		projection = &derived.Projection{Axes: t.Forward, Offset: t.Mean}
	}
	space, err = derived.Mean(c, max(1, s.Mean))
	return space, projection, err
}

// Spectra returns the spectra of the endmembers.
func (f *Found) Spectra() [][]float64 {
	list := make([][]float64, len(f.Endmembers))
	for i, e := range f.Endmembers {
		list[i] = e.Spectrum
	}
	return list
}

// measure computes the volume of the simplex.
func (f *Found) measure(p *derived.Projection) {
	points := f.Spectra()
	if p != nil {
		centred := make([]float64, len(points[0]))
		for i, x := range points {
			points[i] = make([]float64, p.Values())
			p.Apply(points[i], x, centred)
		}
	}
	_, logVolume, ok := search.Simplex(points)
	if !ok || math.IsNaN(logVolume) || math.IsInf(logVolume, 0) {
		return
	}
	f.LogVolume = &logVolume
	if v := math.Exp(logVolume); v > 0 && !math.IsInf(v, 0) {
		f.Volume = &v
	}
}

// certify sets the certificate.
func (f *Found) certify(c endmember.Certificate) {
	f.Certificate = &Certificate{Holds: c.Holds()}
	for _, e := range c {
		f.Certificate.Exchanges = append(f.Certificate.Exchanges, Exchange{e.Pixel.Line, e.Pixel.Sample, math.Sqrt(e.Square)})
	}
}
