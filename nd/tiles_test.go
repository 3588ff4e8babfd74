package nd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The parts of a section contain each of its elements once, are cut only between tiles, and do not
// exceed the limit unless they are a single tile.
func TestTiles(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		k := 1 + rng.IntN(3)
		sec, tile := make(Section, k), make([]int, k)
		for d := range sec {
			lo := rng.IntN(40) - 20
			sec[d] = Range{Lo: lo, Hi: lo + rng.IntN(20), Step: rng.IntN(5)}
			tile[d] = 1 + rng.IntN(6)
		}
		most := 1 + rng.IntN(40)
		want := map[[3]int]bool{}
		for index := range elements(sec) {
			want[index] = true
		}
		for part := range sec.Tiles(tile, most) {
			n, tiles := 0, map[[3]int]bool{}
			for index := range elements(part) {
				if n++; !want[index] {
					t.Fatalf("seed %d: %v of %v: element %v is of no part or of two", seed, part, sec, index)
				}
				delete(want, index)
				for d := range k {
					index[d] = FloorDiv(index[d], tile[d])
				}
				tiles[index] = true
			}
			if n == 0 || n > most && len(tiles) > 1 {
				t.Fatalf("seed %d: %v of %v has %d elements in %d tiles, want at most %d", seed, part, sec, n, len(tiles), most)
			}
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: %d elements of %v are in no part", seed, len(want), sec)
		}
	}
	whole := Sec(Range{0, 8, 1})
	for part := range whole.Tiles([]int{1}, 2) {
		if !slices.Equal(part, Sec(Range{0, 2, 1})) {
			t.Errorf("first part %v", part)
		}
		break
	}
}

// elements yields the indices of a section of up to three dimensions.
func elements(s Section) func(yield func([3]int) bool) {
	return func(yield func([3]int) bool) {
		full := append(slices.Clone(s), Range{0, 1, 1}, Range{0, 1, 1})
		for i := full[0].Lo; i < full[0].Hi; i += max(1, full[0].Step) {
			for j := full[1].Lo; j < full[1].Hi; j += max(1, full[1].Step) {
				for k := full[2].Lo; k < full[2].Hi; k += max(1, full[2].Step) {
					if !yield([3]int{i, j, k}) {
						return
					}
				}
			}
		}
	}
}
