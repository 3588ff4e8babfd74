package hyper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/endmember/search"
	"drx/hyper/reduce"
	"drx/hyper/scene"
)

// Methods are the names of the methods of Search.
func Methods() []string {
	return []string{"ppi", "fippi", "nfindr", "vca", "atgp", "sga", "amee", "sisal"}
}

// A Search finds endmembers. Zero values are the defaults of package endmember.
type Search struct {
	Method string    // one of Methods
	Count  int       // number of endmembers
	Mean   int       // the search is in the scene of means of Mean x Mean pixels, an odd number; 0 and 1 mean the scene itself
	Reduce Reduction // the space of the search; amee and sisal search in the scene that is computed back from the components
	Ridge  float64   // see reduce.MNF
	Seed   uint64    // ppi, nfindr, vca, sisal
	Starts int       // nfindr: random simplices to begin with, besides that of ATGP

	Skewers   int     // ppi
	Apart     float64 // ppi, fippi, amee: the least angle between two endmembers, in radians
	Window    int     // amee
	MaxWindow int     // amee: the form of 2002
	Rounds    int     // amee, sisal
	Weight    float64 // sisal
	Pixels    int     // sisal
}

// Found is the result of a Search, and what is needed to use it later.
type Found struct {
	Method     string                `json:"method"`
	Count      int                   `json:"count"`
	Mean       int                   `json:"mean"`
	Reduce     string                `json:"reduce"`
	Endmembers []endmember.Endmember `json:"endmembers"`
	// Volume is that of the simplex of the endmembers in the space of the search, and LogVolume its natural logarithm. Both are missing
	// if the simplex is flat, and Volume if it is no float64.
	Volume      *float64     `json:"volume,omitempty"`
	LogVolume   *float64     `json:"log_volume,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"` // of nfindr
	// Bands are the numbers of the bands of the spectra in the source.
	Bands       []int     `json:"bands"`
	Wavelengths []float64 `json:"wavelengths,omitempty"`
	Unit        string    `json:"unit,omitempty"` // of the wavelengths
}

// A Certificate says, for each vertex, which pixel of the scene enlarges the simplex most in its place.
type Certificate struct {
	Holds     bool       `json:"holds"` // no exchange enlarges it
	Exchanges []Exchange `json:"exchanges"`
}

// An Exchange is a pixel and the ratio by which the volume changes with it; 1 for the vertex itself.
type Exchange struct {
	Line   int     `json:"line"`   // of the pixel
	Sample int     `json:"sample"` // of the pixel
	Ratio  float64 `json:"ratio"`  // of the volumes
}

// Find searches a cube. The errors: no such method; those of Reduce, derived.Mean and
// endmember.Method.
func (s Search) Find(ctx context.Context, c *scene.Cube) (*Found, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	space, projection, err := s.space(ctx, c)
	if err != nil {
		return nil, err
	}
	method := s.method(s.options(projection))
	if _, err := endmember.Find(ctx, space, method); err != nil {
		return nil, err
	}
	return s.found(c, method, projection), nil
}

// options returns the options of the method.
func (s Search) options(projection *derived.Projection) endmember.Options {
	return endmember.Options{Count: s.Count, Projection: projection}
}

// found returns what a method has found in a cube.
func (s Search) found(c *scene.Cube, method endmember.Method, projection *derived.Projection) *Found {
	f := &Found{Method: s.Method, Count: s.Count, Mean: max(1, s.Mean), Reduce: s.Reduce.String(), Endmembers: method.Endmembers(), Bands: c.SourceBands()}
	f.Wavelengths, f.Unit = c.Wavelengths()
	f.measure(projection)
	if n, ok := method.(*endmember.NFINDR); ok {
		f.certify(n.Certificate)
	}
	return f
}

// check says what is wrong with a search for any cube.
func (s Search) check() error {
	if !slices.Contains(Methods(), s.Method) {
		return fmt.Errorf("no method %q: there are %s", s.Method, strings.Join(Methods(), ", "))
	}
	return nil
}

// beginsAnew reports whether a session makes a search from nothing at each update in which anything has changed: sisal has no state, and with
// every pixel the components of a reduction change, and so does the subspace of vca.
func (s Search) beginsAnew() bool {
	return s.Method == "sisal" || s.Method == "vca" || s.Reduce.Method != ""
}

// space returns the scene of the search, and the projection of its spectra for methods that take one.
func (s Search) space(ctx context.Context, c *scene.Cube) (*scene.Cube, *derived.Projection, error) {
	t, err := Reduce(ctx, c, s.Reduce, s.Ridge)
	if err != nil {
		return nil, nil, err
	}
	return s.spaceOf(t, c)
}

// spaceOf is space with the transform of the reduction; nil for none. The angles of amee mean nothing between components, and sisal has
// components of its own: they get the scene computed back from the components, which has less noise.
func (s Search) spaceOf(t *reduce.Transform, c *scene.Cube) (space *scene.Cube, projection *derived.Projection, err error) {
	switch {
	case t == nil:
	case s.Method == "amee" || s.Method == "sisal":
		if c, err = t.Restore(c); err != nil {
			return nil, nil, err
		}
	default:
		projection = &derived.Projection{Axes: t.Forward, Offset: t.Mean}
	}
	space, err = derived.Mean(c, max(1, s.Mean))
	return space, projection, err
}

// method returns the method that a search names.
func (s Search) method(o endmember.Options) endmember.Method {
	switch s.Method {
	case "ppi":
		return &endmember.PPI{Options: o, Skewers: s.Skewers, Seed: s.Seed, Apart: s.Apart}
	case "fippi":
		return &endmember.FIPPI{Options: o, Apart: s.Apart}
	case "nfindr":
		return &endmember.NFINDR{Options: o, Starts: s.Starts, Seed: s.Seed}
	case "vca":
		return &endmember.VCA{Options: o, Seed: s.Seed}
	case "atgp":
		return &endmember.ATGP{Options: o}
	case "sga":
		return &endmember.SGA{Options: o}
	case "amee":
		return &endmember.AMEE{Count: s.Count, Window: s.Window, MaxWindow: s.MaxWindow, Rounds: s.Rounds, Apart: s.Apart}
	}
	return &endmember.SISAL{Count: s.Count, Seed: s.Seed, Weight: s.Weight, Rounds: s.Rounds, Pixels: s.Pixels}
}

// Spectra returns the spectra of the endmembers.
func (f *Found) Spectra() [][]float64 {
	list := make([][]float64, len(f.Endmembers))
	for i, e := range f.Endmembers {
		list[i] = e.Spectrum
	}
	return list
}

// measure sets the volume of the simplex.
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

// certify sets the certificate of N-FINDR.
func (f *Found) certify(c endmember.Certificate) {
	f.Certificate = &Certificate{Holds: c.Holds()}
	for _, e := range c {
		f.Certificate.Exchanges = append(f.Certificate.Exchanges, Exchange{e.Pixel.Line, e.Pixel.Sample, math.Sqrt(e.Square)})
	}
}
