package stats

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"drx/dtype"
	"drx/nd"
)

// The number types in which elements are reduced, see plan.numbers.
const (
	floatNumbers = iota
	signedNumbers
	unsignedNumbers
)

// numbers returns the number type of the reduction. Unscaled integers without weights stay
// integers.
func (p *plan) numbers() int {
	if p.of.IsPacked() || p.of.Indices() > 0 || p.req.Weights != nil {
		return floatNumbers
	}
	switch p.of.Number() {
	case dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
		return signedNumbers
	case dtype.Bool, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64:
		return unsignedNumbers
	}
	return floatNumbers
}

// typeOf returns the type of the values of statistic f.
func (p *plan) typeOf(f Func) dtype.DType {
	switch {
	case f.IsCount() || f.isIndex():
		return dtype.Int64
	case !f.keepsType():
		return dtype.Float64
	}
	return []dtype.DType{dtype.Float64, dtype.Int64, dtype.Uint64}[p.numbers()]
}

// newResult returns the result of a plan, without its values.
func (p *plan) newResult() *Result {
	r := &Result{}
	for _, d := range p.out {
		x := Axis{Dim: d, Cells: p.axes[d].ranges}
		if g := p.groups[d]; g != nil {
			x = Axis{Dim: d, Group: g}
		}
		r.Axes = append(r.Axes, x)
	}
	n, _ := nd.Product(p.shape()...) // setTiles has checked the product
	p.setColumns(r, n)
	return r
}

func (p *plan) setColumns(r *Result, n int) {
	r.Count = make([]int64, n)
	for _, f := range p.req.Funcs {
		r.Columns = append(r.Columns, Column{f, p.typeOf(f), make([]byte, 8*n)})
	}
}

// store copies the results of tile t into the whole result, row by row.
func (r *Result) store(t *tile, part *Result) {
	shape := r.Shape()
	strides := nd.Order(nil).Strides(shape)
	start := 0
	for k, at := range t.origin {
		start += at * strides[k]
	}
	rank := len(shape)
	row := 1
	if rank > 0 {
		row = t.shape[rank-1]
	}
	outer := max(0, rank-1)
	index, lo := make([]int, outer), make([]int, outer)
	for from := 0; from < t.cells && row > 0; from += row {
		to := start
		for k, i := range index {
			to += i * strides[k]
		}
		copy(r.Count[to:], part.Count[from:][:row])
		for c := range r.Columns {
			copy(r.Columns[c].Data[8*to:], part.Columns[c].Data[8*from:][:8*row])
		}
		nd.Next(index, lo, t.shape[:outer])
	}
}

// capacity returns the largest number of elements for each cell of a tile.
func (p *plan) capacity(t *tile) func(cell int) int {
	others, sizes := p.per, make([][]int, len(p.grouped))
	for k, d := range p.grouped {
		others /= max(1, len(p.groups[d].of))
		sizes[k] = p.groups[d].size()
	}
	return func(cell int) int {
		n := others
		for k, d := range p.grouped {
			n *= sizes[k][cell/t.stride[d]%len(sizes[k])]
		}
		return n
	}
}

// finish returns the statistics of tile t, from its state.
func finish[T number](ctx context.Context, p *plan, t *tile, s *state[T]) (*Result, error) {
	if p.passes {
		found, err := findQuantiles(ctx, p, t, s)
		if err != nil {
			return nil, err
		}
		s.quantiles = found
	}
	part := &Result{}
	p.setColumns(part, 0)
	part.Count = s.counts
	capacity := p.capacity(t)
	for c := range part.Columns {
		part.Columns[c].Data = make([]byte, 0, 8*t.cells)
	}
	for i := range t.cells {
		for c := range part.Columns {
			column := &part.Columns[c]
			bits, err := valueOf(p, s, column.Func, i, capacity)
			if err != nil {
				return nil, err
			}
			column.Data = binary.LittleEndian.AppendUint64(column.Data, bits)
		}
	}
	return part, nil
}

// plainNaN is the bit pattern of the NaN that DRX stores. math.NaN has a different one.
const plainNaN = 0x7ff8 << 48

func floatBits(v float64) uint64 {
	if math.IsNaN(v) {
		return plainNaN
	}
	return math.Float64bits(v)
}

// bitsOf returns the 64 bits of a number.
func bitsOf[T number](v T) uint64 {
	if f, ok := any(v).(float64); ok {
		return floatBits(f)
	}
	return uint64(v)
}

// valueOf returns the 64 bits of statistic f for cell i.
func valueOf[T number](p *plan, s *state[T], f Func, i int, capacity func(cell int) int) (uint64, error) {
	n := s.counts[i]
	switch {
	case f.Op == Count:
		return uint64(n), nil
	case f.Op == Missing && s.missing != nil:
		return uint64(s.missing[i]), nil
	// Without a mask, every element that was not counted is missing.
	case f.Op == Missing:
		return uint64(int64(capacity(i)) - n), nil
	case n == 0 && p.typeOf(f) == dtype.Float64:
		return plainNaN, nil
	case n == 0:
		return 0, nil
	}
	switch f.Op {
	case Sum:
		v, err := s.sums.sum(i)
		return bitsOf(v), err
	case Mean:
		return floatBits(s.sums.dd(i).over(s.weight(i)).value()), nil
	case Var:
		return floatBits(variance(p, s, i)), nil
	case Std:
		return floatBits(math.Sqrt(variance(p, s, i))), nil
	case Quantile:
		if p.passes {
			return floatBits(s.quantiles[f.Percent][i]), nil
		}
		return floatBits(quantile[T](s.lists.of(i, s.counts), f.Percent)), nil
	case ArgMin:
		return uint64(p.indexAt(s.extremes[Min].positions[i])), nil
	case ArgMax:
		return uint64(p.indexAt(s.extremes[Max].positions[i])), nil
	}
	return bitsOf(s.extremes[f.Op].values[i]), nil
}

// weight returns the divisor of a mean: the sum of the weights of cell i, or its count.
func (s *state[T]) weight(i int) dd {
	if s.weights != nil {
		return s.weights[i]
	}
	return dd{hi: float64(s.counts[i])}
}

// variance returns the variance of cell i, NaN if it has no more elements than degrees of freedom.
func variance[T number](p *plan, s *state[T], i int) float64 {
	w := s.weight(i)
	sum := squareDistance(s.sums.dd(i), s.squares[i], w)
	if w.hi -= float64(p.req.DDOF); w.value() <= 0 {
		return math.NaN()
	}
	return sum / w.value()
}

// indexAt returns the index at a position along the only reduced dimension.
func (p *plan) indexAt(position int) int {
	x := &p.axes[p.along]
	i := slices.IndexFunc(x.positions, func(n int) bool { return n > position }) - 1
	return x.ranges[i].Lo + (position-x.positions[i])*x.ranges[i].Stride()
}
