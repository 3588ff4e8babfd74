package drx_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// An array that a radar appends to, frame by frame, and that later grows to the west.
func Example() {
	dir, err := os.MkdirTemp("", "drx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	a, err := drx.Create(filepath.Join(dir, "radar"), drx.Spec{
		DType:     dtype.Int16,
		Shape:     []int{0, 2, 3},
		Dims:      []string{"time", "y", "x"},
		FillValue: -1,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	for t := range int16(4) {
		added, err := a.Extend(0, 1) // the section that is new
		if err != nil {
			log.Fatal(err)
		}
		frame := []int16{10 * t, 10*t + 1, 10*t + 2, 10*t + 3, 10*t + 4, 10*t + 5} // row-major
		if err := drx.Write(a, added, frame); err != nil {
			log.Fatal(err)
		}
		if err := a.Sync(); err != nil { // now it is on disk
			log.Fatal(err)
		}
	}
	if _, err := a.ExtendLow(2, 1); err != nil { // a column at x = -1
		log.Fatal(err)
	}

	series, err := drx.Read[int16](a, nd.Sec(nd.All, nd.At(1), nd.At(0)))
	if err != nil {
		log.Fatal(err)
	}
	row, err := drx.Read[int16](a, nd.Sec(nd.At(3), nd.At(1), nd.All))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("bounds", a.Bounds())
	fmt.Println("series", series)
	fmt.Println("row", row)
	// Output:
	// bounds 0:4,0:2,-1:3
	// series [3 13 23 33]
	// row [-1 33 34 35]
}

// The number of any chunk can be computed, and its index found from the number.
func ExampleArray_Grid() {
	dir, err := os.MkdirTemp("", "drx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	a, err := drx.Create(filepath.Join(dir, "a"), drx.Spec{DType: dtype.Float64, Shape: []int{2, 3}, ChunkShape: []int{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	// Figure 1 of Otoo and Rotem (2007): chunks of 2 x 3, extended by one chunk each time.
	for _, dim := range []int{1, 0, 0, 1, 0, 1, 0} {
		if _, err := a.Extend(dim, a.ChunkShape()[dim]); err != nil {
			log.Fatal(err)
		}
	}
	grid := a.Grid()
	number, _ := grid.Number([]int{4, 2})
	index := make([]int, 2)
	grid.Index(11, index)
	fmt.Println(grid.Shape(), number, index)
	// Output: [5 4] 18 [3 2]
}
