package hyper

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"drx/hyper/endmember"
	"drx/hyper/library"
	"drx/hyper/scene"
)

// Spectra has spectra with common bands, such as endmembers, and describes the bands.
type Spectra struct {
	library.Library
	Bands []int // numbers of the bands in the scene of the spectra; nil without a scene
	// Mean and Reduce are the settings of the search that found the spectra, see Search.
	Mean   int
	Reduce Reduction
}

// ReadSpectra reads spectra from JSON: a Found; an object with "spectra" or "endmembers" and
// optionally "names", "wavelengths", "unit" and "bands"; or a list of lists of numbers. An
// endmember is an object with a "spectrum". The error says what is missing or which value is not
// finite.
func ReadSpectra(r io.Reader) (*Spectra, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxJSON {
		return nil, fmt.Errorf("spectra as JSON: more than %d bytes", maxJSON)
	}
	var in struct {
		Found
		Spectra [][]float64 `json:"spectra"`
		Names   []string    `json:"names"`
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		err = json.Unmarshal(text, &in.Spectra)
	} else {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		return nil, fmt.Errorf("spectra as JSON: %w", err)
	}
	s := &Spectra{Library: library.Library{Names: in.Names, Wavelengths: in.Wavelengths, Unit: in.Unit, Spectra: in.Spectra}, Bands: in.Bands, Mean: in.Mean}
	if in.Endmembers != nil {
		s.Spectra = in.Found.Spectra()
	}
	if s.Reduce, err = ParseReduction(in.Found.Reduce); err != nil {
		return nil, err
	}
	return s, s.complete(in.Endmembers)
}

// maxJSON is the largest size of a file of spectra, in bytes.
const maxJSON = 1 << 28

// complete adds missing names and checks the spectra. Endmembers are named by their pixels.
func (s *Spectra) complete(list []endmember.Endmember) error {
	if s.Names == nil {
		for i := range s.Spectra {
			name := fmt.Sprint(i + 1)
			if list != nil && !list[i].NoPixel {
				name = fmt.Sprintf("%d: %d,%d", i+1, list[i].Line, list[i].Sample)
			}
			s.Names = append(s.Names, name)
		}
	}
	if len(s.Wavelengths) == 0 {
		s.Wavelengths = nil
	}
	if err := s.Check(); err != nil {
		return err
	}
	for i, x := range s.Spectra {
		if b := slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); b >= 0 {
			return fmt.Errorf("spectrum %s has %g in channel %d: want finite numbers", s.Names[i], x[b], b)
		}
	}
	if s.Bands != nil && len(s.Bands) != len(s.Spectra[0]) {
		return fmt.Errorf("the spectra have %d channels and the list of their bands %d", len(s.Spectra[0]), len(s.Bands))
	}
	return nil
}

// Set returns the endmembers as spectra.
func (f *Found) Set() (*Spectra, error) {
	r, err := ParseReduction(f.Reduce)
	if err != nil {
		return nil, err
	}
	s := &Spectra{Library: library.Library{Wavelengths: f.Wavelengths, Unit: f.Unit, Spectra: f.Spectra()}, Bands: f.Bands, Mean: f.Mean, Reduce: r}
	return s, s.complete(f.Endmembers)
}

// A Grid describes the bands that spectra must have.
type Grid struct {
	Bands       []int     // numbers of the bands in their scene; nil if they are not known
	All         int       // number of bands of the scene, with the bad ones; 0 if not known
	Count       int       // of the bands
	Wavelengths []float64 // nil if they are not known
	Unit        string
}

// GridOf returns the bands of a cube.
func GridOf(c *scene.Cube) Grid {
	g := Grid{Bands: c.SourceBands(), Count: c.Bands()}
	g.Wavelengths, g.Unit = c.Wavelengths()
	bad := slices.Clone(c.Options().BadBands)
	slices.Sort(bad)
	g.All = g.Count + len(slices.Compact(bad))
	return g
}

// Grid returns the bands of the spectra.
func (s *Spectra) Grid() Grid {
	return Grid{Bands: s.Bands, Count: len(s.Spectra[0]), Wavelengths: s.Wavelengths, Unit: s.Unit}
}

// Fit returns the spectra at the bands of a grid, and a note if it resampled them. If the
// wavelengths of both are known, it uses these. Otherwise the spectra must have the bands of the
// grid, or all bands of its scene, and Fit removes the bad ones.
func (g Grid) Fit(s *Spectra) (list [][]float64, note string, err error) {
	own := len(s.Spectra[0])
	switch {
	case len(g.Wavelengths) > 0 && len(s.Wavelengths) > 0:
		l, note, err := s.Resample(library.Sensor{Wavelengths: g.Wavelengths, Unit: g.Unit})
		if err != nil {
			return nil, "", err
		}
		return l.Spectra, note, nil
	case own == g.Count:
		if g.Bands != nil && s.Bands != nil && !slices.Equal(g.Bands, s.Bands) {
			return nil, "", fmt.Errorf("the spectra have other %d bands than the scene: give the same bad bands, or wavelengths of both", own)
		}
		return s.Spectra, "", nil
	case g.Bands != nil && (own == g.All || g.All == 0 && own > g.Bands[len(g.Bands)-1]) && s.Bands == nil:
		for _, x := range s.Spectra {
			kept := make([]float64, 0, g.Count)
			for _, b := range g.Bands {
				kept = append(kept, x[b])
			}
			list = append(list, kept)
		}
		return list, fmt.Sprintf("%d bad bands of the spectra are left out", own-g.Count), nil
	}
	return nil, "", fmt.Errorf("the spectra have %d bands, %d are needed, and the wavelengths of one of them are not known: they cannot be resampled", own, g.Count)
}
