package lookup

import (
	"fmt"
	"unsafe"

	"drx/axial"
)

// A Record is an expansion record, {start, M, C} in the papers, with all that F* and its
// inverse need. The number of the chunk at index I of its segment is
//
//	q = Base + sum over j of Factor[j]*I[j]
//
// which is the papers' q = M + d*C[l] + sum over j != l of (I[j]-Lo[j])*C[j] with its
// constants gathered. Dimensions younger than the record have factor 0 and are left out.
// A sentinel, which covers a dimension before its first extension, has number -1.
type Record struct {
	Dim    int          // l, the dimension extended
	Side   axial.Side   // the side it grew on
	Start  int          // first index along Dim; on the low side the highest one
	Number axial.Number // M, the number of the segment's first chunk
	Seq    int          // position in the history, from 0; -1 for a sentinel
	Base   int64
	Factor []int64 // C, negative for Dim on the low side
	Lo     []int   // low bounds of the grid before the extension
}

// sentinel returns the record that covers a dimension from index start upwards.
func sentinel(dim, start int) Record {
	return Record{Dim: dim, Start: start, Number: -1, Seq: -1}
}

// newRecord returns the record of an extension of a grid with bounds [lo, hi). Intermediate sums
// may wrap around; the results are right, as in axial.Grid.
func newRecord(dim int, side axial.Side, seq int, number axial.Number, lo, hi []int) Record {
	k := len(lo)
	r := Record{
		Dim: dim, Side: side, Start: hi[dim], Number: number, Seq: seq,
		Base: int64(number), Factor: make([]int64, k), Lo: append(make([]int, 0, k), lo...),
	}
	product := int64(1)
	for d := k - 1; d >= 0; d-- {
		if d == dim {
			continue
		}
		r.Factor[d] = product
		r.Base -= int64(lo[d]) * product
		product *= int64(hi[d] - lo[d])
	}
	if side == axial.Low {
		r.Start = lo[dim] - 1
		product = -product
	}
	r.Factor[dim] = product
	r.Base -= int64(r.Start) * product
	return r
}

// Key returns the key of the record in an Index of its side.
func (r *Record) Key() int { return key(r.Side, r.Start) }

// key maps an index to a key; keys ascend outwards.
func key(side axial.Side, index int) int {
	if side == axial.Low {
		return ^index
	}
	return index
}

// Coef returns C, the non-negative coefficients of the papers, one for each dimension at the time
// of the extension; nil for a sentinel.
func (r *Record) Coef() []int {
	var c []int
	for _, f := range r.Factor {
		c = append(c, int(max(f, -f)))
	}
	return c
}

// number computes F* inside the segment of r.
func (r *Record) number(index []int) axial.Number {
	q := r.Base
	for d, f := range r.Factor {
		q += f * int64(index[d])
	}
	return axial.Number(q)
}

// index computes the inverse of F* inside the segment of r by repeated division by the
// coefficients, beginning with the largest, that of the extended dimension.
func (r *Record) index(q axial.Number, index []int) {
	rest := int64(q - r.Number)
	c := r.Factor[r.Dim]
	index[r.Dim] = r.Start + int(rest/c) // c < 0 on the low side
	rest %= c
	for d, c := range r.Factor {
		if d != r.Dim {
			index[d] = r.Lo[d] + int(rest/c)
			rest %= c
		}
	}
	clear(index[len(r.Factor):])
}

// check returns an error wrapping ErrOrder unless r's number lies between those of its
// neighbours, either of which may be nil.
func (r *Record) check(before, behind *Record) error {
	if before != nil && before.Number > r.Number {
		return fmt.Errorf("dimension %d: record at index %d with number %d after %d: %w",
			r.Dim, r.Start, r.Number, before.Number, ErrOrder)
	}
	if behind != nil && behind.Number < r.Number {
		return fmt.Errorf("dimension %d: record at index %d with number %d before %d: %w",
			r.Dim, r.Start, r.Number, behind.Number, ErrOrder)
	}
	return nil
}

const wordBytes = int(unsafe.Sizeof(0))

// recordBytes returns the memory behind a slice of records.
func recordBytes(records []Record) int {
	n := cap(records) * int(unsafe.Sizeof(Record{}))
	for i := range records {
		n += cap(records[i].Factor)*8 + cap(records[i].Lo)*wordBytes
	}
	return n
}
