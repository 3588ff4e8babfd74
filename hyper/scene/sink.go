package scene

import (
	"context"
	"fmt"
	"math"
)

// A Sink receives the results of an analysis per pixel: abundances, classes, scores. One goroutine
// at a time calls Write.
type Sink interface {
	// Values returns the number of values of each pixel.
	Values() int
	// Write stores the values of the pixels of a block: the values of pixel b.At(i) begin at
	// i*Values(). Unusable pixels have NaN. Write does not keep the slice.
	Write(ctx context.Context, b Block, values []float64) error
}

// A Plane is a sink in memory, and a source of its values. Pixels that were not written are NaN.
type Plane struct {
	inMemory
}

// NewPlane returns a plane for the pixels of a block with the given number of values each. It is an
// error if this number is below 1.
func NewPlane(b Block, values int) (*Plane, error) {
	if values < 1 {
		return nil, fmt.Errorf("a plane of %s with %d values per pixel: it needs at least 1", b, values)
	}
	data := make([]float64, b.Pixels()*values)
	for i := range data {
		data[i] = math.NaN()
	}
	return &Plane{inMemory{bounds: b, bands: values, data: data}}, nil
}

// Values returns the number of values of each pixel.
func (p *Plane) Values() int { return p.bands }

// At returns the values of a pixel within the bounds, a part of the plane's memory.
func (p *Plane) At(at Pixel) []float64 { return p.data[p.bounds.Index(at)*p.bands:][:p.bands] }

// Write stores the values of a block. It is an error if the block is not within the bounds, or if
// the number of values is wrong.
func (p *Plane) Write(_ context.Context, b Block, values []float64) error {
	if err := CheckValues(p, p.bounds, b, values); err != nil {
		return err
	}
	row := b.Samples() * p.bands
	for l := range b.Lines() {
		copy(p.data[p.bounds.Index(Pixel{b.Lo.Line + l, b.Lo.Sample})*p.bands:][:row], values[l*row:])
	}
	return nil
}

// CheckValues checks the arguments of a sink's Write. It is an error if the block is not within the
// bounds, or if the number of values does not fit its pixels.
func CheckValues(s Sink, bounds, b Block, values []float64) error {
	if b.Intersect(bounds) != b {
		return fmt.Errorf("%s are not within %s, the bounds of the result", b, bounds)
	}
	if len(values) != b.Pixels()*s.Values() {
		return fmt.Errorf("%d values for %d pixels with %d values each", len(values), b.Pixels(), s.Values())
	}
	return nil
}

// Transform computes values for each pixel of a cube within a block, and writes them to a sink,
// tile by tile, in order. f stores the values of the pixels of a tile in dst: those of pixel number
// i at dst[i*sink.Values():]. dst is NaN at first, and f may skip invalid pixels. Several
// goroutines call f at the same time, and it must keep neither argument. Transform ends with the
// first error.
func Transform(ctx context.Context, c *Cube, within Block, sink Sink, f func(t *Tile, dst []float64) error) error {
	return transform(ctx, c, within, sink, f, Map[transformed])
}

// TransformByProcs is Transform by the procs of the cube, collective: they divide the tiles, and
// the first proc writes to its sink.
func TransformByProcs(ctx context.Context, c *Cube, within Block, sink Sink, f func(t *Tile, dst []float64) error) error {
	return transform(ctx, c, within, sink, f, MapGather[transformed])
}

// A transformed tile has its values. The fields are exported for gob.
type transformed struct {
	Block  Block
	Values []float64
}

func transform(
	ctx context.Context, c *Cube, within Block, sink Sink, f func(t *Tile, dst []float64) error,
	over func(context.Context, *Cube, Block, func(*Tile) (transformed, error), func(transformed) error) error,
) error {
	return over(ctx, c, within, func(t *Tile) (transformed, error) {
		r := transformed{t.Block, make([]float64, t.Block.Pixels()*sink.Values())}
		for i := range r.Values {
			r.Values[i] = math.NaN()
		}
		return r, f(t, r.Values)
	}, func(r transformed) error { return sink.Write(ctx, r.Block, r.Values) })
}
