package scene

import (
	"context"
	"fmt"
)

// A Source reads the spectra of a scene. It must be safe for concurrent use.
type Source interface {
	// Bounds returns the pixels of the scene.
	Bounds() Block
	// Bands returns the number of values of each spectrum.
	Bands() int
	// Integers16 reports whether the values are integers of at most 16 bits, so that sums of their
	// products can be exact.
	Integers16() bool
	// Read stores the spectra of a block in dst, which has b.Pixels() times Bands() values: the
	// spectrum of pixel b.At(i) begins at i*Bands(). The block is within the bounds. Errors name
	// the file or the array.
	Read(ctx context.Context, b Block, dst []float64) error
}

// InMemory returns a source with the spectra of data, which is not copied: the spectrum of pixel
// b.At(i) begins at i*bands. It is an error if the length of data is not b.Pixels() times bands.
func InMemory(b Block, bands int, data []float64) (Source, error) {
	if bands < 1 || len(data) != b.Pixels()*bands {
		return nil, fmt.Errorf("a scene of %s and %d bands needs %d values, not %d", b, bands, b.Pixels()*max(bands, 0), len(data))
	}
	return &inMemory{b, bands, data, integers16(data)}, nil
}

type inMemory struct {
	bounds   Block
	bands    int
	data     []float64
	integers bool
}

// Bounds returns the block of InMemory.
func (m *inMemory) Bounds() Block { return m.bounds }

// Bands returns the bands of InMemory.
func (m *inMemory) Bands() int { return m.bands }

// Integers16 reports whether all values are such integers.
func (m *inMemory) Integers16() bool { return m.integers }

// Read copies the spectra of a block. It has no errors.
func (m *inMemory) Read(_ context.Context, b Block, dst []float64) error {
	row := b.Samples() * m.bands
	for l := range b.Lines() {
		from := m.bounds.Index(Pixel{b.Lo.Line + l, b.Lo.Sample}) * m.bands
		copy(dst[l*row:][:row], m.data[from:])
	}
	return nil
}

// integers16 reports whether all values are integers from -32768 to 32767, or all are from 0 to
// 65535.
func integers16(data []float64) bool {
	lo, hi := 0.0, 0.0
	for _, v := range data {
		if v != float64(int64(v)) {
			return false
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo >= -1<<15 && hi < 1<<15 || lo >= 0 && hi < 1<<16
}

// Within returns the part of a source that is within a block.
func Within(s Source, b Block) Source { return within{s, b.Intersect(s.Bounds())} }

type within struct {
	Source
	bounds Block
}

// Bounds returns the block.
func (w within) Bounds() Block { return w.bounds }
