package drx

import (
	"drx/axial"
	"drx/nd"
)

// entryBytes is the size of a chunk's entry in the chunk table.
const entryBytes = 16

// directLimit is the number of chunks up to which eachExisting asks for each chunk. For more it first asks for
// the allocated size of the table, which writes back the table's changed pages.
const directLimit = 64

// eachExisting calls f for the existing chunks with indices in [lo, hi): those that are written or in memory.
// The order is undefined, and f may be called twice for a chunk. eachExisting looks either at every chunk of
// the box or at every allocated entry of the chunk table, whichever is less work, so that it is fast both in
// sparse and in densely written arrays. It stops at the first error and returns it. f may write existing chunks
// of the box.
func (a *Array) eachExisting(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	chunks, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return err
	}
	if chunks <= directLimit {
		return a.eachExistingInGrid(grid, lo, hi, f)
	}
	usage, err := a.store.Usage(0) // the bytes only: no chunk is counted
	if err != nil {
		return err
	}
	if int64(chunks) <= usage.Table/entryBytes {
		return a.eachExistingInGrid(grid, lo, hi, f)
	}
	return a.eachExistingInTable(grid, lo, hi, f)
}

// eachExistingInGrid is eachExisting by a question for each chunk of the box.
func (a *Array) eachExistingInGrid(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	index := make([]int, len(lo))
	for _, run := range grid.Runs(lo, hi) {
		copy(index, run.Lo)
		for more := true; more; more = nd.Next(index, run.Lo, run.Hi) {
			q := run.Number(index)
			absent, err := a.pool.Absent(q)
			if err == nil && !absent {
				err = f(q)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// eachExistingInTable is eachExisting by a scan of the pool and the chunk table.
func (a *Array) eachExistingInTable(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	index := make([]int, len(lo))
	inside := func(q axial.Number) bool {
		if !grid.Index(q, index) {
			return false
		}
		for d, i := range index {
			if i < lo[d] || i >= hi[d] {
				return false
			}
		}
		return true
	}
	for _, q := range a.pool.Held() {
		if !inside(q) {
			continue
		}
		if err := f(q); err != nil {
			return err
		}
	}
	return a.store.Each(grid.Chunks(), func(q axial.Number, err error) error {
		if !inside(q) {
			return nil // also for a damaged entry: it is outside of the box
		}
		if err != nil {
			return err
		}
		return f(q)
	})
}
