package search

import (
	"math"

	"drx/hyper/scene"
)

// An Extreme is the largest value of a function over pixels, and the lowest pixel that has it. The
// zero Extreme belongs to no pixels.
type Extreme struct {
	Value float64     `json:"value"`
	Pixel scene.Pixel `json:"pixel"`
	Found bool        `json:"found"` // false if there was no usable pixel
}

// Beats reports whether e exceeds f: whether it has a larger value, or the same value at a lower
// pixel.
func (e Extreme) Beats(f Extreme) bool {
	switch {
	case !e.Found || !f.Found:
		return e.Found && !f.Found
	case e.Value != f.Value:
		return e.Value > f.Value
	}
	return e.Pixel.Compare(f.Pixel) < 0
}

// Add includes a pixel and its value. It drops the sign of a zero, because some encodings lose it.
func (e *Extreme) Add(value float64, p scene.Pixel) {
	if value == 0 {
		value = 0
	}
	e.Merge(Extreme{value, p, true})
}

// Merge includes the pixels of another extreme.
func (e *Extreme) Merge(f Extreme) {
	if f.Beats(*e) {
		*e = f
	}
}

// unit is the rounding error of one operation.
const unit = 1.0 / (1 << 53)

// usable moves the spectra of the valid pixels of a tile to its beginning, in place. It returns
// them with their pixels, their norms and the largest norm.
func usable(t *scene.Tile) (x []float64, pixels []scene.Pixel, norms []float64, largest float64) {
	pixels, norms = make([]scene.Pixel, 0, len(t.Valid)), make([]float64, 0, len(t.Valid))
	for i, valid := range t.Valid {
		if !valid {
			continue
		}
		to := t.Data[len(pixels)*t.Bands:][:t.Bands]
		copy(to, t.Spectrum(i))
		pixels = append(pixels, t.Block.At(i))
		s := 0.0
		for _, v := range to {
			s += v * v
		}
		norms = append(norms, math.Sqrt(s))
		largest = max(largest, norms[len(norms)-1])
	}
	return t.Data[:len(pixels)*t.Bands], pixels, norms, largest
}
