package endmember

import (
	"cmp"
	"context"
	"slices"

	"drx/hyper/option"
	"drx/hyper/scene"
)

// A ticket is the random number of a pixel in a draw.
type ticket struct {
	Number uint64
	Pixel  scene.Pixel
}

func (a ticket) compare(b ticket) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), a.Pixel.Compare(b.Pixel))
}

// draw returns, for each of several independent draws, n different random usable pixels, or all if
// there are fewer. The random number of a pixel depends only on its position, the draw and the
// seed, and the lowest numbers win, so the result does not depend on how the scene is read. It
// makes one pass over the cube.
func draw(ctx context.Context, c *scene.Cube, draws, n int, seed uint64) ([][]scene.Pixel, error) {
	winners, err := scene.Fold(ctx, c, c.Bounds(), func(t *scene.Tile) ([][]ticket, error) {
		part := make([][]ticket, draws)
		for d := range part {
			for i, valid := range t.Valid {
				if valid {
					p := t.Block.At(i)
					part[d] = append(part[d], ticket{mix(seed, uint64(d), uint64(p.Line), uint64(p.Sample)), p})
				}
			}
			part[d] = lowest(part[d], n)
		}
		return part, nil
	}, func(all, part [][]ticket) [][]ticket {
		for d := range part {
			all[d] = lowest(append(all[d], part[d]...), n)
		}
		return all
	})
	if err != nil {
		return nil, err
	}
	drawn := make([][]scene.Pixel, draws)
	for d, list := range winners {
		for _, w := range list {
			drawn[d] = append(drawn[d], w.Pixel)
		}
	}
	return drawn, nil
}

// lowest returns the n tickets with the lowest numbers, sorted.
func lowest(list []ticket, n int) []ticket {
	slices.SortFunc(list, ticket.compare)
	return list[:min(n, len(list))]
}

// mix hashes numbers with the finalizer of SplitMix64, applied after each number (Steele, Lea,
// Flood 2014).
func mix(numbers ...uint64) uint64 {
	var z uint64
	for _, n := range numbers {
		z = (z ^ n) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}

// seedOption describes the seed of a method that draws.
func seedOption(v *uint64) option.Option {
	return option.Option{Name: "seed", Help: "`number` that chooses what is random", Value: v}
}
