package scene

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"iter"
	"slices"

	"drx/dtype"
	"drx/parallel/par"
)

// Share returns the part of n consecutive items that this proc of the cube handles: from lo up to,
// but not including, hi. Without procs it returns all.
func (c *Cube) Share(n int) (lo, hi int) {
	comm := c.opts.Comm
	if comm == nil {
		return 0, n
	}
	return comm.Proc() * n / comm.Procs(), (comm.Proc() + 1) * n / comm.Procs()
}

// MapShare is MapTiling for this proc's share of the tiles: a run of consecutive ones.
func MapShare[R any](ctx context.Context, c *Cube, within Block, s Tiling, f func(*Tile, Block) (R, error), merge func(R) error) error {
	all := s.tiles(within.Intersect(c.Bounds()))
	n := 0
	for range all {
		n++
	}
	lo, hi := c.Share(n)
	return mapTiles(ctx, c, s, stretch(all, lo, hi), f, merge)
}

// stretch returns the tiles with the numbers from lo up to, but not including, hi.
func stretch(tiles iter.Seq[Block], lo, hi int) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		n := 0
		for b := range tiles {
			if n >= hi || n >= lo && !yield(b) {
				return
			}
			n++
		}
	}
}

// Exchange sends the value of each proc of the cube to all, and returns them by proc. It is
// collective: err is the error that this proc had so far, and the error of one proc becomes the
// error of all; what names the values in errors. A []float64 is sent as it is; other types are
// encoded by encoding/gob, which needs exported fields and may turn a -0 into a 0. Without procs it
// returns mine and err.
func Exchange[R any](c *Cube, what string, mine R, err error) ([]R, error) {
	if c.opts.Comm == nil {
		return []R{mine}, err
	}
	return exchange(c.opts.Comm, c.opts.Comm.AllGather, what, mine, err)
}

// exchange is Exchange for the procs that collect returns data to.
func exchange[R any](comm par.Comm, collect func(data []byte) ([][]byte, error), what string, mine R, err error) ([]R, error) {
	var data []byte
	if err == nil {
		data, err = encode(mine)
	}
	if err := comm.Agree(what, err); err != nil {
		return nil, err
	}
	parts, err := collect(data)
	if err != nil {
		return nil, err
	}
	all := make([]R, len(parts))
	for p, part := range parts {
		if all[p], err = decode[R](part); err != nil {
			return nil, fmt.Errorf("%s, of proc %d: %w", what, p, err)
		}
	}
	return all, nil
}

// A message has a value in a struct, because gob cannot decode a pointer outside of a struct.
type message[R any] struct{ Value R }

func encode[R any](value R) ([]byte, error) {
	if list, ok := any(value).([]float64); ok {
		return dtype.Bytes(list), nil
	}
	var data bytes.Buffer
	err := gob.NewEncoder(&data).Encode(message[R]{value})
	return data.Bytes(), err
}

func decode[R any](data []byte) (R, error) {
	var s message[R]
	if list, ok := any(&s.Value).(*[]float64); ok {
		*list = make([]float64, len(data)/8)
		copy(dtype.Bytes(*list), data)
		return s.Value, nil
	}
	err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s)
	return s.Value, err
}

// Fold calls f for each tile of the block within, as Map does, and merges the results: merge joins
// the result of some tiles with that of the following ones. With procs it is collective: each proc
// handles a run of the tiles, and all get the whole result, encoded as by Exchange. If merge is
// associative the result has the same bits for any number of procs and goroutines. Without tiles it
// is the zero R.
func Fold[R any](ctx context.Context, c *Cube, within Block, f func(*Tile) (R, error), merge func(R, R) R) (R, error) {
	return FoldTiling(ctx, c, within, standard, func(t *Tile, _ Block) (R, error) { return f(t) }, merge)
}

// FoldTiling is Fold with the tiles of MapTiling.
func FoldTiling[R any](ctx context.Context, c *Cube, within Block, s Tiling, f func(*Tile, Block) (R, error), merge func(R, R) R) (total R, err error) {
	var mine []R // empty, or one result
	err = MapShare(ctx, c, within, s, f, func(r R) error {
		if mine == nil {
			mine = []R{r}
		} else {
			mine[0] = merge(mine[0], r)
		}
		return nil
	})
	parts, err := Exchange(c, "results of "+within.String(), mine, err)
	if err != nil {
		return total, err
	}
	for i, r := range slices.Concat(parts...) {
		if i == 0 {
			total = r
		} else {
			total = merge(total, r)
		}
	}
	return total, nil
}
