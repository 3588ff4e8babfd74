//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"slices"
	"unsafe"

	"drx/formats/cformat"
	"drx/nd"
)

// chunksAtOnce limits the number of chunks that one call of the library reads. The library
// allocates some kilobytes for each of them before it reads the first.
const chunksAtOnce = 2048

// readParts reads a part of a section, given its dataspaces in memory and in the file. It splits a
// part with many chunks in halves, at a chunk boundary.
func (r *reader) readParts(mem, inFile handle, sec, part nd.Section, transfer C.hid_t, to unsafe.Pointer) error {
	chunks, longest, most := int64(1), 0, 0
	for d, p := range part {
		n := chunksIn(p, r.info.Chunk[d])
		chunks *= int64(n)
		if n > most {
			longest, most = d, n
		}
	}
	if chunks > chunksAtOnce {
		low, high := slices.Clone(part), slices.Clone(part)
		low[longest].Hi = (part[longest].Lo/r.info.Chunk[longest] + most/2) * r.info.Chunk[longest]
		high[longest].Lo = low[longest].Hi
		if err := r.readParts(mem, inFile, sec, low, transfer, to); err != nil {
			return err
		}
		return r.readParts(mem, inFile, sec, high, transfer, to)
	}
	from, at, count := make([]C.hsize_t, len(part)), make([]C.hsize_t, len(part)), cformat.Sizes[C.hsize_t](part.Shape())
	for d, p := range part {
		from[d], at[d] = C.hsize_t(p.Lo), C.hsize_t(p.Lo-sec[d].Lo)
	}
	if C.H5Sselect_hyperslab(inFile.id(), C.H5S_SELECT_SET, &from[0], nil, &count[0], nil) < 0 ||
		C.H5Sselect_hyperslab(mem.id(), C.H5S_SELECT_SET, &at[0], nil, &count[0], nil) < 0 {
		return failure("select")
	}
	return check("read", C.H5Dread(r.dataset.id(), r.mem.id(), mem.id(), inFile.id(), transfer, to))
}

// chunksIn returns how many chunks a range of indices touches.
func chunksIn(r nd.Range, chunk int) int { return (r.Hi-1)/chunk - r.Lo/chunk + 1 }
