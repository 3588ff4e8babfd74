package drx

import (
	"drx/axial"
	"drx/nd"
)

// entryBytes is what a chunk takes in the table.
const entryBytes = 16

// fewChunks are looked at without a question about the table, whose changed pages it writes.
const fewChunks = 64

// eachHeld calls f for the chunks with indices in [lo, hi) that are written or in memory, in no
// order; for some of them twice. It looks at every chunk of the box or at what the device holds of the
// chunk table, whichever is less: neither the shape of a sparse array nor what was written of a
// dense one makes it slow. It stops at the first error. f may write chunks of the box that are held
// already.
func (a *Array) eachHeld(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	chunks, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return err
	}
	if chunks <= fewChunks {
		return a.eachHeldInGrid(grid, lo, hi, f)
	}
	usage, err := a.store.Usage(0) // the bytes only: no chunk is counted
	if err != nil {
		return err
	}
	if int64(chunks) <= usage.Table/entryBytes {
		return a.eachHeldInGrid(grid, lo, hi, f)
	}
	return a.eachHeldInTable(grid, lo, hi, f)
}

// eachHeldInGrid is eachHeld, and asks for each chunk of the box.
func (a *Array) eachHeldInGrid(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
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

// eachHeldInTable is eachHeld, but goes through the pool and the chunk table.
func (a *Array) eachHeldInTable(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
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
			return nil // a damaged entry elsewhere is no concern of this
		}
		if err != nil {
			return err
		}
		return f(q)
	})
}
