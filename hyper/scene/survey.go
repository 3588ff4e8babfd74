package scene

import (
	"context"
	"math"
)

// A Survey counts the usable pixels of a scene and, by reason, the unusable ones. An unusable pixel
// counts once, for the first reason in the order of the fields.
type Survey struct {
	Pixels    int `json:"pixels"`
	Usable    int `json:"usable"`
	Masked    int `json:"masked"`
	NotFinite int `json:"not_finite"` // NaN or an infinity in a band
	Missing   int `json:"missing"`    // the value of a missing measurement
	Saturated int `json:"saturated"`
	Zero      int `json:"zero"`     // only zeros
	Negative  int `json:"negative"` // usable pixels that have a value below 0
	// ConstantBands are the numbers, in the source, of the bands with one value in all usable
	// pixels.
	ConstantBands []int `json:"constant_bands"`
	// Low and High are the smallest and the largest value of usable pixels; NaN if there are none.
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	low, high []float64 // per band
}

// NewSurvey reads a cube and counts its pixels. The error is one of reading.
func NewSurvey(ctx context.Context, c *Cube) (*Survey, error) {
	all := emptySurvey(c.Bands())
	err := Map(ctx, c, c.Bounds(), func(t *Tile) (*Survey, error) {
		s := emptySurvey(t.Bands)
		for i, valid := range t.Valid {
			s.add(c.Options(), t.Block.At(i), t.Spectrum(i), valid)
		}
		return s, nil
	}, func(s *Survey) error {
		all.merge(s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all.finish(c.SourceBands())
	return all, nil
}

func emptySurvey(bands int) *Survey {
	s := &Survey{low: make([]float64, bands), high: make([]float64, bands)}
	for b := range bands {
		s.low[b], s.high[b] = math.Inf(1), math.Inf(-1)
	}
	return s
}

// add counts a pixel.
func (s *Survey) add(o Options, p Pixel, spectrum []float64, valid bool) {
	s.Pixels++
	if !valid {
		*s.reason(o, p, spectrum)++
		return
	}
	s.Usable++
	negative := false
	for b, v := range spectrum {
		s.low[b], s.high[b] = min(s.low[b], v), max(s.high[b], v)
		negative = negative || v < 0
	}
	if negative {
		s.Negative++
	}
}

// reason returns the counter for an unusable pixel.
func (s *Survey) reason(o Options, p Pixel, spectrum []float64) *int {
	if o.Masked != nil && o.Masked(p) {
		return &s.Masked
	}
	missing, saturated := false, false
	for _, v := range spectrum {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &s.NotFinite
		}
		missing = missing || o.NoData != nil && v == *o.NoData
		saturated = saturated || o.Saturated != 0 && v >= o.Saturated
	}
	switch {
	case missing:
		return &s.Missing
	case saturated:
		return &s.Saturated
	}
	return &s.Zero
}

func (s *Survey) merge(o *Survey) {
	s.Pixels += o.Pixels
	s.Usable += o.Usable
	s.Masked += o.Masked
	s.NotFinite += o.NotFinite
	s.Missing += o.Missing
	s.Saturated += o.Saturated
	s.Zero += o.Zero
	s.Negative += o.Negative
	for b := range s.low {
		s.low[b], s.high[b] = min(s.low[b], o.low[b]), max(s.high[b], o.high[b])
	}
}

// finish sets the fields that follow from the ranges of the bands.
func (s *Survey) finish(bands []int) {
	s.ConstantBands = []int{}
	s.Low, s.High = math.NaN(), math.NaN()
	if s.Usable == 0 {
		return
	}
	s.Low, s.High = s.low[0], s.high[0]
	for b := range s.low {
		if s.low[b] == s.high[b] {
			s.ConstantBands = append(s.ConstantBands, bands[b])
		}
		s.Low, s.High = min(s.Low, s.low[b]), max(s.High, s.high[b])
	}
}
