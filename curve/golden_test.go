package curve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/curve"
)

// table prints the positions of a 2-D box as the papers' figures do.
func table(o curve.Order) string {
	var b strings.Builder
	for _, index := range indices(o.Shape()) {
		q, _ := o.Position(index)
		fmt.Fprintf(&b, "%3d", q)
		if index[1] == o.Shape()[1]-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// The figures of Otoo and Rotem 2007, and small curves that can be checked by eye.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		what, name string
		shape      []int
		want       string
	}{
		{"figure 2a of 2007", "row", []int{8, 8}, "" +
			"  0  1  2  3  4  5  6  7\n" +
			"  8  9 10 11 12 13 14 15\n" +
			" 16 17 18 19 20 21 22 23\n" +
			" 24 25 26 27 28 29 30 31\n" +
			" 32 33 34 35 36 37 38 39\n" +
			" 40 41 42 43 44 45 46 47\n" +
			" 48 49 50 51 52 53 54 55\n" +
			" 56 57 58 59 60 61 62 63\n"},
		{"figure 2b of 2007", "morton", []int{8, 8}, "" +
			"  0  1  4  5 16 17 20 21\n" +
			"  2  3  6  7 18 19 22 23\n" +
			"  8  9 12 13 24 25 28 29\n" +
			" 10 11 14 15 26 27 30 31\n" +
			" 32 33 36 37 48 49 52 53\n" +
			" 34 35 38 39 50 51 54 55\n" +
			" 40 41 44 45 56 57 60 61\n" +
			" 42 43 46 47 58 59 62 63\n"},
		{"figure 2c of 2007", "shell", []int{8, 8}, "" +
			"  0  1  4  9 16 25 36 49\n" +
			"  2  3  5 10 17 26 37 50\n" +
			"  6  7  8 11 18 27 38 51\n" +
			" 12 13 14 15 19 28 39 52\n" +
			" 20 21 22 23 24 29 40 53\n" +
			" 30 31 32 33 34 35 41 54\n" +
			" 42 43 44 45 46 47 48 55\n" +
			" 56 57 58 59 60 61 62 63\n"},
		{"column-major", "col", []int{2, 3}, "  0  2  4\n  1  3  5\n"},
		{"Z order of unequal extents", "morton", []int{2, 8}, "  0  1  4  5  8  9 12 13\n  2  3  6  7 10 11 14 15\n"},
		{"Z order without its 3, 6, 7, 9, 11", "morton", []int{3, 3}, "  0  1  4\n  2  3  5\n  6  7  8\n"},
		{"figure 5.4.1 of the thesis", "hilbert", []int{2, 2}, "  0  1\n  3  2\n"},
		{"Hilbert curve of order 2", "hilbert", []int{4, 4}, "" +
			"  0  3  4  5\n" +
			"  1  2  7  6\n" +
			" 14 13  8  9\n" +
			" 15 12 11 10\n"},
		{"the same cut to 3 x 3", "hilbert", []int{3, 3}, "  0  3  4\n  1  2  5\n  8  7  6\n"},
		{"the same cut to 4 x 2, compact", "hilbert", []int{4, 2}, "  0  3\n  1  2\n  6  5\n  7  4\n"},
		{"shells cut to 2 x 4", "shell", []int{2, 4}, "  0  1  4  6\n  2  3  5  7\n"},
	} {
		if diff := cmp.Diff(c.want, table(order(t, c.name, c.shape...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

// Thesis 5.4.1: the element at <5, 3> of the curve of order 3 in two dimensions has the derived
// key 11 01 00; the levels above it have its prefixes.
func TestExampleOfTheThesis(t *testing.T) {
	for _, name := range []string{"hilbert", "tree"} {
		for _, c := range []struct{ side, i, j, want int }{{8, 5, 3, 0b110100}, {4, 2, 1, 0b1101}, {2, 1, 0, 0b11}, {2, 1, 1, 0b10}} {
			o := order(t, name, c.side, c.side)
			if q, ok := o.Position([]int{c.i, c.j}); !ok || q != c.want {
				t.Errorf("%s of side %d: position of (%d, %d) is %b, want %b", name, c.side, c.i, c.j, q, c.want)
			}
			index := make([]int, 2)
			if !o.Index(c.want, index) || !slices.Equal(index, []int{c.i, c.j}) {
				t.Errorf("%s of side %d: element %d is %v, want (%d, %d)", name, c.side, c.want, index, c.i, c.j)
			}
		}
	}
}

// TestFirstOrderIsTheGrayCode: the corners of a cube of side two, in any number of dimensions.
func TestFirstOrderIsTheGrayCode(t *testing.T) {
	for k := 2; k <= 8; k++ {
		shape := slices.Repeat([]int{2}, k)
		for _, name := range []string{"hilbert", "tree"} {
			o, index := order(t, name, shape...), make([]int, k)
			for key := range o.Len() {
				o.Index(key, index)
				for d, i := range index {
					if want := (key ^ key>>1) >> (k - 1 - d) & 1; i != want {
						t.Fatalf("%s: element %d of %d dimensions is %v", name, key, k, index)
					}
				}
			}
		}
	}
}
