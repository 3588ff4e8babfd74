package drx

import (
	"fmt"

	"drx/axial"
	"drx/nd"
)

// Usage says what an array takes. Bytes are bytes on the device: what was never written
// takes none where the file system knows holes.
type Usage struct {
	Chunks   int64   // chunks of the grid
	Written  int64   // of these, ever written
	Elements float64 // within the bounds; exact up to 2^53
	// Utilisation is the share of the allocated elements that lie within the bounds,
	// 1 for chunks that divide the extents (Nimako's thesis, equation 6.4.1). It is 1
	// for an array without chunks.
	Utilisation   float64
	LogBytes      int64 // the metadata log, committed part
	TableBytes    int64 // the chunk table and the presence map
	DataBytes     int64 // the principal array, as far as it is allocated
	LogicalBytes  int64 // the principal array, if every chunk were written
	Commits       int   // commits in the log
	UncommittedOp int   // changes of the bounds and attributes since the last one
}

// Usage returns what the array takes. It reads the chunk table, holes left out, and writes
// nothing that is not written already but for changed table pages.
func (a *Array) Usage() (Usage, error) {
	done, err := a.begin("usage", false)
	if err != nil {
		return Usage{}, err
	}
	defer done()
	s := a.state.Load()
	stored, err := a.store.Usage(s.Grid.Chunks())
	if err != nil {
		return Usage{}, a.errorf("usage", err)
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	u := Usage{
		Chunks: int64(s.Grid.Chunks()), Written: stored.Written, Utilisation: 1,
		TableBytes: stored.Table, DataBytes: stored.Allocated,
		LogicalBytes: int64(s.Grid.Chunks()) * s.Slot(), LogBytes: a.log.Size(),
		Commits: a.log.Commits(), UncommittedOp: len(a.pending),
	}
	elements, err := nd.Product(nd.Shape(s.Lo, s.Hi)...)
	if err != nil {
		return Usage{}, a.errorf("usage", err)
	}
	u.Elements = float64(elements)
	if u.Chunks > 0 {
		perChunk, _ := nd.Product(s.Chunk...)
		u.Utilisation = u.Elements / (float64(u.Chunks) * float64(perChunk))
	}
	return u, nil
}

// Written reports whether the chunk with the given number was ever written; its elements
// read as the fill value otherwise. The error wraps ErrBounds when there is no such chunk,
// ErrClosed or ErrCorrupt.
func (a *Array) Written(q axial.Number) (bool, error) {
	done, err := a.begin("written", false)
	if err != nil {
		return false, err
	}
	defer done()
	if n := a.Grid().Chunks(); q < 0 || q >= n {
		return false, a.errorf("written", fmt.Errorf("chunk %d of %d: %w", q, n, ErrBounds))
	}
	absent, err := a.pool.Absent(q)
	return !absent, a.errorf("written", err)
}
