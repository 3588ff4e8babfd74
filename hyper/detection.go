package hyper

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/hyper/score"
)

// A Detection computes scores of pixels.
type Detection struct {
	Method *detect.Method
	Target []float64 // only for methods that need a target
	// Local, if not nil, selects the background around each pixel, for methods that support it.
	Local *detect.Local
	// Undesired are the spectra that OSP suppresses. If there are none, it suppresses Suppress
	// pixels found by ATGP, except those within Apart radians of the target.
	Undesired [][]float64
	Suppress  int
	Apart     float64
}

// Run writes the score of each pixel of a cube to a sink. without is the number of pixels whose
// surroundings have too few pixels for a background. It is an error if there is no method, or if a
// target is missing, or given to a method without one; other errors are those of packages stats,
// endmember and detect.
func (d Detection) Run(ctx context.Context, c *scene.Cube, sink scene.Sink) (without int, err error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if d.Local != nil {
		return d.Local.Cube(ctx, c, c.Bounds(), sink)
	}
	detector, err := d.Method.New(&background{ctx: ctx, cube: c, d: d}, d.Target)
	if err != nil {
		return 0, err
	}
	return 0, detector.Cube(ctx, c, c.Bounds(), sink)
}

// check returns an error if the fields contradict each other.
func (d Detection) check() error {
	switch {
	case d.Method == nil:
		return errors.New("a detection without a method")
	case !d.Method.Target && d.Target != nil:
		return fmt.Errorf("method %s finds what is unlike the rest: it has no target", d.Method)
	case d.Method.Target && d.Target == nil:
		return fmt.Errorf("method %s needs a target", d.Method)
	case !d.Method.Local && d.Local != nil:
		return fmt.Errorf("method %s has no local background", d.Method)
	}
	return nil
}

// A background has the statistics of a cube, computed when a detector needs them.
type background struct {
	ctx  context.Context
	cube *scene.Cube
	d    Detection
}

// Covariance computes mean and covariance of the cube.
func (b *background) Covariance() ([]float64, mat.Symmetric, error) {
	m, err := Measure(b.ctx, b.cube, false)
	if err != nil {
		return nil, nil, err
	}
	return m.meanAndCovariance()
}

// Correlation computes the correlation of the cube.
func (b *background) Correlation() (mat.Symmetric, error) {
	m, err := Measure(b.ctx, b.cube, false)
	if err != nil {
		return nil, err
	}
	return m.Spectra.Autocorrelation()
}

// Undesired returns the given spectra, or, if there are none, spectra that ATGP finds.
func (b *background) Undesired() ([][]float64, error) {
	d := b.d
	if d.Undesired != nil {
		return d.Undesired, nil
	}
	found, err := endmember.Find(b.ctx, b.cube, &endmember.ATGP{Options: endmember.Options{Count: d.Suppress}})
	if err != nil {
		return nil, fmt.Errorf("spectra to suppress: %w", err)
	}
	var list [][]float64
	for _, e := range found {
		if score.Angle(e.Spectrum, d.Target) >= d.Apart {
			list = append(list, e.Spectrum)
		}
	}
	if list == nil {
		return nil, fmt.Errorf("all %d spectra to suppress are within %g rad of the target: give other ones", len(found), d.Apart)
	}
	return list, nil
}
