package advise

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"drx/nd"
)

// TestFloor compares the best shapes with and without a floor: with one they are touched no more
// often, are not smaller, fit the block and the array, and reach the floor unless block or array
// prevent it.
func TestFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Problem{ElemSize: rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "size"), Block: rapid.IntRange(64, 4096).Draw(t, "block")}
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		for range rank {
			p.Shape = append(p.Shape, rapid.SampledFrom([]int{0, 7, 20}).Draw(t, "extent"))
		}
		for range rapid.IntRange(1, 2).Draw(t, "classes") {
			a := Access{Weight: 1}
			for range rank {
				a.Box = append(a.Box, rapid.IntRange(1, 7).Draw(t, "box"))
			}
			p.Accesses = append(p.Accesses, a)
		}
		free, err := Best(p)
		if err != nil {
			t.Fatal(err)
		}
		p.Floor = rapid.IntRange(1, p.Block).Draw(t, "floor")
		got, err := Best(p)
		if err != nil {
			t.Fatal(err)
		}
		if got.Chunks > free.Chunks || got.Bytes < free.Bytes || got.Bytes > p.Block || got.Floored != (got.Bytes > free.Bytes) {
			t.Fatalf("%+v: %+v, without a floor %+v", p, got, free)
		}
		if free.Bytes >= p.Floor && got.Bytes != free.Bytes {
			t.Fatalf("%+v: %+v is larger than %+v without need", p, got, free)
		}
		if got.Bytes >= p.Floor {
			return
		}
		for d, c := range got.Chunk {
			if n := p.Shape[d]; n > 0 && c > n {
				t.Fatalf("%+v: chunk %v is longer than the array", p, got.Chunk)
			}
			if n := p.Shape[d]; (n == 0 || c < n) && got.Bytes/c*(c+1) <= p.Block {
				t.Fatalf("%+v: chunk %v of %d bytes could be longer in dimension %d", p, got.Chunk, got.Bytes, d)
			}
		}
	})
	p := Problem{Accesses: []Access{{Box: []int{1}, Weight: 1}}, ElemSize: 1, Block: 10, Floor: 11}
	if _, err := Best(p); !errors.Is(err, nd.ErrBounds) {
		t.Errorf("a floor above the block: %v", err)
	}
}
