package par

import "drx/dtype"

// A Window is memory of each proc of a group that all of them reach by one-sided calls: the
// owner need not do anything. Get, Put, Accumulate and Flush are calls of one proc, of any of its
// goroutines; Fence and Close are collective.
//
// Between two fences, bytes that one proc changes by Put must not be touched by another one, nor by
// the owner through Local. Several may Accumulate to the same elements: each of these
// updates is atomic, element by element, for the same type and Op. Calls of one proc that change
// the same bytes, or read what it has changed, need a Flush between them. What Put and Accumulate
// change is there for others after Fence, or after Flush and whatever tells them of it.
type Window interface {
	// Local returns the memory of this proc, nil after Close, which makes the slice invalid. Other
	// procs see changes of it after Fence.
	Local() []byte
	// Size returns the bytes that a proc has opened, 0 for one that does not exist.
	Size(proc int) int
	// Get copies bytes of a proc's memory to a buffer; both layouts have the same Size. The bytes
	// are there when it returns.
	Get(proc int, from Layout, buf []byte, to Layout) error
	// Put copies bytes of a buffer to a proc's memory. The buffer is free when it returns.
	Put(proc int, to Layout, buf []byte, from Layout) error
	// Accumulate combines elements of type t in a proc's memory with those of a buffer: x becomes
	// op(x, y). Layouts are aligned to elements: all their numbers of bytes are multiples of
	// t.Size(). The error wraps dtype.ErrDType where op.Check does. The buffer is free when it
	// returns. Accumulate as a function takes a slice of numbers.
	Accumulate(proc int, to Layout, buf []byte, from Layout, t dtype.DType, op Op) error
	// Flush returns when all Puts and Accumulates of this proc to another have arrived there.
	Flush(proc int) error
	// Fence is a barrier after which everything before it, of all procs, is there for all.
	Fence() error
	// Close gives up the memory, after a fence. It stays open if the procs do not agree to close it.
	Close() error
}
