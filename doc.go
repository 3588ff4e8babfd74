// Package drx stores dense multidimensional arrays that grow along any dimension, on either side,
// at any time, without moving a stored byte.
//
// An array is stored in chunks. The place of a chunk in the file is computed from the history of
// expansions (package axial), not looked up in an index. Extending costs the same for a megabyte
// and for a petabyte, and the metadata grows with the number of expansions, not with the number of
// chunks.
//
//	a, err := drx.Create("radar", drx.Spec{
//		DType: dtype.Int16,
//		Shape: []int{0, 512, 512},
//		Dims:  []string{"time", "y", "x"},
//	})
//	added, err := a.Extend(0, 1)      // the new section
//	err = drx.Write(a, added, frame)  // []int16, row-major
//	err = a.Sync()                    // now it is on disk
//	series, err := drx.Read[int16](a, nd.Sec(nd.All, nd.At(100), nd.At(7)))
//
// # Files
//
// The array "dir/radar" consists of four files: radar.xmd, a text log that describes the array and
// its growth; radar.xta, the elements, raw and little-endian; radar.xck, 16 bytes per chunk with
// the chunk's checksum; and radar.xpm, one byte per chunk that records whether the chunk was
// written, so that a lost checksum is noticed. While a writer has the array open there is also
// radar.xjl, its journal. internal/metalog/FORMAT.md specifies every byte.
//
// An array whose name ends in .drx is in one file instead, "dir/radar.drx", with the same bytes in
// other places, which internal/onefile/FORMAT.md specifies; only the journal is a file of its own,
// radar.drx.xjl. A name without extension finds either form. Convert changes the form.
//
// # Sync
//
// Changes made by Extend, Write, Fill and the other methods are visible at once through the same
// Array. They become durable, and visible to others, with Sync and Close.
//
// # Concurrency
//
// An Array may be used by any number of goroutines. Reads continue while the array grows. Two
// writes to the same element, or a read and a write, happen one after the other, in either order;
// operations on larger sections are atomic chunk by chunk.
//
// Only one Array at a time may have an array open for writing, among all processes of the machine.
// Alternatively, several Arrays may have it open with Options.Shared; each of them may write
// everywhere, except for sections that others have reserved and not yet closed. Readers need no
// lock, and keep their bounds until Refresh.
//
// # Errors
//
// Errors name the array, the dimension, the value and the limit, and wrap one of the sentinels of
// this package or of package io/fs. An operation that returns an error has not changed the bounds
// or the attributes, unless its comment says otherwise; a Write that fails may have written some of
// its chunks.
package drx
