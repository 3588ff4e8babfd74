package synth

import (
	"context"
	"fmt"

	"drx/hyper/scene"
)

// shares stores the share of each class in the pixels of a block: its fraction of the square around
// a pixel, not counting class 0. A pixel of class 0 has no shares.
func (s *Source) shares(ctx context.Context, b scene.Block, dst []float64) error {
	classes, r := len(s.spec.Spectra), s.spec.Mixing/2
	around := b.Grow(r)
	class := make([]int, around.Pixels())
	for i := range class {
		if i%around.Samples() == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := s.spec.Map(around.At(i))
		if c < 0 || c > classes {
			return fmt.Errorf("the map has class %d at line %d, sample %d, but there are spectra for classes 1 to %d", c, around.At(i).Line, around.At(i).Sample, classes)
		}
		class[i] = c
	}
	clear(dst)
	for i := range b.Pixels() {
		p := b.At(i)
		if class[around.Index(p)] == 0 {
			continue
		}
		share, n := dst[i*classes:][:classes], 0.0
		for l := p.Line - r; l <= p.Line+r; l++ {
			first := around.Index(scene.Pixel{Line: l, Sample: p.Sample - r})
			for _, c := range class[first:][:2*r+1] {
				if c > 0 {
					share[c-1]++
					n++
				}
			}
		}
		for c := range share {
			share[c] /= n
		}
	}
	return nil
}

// Abundances returns the true shares of the classes as a source with one band per class. Their sum
// is 1, or 0 for a pixel of class 0.
func (s *Source) Abundances() scene.Source { return abundances{s} }

// Classes returns the true classes as a source with one band.
func (s *Source) Classes() scene.Source { return classes{s} }

type abundances struct{ s *Source }

// Bounds returns the bounds of the scene.
func (a abundances) Bounds() scene.Block { return a.s.Bounds() }

// Bands returns the number of classes.
func (a abundances) Bands() int { return len(a.s.spec.Spectra) }

// Integers16 returns false.
func (a abundances) Integers16() bool { return false }

// Read stores the shares of a block. It is an error if the map has a class without a spectrum.
func (a abundances) Read(ctx context.Context, b scene.Block, dst []float64) error {
	return a.s.shares(ctx, b, dst)
}

type classes struct{ s *Source }

// Bounds returns the bounds of the scene.
func (c classes) Bounds() scene.Block { return c.s.Bounds() }

// Bands returns 1.
func (c classes) Bands() int { return 1 }

// Integers16 returns true.
func (c classes) Integers16() bool { return true }

// Read stores the classes of a block.
func (c classes) Read(ctx context.Context, b scene.Block, dst []float64) error {
	for i := range dst {
		dst[i] = float64(c.s.spec.Map(b.At(i)))
	}
	return ctx.Err()
}
