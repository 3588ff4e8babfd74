// Package library reads spectral libraries, the measured spectra of materials, and resamples them
// to the wavelengths of a scene.
package library

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drx/hyper/scene/envi"
)

// missing marks a missing measurement in libraries of the USGS; lower values do, too.
const missing = -1e30

// A Library is a set of spectra with common channels.
type Library struct {
	Names       []string    // of the spectra; an empty one is unknown
	Wavelengths []float64   // of the channels, in any order; nil if not known
	Unit        string      // of the wavelengths: "nm" or "um"; "" if not known
	Spectra     [][]float64 // one per name, one value per channel; NaN if not measured
}

// ReadENVI reads an ENVI spectral library by the path of its header or of its file of numbers. If
// scaled, values are divided by the header's reflectance scale factor. The error names the file.
func ReadENVI(path string, scaled bool) (*Library, error) {
	e, err := envi.OpenLibrary(path)
	if err != nil {
		return nil, err
	}
	h := e.Header
	l := &Library{Names: h.Names, Wavelengths: h.Wavelengths, Unit: h.Unit, Spectra: e.Spectra}
	if l.Names == nil {
		l.Names = make([]string, len(l.Spectra))
	}
	for _, s := range l.Spectra {
		for i, v := range s {
			switch {
			case v <= missing || h.NoData != nil && v == *h.NoData:
				s[i] = math.NaN()
			case scaled && h.ScaleFactor != 0:
				s[i] = v / h.ScaleFactor
			}
		}
	}
	if err := l.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Check returns an error if the lengths of the fields do not match, or if a wavelength is not a
// positive number.
func (l *Library) Check() error {
	if len(l.Spectra) == 0 {
		return fmt.Errorf("the library has no spectra")
	}
	if len(l.Names) != len(l.Spectra) {
		return fmt.Errorf("the library has %d names for %d spectra", len(l.Names), len(l.Spectra))
	}
	n := len(l.Spectra[0])
	for i, s := range l.Spectra {
		if len(s) != n || n == 0 {
			return fmt.Errorf("spectrum %d, %q, has %d channels where %d are needed", i, l.Names[i], len(s), max(n, 1))
		}
	}
	if l.Wavelengths != nil && len(l.Wavelengths) != n {
		return fmt.Errorf("the library has %d wavelengths for %d channels", len(l.Wavelengths), n)
	}
	return checkWavelengths("channel", l.Wavelengths)
}

// checkWavelengths returns an error for a wavelength that is not a positive number.
func checkWavelengths(what string, wavelengths []float64) error {
	for i, w := range wavelengths {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("the wavelength of %s %d is %g: it must be above 0", what, i, w)
		}
	}
	return nil
}

// Select returns a library of the spectra with the given names, in that order, ignoring case. It is
// an error if a name is missing or occurs twice; the error contains the name.
func (l *Library) Select(names ...string) (*Library, error) {
	s := &Library{Wavelengths: l.Wavelengths, Unit: l.Unit}
	for _, name := range names {
		same := func(n string) bool { return strings.EqualFold(n, name) }
		i := slices.IndexFunc(l.Names, same)
		if i < 0 {
			return nil, fmt.Errorf("the library has no spectrum %q: it has %s", name, some(l.Names))
		}
		if slices.ContainsFunc(l.Names[i+1:], same) {
			return nil, fmt.Errorf("the library has several spectra %q", name)
		}
		s.Names, s.Spectra = append(s.Names, l.Names[i]), append(s.Spectra, l.Spectra[i])
	}
	return s, nil
}

// some lists the first few names.
func some(names []string) string {
	const few = 8
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
