package par

import "drx/dtype"

// A Window is memory of each proc of a group that all procs reach by one-sided calls, in which the
// owner takes no part. Get, Put, Accumulate and Flush are calls of one proc, from any of its
// goroutines; Fence and Close are collective.
//
// Between two fences, bytes that one proc changes by Put must not be used by other procs, nor by
// the owner through Local. Several procs may Accumulate to the same elements, with the same type
// and Op: each update of an element is atomic. Calls of one proc that change the same bytes, or
// read what it has changed, need a Flush between them. Other procs see the changes after Fence, or
// after Flush and a message about it.
type Window interface {
	// Local returns the memory of this proc. After Close the slice is invalid, and Local returns
	// nil. Other procs see changes of it after Fence.
	Local() []byte
	// Size returns the number of bytes that a proc has opened, 0 if there is no such proc.
	Size(proc int) int
	// Get copies bytes from the memory of a proc to a buffer. Both layouts have the same Size. The
	// copy is complete when Get returns.
	Get(proc int, from Layout, buf []byte, to Layout) error
	// Put copies bytes from a buffer to the memory of a proc. The buffer may be reused when Put
	// returns.
	Put(proc int, to Layout, buf []byte, from Layout) error
	// Accumulate combines elements of type t in the memory of a proc with those of a buffer: x
	// becomes op(x, y). All numbers of bytes in the layouts are multiples of t.Size(). The error
	// wraps dtype.ErrDType if op.Check fails. The buffer may be reused when Accumulate returns. The
	// function Accumulate takes a slice of numbers.
	Accumulate(proc int, to Layout, buf []byte, from Layout, t dtype.DType, op Op) error
	// Flush returns when all Puts and Accumulates of this proc to another one are complete there.
	Flush(proc int) error
	// Fence is a barrier. After it all procs see everything that any proc has done before it.
	Fence() error
	// Close frees the memory, after a fence. The window stays open if the procs do not agree to
	// close it.
	Close() error
}
