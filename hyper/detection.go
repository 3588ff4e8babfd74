package hyper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/hyper/score"
)

// Detectors are the names of the methods of Detection.
func Detectors() []string { return []string{"rx", "mf", "ace", "cem", "osp"} }

// A Detection gives pixels scores.
type Detection struct {
	Method string        // one of Detectors
	Target []float64     // of all but rx
	Local  *detect.Local // rx: with the background of the surroundings; nil for that of the scene
	// Undesired are what osp suppresses. Without any it takes the Suppress pixels that ATGP finds, but those that are nearer to the
	// target than Apart, in radians.
	Undesired [][]float64
	Suppress  int
	Apart     float64
}

// Run writes the score of each pixel of a cube to a sink, and returns how many have none for the lack of a background. The errors:
// no such method; a target that is missing or not wanted; those of packages stats, endmember and detect.
func (d Detection) Run(ctx context.Context, c *scene.Cube, sink scene.Sink) (without int, err error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if d.Local != nil {
		return d.Local.Cube(ctx, c, c.Bounds(), sink)
	}
	detector, err := d.detector(ctx, c)
	if err != nil {
		return 0, err
	}
	return 0, detector.Cube(ctx, c, c.Bounds(), sink)
}

// check says what is wrong with a detection for any cube.
func (d Detection) check() error {
	switch {
	case !slices.Contains(Detectors(), d.Method):
		return fmt.Errorf("no method %q: there are %s", d.Method, strings.Join(Detectors(), ", "))
	case d.Method == "rx" && d.Target != nil:
		return fmt.Errorf("method rx finds what is unlike the rest: it has no target")
	case d.Method != "rx" && d.Target == nil:
		return fmt.Errorf("method %s needs a target", d.Method)
	case d.Method != "rx" && d.Local != nil:
		return fmt.Errorf("method %s has no local background: only rx has", d.Method)
	}
	return nil
}

func (d Detection) detector(ctx context.Context, c *scene.Cube) (*detect.Detector, error) {
	if d.Method == "osp" {
		undesired, err := d.undesired(ctx, c)
		if err != nil {
			return nil, err
		}
		return detect.OSP(d.Target, undesired)
	}
	m, err := Measure(ctx, c, false)
	if err != nil {
		return nil, err
	}
	return d.Detector(m)
}

// Detector returns the detector of a scene with given moments, such as those of a Session, for all methods but osp and local rx, which need
// more than moments. The errors are those of package detect.
func (d Detection) Detector(m *Moments) (*detect.Detector, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if d.Method == "osp" || d.Local != nil {
		return nil, fmt.Errorf("method %s, local %v: such a detector does not follow from moments", d.Method, d.Local != nil)
	}
	if d.Method == "cem" {
		r, err := m.Spectra.Autocorrelation()
		if err != nil {
			return nil, err
		}
		return detect.CEM(r, d.Target)
	}
	mean, covariance, err := m.meanAndCovariance()
	if err != nil {
		return nil, err
	}
	switch d.Method {
	case "mf":
		return detect.MatchedFilter(mean, covariance, d.Target)
	case "ace":
		return detect.ACE(mean, covariance, d.Target)
	}
	return detect.RX(mean, covariance)
}

// undesired returns the spectra that osp suppresses.
func (d Detection) undesired(ctx context.Context, c *scene.Cube) ([][]float64, error) {
	if d.Undesired != nil {
		return d.Undesired, nil
	}
	found, err := endmember.Find(ctx, c, &endmember.ATGP{Options: endmember.Options{Count: d.Suppress}})
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
