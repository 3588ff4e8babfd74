package drx

import (
	"context"

	"drx/axial"
)

// Damage is a chunk that does not hold what was written to it.
type Damage struct {
	Number axial.Number
	Chunk  []int // its index
	Err    error // wraps ErrCorrupt, or is what the file system said
}

// Report is what Verify found.
type Report struct {
	Chunks  int64 // chunks of the grid
	Written int64 // of these, ever written: all of them were read
	Damaged []Damage
}

// Verify reads every chunk that was ever written and checks it against its checksum, after
// writing back what has changed; changes wait meanwhile. (The log was checked when the
// array was opened.) Damaged chunks are in the report, in the order of their numbers; an
// error means that the check itself could not be done, or ctx's. progress, if not nil, is
// called after each chunk with the chunks checked so far.
func (a *Array) Verify(ctx context.Context, progress func(done int64)) (Report, error) {
	done, err := a.begin("verify", false)
	if err != nil {
		return Report{}, err
	}
	defer done()
	a.commit.Lock()
	defer a.commit.Unlock()
	if err := a.pool.Flush(); err != nil {
		return Report{}, a.errorf("verify", err)
	}
	grid := a.Grid()
	r := Report{Chunks: int64(grid.Chunks())}
	buf := make([]byte, a.store.ChunkBytes())
	err = a.store.Each(grid.Chunks(), func(q axial.Number, err error) error {
		if err == nil {
			err = a.store.Read(q, buf)
		}
		if err != nil {
			index := make([]int, grid.Rank())
			grid.Index(q, index)
			r.Damaged = append(r.Damaged, Damage{q, index, err})
		}
		r.Written++
		if progress != nil {
			progress(r.Written)
		}
		return ctx.Err()
	})
	return r, a.errorf("verify", err)
}
