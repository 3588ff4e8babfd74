package pexta_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/par"
)

// A layout determines how an array is distributed over procs. The zero value is the default: one
// block for each proc.
type layout struct {
	// Procs are the procs that own elements, nil for all.
	Procs []int
	// Begins has, per dimension, the first indices of the blocks, ascending from 0: an irregular
	// distribution, whose blocks belong to the procs one by one, row-major. There are at most as
	// many blocks as Procs.
	Begins [][]int
	// Cyclic has the extents of blocks that are dealt to the procs in turn, row-major.
	Cyclic []int
	// Eager lets others see a Put at once, which the interface allows before Sync.
	Eager bool
	// Local makes Access return the block of a proc that has only one.
	Local bool
	// Ghosts has, per dimension, the number of elements repeated on both sides of a block.
	Ghosts []int
}

// A globalArray is one proc's view of a global array in the memory of goroutine procs (par.Run), so
// that the package can be tested without the library Global Arrays. It is as strict as the
// interface allows: others see what a proc puts only after Sync, ghost cells differ from the
// elements that they repeat, and in a strictGroup calls on other goroutines are errors. It
// implements pexta.GlobalArray.
type globalArray struct {
	comm     par.Comm
	shared   *shared
	puts     []put // since the last Sync
	accesses int   // results of Access that are not released
	// Fail, if not nil, is called by Get, Put, Sync and Regrow with their names. They return its
	// error.
	Fail func(call string) error
}

// A shared is the part of an array that all procs share.
type shared struct {
	handle int
	dtype  dtype.DType
	mu     sync.RWMutex
	shape  []int
	ghosts []int
	eager  bool
	local  bool
	blocks []block
}

// A put holds elements that a proc has put and others do not see yet.
type put struct {
	box  nd.Section
	data []byte
}

var (
	handles atomic.Int64
	arrays  sync.Map // *shared by handle, while it is passed to the other procs
)

// newGA creates an array of zeros, collective. The arguments are the same on all procs.
func newGA(c par.Comm, t dtype.DType, shape []int, l layout) (*globalArray, error) {
	number := []int64{0}
	if c.Proc() == 0 {
		number[0] = handles.Add(1)
		s := &shared{handle: int(number[0]), dtype: t, ghosts: l.Ghosts, eager: l.Eager, local: l.Local}
		s.lay(c.Procs(), shape, l)
		arrays.Store(s.handle, s)
	}
	if err := c.Broadcast(dtype.Bytes(number), 0); err != nil {
		return nil, err
	}
	found, _ := arrays.Load(int(number[0]))
	if err := c.Barrier(); err != nil {
		return nil, err
	}
	arrays.Delete(int(number[0]))
	return &globalArray{comm: c, shared: found.(*shared)}, nil
}

// Handle returns the number of the array.
func (a *globalArray) Handle() int { return a.shared.handle }

// Type returns the element type.
func (a *globalArray) Type() dtype.DType { return a.shared.dtype }

// Shape returns the extents.
func (a *globalArray) Shape() []int {
	a.shared.mu.RLock()
	defer a.shared.mu.RUnlock()
	return slices.Clone(a.shared.shape)
}

// Distribution returns the block of a proc that has only one, nil for others.
func (a *globalArray) Distribution(proc int) nd.Section {
	a.shared.mu.RLock()
	defer a.shared.mu.RUnlock()
	for _, b := range a.shared.blocks {
		if b.proc == proc && b.single {
			return slices.Clone(b.box)
		}
	}
	return nil
}

// Get copies elements to buf: those of the blocks, overlaid with the puts of this proc since the
// last Sync.
func (a *globalArray) Get(box nd.Section, buf []byte) error {
	if err := a.check("get", box, buf); err != nil {
		return err
	}
	s := a.shared
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.blocks {
		s.blocks[i].get(s, box, buf)
	}
	for _, p := range a.puts {
		over := block{box: box, data: buf}
		plain := &shared{dtype: s.dtype}
		over.put(plain, p.box, p.data)
	}
	return nil
}

// Put keeps the elements until Sync, unless the array is eager.
func (a *globalArray) Put(box nd.Section, buf []byte) error {
	if err := a.check("put", box, buf); err != nil {
		return err
	}
	a.puts = append(a.puts, put{slices.Clone(box), slices.Clone(buf)})
	if a.shared.eager {
		a.deliver()
	}
	return nil
}

// Access returns the memory of this proc's block, with gaps for the ghost cells, if it has only
// one.
func (a *globalArray) Access() (box nd.Section, mem []byte, strides []int, release func(), err error) {
	box = a.Distribution(a.comm.Proc())
	if !a.shared.local || box == nil {
		return nil, nil, nil, nil, nil
	}
	if err := a.failure("access"); err != nil {
		return nil, nil, nil, nil, err
	}
	s := a.shared
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := slices.IndexFunc(s.blocks, func(b block) bool { return b.proc == a.comm.Proc() })
	around := box.Shape()
	for d := range around {
		around[d] += 2 * s.ghost(d)
	}
	strides = nd.RowMajor.Strides(around)
	offset := 0
	for d := range strides {
		strides[d] *= s.dtype.Size()
		offset += s.ghost(d) * strides[d]
	}
	a.accesses++
	return box, s.blocks[i].data[offset:], strides, func() { a.accesses-- }, nil
}

// Accesses returns the number of unreleased results of Access.
func (a *globalArray) Accesses() int { return a.accesses }

// Sync delivers what was put, and waits for the others. All return the error of one.
func (a *globalArray) Sync() error {
	err := a.failure("sync")
	a.deliver()
	return a.comm.Agree("sync", err)
}

// deliver copies the pending puts to the blocks.
func (a *globalArray) deliver() {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	for _, p := range a.puts {
		for i := range a.shared.blocks {
			a.shared.blocks[i].put(a.shared, p.box, p.data)
		}
	}
	a.puts = nil
}

// Regrow creates new blocks with the default distribution, and sets all bytes of their elements to
// 0x77.
func (a *globalArray) Regrow(shape []int) error {
	err := a.failure("regrow")
	if a.accesses > 0 && err == nil {
		err = errkind.Errorf(par.ErrArgument, "global array %d: regrow: its memory is in use", a.Handle())
	}
	if err := a.comm.Agree("regrow", err); err != nil {
		return err
	}
	if a.comm.Proc() == 0 {
		s := a.shared
		s.mu.Lock()
		s.lay(a.comm.Procs(), shape, layout{})
		for _, b := range s.blocks {
			copy(b.data, bytes.Repeat([]byte{0x77}, len(b.data)))
		}
		s.mu.Unlock()
	}
	return a.comm.Barrier()
}

// check returns an error for arguments that package pexta may not pass.
func (a *globalArray) check(call string, box nd.Section, buf []byte) error {
	if err := a.failure(call); err != nil {
		return err
	}
	shape := a.Shape()
	resolved, err := box.Resolve(make([]int, len(shape)), shape)
	if err != nil {
		return fmt.Errorf("global array %d: %s: %w", a.Handle(), call, err)
	}
	n := elements(resolved)
	if n == 0 || n*a.Type().Size() != len(buf) {
		return errkind.Errorf(par.ErrSize, "global array %d: %s: the buffer has %d bytes, section %v has %d", a.Handle(), call, len(buf), box, n*a.Type().Size())
	}
	return nil
}

func (a *globalArray) failure(call string) error {
	if strict, ok := a.comm.(*strictGroup); ok {
		if err := strict.check(call); err != nil {
			return err
		}
	}
	if a.Fail != nil {
		return a.Fail(call)
	}
	return nil
}
