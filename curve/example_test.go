package curve_test

import (
	"fmt"
	"log"
	"os"
	"slices"
	"text/tabwriter"

	"drx/curve"
)

// The element of the thesis' example, section 5.4.1.
func Example() {
	o, err := curve.Hilbert([]int{8, 8})
	if err != nil {
		log.Fatal(err)
	}
	position, _ := o.Position([]int{5, 3})
	index := make([]int, 2)
	o.Index(position, index)
	fmt.Printf("element %v is at position %d, %06b\n", index, position, position)
	// Output: element [5 3] is at position 52, 110100
}

// A chunk of row-major elements is rearranged to the order of the Hilbert curve, and back.
func ExamplePermutation() {
	o, err := curve.Hilbert([]int{3, 4})
	if err != nil {
		log.Fatal(err)
	}
	positions, err := curve.Permutation(o)
	if err != nil {
		log.Fatal(err)
	}
	rows := []byte("abcdefghijkl")
	along, back := make([]byte, len(rows)), make([]byte, len(rows))
	for i, q := range positions {
		along[q] = rows[i]
	}
	for i, q := range positions {
		back[i] = along[q]
	}
	fmt.Printf("%s\n%s\n", along, back)
	// Output:
	// aefbcdhgklji
	// abcdefghijkl
}

// The average nearest-neighbour stretch of the orders, per side^(k-1) for cubes of k dimensions.
func ExampleStretch() {
	w := tabwriter.NewWriter(os.Stdout, 6, 0, 2, ' ', 0)
	fmt.Fprint(w, "cube")
	for _, name := range curve.Names() {
		fmt.Fprint(w, "\t", name)
	}
	fmt.Fprintln(w)
	for _, c := range []struct{ k, side int }{{2, 4}, {2, 16}, {2, 64}, {2, 256}, {3, 4}, {3, 16}, {3, 32}, {4, 4}, {4, 8}, {4, 16}} {
		fmt.Fprintf(w, "%d^%d", c.side, c.k)
		per := 1.0
		for range c.k - 1 {
			per *= float64(c.side)
		}
		for _, name := range curve.Names() {
			o, err := curve.New(name, slices.Repeat([]int{c.side}, c.k))
			if err != nil {
				log.Fatal(err)
			}
			s, err := curve.Stretch(o)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Fprintf(w, "\t%.3f", s/per)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	// Output:
	// cube   row    col    morton  hilbert  shell
	// 4^2    0.625  0.625  0.594   0.625    0.673
	// 16^2   0.531  0.531  0.521   0.604    0.663
	// 64^2   0.508  0.508  0.505   0.606    0.665
	// 256^2  0.502  0.502  0.501   0.607    0.666
	// 4^3    0.438  0.438  0.414   0.432    0.497
	// 16^3   0.355  0.355  0.351   0.377    0.557
	// 32^3   0.344  0.344  0.342   0.369    0.577
	// 4^4    0.332  0.332  0.316   0.324    0.391
	// 8^4    0.286  0.286  0.279   0.289    0.445
	// 16^4   0.267  0.267  0.264   0.273    0.498
}
