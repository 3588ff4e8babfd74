// Package arraytest has arrays in memory for the tests of package relayout. They count the chunks
// that an array in files would move. They share no code with the prediction of costs: they examine
// every requested section.
package arraytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"drx/internal/strided"
	"drx/nd"
)

// A Grid is that of package planner, which this package does not import so that the tests of
// planner can import it.
type Grid struct {
	Lo, Hi     []int
	ChunkShape []int
	ElemSize   int
}

// Shape returns the extents of the grid.
func (g Grid) Shape() []int { return nd.Shape(g.Lo, g.Hi) }

// An Array is an array in memory.
type Array struct {
	Grid
	Data []byte // row-major

	Loads, Stores map[string]int         // how often chunks were read and written, by chunk index
	Partial       []string               // writes that left a part of a chunk out
	Source        *Array                 // forgets its cached chunk when this array is written
	Fail          func(write bool) error // called before every call; nil never fails
	NoCache       bool                   // do not cache the chunk read last

	mu     sync.Mutex
	cached string // chunk read last: an array keeps one in memory
}

// New returns an array of zeros.
func New(g Grid) *Array {
	return &Array{Grid: g, Data: make([]byte, g.ElemSize*volume(g.Shape())), Loads: map[string]int{}, Stores: map[string]int{}}
}

// Random returns an array of random bytes.
func Random(r *rand.Rand, g Grid) *Array {
	a := New(g)
	for i := range a.Data {
		a.Data[i] = byte(r.Uint32())
	}
	return a
}

// Lock calls f while no other call reads or writes the array.
func (a *Array) Lock(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

// Forget resets the number of reads and the cache.
func (a *Array) Forget() { a.Loads, a.cached = map[string]int{}, "" }

// ReadBytes reads a section and counts the chunks that it touches, except one in the cache.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.access(sec, buf, order, false)
}

// WriteBytes writes a section and counts the chunks that it touches.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.access(sec, buf, order, true)
}

// access checks a call and makes it.
func (a *Array) access(sec nd.Section, buf []byte, order nd.Order, write bool) error {
	lo, hi := sec.Bounds()
	shape := nd.Shape(lo, hi)
	if len(buf) != a.ElemSize*volume(shape) {
		return fmt.Errorf("buffer of %d bytes for %v", len(buf), sec)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Fail != nil {
		if err := a.Fail(write); err != nil {
			return err
		}
	}
	data, strides, dense := a.Data, byteStrides(nil, a.Shape(), a.ElemSize), byteStrides(order, shape, a.ElemSize)
	for d := range lo {
		data = data[(lo[d]-a.Lo[d])*strides[d]:]
	}
	if !write {
		a.chunksOf(lo, hi, a.countRead)
		strided.Copy(buf, dense, data, strides, shape, a.ElemSize)
		return nil
	}
	a.chunksOf(lo, hi, a.countWrite)
	strided.Copy(data, strides, buf, dense, shape, a.ElemSize)
	if a.Source != nil {
		a.Source.Lock(func() { a.Source.cached = "" })
	}
	return nil
}

// countRead counts a read of a chunk, unless it is in the cache and read in part.
func (a *Array) countRead(chunk string, whole bool) {
	if whole || a.NoCache || a.cached != chunk {
		a.Loads[chunk]++
	}
	a.cached = chunk
}

// countWrite counts a write of a chunk.
func (a *Array) countWrite(chunk string, whole bool) {
	a.Stores[chunk]++
	if !whole {
		a.Partial = append(a.Partial, chunk)
	}
}

// chunksOf calls see with every chunk that a box touches. whole reports whether the box has all of
// the chunk within the bounds.
func (a *Array) chunksOf(lo, hi []int, see func(chunk string, whole bool)) {
	first, end := make([]int, len(lo)), make([]int, len(lo))
	for d, c := range a.ChunkShape {
		first[d], end[d] = nd.FloorDiv(lo[d], c), nd.FloorDiv(hi[d]-1, c)+1
	}
	at := slices.Clone(first)
	for more := true; more; more = nd.Next(at, first, end) {
		whole := true
		for d, c := range a.ChunkShape {
			whole = whole && lo[d] <= max(at[d]*c, a.Lo[d]) && hi[d] >= min((at[d]+1)*c, a.Hi[d])
		}
		see(fmt.Sprint(at), whole)
	}
}

// byteStrides returns the distances of neighbours in a dense buffer, in bytes.
func byteStrides(order nd.Order, shape []int, elemSize int) []int {
	strides := order.Strides(shape)
	for d := range strides {
		strides[d] *= elemSize
	}
	return strides
}

// Transposed returns the data with the dimensions in another order.
func (a *Array) Transposed(order nd.Order) []byte {
	want := make([]byte, len(a.Data))
	shape := a.Shape()
	strided.Copy(want, byteStrides(order, shape, a.ElemSize), a.Data, byteStrides(nil, shape, a.ElemSize), shape, a.ElemSize)
	return want
}

// Clipped returns little-endian unsigned integers converted from one number of bytes to another.
func Clipped(data []byte, from, to int) []byte {
	var all []byte
	for ; len(data) > 0; data = data[from:] {
		v := slices.Clone(data[:from])
		for len(v) < to {
			v = append(v, 0)
		}
		if slices.ContainsFunc(v[to:], func(b byte) bool { return b != 0 }) {
			v = slices.Repeat([]byte{255}, to)
		}
		all = append(all, v[:to]...)
	}
	return all
}

// Sum returns the sum of counts.
func Sum(counts map[string]int) (n int64) {
	for _, c := range counts {
		n += int64(c)
	}
	return n
}

// RandomGrids returns a source and a target of at most about the given number of elements, of one
// byte, and the order of dimensions between them.
func RandomGrids(r *rand.Rand, elements int) (src, dst Grid, order nd.Order) {
	k := 1 + r.IntN(4)
	for _, d := range r.Perm(k) {
		order = append(order, d)
	}
	if r.IntN(3) == 0 {
		order = nil
	}
	src = Grid{make([]int, k), make([]int, k), make([]int, k), 1}
	dst = Grid{make([]int, k), make([]int, k), make([]int, k), 1}
	for d := range k {
		n := 1 + r.IntN(max(1, min(60, elements)))
		elements /= n
		src.Lo[d] = r.IntN(41) - 20
		src.Hi[d] = src.Lo[d] + n
		src.ChunkShape[d] = 1 + r.IntN(min(n+2, 17))
	}
	shape := order.Apply(src.Shape())
	for d := range k {
		if r.IntN(2) == 0 {
			dst.Lo[d] = r.IntN(41) - 20
		}
		dst.Hi[d] = dst.Lo[d] + shape[d]
		dst.ChunkShape[d] = 1 + r.IntN(min(shape[d]+2, 17))
	}
	if r.IntN(4) == 0 { // lines of one dimension to lines of another, which needs several passes
		for d, e := range order.Dims(k) {
			src.ChunkShape[e], dst.ChunkShape[d] = 1, 1
			if d == 0 {
				dst.ChunkShape[d] = shape[d]
			}
			if d == k-1 {
				src.ChunkShape[e] = shape[d]
			}
		}
	}
	return src, dst, order
}

func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// Trials returns how many of n random trials to make: under the race detector, which is ten times
// slower, a fifth.
func Trials(n uint64) uint64 {
	if Race {
		return n / 5
	}
	return n
}
