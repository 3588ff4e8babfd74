package drx_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// rain returns a new array of 4 x 6 with the elements 0 to 23 in chunks of 2 x 3, and a function
// that removes it.
func rain() (*drx.Array, func()) {
	dir, err := os.MkdirTemp("", "drx")
	if err != nil {
		log.Fatal(err)
	}
	a, err := drx.Create(filepath.Join(dir, "rain"), drx.Spec{DType: dtype.Float64, Shape: []int{4, 6}, ChunkShape: []int{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	data := make([]float64, 24)
	for i := range data {
		data[i] = float64(i)
	}
	if err := drx.Write(a, nil, data); err != nil {
		log.Fatal(err)
	}
	return a, func() {
		a.Close()
		os.RemoveAll(dir)
	}
}

// The chunks of a section in the order of the file, then its rows.
func ExampleArray_Parts() {
	a, remove := rain()
	defer remove()
	sec := nd.Sec(nd.From(1), nd.To(4))
	for p, err := range a.Parts(drx.Walk{Section: sec}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("chunk", p.Number, "has", p.Section)
	}
	for p, err := range a.Parts(drx.Walk{Section: sec, Tile: []int{1, 0}}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("row", p.Section)
	}
	// Output:
	// chunk 0 has 1:2,0:3
	// chunk 1 has 1:2,3:4
	// chunk 2 has 2:4,0:3
	// chunk 3 has 2:4,3:4
	// row 1:2,0:4
	// row 2:3,0:4
	// row 3:4,0:4
}

// For each chunk, in any order and several at a time.
func ExampleForEach() {
	a, remove := rain()
	defer remove()
	err := drx.ForEach(context.Background(), a, drx.Walk{}, func(p drx.Part, data []float64) error {
		fmt.Println("chunk", p.Index, "has", p.Section, "from", data[0], "to", data[len(data)-1])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// chunk [0 0] has 0:2,0:3 from 0 to 8
	// chunk [0 1] has 0:2,3:6 from 3 to 11
	// chunk [1 0] has 2:4,0:3 from 12 to 20
	// chunk [1 1] has 2:4,3:6 from 15 to 23
}

// The mean of all written elements, computed by as many goroutines as there are processors.
func ExampleReduce() {
	a, remove := rain()
	defer remove()
	type mean struct{ sum, n float64 }
	of := func(_ drx.Part, data []float64) (m mean) {
		for _, x := range data {
			m.sum += x
			m.n++
		}
		return m
	}
	merge := func(x, y mean) mean { return mean{x.sum + y.sum, x.n + y.n} }
	m, err := drx.Reduce(context.Background(), a, drx.Walk{Written: true}, mean{}, of, merge)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.sum / m.n)
	// Output: 11.5
}

// One array made from another, chunk by chunk.
func ExampleMap() {
	a, remove := rain()
	defer remove()
	wet, err := drx.Create(a.Name()+"-wet", drx.Spec{DType: dtype.Bool, Shape: a.Shape(), ChunkShape: a.ChunkShape()})
	if err != nil {
		log.Fatal(err)
	}
	defer wet.Close()
	err = drx.Map(context.Background(), wet, a, drx.Walk{}, func(_ drx.Part, in []float64, out []bool) error {
		for i, x := range in {
			out[i] = x > 20
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(drx.Read[bool](wet, nd.Sec(nd.At(3), nd.All)))
	// Output: [false false false true true true] <nil>
}
