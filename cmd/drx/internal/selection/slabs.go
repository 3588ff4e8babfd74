package selection

import (
	"cmp"
	"context"

	"drx"
	"drx/nd"
)

const (
	slabTarget = 16 << 20  // approximate size of a slab in bytes
	slabLimit  = 128 << 20 // largest size of a slab that is enlarged to whole chunks
)

// EachSlab is EachSlabOf for elements in the array's own type.
func EachSlab(ctx context.Context, a *drx.Array, sec nd.Section, order nd.Order, f func(slab nd.Section, bytes int) error) error {
	return EachSlabOf(ctx, a, a.DType().Size(), sec, order, f)
}

// EachSlabOf cuts a resolved section into slabs of bounded size and calls f for each slab with its
// size in bytes; size is the bytes per element. The slabs come in the order of their elements in a
// dense buffer of the whole section, so that they can be streamed. It checks ctx between slabs and
// returns the first error.
func EachSlabOf(ctx context.Context, a *drx.Array, size int, sec nd.Section, order nd.Order, f func(slab nd.Section, bytes int) error) error {
	c := newSlabCutter(a, size, sec, order)
	shape := sec.Shape()
	for _, n := range shape {
		if n == 0 {
			return ctx.Err()
		}
	}
	outer := c.dims[:c.level]
	index, lo, hi := make([]int, len(outer)), make([]int, len(outer)), make([]int, len(outer))
	for i, d := range outer {
		hi[i] = shape[d]
	}
	slab := append(nd.Section(nil), sec...)
	for more := true; more; more = len(outer) > 0 && nd.Next(index, lo, hi) {
		for i, d := range outer {
			slab[d] = subrange(sec[d], index[i], 1)
		}
		d := c.dims[c.level]
		for i := 0; i < shape[d]; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := c.thickness(i, shape[d]-i)
			slab[d] = subrange(sec[d], i, n)
			if err := f(slab, n*c.below); err != nil {
				// After an interruption the error of f is only a consequence.
				return cmp.Or(ctx.Err(), err)
			}
			i += n
		}
	}
	return nil
}

// A slabCutter determines the slabs: a slab has one index of each dimension before level, a range
// of the dimension at level, and all indices of the dimensions after it.
type slabCutter struct {
	dims  []int // slowest first
	level int
	below int // bytes per index of the dimension at level
	rows  int // its indices per slab
	lo    int // its first index
	align int // its chunk extent; 1 for a range with a step, whose slabs are not aligned to chunks
}

func newSlabCutter(a *drx.Array, size int, sec nd.Section, order nd.Order) slabCutter {
	c := slabCutter{dims: order.Dims(len(sec)), level: len(sec) - 1, below: size, align: 1}
	for c.level > 0 {
		next, ok := nd.Mul(c.below, sec[c.dims[c.level]].Len())
		if !ok || next > slabTarget {
			break
		}
		c.below = next
		c.level--
	}
	d := c.dims[c.level]
	c.rows, c.lo = max(1, slabTarget/max(1, c.below)), sec[d].Lo
	if sec[d].Stride() == 1 {
		c.align = a.ChunkShape()[d]
		if bytes, ok := nd.Mul(c.align, c.below); ok && bytes <= slabLimit {
			c.rows = max(c.rows, c.align)
		}
	}
	return c
}

// thickness returns the number of indices in the slab that begins at the i-th index, when rest
// indices remain. The slab ends at a chunk boundary if possible, because a chunk in two slabs is
// moved twice.
func (c *slabCutter) thickness(i, rest int) int {
	if rest <= c.rows {
		return rest
	}
	end := nd.FloorDiv(c.lo+i+c.rows, c.align) * c.align
	if n := end - c.lo - i; n > 0 {
		return n
	}
	return c.rows
}

// subrange returns the n indices of a range that begin with the i-th.
func subrange(r nd.Range, i, n int) nd.Range {
	lo := r.Lo + i*r.Step
	return nd.Span(lo, lo+(n-1)*r.Step+1).By(r.Step)
}
