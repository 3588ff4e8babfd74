package strided

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGatherAndScatterAgainstDefinition(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		elem, n := elems[rng.IntN(len(elems))], rng.IntN(50)
		sparse := noise(rng, elem+rng.IntN(1000))
		offsets := make([]int, n)
		for i := range offsets {
			offsets[i] = rng.IntN(len(sparse) - elem + 1)
		}
		got := noise(rng, n*elem+rng.IntN(9))
		want := slices.Clone(got)
		Gather(got, sparse, offsets, elem)
		for i, at := range offsets {
			copy(want[i*elem:(i+1)*elem], sparse[at:at+elem])
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: gather of %d elements of %d bytes differs", seed, n, elem)
		}
		dense := noise(rng, n*elem)
		want = slices.Clone(sparse)
		Scatter(sparse, offsets, dense, elem)
		for i, at := range offsets {
			copy(want[at:at+elem], dense[i*elem:(i+1)*elem])
		}
		if !bytes.Equal(sparse, want) {
			t.Fatalf("seed %d: scatter of %d elements of %d bytes differs", seed, n, elem)
		}
	}
}

func TestOffsetRefusals(t *testing.T) {
	for _, elem := range elems {
		dense, sparse := make([]byte, 2*elem), make([]byte, 3*elem)
		for _, c := range []struct {
			name          string
			dense, sparse []byte
			offset        int
			ok            bool
		}{
			{"first", dense, sparse, 0, true},
			{"last", dense, sparse, 2 * elem, true},
			{"negative", dense, sparse, -1, false},
			{"beyond", dense, sparse, 2*elem + 1, false},
			{"dense short", dense[:2*elem-1], sparse, 0, false},
			{"sparse short", dense, sparse[:elem-1], 0, false},
		} {
			at := []int{c.offset, 0}
			if panics(c.dense, func() { Gather(c.dense, c.sparse, at, elem) }) == c.ok {
				t.Errorf("gather %s, elements of %d bytes: panics: %v", c.name, elem, !c.ok)
			}
			if panics(c.sparse, func() { Scatter(c.sparse, at, c.dense, elem) }) == c.ok {
				t.Errorf("scatter %s, elements of %d bytes: panics: %v", c.name, elem, !c.ok)
			}
		}
	}
	for _, elem := range []int{0, -1} {
		if !panics(nil, func() { Gather(nil, nil, nil, elem) }) || !panics(nil, func() { Scatter(nil, nil, nil, elem) }) {
			t.Errorf("no panic for elements of %d bytes", elem)
		}
	}
}
