package stats

// needs lists the parts of a state that the requested statistics need.
type needs struct {
	sum, squares, missing bool        // missing only if it is not capacity minus count
	extremes              map[Op]bool // Min, Max, First, Last: whether positions are needed
	lists                 bool        // all values, for quantiles
	weights               bool        // the sums of the weights
}

// needsOf returns the parts that the given statistics need.
func needsOf(funcs []Func) needs {
	n := needs{extremes: map[Op]bool{}}
	for _, f := range funcs {
		switch f.Op {
		case Sum, Mean:
			n.sum = true
		case Std, Var:
			n.sum, n.squares = true, true
		case Quantile:
			n.lists = true
		case Min, Max:
			positions := n.extremes[f.Op] // keep positions if ArgMin or ArgMax needs them
			n.extremes[f.Op] = positions
		case ArgMin:
			n.extremes[Min] = true
		case ArgMax:
			n.extremes[Max] = true
		case First, Last:
			n.extremes[f.Op] = true
		}
	}
	return n
}

// bytesPerCell estimates the memory of a cell of a state in bytes, without lists.
func (n needs) bytesPerCell() int {
	bytes := 8
	for _, has := range []bool{n.missing, n.missing, n.sum, n.sum, n.squares, n.squares, n.weights, n.weights} {
		if has {
			bytes += 8
		}
	}
	return bytes + 16*len(n.extremes)
}

// A state accumulates the elements of some cells for all requested statistics. States of the same
// cells with different elements can be merged.
type state[T number] struct {
	needs    needs
	counts   []int64
	missing  []int64 // nil unless missing elements are counted
	sums     summer[T]
	squares  squares[T]
	weights  []dd // the sum of the weights of each cell; nil without weights
	extremes map[Op]*extremes[T]
	lists    *lists[T]
	// quantiles are the quantiles of each cell, by percentage, if extra passes have found them.
	quantiles map[float64][]float64
}

// newState returns a state of the given number of cells, without lists.
func newState[T number](n needs, cells int) *state[T] {
	s := &state[T]{needs: n, counts: make([]int64, cells), extremes: map[Op]*extremes[T]{}}
	if n.missing {
		s.missing = make([]int64, cells)
	}
	if n.sum {
		s.sums = newSummer[T](cells)
	}
	if n.weights {
		s.weights = make([]dd, cells)
	}
	if n.squares {
		s.squares = make(squares[T], cells)
	}
	for op, positions := range n.extremes {
		s.extremes[op] = newExtremes[T](op, cells, positions)
	}
	return s
}

// add adds a run: element i to cell at+i*stride, where stride is 0 or 1.
func (s *state[T]) add(r *run[T], at, stride int) {
	if s.sums != nil {
		s.sums.add(r, at, stride)
	}
	if s.squares != nil {
		s.squares.add(r, at, stride)
	}
	for _, c := range s.extremes {
		c.add(r, at, stride, s.counts)
	}
	if s.lists != nil {
		s.lists.add(r, at, stride, s.counts)
	}
	if s.weights != nil {
		for i, w := range r.weights {
			if !r.omits(i) {
				s.weights[at+i*stride].add(w)
			}
		}
	}
	s.count(r, at, stride)
}

// count counts the elements of a run. It must be called last: the other parts use the old counts.
func (s *state[T]) count(r *run[T], at, stride int) {
	if r.flags == nil {
		if stride == 0 {
			s.counts[at] += int64(len(r.values))
			return
		}
		counts := s.counts[at:][:len(r.values)]
		for i := range counts {
			counts[i]++
		}
		return
	}
	for i, flag := range r.flags {
		switch {
		case flag == 0:
			s.counts[at+i*stride]++
		case flag == isMissing && s.missing != nil:
			s.missing[at+i*stride]++
		}
	}
}

// merge adds the elements of another state of the same cells. Lists are not merged: values are only
// listed in plans of one segment.
func (s *state[T]) merge(o *state[T]) {
	if s.sums != nil {
		s.sums.merge(o.sums)
	}
	mergeSums(s.squares, o.squares)
	mergeSums(s.weights, o.weights)
	for op, c := range s.extremes {
		c.merge(o.extremes[op], s.counts, o.counts)
	}
	for i, n := range o.counts {
		s.counts[i] += n
	}
	for i, n := range o.missing {
		s.missing[i] += n
	}
}

// memory returns the bytes of all parts of a state but lists, in a fixed order.
func (s *state[T]) memory() [][]byte {
	list := [][]byte{memoryOf(s.counts), memoryOf(s.missing), memoryOf(s.squares), memoryOf(s.weights)}
	if s.sums != nil {
		list = append(list, s.sums.memory())
	}
	for _, op := range []Op{Min, Max, First, Last} {
		if c := s.extremes[op]; c != nil {
			list = append(list, memoryOf(c.values), memoryOf(c.positions))
		}
	}
	return list
}

// encode appends the state. There are no lists, as in merge.
func (s *state[T]) encode(b []byte) []byte {
	for _, part := range s.memory() {
		b = append(b, part...)
	}
	return b
}

func (s *state[T]) decode(b []byte) {
	for _, part := range s.memory() {
		b = b[copy(part, b):]
	}
}

// addTimes adds a value to a cell n times. Its positions are unknown, so it must not be used for
// statistics with positions or lists.
func (s *state[T]) addTimes(at int, v T, n int64) {
	if s.sums != nil {
		s.sums.addTimes(at, v, n)
	}
	if s.squares != nil {
		x := float64(v)
		s.squares[at].addProduct(x*float64(n), x) // n is at most 2^53, exact as float64
	}
	for _, c := range s.extremes {
		c.offer(at, s.counts[at], v, 0)
	}
	s.counts[at] += n
}
