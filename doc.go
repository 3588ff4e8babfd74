// Package drx stores dense multidimensional arrays that grow along any dimension, on
// either side, at any time, without moving a stored byte.
//
// An array is stored in chunks. Where a chunk lies in the file is computed from the
// history of expansions (package axial), not looked up in an index: extending costs the
// same for a megabyte and for a petabyte, and the metadata grows with the number of
// expansions, not of chunks.
//
//	a, err := drx.Create("radar", drx.Spec{
//		DType: dtype.Int16,
//		Shape: []int{0, 512, 512},
//		Dims:  []string{"time", "y", "x"},
//	})
//	added, err := a.Extend(0, 1)      // the section that is new
//	err = drx.Write(a, added, frame)  // []int16, row-major
//	err = a.Sync()                    // now it is on disk
//	series, err := drx.Read[int16](a, nd.Sec(nd.All, nd.At(100), nd.At(7)))
//
// # Files
//
// The array "dir/radar" is four files: radar.xmd, a text log of what the array is and how
// it grew; radar.xta, the elements, raw and little-endian; radar.xck, 16 bytes per chunk
// with its checksum; radar.xpm, one byte per chunk that says whether it was written, so that a
// checksum that was lost is noticed. While a writer is at work there is also radar.xjl, its journal.
// internal/metalog/FORMAT.md describes every byte.
//
// # Sync
//
// What Extend, Write, Fill and the rest change is seen at once through the same Array. It
// becomes durable, and visible to others, with Sync and Close.
//
// # Concurrency
//
// An Array may be used by any number of goroutines. Reading goes on while the array
// grows. Two writes to the same element, or a read and a write, happen one after the
// other in either order; larger sections are atomic chunk by chunk. One Array at a time
// may have an array open for writing, in all processes of the machine; or several may have
// it open with Options.Shared, and each write, once, to what it reserves. Readers need no lock:
// they keep their bounds until Refresh.
//
// # Errors
//
// Errors name the array, the dimension, the value and the limit, and wrap one of the
// sentinels of this package or of package io/fs. An operation that returns an error has
// not changed the bounds or the attributes; a Write that fails half way has written some
// of its chunks.
package drx
