package stats_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/parallel/par"
)

// Any number of procs gives the same bits as one goroutine, even more procs than tiles.
func TestSumByProcs(t *testing.T) {
	for seed, all := range []scene.Block{block(-20, 70, -3, 150), block(0, 9, -100, 300), block(0, 3, 0, 3)} {
		f := newField(rand.New(rand.NewPCG(uint64(seed), 11)), all, 3, false)
		part := all
		part.Lo.Line = min(0, all.Lo.Line+16)
		for _, kind := range []stats.Kind{stats.Spectra, stats.Neighbours} {
			want := encode(t, sum(t, f.cube(t, 1), kind, part, all))
			for _, procs := range []int{1, 2, 3, 8} {
				err := par.Run(procs, func(c par.Comm) error {
					cube, err := scene.New(f, scene.Options{Comm: c})
					if err != nil {
						return err
					}
					m, err := stats.Sum(t.Context(), cube, kind, part, all)
					if err == nil && !bytes.Equal(encode(t, m), want) {
						t.Errorf("%s, kind %d, proc %d of %d: the bits differ", all, kind, c.Proc(), procs)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A brokenSource is a source that cannot be read from a line on: only procs whose share includes it
// fail.
type brokenSource struct {
	*field
	from int
}

var errBroken = errors.New("the disk is broken")

func (b brokenSource) Read(ctx context.Context, block scene.Block, dst []float64) error {
	if block.Hi.Line > b.from {
		return errBroken
	}
	return b.field.Read(ctx, block, dst)
}

func TestErrorOfOneProcIsThatOfAll(t *testing.T) {
	all := block(0, 64, 0, 64)
	f := newField(rand.New(rand.NewPCG(1, 12)), all, 2, true)
	err := par.Run(3, func(c par.Comm) error {
		cube, err := scene.New(brokenSource{f, 50}, scene.Options{Comm: c})
		if err != nil {
			return err
		}
		_, err = stats.Sum(t.Context(), cube, stats.Spectra, all, all)
		var of *par.ProcError
		if !errors.As(err, &of) || of.Proc != 2 || !errors.Is(err, errBroken) {
			t.Errorf("proc %d: %v", c.Proc(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
