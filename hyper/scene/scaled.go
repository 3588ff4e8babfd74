package scene

import (
	"context"
	"fmt"
	"math"
)

// Scaled returns a source whose bands have different scales: a stored value x of band k becomes
// x*gains[k] + offsets[k]. noData is the stored value of a missing measurement, or nil; such values
// become NaN, because their scaled values would differ by band. It is an error if the numbers of
// gains, offsets and bands differ.
func Scaled(source Source, gains, offsets []float64, noData *float64) (Source, error) {
	if n := source.Bands(); len(gains) != n || len(offsets) != n {
		return nil, fmt.Errorf("%d gains and %d offsets for %d bands", len(gains), len(offsets), n)
	}
	return &scaledSource{source, gains, offsets, noData}, nil
}

type scaledSource struct {
	Source
	gains, offsets []float64
	noData         *float64
}

// Integers16 returns false: scaled values are fractions.
func (s *scaledSource) Integers16() bool { return false }

// Read reads a block of the source and scales it.
func (s *scaledSource) Read(ctx context.Context, b Block, dst []float64) error {
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
