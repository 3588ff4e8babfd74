package main

import (
	"errors"

	"drx"
	"drx/nd"
)

// read reads random sections; single elements with At.
func (c *child) read(q request) error {
	size, err := q.numbers("size")
	n, err1 := q.number("n", 1)
	rounds, err2 := q.number("rounds", 1)
	seed, err3 := q.number("seed", 1)
	align, err4 := q.number("align", 1)
	if err := errors.Join(err, err1, err2, err3, err4, c.mustBeOpen()); err != nil {
		return err
	}
	order := nd.RowMajor
	if q.text("order", "row") == "col" {
		order = nd.ColMajor(len(size))
	}
	at, buf := make([]int, n*len(size)), touchedBuffer(volume(size))
	for r := range rounds {
		starts(uint64(seed+1000*r), c.a.Shape(), size, align, at)
		c.clock.begin()
		sum, err := c.sections(at, size, order, buf)
		if err != nil {
			return err
		}
		c.clock.end(n)
		if r == 0 {
			c.check += uint64(sum)
		}
	}
	starts(uint64(seed), c.a.Shape(), size, align, at)
	if _, err := c.sections(at[len(at)-len(size):], size, order, buf); err != nil {
		return err
	}
	c.check += weightedSum(buf)
	return nil
}

func (c *child) mustBeOpen() error {
	if c.a == nil {
		return errors.New("no array is open")
	}
	return nil
}

// sections reads boxes of one size into buf, each over the previous one, and returns the sum of
// their first and last elements.
func (c *child) sections(at, size []int, order nd.Order, buf []float64) (float64, error) {
	rank, sum := len(size), 0.0
	if len(buf) == 1 {
		return c.elements(at, rank, buf)
	}
	sec := make(nd.Section, rank)
	for ; len(at) > 0; at = at[rank:] {
		for d := range sec {
			sec[d] = nd.Span(at[d], at[d]+size[d])
		}
		if err := drx.ReadInto(c.a, sec, buf, order); err != nil {
			return 0, err
		}
		sum += buf[0] + buf[len(buf)-1]
	}
	return sum, nil
}

func (c *child) elements(at []int, rank int, buf []float64) (float64, error) {
	sum := 0.0
	for ; len(at) > 0; at = at[rank:] {
		v, err := drx.At[float64](c.a, at[:rank]...)
		if err != nil {
			return 0, err
		}
		buf[0] = v
		sum += v + v
	}
	return sum, nil
}

// scan reads all lines along a dimension, or all elements in the same order. The last of the other
// dimensions varies fastest.
func (c *child) scan(q request) error {
	if err := c.mustBeOpen(); err != nil {
		return err
	}
	rank, shape := c.a.Rank(), c.a.Shape()
	dim, err := q.number("dim", rank-1)
	elements, err1 := q.number("elements", 0)
	limit, err2 := q.number("n", volume(shape))
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	size := make([]int, rank)
	for d := range size {
		size[d] = 1
	}
	if elements == 0 {
		size[dim] = shape[dim]
	}
	limit = min(limit, volume(shape)/volume(size))
	at, buf, sum := make([]int, rank), touchedBuffer(volume(size)), 0.0
	c.clock.begin()
	for range limit {
		s, err := c.sections(at, size, nd.RowMajor, buf)
		if err != nil {
			return err
		}
		sum += s
		advance(at, size, shape, dim)
	}
	c.clock.end(limit)
	c.check += uint64(sum)
	return nil
}

// sweep reads the whole array in slabs along dimension 0.
func (c *child) sweep(q request) error {
	rows, err := q.number("rows", 1)
	if err := errors.Join(err, c.mustBeOpen()); err != nil {
		return err
	}
	size := c.a.Shape()
	last := size[0]
	at, buf := make([]int, len(size)), touchedBuffer(rows*volume(size[1:]))
	for ; at[0] < last; at[0] += rows {
		size[0] = min(rows, last-at[0])
		slab := buf[:volume(size)]
		c.clock.begin()
		err := drx.ReadInto(c.a, section(box{at, size}), slab)
		c.clock.end(1)
		if err != nil {
			return err
		}
		c.check += weightedSum(slab)
	}
	return nil
}

// advance steps to the next line or element: dim varies fastest, then the others from the last to
// the first.
func advance(at, size, shape []int, dim int) {
	step := func(d int) bool {
		at[d] += size[d]
		if at[d] < shape[d] {
			return true
		}
		at[d] = 0
		return false
	}
	if step(dim) {
		return
	}
	for d := len(at) - 1; d >= 0; d-- {
		if d != dim && step(d) {
			return
		}
	}
}

// reopen opens the array, reads its last element and closes it.
func (c *child) reopen(q request) error {
	n, err := q.number("n", 1)
	o, err1 := options(q, 0)
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	for range n {
		c.clock.begin()
		a, err := drx.Open(q.text("path", ""), o)
		if err != nil {
			return err
		}
		_, last := a.Bounds().Bounds()
		for d := range last {
			last[d]--
		}
		v, err := drx.At[float64](a, last...)
		if err := errors.Join(err, a.Close()); err != nil {
			return err
		}
		c.clock.end(1)
		c.check += uint64(v)
	}
	return nil
}
