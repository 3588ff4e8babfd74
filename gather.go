package drx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"drx/dtype"
	"drx/internal/chunkio"
	"drx/internal/state"
)

// Gather reads single elements, many at once: element i of dst is the one whose index is
// indices[i*rank : (i+1)*rank]. All addresses are computed first, so that many elements are on
// their way from memory at a time. The error wraps ErrSize
// when there are not rank indices per element, and is otherwise as At's; dst may have changed
// then.
func Gather[T dtype.Element](a *Array, dst []T, indices []int) error {
	s, done, err := beginMany[T](a, "gather", false, len(dst), indices)
	if err != nil {
		return err
	}
	defer done()
	buf, elem := dtype.Bytes(dst), s.DType.Size()
	batch := gatherBatch
	if a.store.Picks() {
		batch = pickBatch
	}
	err = inBatches(len(dst), batch, a.parallel, func(from, to int) error {
		return a.gather(s, buf[from*elem:to*elem], indices[from*len(s.Lo):to*len(s.Lo)])
	})
	s.DType.ToLittle(buf) // and from it: the same swap
	return a.errorf("gather", err)
}

func errIndices(n int, indices []int, rank int) error {
	return fmt.Errorf("%d numbers for the indices of %d elements of rank %d: %w", len(indices), n, rank, ErrSize)
}

// How many elements are looked at together: those that are picked, those that are collected by chunk,
// the more the better, by several goroutines, and those that are held with their addresses, 20 bytes
// each, to be written.
const (
	pickBatch    = 1 << 11
	gatherBatch  = 1 << 13
	scatterBatch = 1 << 20
)

// beginMany begins an operation on elements.
func beginMany[T dtype.Element](a *Array, op string, write bool, n int, indices []int) (*state.State, func(), error) {
	done, err := a.beginChunks(op, write)
	if err != nil {
		return nil, nil, err
	}
	s := a.state.Load()
	err = checkType[T](s)
	if k := len(s.Lo); err == nil && (len(indices)%k != 0 || len(indices)/k != n) {
		err = errIndices(n, indices, k)
	}
	if err != nil {
		done()
		return nil, nil, a.errorf(op, err)
	}
	return s, done, nil
}

// inBatches calls f with the ranges of n elements, so many at a time, by several goroutines.
func inBatches(n, batch, goroutines int, f func(from, to int) error) error {
	return inParallel((n+batch-1)/batch, goroutines, func(i int) error {
		return f(i*batch, min(n, (i+1)*batch))
	})
}

// A gathering reads one batch of elements.
type gathering struct {
	places
	left  []int32        // elements that the first look leaves, the ones that places are of then
	views []chunkio.View // of the chunks; without bytes where they are not to be had in place
	data  [][]byte       // their bytes
	none  bool           // of some there are none
}

var gatherings = sync.Pool{New: func() any { return new(gathering) }}

// gather reads the elements at indices to buf.
func (a *Array) gather(s *state.State, buf []byte, indices []int) error {
	g := gatherings.Get().(*gathering)
	defer gatherings.Put(g)
	if err := g.locate(s, indices); err != nil {
		return err
	}
	if g.pick(a, buf, s.DType.Size()); len(g.left) == 0 {
		return nil
	}
	g.keep(g.left)
	g.collect(g.number)
	err := a.store.Guard(func() error {
		g.view(a)
		g.copyOut(buf, s.DType.Size())
		g.settle(a)
		return nil
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		g.data, g.none, err = make([][]byte, len(g.chunks)), true, nil
	}
	if err != nil || !g.none {
		return err
	}
	return g.readOthers(a, s, buf)
}

// pick reads what is to be had without a look at each chunk: as a rule nearly all.
func (g *gathering) pick(a *Array, buf []byte, elem int) {
	e := chunkio.Elements{Chunks: g.number, Within: g.within, Size: elem}
	g.left = a.picked(&e, g.left[:0], func(left []int32) []int32 { return a.store.Pick(e, buf, left) })
}

// picked calls pick, which picks elements of chunks that the pool does not hold, and returns the numbers of
// those that are left: after a fault in one of them all, and a look at each will say in which.
func (a *Array) picked(e *chunkio.Elements, left []int32, pick func(left []int32) []int32) []int32 {
	if !a.pool.Empty() {
		e.Skip = a.pool.Holds
	}
	err := a.store.Guard(func() error {
		left = pick(left)
		return nil
	})
	if err != nil {
		left = left[:0]
		for i := range e.Chunks {
			left = append(left, int32(i))
		}
	}
	return left
}

// view looks where the chunks are.
func (g *gathering) view(a *Array) {
	g.views, g.data, g.none = g.views[:0], g.data[:0], false
	for _, q := range g.chunks {
		var v chunkio.View
		if !a.pool.Holds(q) && a.store.Room(q) {
			v, _ = a.store.View(q, 0, a.store.ChunkBytes()) // fill values are left to readOthers
		}
		g.views, g.data = append(g.views, v), append(g.data, v.Bytes)
		g.none = g.none || v.Bytes == nil
	}
}

// copyOut copies the elements of chunks that have bytes.
func (g *gathering) copyOut(buf []byte, elem int) {
	le := binary.LittleEndian
	for i, group := range g.group {
		chunk, at, to := g.data[group], g.within[i], g.element(buf, i, elem)
		switch {
		case chunk == nil:
		case elem == 4:
			le.PutUint32(to, le.Uint32(chunk[at:]))
		case elem == 8:
			le.PutUint64(to, le.Uint64(chunk[at:]))
		default:
			copy(to, chunk[at:])
		}
	}
}

// element returns the place in buf of element i of those left.
func (g *gathering) element(buf []byte, i, elem int) []byte {
	to := int(g.left[i]) * elem
	return buf[to : to+elem]
}

// settle ends the use of the views. What was copied from chunks that have changed meanwhile
// does not count.
func (g *gathering) settle(a *Array) {
	for i, v := range g.views {
		if v.Bytes != nil && !a.store.Still(v) {
			g.data[i], g.none = nil, true
		}
	}
}

// readOthers reads the elements of chunks without bytes one by one.
func (g *gathering) readOthers(a *Array, s *state.State, buf []byte) error {
	elem := s.DType.Size()
	for i, group := range g.group {
		if g.data[group] == nil {
			if err := a.element(s, g.chunks[group], g.within[i], g.element(buf, i, elem)); err != nil {
				return err
			}
		}
	}
	return nil
}
