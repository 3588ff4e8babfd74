package endmember_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// A counter is a scene that has only its first lines yet, and counts the pixels that are read.
type counter struct {
	scene.Source
	lines int
	read  atomic.Int64
}

// Bounds returns the lines that exist.
func (c *counter) Bounds() scene.Block {
	b := c.Source.Bounds()
	b.Hi.Line = c.lines
	return b
}

// Read counts pixels.
func (c *counter) Read(ctx context.Context, b scene.Block, dst []float64) error {
	c.read.Add(int64(b.Pixels()))
	return c.Source.Read(ctx, b, dst)
}

// TestCostOfASwath compares the pixels that an update reads after growth by about 1 % with the
// number that a search of the previous scene has read: the median over swaths is at most 3 %.
func TestCostOfASwath(t *testing.T) {
	const lines, samples, swath, begin = 1000, 20, 10, 850
	cube, _ := synthetic(t, block(0, lines, 0, samples), 8, 4, 0.97, 0.01, scene.Options{})
	tile, err := cube.Read(t.Context(), cube.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	src, err := scene.InMemory(tile.Block, tile.Bands, tile.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, fresh := range []func() endmember.Method{
		func() endmember.Method {
			return &endmember.PPI{Options: endmember.Options{Count: 4}, Skewers: 200}
		},
		func() endmember.Method { return &endmember.FIPPI{Options: endmember.Options{Count: 4}} },
		func() endmember.Method { return &endmember.ATGP{Options: endmember.Options{Count: 4}} },
		func() endmember.Method { return &endmember.SGA{Options: endmember.Options{Count: 4}} },
		func() endmember.Method { return &endmember.VCA{Options: endmember.Options{Count: 4}} },
		func() endmember.Method { return &endmember.NFINDR{Options: endmember.Options{Count: 4}} },
		func() endmember.Method { return &endmember.AMEE{Count: 4, Window: 3, Rounds: 2} },
	} {
		m, source := fresh(), &counter{Source: src, lines: begin}
		c := newCube(t, source, scene.Options{})
		if _, err := endmember.Find(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		whole := float64(source.read.Load())
		var shares []float64
		for source.lines < lines {
			b := block(source.lines, source.lines+swath, 0, samples)
			source.lines += swath
			source.read.Store(0)
			if err := m.Update(t.Context(), c, b); err != nil {
				t.Fatal(err)
			}
			shares = append(shares, float64(source.read.Load())/whole)
		}
		slices.Sort(shares)
		if median := shares[len(shares)/2]; median > 0.03 {
			t.Errorf("%T: updates read %.4f of the pixels that the first search has read, from %.4f to %.4f", m, median, shares[0], shares[len(shares)-1])
		} else {
			t.Logf("%T: %.4f, from %.4f to %.4f", m, median, shares[0], shares[len(shares)-1])
		}
	}
}
