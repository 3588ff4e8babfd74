package main

import (
	"cmp"
	"context"

	"drx"
	"drx/nd"
)

const (
	slabTarget = 16 << 20  // bytes of a slab, more or less
	slabLimit  = 128 << 20 // bytes of a slab at most where that makes it as thick as a chunk
)

// eachSlab cuts a section of the bounds into slabs of bounded size and calls f for each,
// with its bytes. The slabs come as a dense buffer of the whole section in the given order
// has them, one after the other, so that they can be streamed. Between slabs it looks at
// ctx. It returns the first error.
func eachSlab(ctx context.Context, a *drx.Array, sec nd.Section, order nd.Order, f func(slab nd.Section, bytes int) error) error {
	c := newSlabCutter(a, sec, order)
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
			slab[d] = part(sec[d], index[i], 1)
		}
		d := c.dims[c.level]
		for i := 0; i < shape[d]; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := c.thickness(i, shape[d]-i)
			slab[d] = part(sec[d], i, n)
			if err := f(slab, n*c.below); err != nil {
				// What an interruption broke off is no error of its own.
				return cmp.Or(ctx.Err(), err)
			}
			i += n
		}
	}
	return nil
}

// A slabCutter knows where to cut: the dimensions before level are taken index by index,
// that at level in ranges, and those after it whole.
type slabCutter struct {
	dims  []int // slowest first
	level int
	below int // bytes of one index of the dimension at level
	rows  int // indices of it that make a slab
	lo    int // its first index
	align int // its chunks' extent; 1 for a section with a step there, which is not aligned
}

func newSlabCutter(a *drx.Array, sec nd.Section, order nd.Order) slabCutter {
	c := slabCutter{dims: order.Dims(len(sec)), level: len(sec) - 1, below: a.DType().Size(), align: 1}
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

// thickness returns how many of the rest indices from the i-th on the next slab has. It
// ends where chunks end if it can: a chunk cut in two is moved twice.
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

// sectionBytes returns the bytes of a section, which must be one of the array's.
func sectionBytes(a *drx.Array, sec nd.Section) int64 {
	n, _ := sec.Len()
	return int64(n) * int64(a.DType().Size())
}
