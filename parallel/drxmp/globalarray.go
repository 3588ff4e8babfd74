package drxmp

import (
	"fmt"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/par"
)

// A GlobalArray is an array in the memory of all procs, as in Global Arrays; the papers call it a
// distributed array. Each proc holds its zone, and reaches the elements of all zones by one-sided
// calls, with the indices of the array file.
//
// Get, Put and Accumulate are calls of one proc; par.Window defines which of them may overlap
// between two fences. Methods whose comment says collective are called by all procs.
type GlobalArray[T dtype.Element] struct {
	a             *Array
	number        int      // distinguishes the global arrays of a
	comm          par.Comm // used by this global array only
	order         nd.Order // of the elements of each zone
	decomposition *Decomposition
	window        par.Window
}

// NewGlobalArray creates a global array with the present decomposition of an array file,
// collective. All elements have the fill value; Load reads them. Each zone has the extents of
// Zone.Shape and is row-major or in the given order, which is the same on all procs. T must be the
// Go type of the array's element type (drx.ErrDType).
func NewGlobalArray[T dtype.Element](a *Array, order ...nd.Order) (*GlobalArray[T], error) {
	g := &GlobalArray[T]{a: a}
	o, err := checkType[T](a, order)
	if err == nil {
		g.order, err = o, o.Check(len(a.Shape()))
	}
	t := a.beginTurn()
	defer t.end()
	if err := t.agree(fmt.Sprintf("global array in order %v", o), false, err); err != nil {
		return nil, err
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if g.comm, err = a.comm.Split(0, a.comm.Proc()); err != nil {
		return nil, err
	}
	a.globalArrays++
	g.number = a.globalArrays
	if err := g.open(); err != nil {
		return nil, err
	}
	return g, nil
}

// open opens a window for the present zones of the array, with a.mu held.
func (g *GlobalArray[T]) open() error {
	window, err := g.comm.Window(g.a.zone().Len() * g.a.dtype.Size())
	if err != nil {
		return err
	}
	g.window, g.decomposition = window, g.a.decomposition
	fill := dtype.Bytes(make([]T, 1))
	copy(fill, g.a.member.array.FillValue())
	g.a.dtype.ToLittle(fill) // also converts from it: the swap is the same
	local := g.window.Local()
	for n := copy(local, fill); n < len(local); n *= 2 {
		copy(local[n:], local[:n])
	}
	return g.window.Fence()
}

// Zone returns the zone that this proc holds. It is the zone of the array at the time of
// NewGlobalArray or of the last Follow.
func (g *GlobalArray[T]) Zone() *Zone { return g.decomposition.Zone(g.comm.Proc()) }

// Decomposition returns the decomposition of the global array, see Zone.
func (g *GlobalArray[T]) Decomposition() *Decomposition { return g.decomposition }

// Local returns the elements of this proc's zone; it is valid until Follow or Close. Other procs
// see changes of them after Fence.
func (g *GlobalArray[T]) Local() []T {
	b := g.window.Local()
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), g.Zone().Len())
}

// Get reads a section from the procs that hold it into data, which is dense, row-major or in the
// order given, and has the length of the section. The error wraps drx.ErrRank, ErrBounds or
// ErrSize, or is that of par.Window.
func (g *GlobalArray[T]) Get(sec nd.Section, data []T, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return g.eachPart("get", sec, len(data), order, func(p int, there, here par.Layout) error {
		return g.window.Get(p, there, buf, here)
	})
}

// Put writes a section to the procs that hold it, from data, laid out as Get describes.
func (g *GlobalArray[T]) Put(sec nd.Section, data []T, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return g.eachPart("put", sec, len(data), order, func(p int, there, here par.Layout) error {
		return g.window.Put(p, there, buf, here)
	})
}

// Accumulate combines a section, on the procs that hold it, with data, laid out as Get describes:
// an element x becomes op(x, y), with y from data. Each element is updated atomically. It returns
// the error of Get, or one that wraps drx.ErrDType if there is no such operation on elements of
// type T.
func (g *GlobalArray[T]) Accumulate(sec nd.Section, data []T, op par.Op, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return g.eachPart("accumulate", sec, len(data), order, func(p int, there, here par.Layout) error {
		return g.window.Accumulate(p, there, buf, here, g.a.dtype, op)
	})
}

// eachPart calls f for every part of a section that one proc holds, with the layout of the part in
// that proc's window and in data; both list the elements in the same order. n is the length of
// data.
func (g *GlobalArray[T]) eachPart(op string, sec nd.Section, n int, order []nd.Order, f func(p int, there, here par.Layout) error) error {
	o, err := checkType[T](g.a, order)
	if err == nil {
		sec, err = sec.Resolve(g.decomposition.lo, g.decomposition.hi)
	}
	if err == nil {
		err = o.Check(len(sec))
	}
	if err != nil {
		return g.a.errorf(op, err)
	}
	shape := sec.Shape()
	if size, err := nd.Product(shape...); err != nil || size != n {
		return g.a.errorf(op, errkind.Errorf(drx.ErrSize, "the buffer has %d elements, the section %v", n, shape))
	}
	return g.a.errorf(op, g.eachStridedPart(sec, o.Strides(shape), f))
}

// eachStridedPart is eachPart for data with strides, in elements.
func (g *GlobalArray[T]) eachStridedPart(sec nd.Section, strides []int, f func(p int, there, here par.Layout) error) error {
	for p := range g.decomposition.Procs() {
		z := g.decomposition.Zone(p)
		remote := g.order.Strides(z.shape)
		for _, part := range z.parts(sec) {
			if err := f(p, g.layout(part, part.local, remote, part.step), g.layout(part, part.pos, strides, nil)); err != nil {
				return err
			}
		}
	}
	return nil
}

// layout returns the layout of a part in memory with the given strides. The first element is at
// index at; the next one of each dimension is steps further, or 1 if steps is nil. The dimension
// that varies slowest in the zones comes first.
func (g *GlobalArray[T]) layout(p part, at, strides, steps []int) par.Layout {
	elem := g.a.dtype.Size()
	shape := p.sec.Shape()
	l := par.Layout{Bytes: elem}
	for _, d := range g.order.Dims(len(shape)) {
		step := strides[d] * elem
		l.Offset += at[d] * step
		if steps != nil {
			step *= steps[d]
		}
		l.Count, l.Stride = append(l.Count, shape[d]), append(l.Stride, step)
	}
	return l
}

// Fence is a barrier, collective: after it all procs see what any of them has done before it. Like
// other collective calls on the array it waits for those in the background.
func (g *GlobalArray[T]) Fence() error {
	t := g.a.beginTurn()
	defer t.end()
	if err := g.agree(t, "fence"); err != nil {
		return err
	}
	return g.window.Fence()
}

// agree lets all procs agree on a collective call of the global array. These calls are ordered
// together with the calls on the array file. If the file is closed, there are no calls to confuse
// them with.
func (g *GlobalArray[T]) agree(t *turn, what string) error {
	g.a.mu.RLock()
	closed := g.a.closed
	g.a.mu.RUnlock()
	if closed {
		return nil
	}
	return t.ticket.agree(fmt.Sprintf("%s of global array %d", what, g.number), nil)
}

// Load reads all zones from the file, collective. The global array must have the array's present
// decomposition; if Follow must be called first the error wraps par.ErrArgument.
func (g *GlobalArray[T]) Load() error {
	if err := g.fenceCurrent("load"); err != nil { // nobody uses the zones after the fence
		return err
	}
	if err := ReadAll(g.a, nil, g.Local(), g.order); err != nil {
		return err
	}
	return g.Fence()
}

// Store writes all zones to the file, after a fence, collective: see Load and WriteAll.
func (g *GlobalArray[T]) Store() error {
	if err := g.fenceCurrent("store"); err != nil {
		return err
	}
	return WriteAll(g.a, nil, g.Local(), g.order)
}

// fenceCurrent is Fence. It returns an error on all procs if the array has another decomposition.
func (g *GlobalArray[T]) fenceCurrent(what string) error {
	if g.a.Decomposition() != g.decomposition {
		return g.a.errorf(what, errkind.Errorf(par.ErrArgument, "the global array has other zones than the array, which has grown or was redistributed"))
	}
	return g.Fence()
}

// Follow adopts the present decomposition of the array, collective, after the array has grown or
// was redistributed. Elements move to their new owners, new ones have the fill value, and Local
// returns another slice. Meanwhile each proc has its old and its new zone in memory. After an error
// the global array is unchanged; the error wraps drx.ErrRank if the array has a new dimension.
func (g *GlobalArray[T]) Follow() error {
	t := g.a.beginTurn()
	defer t.end()
	err := nd.CheckRank("dimensions in memory", len(g.decomposition.chunk), len(g.a.ChunkShape()))
	if err := t.agree(fmt.Sprintf("follow in global array %d", g.number), false, err); err != nil {
		return err
	}
	g.a.mu.RLock()
	defer g.a.mu.RUnlock()
	old := *g
	if err := g.open(); err != nil {
		return err
	}
	err = g.sendZone(&old)
	if err = g.comm.Agree("follow in global array", g.a.errorf("follow", err)); err != nil {
		_ = g.window.Close()
		*g = old
		return err
	}
	if err := g.window.Fence(); err != nil {
		return err
	}
	return old.window.Close()
}

// sendZone writes the elements of this proc's old zone to the procs that hold them in the new one.
func (g *GlobalArray[T]) sendZone(old *GlobalArray[T]) error {
	z, buf := old.Zone(), old.window.Local()
	strides := old.order.Strides(z.shape)
	for _, part := range z.parts(nil) {
		at := 0
		for d := range part.local {
			// An outside writer may have shrunk the array: drop elements out of bounds.
			r := &part.sec[d]
			lo := max(r.Lo, g.decomposition.lo[d])
			at += (part.local[d] + lo - r.Lo) * strides[d]
			*r = nd.Span(lo, max(lo, min(r.Hi, g.decomposition.hi[d])))
		}
		if n, err := part.sec.Len(); n == 0 || err != nil {
			continue
		}
		from := buf[at*g.a.dtype.Size():]
		err := g.eachStridedPart(part.sec, strides, func(p int, there, here par.Layout) error {
			return g.window.Put(p, there, from, here)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Close frees the memory, after a fence, collective.
func (g *GlobalArray[T]) Close() error {
	t := g.a.beginTurn()
	defer t.end()
	if err := g.agree(t, "close"); err != nil {
		return err
	}
	if err := g.window.Close(); err != nil {
		return err
	}
	return g.comm.Close()
}
