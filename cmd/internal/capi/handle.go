package capi

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"drx/internal/errkind"
)

// A Handle identifies an open object; 0 is never a handle. Bits 0 to 19 are the slot in the table
// of its kind, bits 20 to 55 count the uses of the slot, and bits 56 to 63 are the kind. A handle
// therefore recurs only after its slot has been used 2^36 times, which lets calls detect closed
// handles and numbers that are no handles.
type Handle uint64

const (
	slotBits = 20
	useBits  = 36
	maxSlots = 1 << slotBits
)

// A kind is the kind of object of a handle. The values are such that small numbers and most
// pointers are not handles.
type kind uint8

const (
	arrayKind    kind = 0xA7
	datasetKind  kind = 0xD5
	mpArrayKind  kind = 0xB3
	mpSpecKind   kind = 0x9B
	mpGlobalKind kind = 0xC9
	mpCallKind   kind = 0xE5
)

// noHandle is the text of an unknown kind.
const noHandle = "no handle"

// String returns the kind in words.
func (k kind) String() string {
	switch k {
	case arrayKind:
		return "an array"
	case datasetKind:
		return "a dataset"
	case mpArrayKind:
		return "an array of several processes"
	case mpSpecKind:
		return "an array that was not opened yet"
	case mpGlobalKind:
		return "a global array"
	case mpCallKind:
		return "a call in the background"
	}
	return noHandle
}

func (h Handle) kind() kind   { return kind(h >> (slotBits + useBits)) }
func (h Handle) slot() int    { return int(h & (maxSlots - 1)) }
func (h Handle) uses() uint64 { return uint64(h) >> slotBits & (1<<useBits - 1) }

// A table holds the open objects of one kind. get acquires no lock, so that calls of many threads
// do not wait for each other.
type table[T any] struct {
	kind  kind
	slots atomic.Pointer[[]*slot[T]] // replaced by a larger copy to grow
	mu    sync.Mutex                 // guards the fields below, and changes of slots
	free  []int

	closed closedNames
}

// A slot holds one open object, or none.
type slot[T any] struct {
	open atomic.Pointer[entry[T]]
	uses atomic.Uint64
}

// A closedHandle is a handle whose object was closed, with the object's name for errors.
type closedHandle struct {
	handle Handle
	name   string
}

// A closedNames remembers the names of the objects that were closed last. For older handles, errors
// name only the handle.
type closedNames struct {
	mu   sync.Mutex
	last [1024]closedHandle
	next int
}

// add remembers an object, if it has a name.
func (n *closedNames) add(h Handle, v any) {
	named, ok := v.(interface{ Name() string })
	if !ok {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last[n.next] = closedHandle{h, named.Name()}
	n.next = (n.next + 1) % len(n.last)
}

// name returns the name of an object, "" if it was forgotten or had none.
func (n *closedNames) name(h Handle) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.last {
		if c.handle == h {
			return c.name
		}
	}
	return ""
}

// An entry is the object in a slot, with its handle.
type entry[T any] struct {
	handle Handle
	value  T
}

// add returns a new handle for v. The error wraps ErrMemory if too many are in use.
func (t *table[T]) add(v T) (Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, err := t.freeSlot()
	if err != nil {
		return 0, err
	}
	s := (*t.slots.Load())[i]
	h := Handle(i) | Handle(s.uses.Add(1)&(1<<useBits-1))<<slotBits | Handle(t.kind)<<(slotBits+useBits)
	s.open.Store(&entry[T]{h, v})
	return h, nil
}

// freeSlot returns the number of a slot that is free. The caller holds mu.
func (t *table[T]) freeSlot() (int, error) {
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free = t.free[:n-1]
		return i, nil
	}
	var slots []*slot[T]
	if p := t.slots.Load(); p != nil {
		slots = *p
	}
	if len(slots) == maxSlots {
		return 0, errkind.Errorf(ErrMemory, "%d handles are in use, close some", maxSlots)
	}
	n := max(16, len(slots)) // doubles
	grown := slices.Clone(slots)
	for range n {
		grown = append(grown, new(slot[T]))
	}
	for i := len(grown) - 1; i > len(slots); i-- {
		t.free = append(t.free, i)
	}
	t.slots.Store(&grown)
	return len(slots), nil
}

// get returns the object of a handle. The error wraps drx.ErrClosed if the handle was valid once,
// and ErrHandle otherwise.
func (t *table[T]) get(h Handle) (T, error) {
	if s := t.at(h); s != nil {
		if e := s.open.Load(); e != nil && e.handle == h {
			return e.value, nil
		}
	}
	var none T
	return none, t.why(h)
}

// remove frees a handle and returns its object. It fails as get does.
func (t *table[T]) remove(h Handle) (T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.at(h); s != nil {
		if e := s.open.Load(); e != nil && e.handle == h {
			s.open.Store(nil)
			t.closed.add(h, e.value)
			t.free = append(t.free, h.slot())
			return e.value, nil
		}
	}
	var none T
	return none, t.why(h)
}

// at returns the slot of a handle, nil if it can have none.
func (t *table[T]) at(h Handle) *slot[T] {
	slots := t.slots.Load()
	if h.kind() != t.kind || slots == nil || h.slot() >= len(*slots) {
		return nil
	}
	return (*slots)[h.slot()]
}

// why returns the error for a handle without an object.
func (t *table[T]) why(h Handle) error {
	s := t.at(h)
	switch {
	case h == 0:
		return errkind.Errorf(ErrHandle, "handle 0 stands for nothing that is open")
	case s != nil && h.uses() > 0 && h.uses() <= s.uses.Load():
		if name := t.closed.name(h); name != "" {
			return fmt.Errorf("%s: %w", name, errClosedHandle)
		}
		return fmt.Errorf("handle %#x, %v: %w", uint64(h), t.kind, errClosedHandle)
	case h.kind().String() != noHandle:
		return errkind.Errorf(ErrHandle, "handle %#x is that of %v, not of %v that this library has opened", uint64(h), h.kind(), t.kind)
	}
	return errkind.Errorf(ErrHandle, "handle %#x: not one of this library", uint64(h))
}
