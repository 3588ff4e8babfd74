package state_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/state"

	"drx/nd"
)

func TestCheckSide(t *testing.T) {
	for side := range axial.Side(4) {
		err := state.CheckSide(side)
		if known := side == axial.High || side == axial.Low; known != (err == nil) || err != nil && !errors.Is(err, nd.ErrBounds) {
			t.Errorf("side %d: %v", side, err)
		}
	}
}

// The dimensions grow in turns, each by the extent of a chunk except for its last step, on the side
// requested, until all extents are equal, and not further.
func TestCubical(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 53))
		k := 1 + rng.IntN(4)
		chunk, shape := make([]int, k), make([]int, k)
		for d := range shape {
			chunk[d], shape[d] = 1+rng.IntN(4), rng.IntN(20)
		}
		s := apply(t, []state.Record{header(chunk, slices.Clone(shape)...)})
		e := state.Extend{Dim: rng.IntN(k), By: 1 + rng.IntN(9), Low: rng.IntN(2) == 0}
		steps, err := s.Cubical(e)
		if err != nil || steps[0] != e {
			t.Fatalf("seed %d: steps %v, %v", seed, steps, err)
		}
		shape[e.Dim] += e.By
		edge := slices.Max(shape)
		var want []state.Extend
		for round := range 30 {
			for i := range k {
				d := (e.Dim + 1 + i) % k
				if at := shape[d] + round*chunk[d]; at < edge {
					want = append(want, state.Extend{Dim: d, By: min(chunk[d], edge-at), Low: e.Low})
				}
			}
		}
		if !slices.Equal(steps[1:], want) {
			t.Fatalf("seed %d: %v from %v in chunks of %v: %v, want %v", seed, e, shape, chunk, steps[1:], want)
		}
		for _, step := range steps {
			if s, err = s.Apply(state.Record{Extend: &step}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if got := nd.Shape(s.Lo, s.Hi); slices.Min(got) != edge || slices.Max(got) != edge {
			t.Fatalf("seed %d: extents %v, want %d", seed, got, edge)
		}
	}
}

func TestCubicalLimits(t *testing.T) {
	for _, c := range []struct {
		shape, chunk []int
		e            state.Extend
		steps        int // 0: too many
	}{
		{[]int{0, 0}, []int{1, 1}, state.Extend{By: maxPadding}, maxPadding + 1},
		{[]int{0, 0}, []int{1, 1}, state.Extend{By: maxPadding + 1}, 0},
		{[]int{0, 0, 0}, []int{1, 1, 1}, state.Extend{By: maxPadding/2 + 1}, 0},
		{[]int{0, 0}, []int{1, 1 << 12}, state.Extend{By: 1 << 32}, maxPadding + 1},
		{[]int{math.MaxInt - 1, math.MaxInt - 6, 0}, []int{1, 1, 1}, state.Extend{Dim: 2, By: 1}, 0},
		// Extensions that Apply refuses.
		{[]int{math.MaxInt - 1, 0}, []int{1, 1}, state.Extend{By: 2}, 1},
		{[]int{1, 5}, []int{1, 1}, state.Extend{By: 0}, 1},
		{[]int{1, 5}, []int{1, 1}, state.Extend{Dim: 2, By: 1}, 1},
		{[]int{1, 5}, []int{1, 1}, state.Extend{Dim: -1, By: 1}, 1},
	} {
		t.Run(fmt.Sprint(c.shape, c.e), func(t *testing.T) {
			s := apply(t, []state.Record{header(c.chunk, c.shape...)})
			steps, err := s.Cubical(c.e)
			if len(steps) != c.steps || (err == nil) != (c.steps > 0) || err != nil && !errors.Is(err, nd.ErrOverflow) {
				t.Errorf("%d steps, want %d; error %v", len(steps), c.steps, err)
			}
		})
	}
}
