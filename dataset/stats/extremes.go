package stats

import "math"

// extremes holds one value per cell, the result of Min, Max, First or Last, and its position.
type extremes[T number] struct {
	op        Op
	values    []T
	positions []int // nil if no statistic needs the positions
}

// newExtremes returns values for n cells.
func newExtremes[T number](op Op, n int, positions bool) *extremes[T] {
	c := &extremes[T]{op: op, values: make([]T, n)}
	if positions {
		c.positions = make([]int, n)
		return c
	}
	worst := worstOf[T](op)
	for i := range c.values {
		c.values[i] = worst
	}
	return c
}

// worstOf returns the initial value of Min or Max: any element replaces it or is equal.
func worstOf[T number](op Op) T {
	var least, greatest any
	switch any(T(0)).(type) {
	case int64:
		least, greatest = int64(math.MinInt64), int64(math.MaxInt64)
	case uint64:
		least, greatest = uint64(0), uint64(math.MaxUint64)
	default:
		least, greatest = math.Inf(-1), math.Inf(1)
	}
	if op == Min {
		return greatest.(T)
	}
	return least.(T)
}

// wins reports whether value v at pos replaces value old at oldPos. Positions do not always arrive
// in ascending order, so equal values are decided by their positions.
func (c *extremes[T]) wins(v, old T, pos, oldPos int) bool {
	switch c.op {
	case Min:
		return v < old || v == old && pos < oldPos
	case Max:
		return v > old || v == old && pos < oldPos
	case First:
		return pos < oldPos
	}
	return pos > oldPos
}

// add offers the elements of a run to their cells, which have the given counts so far.
func (c *extremes[T]) add(r *run[T], at, stride int, counts []int64) {
	switch {
	case c.positions != nil:
	case stride == 0:
		c.values[at] = c.best(r, c.values[at])
		return
	default:
		c.addEach(r, c.values[at:][:len(r.values)])
		return
	}
	n := counts[at]
	for i, v := range r.values {
		if r.omits(i) {
			continue
		}
		to := at + i*stride
		if stride != 0 {
			n = counts[to]
		}
		c.offer(to, n, v, r.pos+i*r.step)
		n++
	}
}

// best returns the least or the greatest of old and the elements of a run. Whether an element is
// left out is asked only of the few that win, which makes this twice as fast.
func (c *extremes[T]) best(r *run[T], old T) T {
	if c.op == Min {
		for i, v := range r.values {
			if v < old && !r.omits(i) {
				old = v
			}
		}
		return old
	}
	for i, v := range r.values {
		if v > old && !r.omits(i) {
			old = v
		}
	}
	return old
}

// addEach offers each element of a run to a cell of its own.
func (c *extremes[T]) addEach(r *run[T], to []T) {
	if c.op == Min {
		for i, v := range r.values {
			if v < to[i] && !r.omits(i) {
				to[i] = v
			}
		}
		return
	}
	for i, v := range r.values {
		if v > to[i] && !r.omits(i) {
			to[i] = v
		}
	}
}

// offer offers a value to cell at. count is the number of values that the cell has seen so far.
func (c *extremes[T]) offer(at int, count int64, v T, pos int) {
	if c.positions == nil {
		if count == 0 || c.wins(v, c.values[at], 0, 0) {
			c.values[at] = v
		}
		return
	}
	if count == 0 || c.wins(v, c.values[at], pos, c.positions[at]) {
		c.values[at], c.positions[at] = v, pos
	}
}

// merge offers the values of o. counts and from are the numbers of elements per cell in c and in o.
func (c *extremes[T]) merge(o *extremes[T], counts, from []int64) {
	for i, v := range o.values {
		if from[i] == 0 {
			continue
		}
		pos := 0
		if o.positions != nil {
			pos = o.positions[i]
		}
		c.offer(i, counts[i], v, pos)
	}
}
