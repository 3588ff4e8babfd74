package scene

import (
	"context"
	"fmt"
	"math"
)

// Scaled returns a source whose bands have scales of their own: a stored value x of band k is
// x*gains[k] + offsets[k]. noData is the stored value that stands for no measurement, nil for none;
// it becomes NaN, as it would be another number in each band. The error says that there are not as
// many numbers as bands.
func Scaled(source Source, gains, offsets []float64, noData *float64) (Source, error) {
	if n := source.Bands(); len(gains) != n || len(offsets) != n {
		return nil, fmt.Errorf("%d gains and %d offsets for %d bands", len(gains), len(offsets), n)
	}
	return &scaled{source, gains, offsets, noData}, nil
}

type scaled struct {
	Source
	gains, offsets []float64
	noData         *float64
}

// Integers16 is false: the values are no integers.
func (s *scaled) Integers16() bool { return false }

// Read reads a block of the source and scales it.
func (s *scaled) Read(ctx context.Context, b Block, dst []float64) error {
	if err := s.Source.Read(ctx, b, dst); err != nil {
		return err
	}
	for i, x := range dst {
		k := i % len(s.gains)
		if dst[i] = x*s.gains[k] + s.offsets[k]; s.noData != nil && x == *s.noData {
			dst[i] = math.NaN()
		}
	}
	return nil
}
