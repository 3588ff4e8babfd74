package drxmp

import (
	"fmt"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/par"
)

// A Memory is an array in the memory of all procs: each has its zone, and all reach the elements of
// all others by one-sided calls, by the indices of the principal array. (The papers say distributed
// array; in Global Arrays it is one.)
//
// Get, Put and Accumulate are calls of one proc; what they may do between two fences is as
// for par.Window. Methods whose comment says collective are called by all procs.
type Memory[T dtype.Element] struct {
	a      *Array
	number int      // of the memories of the array, to tell them apart
	comm   par.Comm // of its own
	order  nd.Order // of each zone
	zones  *Map
	window par.Window
}

// NewMemory opens memory for the present zones of an array, collective. Elements have the fill
// value; Load reads them. A zone lies in memory as Zone.Shape says, row-major or in the order
// given, the same on all procs. T must be the Go type of the array's element type (drx.ErrDType).
func NewMemory[T dtype.Element](a *Array, order ...nd.Order) (*Memory[T], error) {
	m := &Memory[T]{a: a}
	o, err := checkType[T](a, order)
	if err == nil {
		m.order, err = o, o.Check(len(a.Shape()))
	}
	err = a.collective(fmt.Sprintf("memory in order %v", o), false, func() error { return err }, func() error {
		a.mu.RLock()
		defer a.mu.RUnlock()
		if m.comm, err = a.comm.Split(0, a.comm.Proc()); err != nil {
			return err
		}
		a.memories++
		m.number = a.memories
		return m.open()
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// open opens a window for the present zones of the array, whose a.mu is held.
func (m *Memory[T]) open() error {
	window, err := m.comm.Window(m.a.zone().Len() * m.a.dtype.Size())
	if err != nil {
		return err
	}
	m.window, m.zones = window, m.a.zones
	fill := dtype.Bytes(make([]T, 1))
	copy(fill, m.a.array().FillValue())
	m.a.dtype.ToLittle(fill) // and from it: the same swap
	local := m.window.Local()
	for n := copy(local, fill); n < len(local); n *= 2 {
		copy(local[n:], local[:n])
	}
	return m.window.Fence()
}

// Zone returns what this proc has of the array, as it was when the memory was opened or has last
// followed the array.
func (m *Memory[T]) Zone() *Zone { return m.zones.Zone(m.comm.Proc()) }

// Zones returns who has what of the array.
func (m *Memory[T]) Zones() *Map { return m.zones }

// Local returns the elements of this proc's zone, until Follow or Close. Other procs see changes of
// it after Fence.
func (m *Memory[T]) Local() []T {
	b := m.window.Local()
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), m.Zone().Len())
}

// Get reads a section from whoever has it, dense and row-major or in the order given. The error
// wraps drx.ErrRank, ErrBounds or ErrSize, or is that of par.Window.
func (m *Memory[T]) Get(sec nd.Section, data []T, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return m.section("get", sec, len(data), order, func(p int, there, here par.Layout) error {
		return m.window.Get(p, there, buf, here)
	})
}

// Put writes a section to whoever has it, laid out as Get describes.
func (m *Memory[T]) Put(sec nd.Section, data []T, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return m.section("put", sec, len(data), order, func(p int, there, here par.Layout) error {
		return m.window.Put(p, there, buf, here)
	})
}

// Accumulate combines a section, at whoever has it, with data, laid out as Get describes: x
// becomes op(x, y), element by element atomically. The error wraps drx.ErrDType too where there is
// no such operation on elements of type T.
func (m *Memory[T]) Accumulate(sec nd.Section, data []T, op par.Op, order ...nd.Order) error {
	buf := dtype.Bytes(data)
	return m.section("accumulate", sec, len(data), order, func(p int, there, here par.Layout) error {
		return m.window.Accumulate(p, there, buf, here, m.a.dtype, op)
	})
}

// section calls f for every part of a section that one proc has: where it is there, and where
// here, element for element in the same order.
func (m *Memory[T]) section(op string, sec nd.Section, n int, order []nd.Order, f func(p int, there, here par.Layout) error) error {
	o, err := checkType[T](m.a, order)
	if err == nil {
		sec, err = sec.Resolve(m.zones.lo, m.zones.hi)
	}
	if err == nil {
		err = o.Check(len(sec))
	}
	if err != nil {
		return m.a.errorf(op, err)
	}
	shape := sec.Shape()
	if size, err := nd.Product(shape...); err != nil || size != n {
		return m.a.errorf(op, fmt.Errorf("%d elements for a section of %v: %w", n, shape, drx.ErrSize))
	}
	return m.a.errorf(op, m.parts(sec, o.Strides(shape), f))
}

// parts is section for elements that lie here with strides, in elements.
func (m *Memory[T]) parts(sec nd.Section, strides []int, f func(p int, there, here par.Layout) error) error {
	for p := range m.zones.Procs() {
		z := m.zones.Zone(p)
		remote := m.order.Strides(z.shape)
		for _, part := range z.cut(sec) {
			if err := f(p, m.layout(part, part.local, remote, part.step), m.layout(part, part.pos, strides, nil)); err != nil {
				return err
			}
		}
	}
	return nil
}

// layout returns where the elements of a part are, in memory with strides from index at on in
// steps: the dimensions that vary slowest in the zones come first.
func (m *Memory[T]) layout(p part, at, strides, steps []int) par.Layout {
	elem := m.a.dtype.Size()
	shape := p.sec.Shape()
	l := par.Layout{Bytes: elem}
	for _, d := range m.order.Dims(len(shape)) {
		step := strides[d] * elem
		l.Offset += at[d] * step
		if steps != nil {
			step *= steps[d]
		}
		l.Count, l.Stride = append(l.Count, shape[d]), append(l.Stride, step)
	}
	return l
}

// Fence is a barrier after which everything that was done before it, by all procs, is there for
// all, collective. As other collective calls on the array it waits for those in the background.
func (m *Memory[T]) Fence() error { return m.met("fence", m.window.Fence) }

// met calls f after all have met in the group of the array, where they would be if they called
// something else; without that once the array is closed.
func (m *Memory[T]) met(what string, f func() error) error {
	return m.a.place().do(func() error {
		m.a.mu.RLock()
		closed := m.a.closed
		m.a.mu.RUnlock()
		if !closed {
			if err := m.a.meet(fmt.Sprintf("%s of memory %d", what, m.number), nil); err != nil {
				return err
			}
		}
		return f()
	})
}

// Load reads all zones from the file, collective. The memory must be that of the array's present zones:
// the error wraps par.ErrArgument if it has to Follow first.
func (m *Memory[T]) Load() error {
	if err := m.present("load"); err != nil {
		return err
	}
	if err := m.Fence(); err != nil { // nobody is at it any more
		return err
	}
	if err := ReadAll(m.a, nil, m.Local(), m.order); err != nil {
		return err
	}
	return m.Fence()
}

// Store writes all zones to the file, after a fence, collective, see Load and WriteAll.
func (m *Memory[T]) Store() error {
	if err := m.present("store"); err != nil {
		return err
	}
	if err := m.Fence(); err != nil {
		return err
	}
	return WriteAll(m.a, nil, m.Local(), m.order)
}

// present returns an error, on all procs, if the zones are no longer those of the array.
func (m *Memory[T]) present(what string) error {
	if m.a.Zones() != m.zones {
		return m.a.errorf(what, fmt.Errorf("memory has other zones than the array, which has grown or was redistributed: %w", par.ErrArgument))
	}
	return nil
}

// Follow moves the elements to where the present zones of the array have them, collective: after the
// array has grown, or was redistributed. New elements have the fill value; Local is another slice.
// After an error the memory stays as it is: it wraps drx.ErrRank if the array has got a new dimension.
// Meanwhile each proc has its old zone in memory and the new one.
func (m *Memory[T]) Follow() error {
	rank := func() error { return nd.CheckRank("dimensions in memory", len(m.zones.chunk), len(m.a.ChunkShape())) }
	return m.a.collective(fmt.Sprintf("follow in memory %d", m.number), false, rank, func() error {
		m.a.mu.RLock()
		defer m.a.mu.RUnlock()
		old := *m
		if err := m.open(); err != nil {
			return err
		}
		err := m.take(&old)
		if err = m.comm.Agree("follow in memory", m.a.errorf("follow", err)); err != nil {
			_ = m.window.Close()
			*m = old
			return err
		}
		if err := m.window.Fence(); err != nil {
			return err
		}
		return old.window.Close()
	})
}

// take puts what this proc had in its old zone to whoever has it now.
func (m *Memory[T]) take(old *Memory[T]) error {
	z, buf := old.Zone(), old.window.Local()
	strides := old.order.Strides(z.shape)
	for _, part := range z.cut(nil) {
		at := 0
		for d := range part.local {
			// What a writer outside has shrunk away has no place any more.
			r := &part.sec[d]
			lo := max(r.Lo, m.zones.lo[d])
			at += (part.local[d] + lo - r.Lo) * strides[d]
			*r = nd.Span(lo, max(lo, min(r.Hi, m.zones.hi[d])))
		}
		if n, err := part.sec.Len(); n == 0 || err != nil {
			continue
		}
		from := buf[at*m.a.dtype.Size():]
		err := m.parts(part.sec, strides, func(p int, there, here par.Layout) error {
			return m.window.Put(p, there, from, here)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Close gives up the memory, after a fence, collective.
func (m *Memory[T]) Close() error {
	return m.met("close", func() error {
		if err := m.window.Close(); err != nil {
			return err
		}
		return m.comm.Close()
	})
}
