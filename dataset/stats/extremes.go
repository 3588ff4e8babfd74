package stats

// A chosen has one of the values of each cell, with its position: that of Min, Max, First or Last.
type chosen[T number] struct {
	op     Op
	values []T
	places []int // nil if nobody asks for them
}

// newChosen returns values for n cells.
func newChosen[T number](op Op, n int, places bool) *chosen[T] {
	c := &chosen[T]{op: op, values: make([]T, n)}
	if places {
		c.places = make([]int, n)
	}
	return c
}

// wins reports whether a value replaces another one. Positions do not always ascend, so that equal
// values compare them.
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

// put offers a value to a cell, which has none yet if count is 0.
func (c *chosen[T]) put(at int, count int64, v T, pos int) {
	if c.places == nil {
		if count == 0 || c.wins(v, c.values[at], 0, 0) {
			c.values[at] = v
		}
		return
	}
	if count == 0 || c.wins(v, c.values[at], pos, c.places[at]) {
		c.values[at], c.places[at] = v, pos
	}
}

// merge offers what other cells have; counts and from are the counts of both before.
func (c *chosen[T]) merge(o *chosen[T], counts, from []int64) {
	for i, v := range o.values {
		if from[i] == 0 {
			continue
		}
		pos := 0
		if o.places != nil {
			pos = o.places[i]
		}
		c.put(i, counts[i], v, pos)
	}
}
