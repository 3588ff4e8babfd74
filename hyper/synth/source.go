package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"drx/hyper/scene"
)

// A Spec describes a scene.
type Spec struct {
	Bounds  scene.Block
	Spectra [][]float64 // of class 1, 2 and so on, with the same number of bands
	Map     Map
	// Mixing is the extent of the square over which a pixel is mixed: odd; 0 and 1 mix nothing.
	Mixing int
	// Illumination is the largest relative change of the light, from 0 to below 1. It changes over
	// about 64 pixels.
	Illumination float64
	// SNR is the ratio of signal to noise in decibels: 10 log10 of the mean square of the class
	// spectra over the mean variance of the noise of the bands. 0 means no noise.
	SNR float64
	// Correlation is the correlation of the noise of neighbouring bands, from 0 to below 1; for
	// bands n apart it is its n-th power.
	Correlation float64
	// NoiseShape has a relative standard deviation of the noise per band; nil means the same for
	// all.
	NoiseShape []float64
	// Scale, if not 0, converts values to integers from 0 to 65535, as sensors store them: the
	// nearest integer to Scale times the value.
	Scale float64
	// Seed determines light and noise; the same seed gives the same scene.
	Seed uint64
}

// A Source generates the spectra of a scene. It is a scene.Source.
type Source struct {
	spec  Spec
	noise []float64 // the standard deviation per band; nil: no noise
}

// New returns the source for a specification. The error says which value is out of its range.
func New(spec Spec) (*Source, error) {
	bands := 0
	if len(spec.Spectra) > 0 {
		bands = len(spec.Spectra[0])
	}
	if err := scene.CheckSpectra("class spectrum", spec.Spectra, bands); err != nil {
		return nil, err
	}
	spec.Mixing = max(spec.Mixing, 1)
	within := func(v float64) bool { return v >= 0 && v < 1 }
	switch {
	case spec.Map == nil:
		return nil, fmt.Errorf("the scene has no map of classes")
	case spec.Mixing%2 == 0:
		return nil, fmt.Errorf("a mixing of %d pixels: it must be odd", spec.Mixing)
	case !within(spec.Illumination):
		return nil, fmt.Errorf("an illumination of %g: it must be from 0 to below 1", spec.Illumination)
	case !within(spec.Correlation):
		return nil, fmt.Errorf("a correlation of %g: it must be from 0 to below 1", spec.Correlation)
	case math.IsNaN(spec.SNR) || math.IsInf(spec.SNR, 0):
		return nil, fmt.Errorf("a ratio of signal to noise of %g dB: it must be finite, or 0 for no noise", spec.SNR)
	case spec.NoiseShape != nil && len(spec.NoiseShape) != bands:
		return nil, fmt.Errorf("the shape of the noise has %d bands, the spectra %d", len(spec.NoiseShape), bands)
	case !(spec.Scale >= 0) || math.IsInf(spec.Scale, 0):
		return nil, fmt.Errorf("a scale of %g: it must be above 0, or 0 for values as they are", spec.Scale)
	}
	s := &Source{spec: spec}
	if spec.SNR != 0 {
		return s, s.setNoise(bands)
	}
	return s, nil
}

// setNoise computes the standard deviations of the noise.
func (s *Source) setNoise(bands int) error {
	signal, shape := 0.0, 0.0
	for _, x := range s.spec.Spectra {
		for _, v := range x {
			signal += v * v / float64(len(s.spec.Spectra))
		}
	}
	s.noise = make([]float64, bands)
	for b := range s.noise {
		s.noise[b] = 1
		if s.spec.NoiseShape != nil {
			s.noise[b] = s.spec.NoiseShape[b]
		}
		if v := s.noise[b]; !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("the shape of the noise has %g at band %d: it must be 0 or above", v, b)
		}
		shape += s.noise[b] * s.noise[b]
	}
	if signal == 0 || shape == 0 {
		return fmt.Errorf("a ratio of signal to noise of %g dB needs spectra and a shape of the noise that are not all 0", s.spec.SNR)
	}
	for b := range s.noise {
		s.noise[b] *= math.Sqrt(signal / shape / math.Pow(10, s.spec.SNR/10))
	}
	return nil
}

// Bounds returns the bounds of the specification.
func (s *Source) Bounds() scene.Block { return s.spec.Bounds }

// Bands returns the number of bands of the class spectra.
func (s *Source) Bands() int { return len(s.spec.Spectra[0]) }

// Integers16 reports whether the values are integers, as they are if there is a scale.
func (s *Source) Integers16() bool { return s.spec.Scale != 0 }

// Read generates the spectra of a block. It is an error if the map has a class without a spectrum.
func (s *Source) Read(ctx context.Context, b scene.Block, dst []float64) error {
	classes := len(s.spec.Spectra)
	shares := make([]float64, b.Pixels()*classes)
	if err := s.shares(ctx, b, shares); err != nil {
		return err
	}
	var random rand.PCG
	bands := s.Bands()
	for i := range b.Pixels() {
		p, x := b.At(i), dst[i*bands:][:bands]
		clear(x)
		empty := true
		for c, a := range shares[i*classes:][:classes] {
			if a == 0 {
				continue
			}
			empty = false
			for k, v := range s.spec.Spectra[c] {
				x[k] += a * v
			}
		}
		if empty {
			continue
		}
		s.light(p, x)
		s.addNoise(&random, p, x)
		if s.spec.Scale != 0 {
			for k, v := range x {
				x[k] = min(max(math.Round(v*s.spec.Scale), 0), math.MaxUint16)
			}
		}
	}
	return nil
}

// addNoise adds the noise of a pixel to its spectrum. The noise of a band is the correlation times
// that of the band before, plus an independent part.
func (s *Source) addNoise(random *rand.PCG, p scene.Pixel, x []float64) {
	if s.noise == nil {
		return
	}
	random.Seed(hash(s.spec.Seed, p.Line, p.Sample, 1), hash(s.spec.Seed, p.Line, p.Sample, 2))
	normal := rand.New(random)
	old, anew := s.spec.Correlation, math.Sqrt(1-s.spec.Correlation*s.spec.Correlation)
	n := normal.NormFloat64()
	for k := range x {
		if k > 0 {
			n = old*n + anew*normal.NormFloat64()
		}
		x[k] += s.noise[k] * n
	}
}

// lightCell is the distance in pixels between the points with random light, between which it is
// interpolated.
const lightCell = 64

// light multiplies a spectrum by the light of its pixel.
func (s *Source) light(p scene.Pixel, x []float64) {
	if s.spec.Illumination == 0 {
		return
	}
	line, sample := floorDiv(p.Line, lightCell), floorDiv(p.Sample, lightCell)
	at := func(l, m int) float64 { return 2*unit(hash(s.spec.Seed, line+l, sample+m, 3)) - 1 }
	u, v := smooth(modulo(p.Line, lightCell)), smooth(modulo(p.Sample, lightCell))
	change := (1-u)*((1-v)*at(0, 0)+v*at(0, 1)) + u*((1-v)*at(1, 0)+v*at(1, 1))
	for k := range x {
		x[k] *= 1 + s.spec.Illumination*change
	}
}

// smooth returns the weight of the next point. Its derivative is continuous at the points.
func smooth(i int) float64 {
	f := float64(i) / lightCell
	return f * f * (3 - 2*f)
}
