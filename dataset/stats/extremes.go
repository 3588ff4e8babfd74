package stats

// A chosen holds one value per cell, the result of Min, Max, First or Last, and its position.
type chosen[T number] struct {
	op        Op
	values    []T
	positions []int // nil if no statistic needs the positions
}

// newChosen returns values for n cells.
func newChosen[T number](op Op, n int, positions bool) *chosen[T] {
	c := &chosen[T]{op: op, values: make([]T, n)}
	if positions {
		c.positions = make([]int, n)
	}
	return c
}

// wins reports whether value v at pos replaces value old at oldPos. Positions do not always arrive
// in ascending order, so equal values are decided by their positions.
func (c *chosen[T]) wins(v, old T, pos, oldPos int) bool {
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
func (c *chosen[T]) add(r *run[T], at, stride int, counts []int64) {
	n := counts[at]
	for i, v := range r.values {
		if r.omits(i) {
			continue
		}
		to := at + i*stride
		if stride != 0 {
			n = counts[to]
		}
		c.put(to, n, v, r.pos+i*r.step)
		n++
	}
}

// put offers a value to cell at. count is the number of values that the cell has seen so far.
func (c *chosen[T]) put(at int, count int64, v T, pos int) {
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
func (c *chosen[T]) merge(o *chosen[T], counts, from []int64) {
	for i, v := range o.values {
		if from[i] == 0 {
			continue
		}
		pos := 0
		if o.positions != nil {
			pos = o.positions[i]
		}
		c.put(i, counts[i], v, pos)
	}
}
