package main

import (
	"errors"

	"drx"
)

// gather reads many random elements at once.
func (c *child) gather(q request) error { return c.batch(q, false) }

// scatter writes the same elements, with their present values, and commits.
func (c *child) scatter(q request) error { return c.batch(q, true) }

func (c *child) batch(q request, write bool) error {
	n, err := q.number("n", 1)
	rounds, err1 := q.number("rounds", 1)
	seed, err2 := q.number("seed", 1)
	if err := errors.Join(err, err1, err2, c.mustBeOpen()); err != nil {
		return err
	}
	rank := c.a.Rank()
	at, one, buf := make([]int, n*rank), uniform(rank, 1), touchedBuffer(n)
	for r := range rounds {
		starts(uint64(seed+1000*r), c.a.Shape(), one, 1, at)
		if write {
			for i := range buf {
				buf[i] = float64(valueAt(at[i*rank : (i+1)*rank]))
			}
		}
		c.clock.begin()
		if write {
			err = errors.Join(drx.Scatter(c.a, at, buf), c.a.Sync())
		} else {
			err = drx.Gather(c.a, at, buf)
		}
		if err != nil {
			return err
		}
		c.clock.end(n)
		if r == 0 {
			c.check += weightedSum(buf)
		}
	}
	return nil
}
