package scene_test

import (
	"math/rand/v2"
	"testing"

	"drx/hyper/scene"
)

func randomBlock(rng *rand.Rand) scene.Block {
	l, s := rng.IntN(100)-50, rng.IntN(400)-200
	return block(l, l+1+rng.IntN(60), s, s+1+rng.IntN(200))
}

func TestCover(t *testing.T) {
	for b, want := range map[scene.Block]scene.Block{
		block(0, 1, 0, 1):      block(0, 16, 0, 64),
		block(-1, 17, -64, 64): block(-16, 32, -64, 64),
		block(3, 3, 0, 9):      {},
	} {
		if got := scene.Cover(b); got != want {
			t.Errorf("%s: %s, want %s", b, got, want)
		}
	}
}

// A tile is in one block of Changed if, and only if, its pixels with the halo are other ones.
func TestChanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	kept := 0
	for range 3000 {
		now := randomBlock(rng)
		old := now.Intersect(randomBlock(rng))
		if rng.IntN(3) == 0 {
			old = now
			old.Hi.Line -= rng.IntN(now.Lines() + 1)
		}
		halo := rng.IntN(3)
		changed := scene.Changed(old, now, halo)
		for tile := range scene.Tiles(scene.Cover(now)) {
			n := 0
			for _, c := range changed {
				if x := c.Intersect(tile); x == tile {
					n++
				} else if x.Pixels() > 0 {
					t.Fatalf("%s -> %s: block %s divides tile %s", old, now, c, tile)
				}
			}
			want := 0
			if tile.Grow(halo).Intersect(old) != tile.Grow(halo).Intersect(now) {
				want = 1
			}
			if n != want && !(n == 1 && old.Pixels() == 0) {
				t.Fatalf("%s -> %s, halo %d: tile %s is in %d blocks, want %d", old, now, halo, tile, n, want)
			}
			kept += 1 - n
		}
	}
	if kept == 0 {
		t.Error("no tile is unchanged in any case")
	}
}
