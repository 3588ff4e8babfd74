package library

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Sensor describes the bands of a scene.
type Sensor struct {
	Wavelengths []float64 // the centre of each band, in any order
	Unit        string    // of the wavelengths: "nm" or "um"; "" if not known
	// FWHM has the full width at half maximum of each band, in the same unit; nil if not known.
	FWHM []float64
}

// Resample returns the library as a sensor would have measured it, and a one-line note about the
// method, which is empty if the wavelengths are the same.
//
// If a band has a known width and at least three channels of the library within it, it becomes the
// mean of the channels, weighted by a Gaussian of this width and by the distances between channels.
// Any other band is interpolated between the two channels around it. It is an error if wavelengths
// are unknown, a band lies outside of the library's range, or a spectrum has no value there.
func (l *Library) Resample(to Sensor) (*Library, string, error) {
	if err := l.Check(); err != nil {
		return nil, "", err
	}
	factor, assumed, err := l.factor(to)
	if err != nil {
		return nil, "", err
	}
	from := make([]float64, len(l.Wavelengths)) // in the unit of the sensor
	for i, w := range l.Wavelengths {
		from[i] = w * factor
	}
	out := &Library{Names: slices.Clone(l.Names), Wavelengths: slices.Clone(to.Wavelengths), Unit: cmp.Or(to.Unit, l.Unit)}
	if same(from, to.Wavelengths) {
		for i, s := range l.Spectra {
			for b, v := range s {
				if math.IsNaN(v) {
					return nil, "", l.unmeasured(i, b, to)
				}
			}
			out.Spectra = append(out.Spectra, slices.Clone(s))
		}
		return out, assumed, nil
	}
	bands, means, err := mix(from, to)
	if err != nil {
		return nil, "", err
	}
	for i, s := range l.Spectra {
		r := make([]float64, len(bands))
		for b, channels := range bands {
			for _, c := range channels {
				r[b] += c.weight * s[c.number]
			}
			if math.IsNaN(r[b]) {
				return nil, "", l.unmeasured(i, b, to)
			}
		}
		out.Spectra = append(out.Spectra, r)
	}
	note := fmt.Sprintf("resampled from %d channels to %d bands: %d as means over their widths, %d interpolated", len(from), len(bands), means, len(bands)-means)
	if assumed != "" {
		note = assumed + "; " + note
	}
	return out, note, nil
}

// factor returns the factor for the wavelengths of the library, and a note if the unit was assumed.
func (l *Library) factor(to Sensor) (factor float64, note string, err error) {
	switch {
	case l.Wavelengths == nil:
		return 0, "", fmt.Errorf("the library has no wavelengths: it cannot be resampled")
	case len(to.Wavelengths) == 0:
		return 0, "", fmt.Errorf("the scene has no wavelengths: a library cannot be resampled to it")
	case to.FWHM != nil && len(to.FWHM) != len(to.Wavelengths):
		return 0, "", fmt.Errorf("the scene has %d widths for %d wavelengths", len(to.FWHM), len(to.Wavelengths))
	}
	if err := checkWavelengths("band", to.Wavelengths); err != nil {
		return 0, "", err
	}
	known := map[string]float64{"nm": 1, "um": 1000}
	a, b := known[l.Unit], known[to.Unit]
	switch {
	case l.Unit == to.Unit:
		return 1, "", nil
	case l.Unit == "" || to.Unit == "":
		return 1, "wavelengths without a unit are taken as " + cmp.Or(l.Unit, to.Unit), nil
	case a == 0 || b == 0:
		return 0, "", fmt.Errorf("the library has wavelengths in %.20q, the scene in %.20q: only nm and um are converted", l.Unit, to.Unit)
	}
	return a / b, "", nil
}

// same reports whether two lists of wavelengths are the same, to a part in a million.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) })
}

// unmeasured returns the error for a spectrum without a value at a band.
func (l *Library) unmeasured(spectrum, band int, to Sensor) error {
	return fmt.Errorf("spectrum %d, %q, has no value at %g %s, band %d: leave out the spectrum, or list the band as bad",
		spectrum, l.Names[spectrum], to.Wavelengths[band], to.Unit, band)
}

// A channel is a channel of the library with its weight in a band.
type channel struct {
	number int
	weight float64
}

// mix returns the channels of each band. means is the number of bands that are weighted means.
func mix(from []float64, to Sensor) (bands [][]channel, means int, err error) {
	order := make([]int, len(from))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(from[i], from[j]) })
	sorted := make([]float64, len(from))
	for i, n := range order {
		sorted[i] = from[n]
	}
	for b, w := range to.Wavelengths {
		if low, high := sorted[0], sorted[len(sorted)-1]; w < low*(1-1e-6) || w > high*(1+1e-6) {
			return nil, 0, fmt.Errorf("band %d of the scene is at %g %s, outside of the library's %g to %g: list it as bad, or take another library",
				b, w, to.Unit, low, high)
		}
		var channels []channel
		if to.FWHM != nil {
			channels = mean(sorted, w, to.FWHM[b])
		}
		if channels != nil {
			means++
		} else {
			channels = between(sorted, w)
		}
		for i := range channels {
			channels[i].number = order[channels[i].number]
		}
		bands = append(bands, channels)
	}
	return bands, means, nil
}

// mean returns the weighted channels of a band with a Gaussian response, or nil if fewer than three
// lie within its width. Each channel covers the wavelengths up to halfway to its neighbours.
func mean(sorted []float64, centre, fwhm float64) []channel {
	if !(fwhm > 0) {
		return nil
	}
	first, _ := slices.BinarySearch(sorted, centre-1.5*fwhm)
	var channels []channel
	within, total := 0, 0.0
	for i := first; i < len(sorted) && sorted[i] <= centre+1.5*fwhm; i++ {
		d := (sorted[i] - centre) / fwhm
		if math.Abs(d) <= 0.5 {
			within++
		}
		left, right := sorted[max(i-1, 0)], sorted[min(i+1, len(sorted)-1)]
		w := math.Exp(-4*math.Ln2*d*d) * (right - left) / 2
		channels = append(channels, channel{i, w})
		total += w
	}
	if within < 3 || !(total > 0) {
		return nil
	}
	for i := range channels {
		channels[i].weight /= total
	}
	return channels
}

// between returns the two channels around a wavelength, or the single one at that wavelength.
func between(sorted []float64, w float64) []channel {
	i, exact := slices.BinarySearch(sorted, w)
	switch {
	case exact || i == 0:
		return []channel{{i, 1}}
	case i == len(sorted):
		return []channel{{i - 1, 1}}
	}
	f := (w - sorted[i-1]) / (sorted[i] - sorted[i-1])
	return []channel{{i - 1, 1 - f}, {i, f}}
}
