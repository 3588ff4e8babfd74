package endmember_test

import (
	"context"
	"fmt"
	"log"

	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// A scene of three lines gets a fourth one, in which a purer pixel of one material appears. Update
// reads only the new line until it finds that the pixel enlarges the simplex.
func Example() {
	ctx := context.Background()
	spectra := []float64{
		9, 1, 1, 4, 4, 3,
		3, 5, 3, 1, 8, 1,
		3, 3, 4, 2, 2, 6,
		4, 4, 4, 1, 1, 9,
	}
	n := &endmember.NFINDR{Options: endmember.Options{Count: 3}}
	for lines := 3; lines <= 4; lines++ {
		all := scene.Block{Hi: scene.Pixel{Line: lines, Sample: 2}}
		source, err := scene.InMemory(all, 3, spectra[:lines*2*3])
		if err != nil {
			log.Fatal(err)
		}
		cube, err := scene.New(source, scene.Options{})
		if err != nil {
			log.Fatal(err)
		}
		last := scene.Block{Lo: scene.Pixel{Line: lines - 1}, Hi: all.Hi}
		if err := n.Update(ctx, cube, last); err != nil {
			log.Fatal(err)
		}
		for _, e := range n.Endmembers() {
			fmt.Println(e.Pixel(), e.Spectrum)
		}
		fmt.Printf("volume %.1f, no pixel enlarges it: %v\n", n.Volume(), n.Certificate.Holds())
	}
	// Output:
	// {0 0} [9 1 1]
	// {1 1} [1 8 1]
	// {2 1} [2 2 6]
	// volume 33.6, no pixel enlarges it: true
	// {0 0} [9 1 1]
	// {1 1} [1 8 1]
	// {3 1} [1 1 9]
	// volume 50.9, no pixel enlarges it: true
}
