package main

import (
	"errors"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// create makes an array and writes all of it.
func (c *child) create(q request) error {
	if err := c.createArray(q, 1); err != nil {
		return err
	}
	fill, err := q.number("fill", 1)
	if err == nil && fill == 1 {
		err = c.writeSlabs()
	}
	if err != nil {
		return err
	}
	return c.sync(q)
}

// sync commits, unless the array is to stay in memory.
func (c *child) sync(q request) error {
	if memory, err := q.number("memory", 0); err != nil || memory == 1 {
		return err
	}
	c.clock.begin()
	err := c.a.Sync()
	c.clock.end(0)
	return err
}

// writeSlabs writes the whole array in slabs that are one row of chunks high.
func (c *child) writeSlabs() error {
	shape, rows := c.a.Shape(), c.a.ChunkShape()[0]
	b := box{make([]int, len(shape)), c.a.Shape()}
	b.size[0] = rows
	buf := touchedBuffer(volume(b.size))
	for ; b.lo[0] < shape[0]; b.lo[0] += rows {
		b.size[0] = min(rows, shape[0]-b.lo[0])
		if err := c.writeBox(b, buf); err != nil {
			return err
		}
	}
	return nil
}

// writeBox writes the values of a box. buf has room for all of them.
func (c *child) writeBox(b box, buf []float64) error {
	fillBox(b, buf)
	c.clock.begin()
	err := drx.Write(c.a, section(b), buf[:volume(b.size)])
	c.clock.end(0)
	return err
}

// growth has the arguments of a grow request.
type growth struct {
	by           []int
	steps, reads int
	seed         int
	random       int
}

func parseGrowth(q request) (growth, error) {
	var g growth
	var errs [5]error
	g.by, errs[0] = q.numbers("by")
	g.steps, errs[1] = q.number("steps", 1)
	g.reads, errs[2] = q.number("reads", 0)
	g.seed, errs[3] = q.number("seed", 1)
	g.random, errs[4] = q.number("random", 0)
	return g, errors.Join(errs[:]...)
}

// grow creates an array and extends it step by step. After each step it writes the new elements and
// reads random ones.
func (c *child) grow(q request) error {
	g, err := parseGrowth(q)
	if err != nil {
		return err
	}
	if err := c.createArray(q, 0); err != nil {
		return err
	}
	if err := c.writeSlabs(); err != nil {
		return err
	}
	for s := range g.steps {
		dim := s % len(g.by)
		if g.random == 1 {
			dim = int(mix(uint64(g.seed), uint64(s), 99) % uint64(len(g.by)))
		}
		if err := c.growStep(g, s, dim); err != nil {
			return err
		}
	}
	return c.sync(q)
}

func (c *child) growStep(g growth, step, dim int) error {
	b := box{make([]int, len(g.by)), c.a.Shape()}
	b.lo[dim], b.size[dim] = b.size[dim], g.by[dim]
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	c.clock.begin()
	added, err := c.a.Extend(dim, g.by[dim])
	if err == nil {
		err = drx.Write(c.a, added, buf)
	}
	if err != nil {
		return err
	}
	c.clock.end(1)
	one, at := make([]int, len(g.by)), make([]int, g.reads*len(g.by))
	for d := range one {
		one[d] = 1
	}
	starts(uint64(g.seed+step), c.a.Shape(), one, 1, at)
	c.clock.begin()
	sum, err := c.elements(at, len(one), buf)
	c.clock.end(0)
	c.check += uint64(sum / 2) // elements counts each value twice
	return err
}

// append adds slabs along dimension 0. With durable=1 it syncs after each.
func (c *child) append(q request) error {
	rows, err := q.number("rows", 1)
	n, err1 := q.number("n", 1)
	durable, err2 := q.number("durable", 1)
	seed, err3 := q.number("seed", 1)
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return err
	}
	if err := c.createArray(q, durable); err != nil {
		return err
	}
	c.clock = clock{} // creating the array does not count
	b := box{make([]int, c.a.Rank()), c.a.Shape()}
	b.size[0] = rows
	buf := touchedBuffer(volume(b.size))
	for i := range n {
		b.lo[0] = i * rows
		fillBox(b, buf)
		c.clock.begin()
		added, err := c.a.Extend(0, rows)
		if err == nil {
			err = drx.Write(c.a, added, buf)
		}
		if err == nil && durable == 1 {
			err = c.a.Sync()
		}
		if err != nil {
			return err
		}
		c.clock.end(1)
	}
	if err := c.sync(q); err != nil {
		return err
	}
	return c.sample(seed)
}

// sample reads sixteen random elements and adds them to check.
func (c *child) sample(seed int) error {
	rank := c.a.Rank()
	at, one, found := make([]int, 16*rank), make([]int, rank), make([]float64, 16)
	for d := range one {
		one[d] = 1
	}
	starts(uint64(seed), c.a.Shape(), one, 1, at)
	for i := range found {
		v, err := drx.At[float64](c.a, at[i*rank:(i+1)*rank]...)
		if err != nil {
			return err
		}
		found[i] = v
	}
	c.check += weightedSum(found)
	return nil
}

// extend extends the dimensions in turn by one chunk. If it neither commits nor writes, it times
// all extensions together, because a single one is too short to measure.
func (c *child) extend(q request) error {
	n, err := q.number("n", 1)
	commit, err1 := q.number("commit", 0)
	data, err2 := q.number("write", 0)
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	if err := c.createArray(q, 1); err != nil {
		return err
	}
	c.clock = clock{}
	if commit == 0 && data == 0 {
		return c.extendAtOnce(n)
	}
	b := box{make([]int, c.a.Rank()), c.a.ChunkShape()}
	buf := touchedBuffer(volume(b.size))
	for i := range n {
		dim := i % len(b.lo)
		clear(b.lo)
		b.lo[dim] = c.a.Shape()[dim]
		fillBox(b, buf)
		c.clock.begin()
		_, err := c.a.Extend(dim, b.size[dim])
		if err == nil && data == 1 {
			err = drx.Write(c.a, section(b), buf)
		}
		if err == nil && commit == 1 {
			err = c.a.Sync()
		}
		if err != nil {
			return err
		}
		c.clock.end(1)
	}
	if data == 1 {
		v, err := drx.At[float64](c.a, b.lo...)
		c.check += uint64(v)
		return err
	}
	return nil
}

func (c *child) extendAtOnce(n int) error {
	chunk := c.a.ChunkShape()
	c.clock.begin()
	for i := range n {
		dim := i % len(chunk)
		if _, err := c.a.Extend(dim, chunk[dim]); err != nil {
			return err
		}
	}
	c.clock.end(n)
	return nil
}

// historyChunk returns the number of elements in a chunk of a history: few, but at least one per
// expansion.
func historyChunk(chunks, expansions int) int { return max(8, expansions/chunks) }

// historyCommit is the number of expansions of a history in a commit.
const historyCommit = 1000

// history makes an array of one dimension by a number of equal extensions, alternately at its high
// and its low end. Then it writes the whole array.
func (c *child) history(q request) error {
	chunks, err := q.number("chunks", 1)
	expansions, err1 := q.number("expansions", 1)
	err2 := c.close(q)
	if err := errors.Join(err, err1, err2, removeArray(q.text("path", ""))); err != nil {
		return err
	}
	chunk := historyChunk(chunks, expansions)
	spec := drx.Spec{
		DType: dtype.Float64, Shape: []int{0}, ChunkShape: []int{chunk},
		Options: drx.Options{Durability: drx.DurabilityNone},
	}
	if c.a, err = drx.Create(q.text("path", ""), spec); err != nil {
		return err
	}
	ends := []func(dim, by int) (nd.Section, error){c.a.Extend, c.a.ExtendLow}
	for i := range expansions {
		_, err := ends[i%2](0, chunks*chunk/expansions)
		if err == nil && i%historyCommit == historyCommit-1 {
			err = c.a.Sync()
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(drx.Fill(c.a, nil, 1.0), c.close(q))
}
