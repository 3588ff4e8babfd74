package endmember

import (
	"fmt"
	"math"
	"slices"

	"drx/hyper/derived"
	"drx/hyper/option"
	"drx/hyper/scene"
)

// angle returns the spectral angle of two spectra in radians, acos(a'b / |a| |b|), from 0 to pi. It
// is 0 if they are equal, and pi/2 if one is zero.
func angle(a, b []float64, normA, normB float64) float64 {
	if slices.Equal(a, b) {
		return 0
	}
	if normA == 0 || normB == 0 {
		return math.Pi / 2
	}
	return math.Acos(max(-1, min(1, derived.Dot(a, b)/(normA*normB))))
}

func norm(x []float64) float64 { return math.Sqrt(derived.Dot(x, x)) }

// normalize divides a vector by its length.
func normalize(x []float64) {
	n := norm(x)
	for i := range x {
		x[i] /= n
	}
}

// distinct are pixels with at least a given angle between their spectra.
type distinct struct {
	apart   float64 // radians; 0 or less accepts all pixels
	pixels  []scene.Pixel
	spectra [][]float64
	norms   []float64
}

// add adds a pixel with its spectrum, unless it is too close to a pixel added before. The spectrum
// is not copied.
func (d *distinct) add(p scene.Pixel, x []float64) {
	n := norm(x)
	if d.far(x, n) {
		d.pixels = append(d.pixels, p)
		d.spectra = append(d.spectra, x)
		d.norms = append(d.norms, n)
	}
}

// far reports whether the spectrum x of norm n is far enough from all that were added.
func (d *distinct) far(x []float64, n float64) bool {
	if d.apart <= 0 {
		return true
	}
	for i, y := range d.spectra {
		if angle(x, y, n, d.norms[i]) < d.apart {
			return false
		}
	}
	return true
}

// apartOption describes the least angle between two endmembers.
func apartOption(v *float64) option.Option {
	return option.Option{Name: "apart", Help: "least `angle` between two endmembers, in rad", Value: v}
}

// An ApartError is the error for too few pixels that are far enough apart. A smaller angle gives
// more endmembers.
type ApartError struct {
	Found, Count int
	Apart        float64 // radians
	Reason       string  // which pixels
}

// Error names the numbers of endmembers found and wanted, and why there are no more.
func (e *ApartError) Error() string {
	return fmt.Sprintf("%d of %d endmembers: %s are %g rad apart", e.Found, e.Count, e.Reason, e.Apart)
}
