// Package onefile keeps all files of an array in one: a Container over a file of package vfs has a
// view, which is a vfs.File, of each of what would be four files. Whoever uses the views need not
// know. A file may also have several arrays, and a Directory with their names; then a Container is
// of one of them, a Member. FORMAT.md is the specification.
//
//	| header, twice | log | presence map | groups ... | log | groups ...
//
// A container has streams, sequences of bytes that grow at their ends: the log, and the groups.
// Each lies in extents of the file, at the end of which they grow: an adjoining extent becomes
// longer, otherwise there is another one. That is a history of expansions, as that of an array, and
// its length is logarithmic in that of the file, because extents of the log double it, and those of
// the groups are a quarter of them, or an eighth among several arrays. A group is some chunks
// behind their entries of the chunk table. What vouches for others, see witness.go, has 64 KiB of
// the file for itself. So where a chunk is follows from its number and from the few extents.
//
// # Invariants
//
//  1. A byte never changes its place, except by Compact, which makes another file.
//  2. The file is longer, durably, before the header has an extent, and the header has it, durably, before anything is
//     written there. So the file is never shorter than the header says, and behind the last extent are zeros.
//  3. One of the two copies of a record is always whole, wherever in the file its record block is.
package onefile
