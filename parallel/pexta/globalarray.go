package pexta

import (
	"drx/dtype"
	"drx/nd"
)

// A GlobalArray is an array in the memory of the procs of a group. Each of them reaches all
// elements by one-sided calls, wherever they are. Each element belongs to one proc; ghost cells,
// which repeat elements of others, do not belong to the array.
//
// An implementation guarantees:
//
//  1. Handle, Type, Shape and Distribution are local and quick, and the same on all procs at the
//     same step of the program, but for Handle, which tells apart the arrays that this proc has at
//     a time.
//  2. Get and Put reach every element from every proc of the disk array's group, also from one that
//     owns nothing of the global array. They use buf only until they return. They are local calls:
//     no other proc needs to do anything.
//  3. Get returns what Put of this proc has put before, and what any proc has put before the last
//     Sync.
//  4. Sync and Regrow are collective over the disk array's group.
//  5. Errors are returned, with a line that names the array; Get and Put may not end the program.
//     An error of Sync is that of all procs, an error of Regrow may be that of one.
//
// This package guarantees:
//
//  1. All methods are called on the goroutine that has called the Session, one at a time, and only
//     within such calls.
//  2. Boxes have the rank of the array, lie in its bounds, have steps of 1 and at least one
//     element. buf has exactly their elements, and comes from Options.Allocate.
//  3. Between a Sync at the beginning of a call that writes and one at its end no element changes,
//     if the program does not change it. Before the first Put of a request all procs have called
//     Sync; after the last one they do again.
//  4. Regrow is called when no request is pending that uses the array.
type GlobalArray interface {
	// Handle returns the number by which the program names the array.
	Handle() int
	// Type returns the element type. Elements have the byte order of the machine.
	Type() dtype.DType
	// Shape returns the extents, in elements, in the order of C: the last dimension varies fastest.
	Shape() []int
	// Distribution returns the box of elements that belongs to a proc of the disk array's group. It
	// is nil for a proc without elements, and for one whose elements are no single box, as in
	// block-cyclic distributions. It is used to divide the work, not to find elements.
	Distribution(proc int) nd.Section
	// Get copies the elements of a box to buf, row-major and without gaps.
	Get(box nd.Section, buf []byte) error
	// Put copies the elements of buf, row-major and without gaps, to a box. Other procs see them
	// after the next Sync.
	Put(box nd.Section, buf []byte) error
	// Sync returns when all procs have called it, and what they have put before is stored.
	Sync() error
	// Regrow changes the extents of the array and gives it the default distribution, with the same
	// handle. The values of all elements are undefined then. After an error the array is unchanged
	// on all procs, or has the new extents on all.
	Regrow(shape []int) error
}

// An Accessor is a GlobalArray that gives access to the elements of this proc in its memory. They
// move between there and the file without Get, Put and buffers, which is faster, and continues
// while the program computes.
type Accessor interface {
	GlobalArray
	// Access returns the box of the elements of this proc, nil if there are none or they are no
	// single box, and their memory: the element at position p of the box lies at byte
	// sum(p[d]*strides[d]) of mem. Goroutines read mem in calls that write to a file, and change it
	// until the request that reads is done; then release is called, on the caller's goroutine.
	// Meanwhile the program may use the array as at any other time. It is local.
	Access() (box nd.Section, mem []byte, strides []int, release func(), err error)
}
