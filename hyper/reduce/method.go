package reduce

import (
	"gonum.org/v1/gonum/mat"

	"drx/hyper/option"
)

// A Method makes transforms of one kind.
type Method struct {
	option.Choice
	Values string // what the values of the components mean
	Noise  bool   // it needs the covariance of the noise
	// New returns the transform for spectra with a mean and a covariance. noise and ridge are used
	// only if Noise is set. The errors are those of PCT or MNF.
	New func(mean []float64, covariance, noise mat.Symmetric, ridge float64) (*Transform, error)
}

// The methods.
var (
	ByMNF = &Method{
		Choice: option.Choice{Name: "mnf", Help: "minimum noise fractions"},
		Values: "ratio of signal to noise plus 1", Noise: true, New: MNF,
	}
	ByPCT = &Method{
		Choice: option.Choice{Name: "pct", Help: "principal components"},
		Values: "variance",
		New: func(mean []float64, covariance, _ mat.Symmetric, _ float64) (*Transform, error) {
			return PCT(mean, covariance)
		},
	}
)

// Methods returns all methods.
func Methods() []*Method { return []*Method{ByMNF, ByPCT} }
