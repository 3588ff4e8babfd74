// Package onefile keeps all files of an array in one: a Container over a file of package vfs has
// four views, each a vfs.File that stands for one of the four files of an array in several files.
// Their users need not know the difference. A file may also have several arrays, and a Directory
// with their names; then a Container belongs to one of them, a Member. FORMAT.md is the
// specification.
//
//	| header, twice | log | presence map | groups ... | log | groups ...
//
// A container has streams, sequences of bytes that grow at their ends: the log, and the groups.
// Each lies in extents of the file. A stream grows at the end of the file: its last extent becomes
// longer if it ends there, otherwise the stream gets another extent. The extents are a history of
// expansions, like that of an array. Their number is logarithmic in the length of the file, because
// an extent of the log is as long as all before it, and an extent of the groups is a quarter of
// them, or an eighth among several arrays. A group is some chunks behind their entries of the chunk
// table. A witness (witness.go) has blocks of 64 KiB of the file for itself. So the position of a
// chunk follows from its number and from the few extents.
//
// # Invariants
//
//  1. A byte never changes its position, except by Compact, which makes another file.
//  2. The file is longer, durably, before the header has an extent, and the header has it, durably,
//     before anything is written there. So the file is never shorter than the header says, and
//     behind the last extent are zeros.
//  3. One of the two copies of a record is always whole, wherever in the file its record block is.
package onefile
