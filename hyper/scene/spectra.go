package scene

import (
	"fmt"
	"math"
)

// CheckSpectra returns an error unless there is at least one spectrum, and all have the given
// number of bands and only finite values. what is their name in the error, such as "endmember".
func CheckSpectra(what string, spectra [][]float64, bands int) error {
	if len(spectra) == 0 {
		return fmt.Errorf("no %s is given: at least 1 is needed", what)
	}
	for i, s := range spectra {
		if len(s) != bands || bands == 0 {
			return fmt.Errorf("%s %d has %d bands where %d are needed", what, i, len(s), max(bands, 1))
		}
		for b, v := range s {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s %d: band %d is %g; all values must be finite", what, i, b, v)
			}
		}
	}
	return nil
}
