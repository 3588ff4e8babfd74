package capi

import (
	"fmt"
	"unsafe"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// A memory is a drxmp.GlobalArray of any element type. data are dense elements in the byte order of
// the machine.
type memory interface {
	Decomposition() *drxmp.Decomposition
	Fence() error
	Load() error
	Store() error
	Follow() error
	Close() error

	get(sec nd.Section, data []byte) error
	put(sec nd.Section, data []byte) error
	accumulate(sec nd.Section, data []byte, op par.Op) error
	local() []byte
}

// A typedGlobal is a global array of a Go type.
type typedGlobal[T dtype.Element] struct{ *drxmp.GlobalArray[T] }

func (g typedGlobal[T]) get(sec nd.Section, data []byte) error {
	return g.Get(sec, elementsOf[T](data))
}

func (g typedGlobal[T]) put(sec nd.Section, data []byte) error {
	return g.Put(sec, elementsOf[T](data))
}
func (g typedGlobal[T]) local() []byte { return dtype.Bytes(g.Local()) }

func (g typedGlobal[T]) accumulate(sec nd.Section, data []byte, op par.Op) error {
	return g.Accumulate(sec, elementsOf[T](data), op)
}

// elementsOf returns bytes as elements; aligned was called before.
func elementsOf[T dtype.Element](data []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(zero)))
}

// newMemory returns a constructor for a Go type.
func newMemory[T dtype.Element](a *drxmp.Array) (memory, error) {
	g, err := drxmp.NewGlobalArray[T](a)
	if err != nil {
		return nil, err
	}
	return typedGlobal[T]{g}, nil
}

var newMemories = [...]func(a *drxmp.Array) (memory, error){
	dtype.Bool: newMemory[bool], dtype.Int8: newMemory[int8], dtype.Int16: newMemory[int16], dtype.Int32: newMemory[int32],
	dtype.Int64: newMemory[int64], dtype.Uint8: newMemory[uint8], dtype.Uint16: newMemory[uint16], dtype.Uint32: newMemory[uint32],
	dtype.Uint64: newMemory[uint64], dtype.Float16: newMemory[dtype.F16], dtype.BFloat16: newMemory[dtype.BF16],
	dtype.Float32: newMemory[float32], dtype.Float64: newMemory[float64], dtype.Complex64: newMemory[complex64],
	dtype.Complex128: newMemory[complex128],
}

// An mpGlobal is a global array of the host.
type mpGlobal struct {
	memory
	array *mpArray
}

var mpGlobals = table[*mpGlobal]{kind: mpGlobalKind}

// MPGlobal makes a global array with the zones of an array, collective.
func MPGlobal(h Handle) (g Handle, err error) {
	err = collective(h, "global array", func(a *mpArray) error {
		m, err := newMemories[a.DType()](a.Array)
		if err == nil {
			g, err = mpGlobals.add(&mpGlobal{m, a})
		}
		return err
	})
	if err == nil {
		noteOpen(g)
	}
	return g, err
}

// Functions of global arrays that are collective.
var (
	MPGlobalFence  = onGlobal("fence", memory.Fence)
	MPGlobalLoad   = onGlobal("load", memory.Load)
	MPGlobalStore  = onGlobal("store", memory.Store)
	MPGlobalFollow = onGlobal("follow", memory.Follow)
)

// onGlobal returns a function that makes a collective call on a global array.
func onGlobal(what string, f func(memory) error) func(Handle) error {
	return func(h Handle) error {
		g, err := mpGlobals.get(h)
		if err != nil {
			return refused(what, err)
		}
		return together(g.array.group, func() error { return f(g.memory) })
	}
}

// MPGlobalClose frees the memory of a global array, collective.
func MPGlobalClose(h Handle) error {
	g, err := mpGlobals.get(h)
	if err != nil {
		return refused("close", err)
	}
	if err := together(g.array.group, g.Close); err != nil {
		return err
	}
	noteClosed(h)
	_, err = mpGlobals.remove(h)
	return err
}

// MPGlobalLocal returns the elements that this process holds.
func MPGlobalLocal(h Handle) ([]byte, error) {
	g, err := mpGlobals.get(h)
	if err != nil {
		return nil, err
	}
	return g.local(), nil
}

// MPGlobalGet reads a section from the processes that hold it.
func MPGlobalGet(h Handle, rank int, s Section, b Buffer) error {
	return globalMove(h, rank, s, b, reading, memory.get)
}

// MPGlobalPut writes a section to the processes that hold it.
func MPGlobalPut(h Handle, rank int, s Section, b Buffer) error {
	return globalMove(h, rank, s, b, writing, memory.put)
}

// MPGlobalAccumulate combines a section with the elements of a buffer by an operation. The error
// wraps ErrInvalid if there is no such operation.
func MPGlobalAccumulate(h Handle, op par.Op, rank int, s Section, b Buffer) error {
	return globalMove(h, rank, s, b, writing, func(m memory, sec nd.Section, data []byte) error {
		return m.accumulate(sec, data, op)
	})
}

// globalMove makes a one-sided call.
func globalMove(h Handle, rank int, s Section, b Buffer, dir direction, move func(memory, nd.Section, []byte) error) error {
	g, err := mpGlobals.get(h)
	if err != nil {
		return err
	}
	sec, err := resolve(g.bounds(), rank, s)
	if err != nil {
		return fmt.Errorf("%s: %w", g.array.Name(), err)
	}
	t := g.array.DType()
	d, err := newDense(t, b, sec.Shape(), dir)
	if err != nil {
		return fmt.Errorf("%s: %w", g.array.Name(), err)
	}
	data := aligned(d.bytes, t)
	t.ToLittle(data) // or from it
	if err := move(g.memory, sec, data); err != nil {
		return err
	}
	t.ToLittle(data)
	if dir == writing {
		return nil
	}
	copy(d.bytes, data)
	return d.copyOut()
}

// aligned returns the bytes, or a copy of them if their address is not aligned for the type, or if
// the caller's memory would be byte-swapped.
func aligned(b []byte, t dtype.DType) []byte {
	if len(b) == 0 || littleEndian && uintptr(unsafe.Pointer(&b[0]))%uintptr(min(t.Size(), 8)) == 0 {
		return b
	}
	words := make([]uint64, (len(b)+7)/8)
	c := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(b))
	copy(c, b)
	return c
}

// bounds returns the bounds that the global array got when it was made, or when it last followed
// its array.
func (g *mpGlobal) bounds() nd.Section {
	return g.Decomposition().Bounds()
}
