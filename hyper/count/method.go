package count

import (
	"drx/hyper/option"
	"drx/hyper/stats"
)

// A Method counts materials.
type Method struct {
	option.Choice
	// Count returns the number of materials from moments of the kind Spectra. falseAlarm is the
	// probability that noise counts as a material; some methods ignore it.
	Count func(spectra *stats.Moments, falseAlarm float64) (int, error)
}

// Methods returns all methods.
func Methods() []*Method {
	return []*Method{
		{
			option.Choice{Name: "hfc", Help: "eigenvalues of the correlation and of the covariance, which differ where there is a signal"},
			func(spectra *stats.Moments, falseAlarm float64) (int, error) {
				t, err := HFC(spectra, falseAlarm)
				if err != nil {
					return 0, err
				}
				return t.Count, nil
			},
		},
		{
			option.Choice{Name: "nwhfc", Help: "hfc after the noise was made white, which the test supposes"},
			func(spectra *stats.Moments, falseAlarm float64) (int, error) {
				noise, err := stats.Residual(spectra)
				if err != nil {
					return 0, err
				}
				t, err := NWHFC(spectra, noise, falseAlarm)
				if err != nil {
					return 0, err
				}
				return t.Count, nil
			},
		},
		{
			option.Choice{Name: "hysime", Help: "the dimensions that have more signal than noise, without a parameter"},
			func(spectra *stats.Moments, _ float64) (int, error) {
				s, err := HySime(spectra)
				if err != nil {
					return 0, err
				}
				return s.Count, nil
			},
		},
	}
}
