package scene

import (
	"context"
	"fmt"
	"math"
	"slices"

	"drx/parallel/par"
)

// Options selects the pixels and bands of a source for an analysis, and limits its memory and
// goroutines.
type Options struct {
	// BadBands are the numbers of excluded bands, counted from 0.
	BadBands []int
	// Masked, if not nil, reports whether a pixel is excluded.
	Masked func(Pixel) bool
	// Saturated, if not 0, is the lowest value at which a sensor is saturated: a pixel that reaches
	// it in any band is excluded.
	Saturated float64
	// KeepZero keeps pixels whose values are all zero. By default they are excluded, because
	// sensors fill gaps with zeros.
	KeepZero bool
	// Wavelengths, if not nil, has one number per band of the source, in the unit that Unit names,
	// such as "nm".
	Wavelengths []float64
	Unit        string
	// NoData, if not nil, is the value of a missing measurement: a pixel with this value in any
	// band is excluded.
	NoData *float64
	// Memory limits the bytes of the spectra that Map has in memory. 0 means 64 MiB. Each goroutine
	// has at least one tile.
	Memory int64
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
	// Comm, if not nil, has the procs of a parallel program that share the work of Fold, each with
	// its own cube of the same scene. Functions whose comments say so are collective then: all
	// procs call them, in the same order and with equal arguments, and get equal results.
	Comm par.Comm
}

// A Cube is the part of a source that is analysed. Its band numbers do not count bad bands.
type Cube struct {
	source      Source
	opts        Options
	bands       []int // numbers of the source's bands
	wavelengths []float64
}

// New returns the cube of a source. It is an error if a bad band does not exist, no band is left,
// or the number of wavelengths is wrong.
func New(source Source, opts Options) (*Cube, error) {
	n := source.Bands()
	if w := len(opts.Wavelengths); w != 0 && w != n {
		return nil, fmt.Errorf("%d wavelengths for %d bands", w, n)
	}
	for _, b := range opts.BadBands {
		if b < 0 || b >= n {
			return nil, fmt.Errorf("bad band %d: the bands are 0 to %d", b, n-1)
		}
	}
	c := &Cube{source: source, opts: opts}
	for b := range n {
		if slices.Contains(opts.BadBands, b) {
			continue
		}
		c.bands = append(c.bands, b)
		if opts.Wavelengths != nil {
			c.wavelengths = append(c.wavelengths, opts.Wavelengths[b])
		}
	}
	if len(c.bands) == 0 {
		return nil, fmt.Errorf("all %d bands are bad: no band is left to analyse", n)
	}
	return c, nil
}

// Bounds returns the pixels of the cube.
func (c *Cube) Bounds() Block { return c.source.Bounds() }

// Bands returns the number of bands that are not bad.
func (c *Cube) Bands() int { return len(c.bands) }

// SourceBands returns the number that each band has in the source.
func (c *Cube) SourceBands() []int { return slices.Clone(c.bands) }

// Wavelengths returns the wavelength of each band and their unit, or nil if they are not known.
func (c *Cube) Wavelengths() (w []float64, unit string) {
	return slices.Clone(c.wavelengths), c.opts.Unit
}

// Integers16 reports whether all values are integers of at most 16 bits.
func (c *Cube) Integers16() bool { return c.source.Integers16() }

// Options returns the options that New was called with.
func (c *Cube) Options() Options { return c.opts }

// A Tile has the spectra of a block: the spectrum of pixel Block.At(i) begins at i*Bands of Data.
type Tile struct {
	Block Block
	Bands int
	Data  []float64
	// Valid says, for each pixel, whether to analyse it. The data of other pixels are arbitrary,
	// and may be NaN.
	Valid []bool
}

// Spectrum returns the spectrum of pixel number i of the block, a part of Data.
func (t *Tile) Spectrum(i int) []float64 { return t.Data[i*t.Bands:][:t.Bands] }

// Read returns the spectra of a block, which is cut to the bounds of the cube.
func (c *Cube) Read(ctx context.Context, b Block) (*Tile, error) {
	t := &Tile{}
	return t, c.ReadTile(ctx, b, t)
}

// A ReadError is an error of the source of a cube. Its text names the file or the array.
type ReadError struct {
	Err error // of Source.Read
}

// Error returns the text of the source's error.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the source's error.
func (e *ReadError) Unwrap() error { return e.Err }

// ReadTile is Read into an existing tile, whose memory it reuses if it is large enough. An error of
// the source is a *ReadError.
func (c *Cube) ReadTile(ctx context.Context, b Block, t *Tile) error {
	b = b.Intersect(c.Bounds())
	n := c.source.Bands()
	t.Data = slices.Grow(t.Data[:0], b.Pixels()*n)[:b.Pixels()*n]
	if err := c.source.Read(ctx, b, t.Data); err != nil {
		return &ReadError{err}
	}
	t.Block, t.Bands = b, len(c.bands)
	if len(c.bands) < n {
		t.Data = c.keepBands(t.Data, n)
	}
	t.Valid = slices.Grow(t.Valid[:0], b.Pixels())[:b.Pixels()]
	for i := range t.Valid {
		t.Valid[i] = (c.opts.Masked == nil || !c.opts.Masked(b.At(i))) && c.usable(t.Spectrum(i))
	}
	return nil
}

// keepBands moves the bands that are not bad to the beginning of data, in place.
func (c *Cube) keepBands(data []float64, n int) []float64 {
	to := 0
	for from := 0; from < len(data); from += n {
		for _, b := range c.bands {
			data[to] = data[from+b]
			to++
		}
	}
	return data[:to]
}

// usable reports whether a spectrum can be analysed: all its values are finite and not saturated,
// and they are not all zero unless zeros are kept.
func (c *Cube) usable(spectrum []float64) bool {
	zero, picky := true, c.opts.Saturated != 0 || c.opts.NoData != nil
	for _, v := range spectrum {
		if !(math.Abs(v) <= math.MaxFloat64) || picky && (c.saturated(v) || c.missing(v)) {
			return false
		}
		zero = zero && v == 0
	}
	return !zero || c.opts.KeepZero
}

func (c *Cube) saturated(v float64) bool { return c.opts.Saturated != 0 && v >= c.opts.Saturated }

// missing reports whether a value marks a missing measurement.
func (c *Cube) missing(v float64) bool { return c.opts.NoData != nil && v == *c.opts.NoData }
