package transfer

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/plan"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/nd"
)

// The elements that are moved together: those that are read in place, those that are first grouped by
// chunk to be read, the more of them the better, and those that are to be written, whose addresses take 20
// bytes each.
const (
	inPlaceElements = 1 << 11
	groupedElements = 1 << 13
	writtenElements = 1 << 20
)

// points are single elements of an array.
type points struct {
	number []axial.Number // of each element: its chunk
	within []int          // of each element: its offset in the chunk, in bytes
	byChunk
}

// locate computes where elements are, whose indices follow each other.
func (p *points) locate(s *state.State, indices []int) error {
	k := len(s.Lo)
	n := len(indices) / k
	p.number, p.within = slices.Grow(p.number[:0], n)[:n], slices.Grow(p.within[:0], n)[:n]
	if i := plan.LocateMany(s, indices, p.number, p.within); i < n {
		return nd.CheckIndex(indices[i*k:(i+1)*k], s.Lo, s.Hi)
	}
	return nil
}

// Gather reads the elements at indices, rank of them for each element, to buf. The error wraps
// nd.ErrBounds, or is that of Read.
func (c *Chunks) Gather(s *state.State, buf []byte, indices []int) error {
	k, elem := len(s.Lo), s.DType.Size()
	batch := groupedElements
	if c.Store.Picks() {
		batch = inPlaceElements
	}
	return inBatches(len(indices)/k, batch, c.Readers, func(from, to int) error {
		g := gathers.Get().(*gather)
		defer gathers.Put(g)
		return g.read(c, s, buf[from*elem:to*elem], indices[from*k:to*k])
	})
}

// inBatches calls f with the ranges of n elements, so many at a time, by several goroutines.
func inBatches(n, batch, goroutines int, f func(from, to int) error) error {
	return inParallel((n+batch-1)/batch, goroutines, func(i int) error { return f(i*batch, min(n, (i+1)*batch)) })
}

// A gather reads one batch of elements.
type gather struct {
	points
	rest []int32 // the elements that are not read yet
}

var gathers = sync.Pool{New: func() any { return new(gather) }}

func (g *gather) read(c *Chunks, s *state.State, buf []byte, indices []int) error {
	if err := g.locate(s, indices); err != nil {
		return err
	}
	if g.readReady(c, buf, s.DType.Size()); len(g.rest) == 0 {
		return nil
	}
	return g.readByChunk(c, s, buf)
}

// readReady reads the elements whose chunks are verified, mapped and unchanged, as a rule nearly all: the
// loads of hundreds wait for memory at the same time.
func (g *gather) readReady(c *Chunks, buf []byte, elem int) {
	e := chunkio.Elements{Chunks: g.number, Within: g.within, Size: elem, Skip: c.skip()}
	err := c.Store.Guard(func() error {
		g.rest = c.Store.Pick(e, buf, g.rest[:0])
		return nil
	})
	if err != nil { // in one of the files; reading chunk by chunk tells where
		g.rest = ascending(g.rest[:0], len(g.number))
	}
}

// readByChunk reads the rest of the elements, chunk by chunk.
func (g *gather) readByChunk(c *Chunks, s *state.State, buf []byte) error {
	numbers := make([]axial.Number, len(g.rest))
	for i, e := range g.rest {
		numbers[i] = g.number[e]
	}
	g.collect(numbers)
	elem := s.DType.Size()
	r := c.reserved()
	for group, list := range g.lists() {
		q := g.chunks[group]
		for i, at := range list {
			list[i] = g.rest[at]
		}
		if err := c.readElements(s, r, q, list, g.within, buf, elem); err != nil {
			return err
		}
	}
	return nil
}

// reserved returns what this process has reserved, nil if it alone writes.
func (c *Chunks) reserved() []nd.Section {
	if c.Reserved == nil {
		return nil
	}
	return c.Reserved()
}

// readElements reads the elements of a list, all of which are in chunk q.
func (c *Chunks) readElements(s *state.State, reserved []nd.Section, q axial.Number, list []int32, within []int, buf []byte, elem int) error {
	one := func(i int32) []byte { return buf[int(i)*elem : int(i+1)*elem] }
	if len(list) > 1 && c.Store.Room(q) {
		done, err := c.usePinned(q, 0, c.Store.ChunkBytes(), func(chunk []byte) {
			for _, i := range list {
				copy(one(i), chunk[within[i]:])
			}
		})
		if done || err != nil {
			return err
		}
	}
	for _, i := range list {
		if err := c.element(s, reserved, q, within[i], one(i)); err != nil {
			return err
		}
	}
	return nil
}

// Element reads the element at offset within of chunk q.
func (c *Chunks) Element(s *state.State, q axial.Number, within int, buf []byte) error {
	return c.element(s, c.reserved(), q, within, buf)
}

func (c *Chunks) element(s *state.State, reserved []nd.Section, q axial.Number, within int, buf []byte) error {
	done, err := c.usePinned(q, within, len(buf), func(b []byte) { copy(buf, b) })
	if done || err != nil {
		return err
	}
	chunk, unpin, err := c.pin(q, c.Reserved == nil || owns(s, reserved, q))
	if errors.Is(err, pool.ErrAbsent) {
		copy(buf, s.Fill)
		return nil
	}
	if err != nil {
		return err
	}
	defer unpin()
	copy(buf, chunk[within:])
	return nil
}

// usePinned calls use with n bytes from byte from on of chunk q, where they are in the file, and reports
// whether what use made of them counts. A fault of the file is no error: reading the chunk tells.
func (c *Chunks) usePinned(q axial.Number, from, n int, use func(b []byte)) (counts bool, err error) {
	if c.Pool.Holds(q) {
		return false, nil
	}
	err = c.Store.Guard(func() error {
		p, err := c.Store.Pin(q, from, n)
		if err == nil && p.Bytes != nil {
			use(p.Bytes)
			counts = c.Store.Unpin(&p)
		}
		return err
	})
	if errors.Is(err, chunkio.ErrUnwritten) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return counts && err == nil, err
}

// SetElement changes the element at offset within of chunk q.
func (c *Chunks) SetElement(s *state.State, q axial.Number, within int, value []byte) error {
	change := func(chunk []byte) { copy(chunk[within:], value) }
	done, err := c.Pool.Patch(q, 1, func() (bool, error) {
		return c.writePieces(q, []chunkio.Piece{{At: within, Bytes: value}}, s.Fill)
	}, change)
	if done || err != nil {
		return err
	}
	return c.Pool.Update(q, false, change)
}

// Scatter changes the elements at indices to those of buf, chunk by chunk in the order of the file. Of
// several values for one element the last counts. Errors are those of Gather and Write.
func (c *Chunks) Scatter(s *state.State, buf []byte, indices []int) error {
	k, elem := len(s.Lo), s.DType.Size()
	return inBatches(len(indices)/k, writtenElements, 1, func(from, to int) error {
		return c.scatter(s, buf[from*elem:to*elem], indices[from*k:to*k])
	})
}

func (c *Chunks) scatter(s *state.State, buf []byte, indices []int) error {
	var p points
	if err := p.locate(s, indices); err != nil {
		return err
	}
	p.collect(p.number)
	lists, elem := p.lists(), s.DType.Size()
	order := ascending(nil, len(p.chunks))
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(p.chunks[i], p.chunks[j]) })
	return inParallel(len(order), c.Readers, func(i int) error {
		q, list := p.chunks[order[i]], lists[order[i]]
		change := func(chunk []byte) {
			for _, e := range list {
				copy(chunk[p.within[e]:], buf[int(e)*elem:(int(e)+1)*elem])
			}
		}
		done, err := c.Pool.Patch(q, len(list), func() (bool, error) {
			return c.writePieces(q, p.pieces(list, buf, elem), s.Fill)
		}, change)
		if done || err != nil {
			return err
		}
		return c.Pool.Update(q, false, change)
	})
}

// pieces returns the elements of a list as pieces of their chunk, in order; of several values for one
// element the last.
func (p *points) pieces(list []int32, buf []byte, elem int) []chunkio.Piece {
	slices.SortStableFunc(list, func(i, j int32) int { return cmp.Compare(p.within[i], p.within[j]) })
	pieces := make([]chunkio.Piece, 0, len(list))
	for i, e := range list {
		if i+1 < len(list) && p.within[list[i+1]] == p.within[e] {
			continue
		}
		pieces = append(pieces, chunkio.Piece{At: p.within[e], Bytes: buf[int(e)*elem : (int(e)+1)*elem]})
	}
	return pieces
}
