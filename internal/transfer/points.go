package transfer

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/fanout"
	"drx/internal/plan"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/nd"
)

// The numbers of elements that are moved together: read in place; grouped by chunk for reading,
// which is faster with more of them; and written. Each element has an address of 20 bytes.
const (
	inPlaceElements = 1 << 11
	groupedElements = 1 << 13
	writtenElements = 1 << 20
)

// points are single elements of an array.
type points struct {
	number []axial.Number // per element: the number of its chunk
	within []int          // per element: its offset in the chunk, in bytes
	byChunk
}

// locate computes the chunks and offsets of elements, whose indices are concatenated.
func (p *points) locate(s *state.State, indices []int) error {
	k := len(s.Lo)
	n := len(indices) / k
	p.number, p.within = slices.Grow(p.number[:0], n)[:n], slices.Grow(p.within[:0], n)[:n]
	if i := plan.LocateMany(s, indices, p.number, p.within); i < n {
		return nd.CheckIndex(indices[i*k:(i+1)*k], s.Lo, s.Hi)
	}
	return nil
}

// Gather reads elements into buf; indices has rank numbers for each. The error wraps nd.ErrBounds,
// or is one of Read.
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

// inBatches divides n elements into batches and calls f for the range of each, in several
// goroutines.
func inBatches(n, batch, goroutines int, f func(from, to int) error) error {
	return fanout.Each((n+batch-1)/batch, goroutines, func(i int) error { return f(i*batch, min(n, (i+1)*batch)) })
}

// A gather reads one batch of elements.
type gather struct {
	points
	remaining []int32 // the elements that are not read yet
}

var gathers = sync.Pool{New: func() any { return new(gather) }}

func (g *gather) read(c *Chunks, s *state.State, buf []byte, indices []int) error {
	if err := g.locate(s, indices); err != nil {
		return err
	}
	if g.readReady(c, buf, s.DType.Size()); len(g.remaining) == 0 {
		return nil
	}
	return g.readByChunk(c, s, buf)
}

// readReady reads the elements whose chunks are verified, mapped and unchanged, usually nearly all.
// It is fast because the loads of hundreds of elements wait for memory at the same time. The others
// stay in g.remaining.
func (g *gather) readReady(c *Chunks, buf []byte, elem int) {
	e := chunkstore.Elements{Chunks: g.number, Within: g.within, Size: elem, Skip: c.skipPooled()}
	err := c.Store.Guard(func() error {
		g.remaining = c.Store.Pick(e, buf, g.remaining[:0])
		return nil
	})
	if err != nil { // a file is damaged; reading chunk by chunk finds out where
		g.remaining = ascending(g.remaining[:0], len(g.number))
	}
}

// readByChunk reads the remaining elements, chunk by chunk.
func (g *gather) readByChunk(c *Chunks, s *state.State, buf []byte) error {
	numbers := make([]axial.Number, len(g.remaining))
	for i, e := range g.remaining {
		numbers[i] = g.number[e]
	}
	g.group(numbers)
	elem := s.DType.Size()
	r := c.reserved()
	for group, list := range g.elementsByChunk() {
		q := g.chunks[group]
		for i, at := range list {
			list[i] = g.remaining[at]
		}
		if err := c.readElements(s, r, q, list, g.within, buf, elem); err != nil {
			return err
		}
	}
	return nil
}

// readElements reads the elements of a list, which are all in chunk q.
func (c *Chunks) readElements(s *state.State, reserved []nd.Section, q axial.Number, list []int32, within []int, buf []byte, elem int) error {
	element := func(i int32) []byte { return buf[int(i)*elem : int(i+1)*elem] }
	if len(list) > 1 && c.Store.FitsBudget(q) {
		done, err := c.usePinned(q, 0, c.Store.ChunkBytes(), func(chunk []byte) {
			for _, i := range list {
				copy(element(i), chunk[within[i]:])
			}
		})
		if done || err != nil {
			return err
		}
	}
	for _, i := range list {
		if err := c.element(s, reserved, q, within[i], element(i)); err != nil {
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
	chunk, release, err := c.load(q, c.Reserved == nil || owns(s, reserved, q))
	if errors.Is(err, pool.ErrAbsent) {
		copy(buf, s.Fill)
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	copy(buf, chunk[within:])
	return nil
}

// usePinned calls use with n bytes of chunk q in place, from byte from on. It returns false if that
// is not possible, if the chunk was never written, or if it changed meanwhile, so that the result
// of use is invalid. It also returns false after a fault of the file: reading the chunk then
// returns the error.
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
	if errors.Is(err, chunkstore.ErrUnwritten) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return counts && err == nil, err
}

// SetElement changes the element at offset within of chunk q.
func (c *Chunks) SetElement(s *state.State, q axial.Number, within int, value []byte) error {
	change := func(chunk []byte) { copy(chunk[within:], value) }
	done, err := c.Pool.Patch(q, 1, func() (bool, error) {
		return c.writePieces(q, []chunkstore.Piece{{At: within, Bytes: value}}, s.Fill)
	}, change)
	if done || err != nil {
		return err
	}
	return c.Pool.Update(q, false, change)
}

// Scatter writes elements from buf; indices has rank numbers for each. It writes chunk by chunk, in
// file order. If an index occurs several times, the last value wins. Errors are those of Gather and
// Write.
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
	p.group(p.number)
	lists, elem := p.elementsByChunk(), s.DType.Size()
	order := ascending(nil, len(p.chunks))
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(p.chunks[i], p.chunks[j]) })
	return fanout.Each(len(order), c.Readers, func(i int) error {
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

// pieces returns the elements of a list as pieces of their chunk, in order. If an element occurs
// several times, it keeps the last value.
func (p *points) pieces(list []int32, buf []byte, elem int) []chunkstore.Piece {
	slices.SortStableFunc(list, func(i, j int32) int { return cmp.Compare(p.within[i], p.within[j]) })
	pieces := make([]chunkstore.Piece, 0, len(list))
	for i, e := range list {
		if i+1 < len(list) && p.within[list[i+1]] == p.within[e] {
			continue
		}
		pieces = append(pieces, chunkstore.Piece{At: p.within[e], Bytes: buf[int(e)*elem : (int(e)+1)*elem]})
	}
	return pieces
}
