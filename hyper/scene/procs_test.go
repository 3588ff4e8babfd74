package scene_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"drx/hyper/scene"
	"drx/parallel/par"
)

// withProcs calls f on each of procs procs with the options for its cube, and fails if f does.
func withProcs(t *testing.T, procs int, f func(o scene.Options) error) {
	t.Helper()
	if err := par.Run(procs, func(c par.Comm) error { return f(scene.Options{Comm: c, Workers: 2}) }); err != nil {
		t.Fatalf("%d procs: %v", procs, err)
	}
}

// tilesOf returns the tiles of a fold in the order in which it joins them.
func tilesOf(ctx context.Context, c *scene.Cube, within scene.Block) ([]scene.Block, error) {
	return scene.Fold(ctx, c, within, func(t *scene.Tile) ([]scene.Block, error) {
		return []scene.Block{t.Block}, nil
	}, func(a, b []scene.Block) []scene.Block { return append(a, b...) })
}

// TestFold: all procs get the results of all tiles in order, also if there are more procs than
// tiles; without tiles they get nothing.
func TestFold(t *testing.T) {
	within := block(-18, 33, -70, 77)
	var want []scene.Block
	all := block(-20, 40, -70, 100)
	err := scene.Map(t.Context(), numbered(t, all, scene.Options{}), within, func(tile *scene.Tile) (scene.Block, error) {
		return tile.Block, nil
	}, func(b scene.Block) error {
		want = append(want, b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(o scene.Options) error {
		c := numbered(t, all, o)
		got, err := tilesOf(t.Context(), c, within)
		if err == nil && !slices.Equal(got, want) {
			t.Errorf("tiles %v, want %v", got, want)
		}
		none, err2 := tilesOf(t.Context(), c, block(100, 200, 0, 5))
		if err2 == nil && none != nil {
			t.Errorf("tiles %v outside of the cube", none)
		}
		return errors.Join(err, err2)
	}
	if err := check(scene.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, procs := range []int{1, 2, 3, 5, 2 * len(want)} {
		withProcs(t, procs, check)
	}
}

// TestShares: shares are disjoint, complete and nearly equal in size.
func TestShares(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 64, 65} {
		for _, procs := range []int{1, 2, 3, 8, 64} {
			shares := make([][2]int, procs)
			withProcs(t, procs, func(o scene.Options) error {
				lo, hi := numbered(t, block(0, 1, 0, 1), o).Share(n)
				shares[o.Comm.Proc()] = [2]int{lo, hi}
				return nil
			})
			next := 0
			for p, s := range shares {
				if s[0] != next || s[1]-s[0] < n/procs || s[1]-s[0] > n/procs+1 {
					t.Errorf("%d things, proc %d of %d: %v", n, p, procs, s)
				}
				next = s[1]
			}
			if next != n {
				t.Errorf("%d procs have %d of %d things", procs, next, n)
			}
		}
	}
}

// TestFoldFailsOnAllProcs: the error of one proc is that of all.
func TestFoldFailsOnAllProcs(t *testing.T) {
	errBroken := errors.New("broken")
	withProcs(t, 3, func(o scene.Options) error {
		c := numbered(t, block(0, 64, 0, 64), o)
		_, err := scene.Fold(t.Context(), c, c.Bounds(), func(tile *scene.Tile) (int, error) {
			if tile.Block.Lo.Line == 48 {
				return 0, errBroken
			}
			return 1, nil
		}, func(a, b int) int { return a + b })
		var of *par.ProcError
		if !errors.As(err, &of) || of.Proc != 2 || !errors.Is(err, errBroken) {
			t.Errorf("proc %d: error %v", o.Comm.Proc(), err)
		}
		return nil
	})
}
