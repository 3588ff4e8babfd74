package endmember

import (
	"context"
	"fmt"
	"slices"

	"drx/hyper/derived"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// An Endmember is the spectrum of a material and its pixel.
type Endmember struct {
	Line     int       `json:"line"`
	Sample   int       `json:"sample"`
	Spectrum []float64 `json:"spectrum"` // one value per band of the cube, in its unit
	// NoPixel marks a computed spectrum, which belongs to no pixel: Line and Sample have no
	// meaning.
	NoPixel bool `json:"no_pixel,omitempty"`
}

// Pixel returns the pixel of the endmember.
func (e Endmember) Pixel() scene.Pixel { return scene.Pixel{Line: e.Line, Sample: e.Sample} }

// A Method finds endmembers, and keeps the state for continuing when the scene grows. Its options
// must not change after the first Update, except Count for methods that find endmembers one by one.
type Method interface {
	// Update updates the result after the pixels of a block of the cube were added or changed. The
	// first call of a method reads the whole cube. After growth on several sides, call it once for
	// each new block.
	//
	// It is an error if options do not fit the cube, if there are not enough usable or different
	// pixels, or if the cube has other bands than before or has shrunk; other errors are those of
	// reading. After an error the method is unchanged.
	//
	// If the cube has procs, Update is collective and they share the reading (see scene.Fold). All
	// get the same result, with the same bits as without procs.
	Update(ctx context.Context, cube *scene.Cube, changed scene.Block) error
	// Endmembers returns the result of the last Update.
	Endmembers() []Endmember

	// Kind describes the method.
	Kind() *Kind
	// OwnOptions returns the options that are not in Options, bound to the fields of the method.
	OwnOptions() []option.Option
	// Fresh returns a method with the same own options, further options, and no result.
	Fresh(o Options) Method
}

// Find returns the endmembers of a cube by a new method. It returns the errors of Update.
func Find(ctx context.Context, cube *scene.Cube, m Method) ([]Endmember, error) {
	if err := m.Update(ctx, cube, cube.Bounds()); err != nil {
		return nil, err
	}
	return m.Endmembers(), nil
}

// Options are the options that most methods share.
type Options struct {
	// Count is the number of endmembers, from 2 to the number of bands or of values of the
	// projection; for SGA and NFINDR to one more.
	Count int `json:"count"`
	// Projection, if not nil, projects spectra to the space of the search. The spectra of the
	// result are those of the cube.
	Projection *derived.Projection `json:"projection,omitempty"`
}

// A State has the results that most methods keep.
type State struct {
	// Bands and Bounds describe the cube at the last Update; Bands is 0 before the first one.
	Bands  int         `json:"bands,omitempty"`
	Bounds scene.Block `json:"bounds"`
	// Found are the endmembers of the last Update.
	Found []Endmember `json:"endmembers,omitempty"`
}

// Endmembers returns the endmembers of the last Update.
func (s *State) Endmembers() []Endmember { return s.Found }

// begin checks the options and the cube at the beginning of an Update, and returns the space of the
// search. Count may exceed the number of dimensions by more: 1 for methods of simplices, which need
// no origin.
func (s *State) begin(cube *scene.Cube, o Options, more int) (*scene.Cube, error) {
	if err := s.fits(cube); err != nil {
		return nil, err
	}
	space := cube
	if o.Projection != nil {
		var err error
		if space, err = derived.Project(cube, o.Projection); err != nil {
			return nil, err
		}
	}
	return space, checkCount(o.Count, space.Bands(), more)
}

// fits returns an error if the state does not belong to a cube.
func (s *State) fits(cube *scene.Cube) error {
	if s.Bands == 0 {
		return nil
	}
	if s.Bands != cube.Bands() {
		return fmt.Errorf("the endmembers so far are from %d bands and the scene has %d: begin anew", s.Bands, cube.Bands())
	}
	if s.Bounds.Intersect(cube.Bounds()) != s.Bounds {
		return fmt.Errorf("the scene had %s and has now only %s: begin anew", s.Bounds, cube.Bounds())
	}
	return nil
}

// same returns an error if a number in the state differs from the one in the options.
func same(what string, has, want int) error {
	if has == want {
		return nil
	}
	return fmt.Errorf("the state has %d %s, the options want %d: begin anew", has, what, want)
}

func checkCount(count, bands, more int) error {
	if count < 2 {
		return fmt.Errorf("%d endmembers: at least 2 are needed", count)
	}
	if count > bands+more {
		return fmt.Errorf("%d endmembers: at most %d can be found in %d dimensions", count, bands+more, bands)
	}
	return nil
}

// end reads the spectra of pixels and stores them as the result.
func (s *State) end(ctx context.Context, cube *scene.Cube, pixels []scene.Pixel) error {
	list, err := spectra(ctx, cube, pixels)
	if err != nil {
		return err
	}
	found := make([]Endmember, len(pixels))
	for i, p := range pixels {
		found[i] = Endmember{Line: p.Line, Sample: p.Sample, Spectrum: list[i]}
	}
	s.finish(cube, found)
	return nil
}

// finish stores endmembers as the result for a cube.
func (s *State) finish(cube *scene.Cube, found []Endmember) {
	*s = State{cube.Bands(), cube.Bounds(), found}
}

// spectra returns the spectra of pixels of the cube, nil for unusable pixels. The procs of the cube
// share the reading.
func spectra(ctx context.Context, cube *scene.Cube, pixels []scene.Pixel) ([][]float64, error) {
	lo, hi := cube.Share(len(pixels))
	mine := make([][]float64, 0, hi-lo)
	var err error
	for _, p := range pixels[lo:hi] {
		var t *scene.Tile
		if t, err = cube.Read(ctx, p.Block()); err != nil {
			break
		}
		var x []float64
		if slices.Contains(t.Valid, true) {
			x = t.Spectrum(0)
		}
		mine = append(mine, x)
	}
	parts, err := scene.Exchange(cube, fmt.Sprintf("spectra of %d pixels", len(pixels)), mine, err)
	list := slices.Concat(parts...)
	for i, x := range list {
		if len(x) == 0 {
			list[i] = nil
		}
	}
	return list, err
}

// spectrum is spectra for one pixel.
func spectrum(ctx context.Context, cube *scene.Cube, p scene.Pixel) ([]float64, error) {
	list, err := spectra(ctx, cube, []scene.Pixel{p})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// tooFlat returns the error for a scene in which only found of count endmembers are independent.
func tooFlat(ctx context.Context, cube *scene.Cube, found, count int) error {
	n, err := usablePixels(ctx, cube)
	if err != nil {
		return err
	}
	if n < count {
		return tooFew(n, count)
	}
	return fmt.Errorf("%d endmembers cannot be told apart: the %d usable pixels are mixtures of %d (are they identical?)", count, n, found)
}

func tooFew(n, count int) error {
	return fmt.Errorf("%d usable pixels: at least as many are needed as the %d endmembers", n, count)
}

// usablePixels counts the usable pixels of a cube.
func usablePixels(ctx context.Context, cube *scene.Cube) (int, error) {
	return scene.Fold(ctx, cube, cube.Bounds(), func(t *scene.Tile) (int, error) {
		k := 0
		for _, valid := range t.Valid {
			if valid {
				k++
			}
		}
		return k, nil
	}, func(a, b int) int { return a + b })
}
