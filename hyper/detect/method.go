package detect

import (
	"gonum.org/v1/gonum/mat"

	"drx/hyper/option"
)

// A Method makes detectors of one kind.
type Method struct {
	option.Choice
	Target     bool // New needs a target
	Local      bool // it can use Local, the background around each pixel
	Suppresses bool // needs undesired spectra, which cannot be computed from moments
	New        func(b Background, target []float64) (*Detector, error)
}

// A Background provides statistics of a scene for detectors. Each is computed only on request.
type Background interface {
	// Covariance returns the mean and the covariance of the background.
	Covariance() (mean []float64, covariance mat.Symmetric, err error)
	// Correlation returns the mean of x x'.
	Correlation() (mat.Symmetric, error)
	// Undesired returns the spectra to suppress.
	Undesired() ([][]float64, error)
}

// The methods, see the package comment.
var (
	ByRX = &Method{
		Choice: option.Choice{
			Name: "rx", Help: "the distance from the mean in units of the covariance, of the scene or of the surroundings",
		},
		Local: true,
		New: func(b Background, _ []float64) (*Detector, error) {
			mean, covariance, err := b.Covariance()
			if err != nil {
				return nil, err
			}
			return RX(mean, covariance)
		},
	}
	ByMF = &Method{
		Choice: option.Choice{
			Name: "mf", Help: "matched filter: what of the target is there, before a background with the scene's covariance",
		},
		Target: true, New: covariant(MatchedFilter),
	}
	ByACE = &Method{
		Choice: option.Choice{Name: "ace", Help: "the same, whatever the brightness: from -1 to 1"},
		Target: true, New: covariant(ACE),
	}
	ByCEM = &Method{
		Choice: option.Choice{Name: "cem", Help: "the same with the correlation instead of the covariance"},
		Target: true,
		New: func(b Background, target []float64) (*Detector, error) {
			correlation, err := b.Correlation()
			if err != nil {
				return nil, err
			}
			return CEM(correlation, target)
		},
	}
	ByOSP = &Method{
		Choice: option.Choice{Name: "osp", Help: "what is left of the target when undesired spectra are suppressed"},
		Target: true, Suppresses: true,
		New: func(b Background, target []float64) (*Detector, error) {
			undesired, err := b.Undesired()
			if err != nil {
				return nil, err
			}
			return OSP(target, undesired)
		},
	}
)

// Methods returns all methods.
func Methods() []*Method { return []*Method{ByRX, ByMF, ByACE, ByCEM, ByOSP} }

// covariant returns a constructor for detectors of a target that need mean and covariance.
func covariant(f func([]float64, mat.Symmetric, []float64) (*Detector, error)) func(Background, []float64) (*Detector, error) {
	return func(b Background, target []float64) (*Detector, error) {
		mean, covariance, err := b.Covariance()
		if err != nil {
			return nil, err
		}
		return f(mean, covariance, target)
	}
}
