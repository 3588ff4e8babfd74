package chunkmap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/cmd/drx/internal/cli"
	"drx/curve"
	"drx/internal/picture"
)

// numbersOf returns the numbers of a panel.
func numbersOf(p picture.Panel) [][]int64 {
	rows := make([][]int64, len(p.Cells))
	for i, row := range p.Cells {
		for _, c := range row {
			rows[i] = append(rows[i], c.Number)
		}
	}
	return rows
}

// figureOf returns the figure of a command line.
func figureOf(t *testing.T, o orderOptions) picture.Figure {
	t.Helper()
	fig, err := o.figure(80)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return fig
}

// The test draws figure 2 of the 2007 paper, its orders cut to 4 x 4, and figure 1: the chunks of
// an array that was extended in dimensions 1, 0, 0, 1, 0, 1, 0.
func TestOrdersOfThePaper(t *testing.T) {
	for _, c := range []struct {
		o    orderOptions
		want [][]int64
	}{
		{orderOptions{order: "row", shape: "4,4"}, [][]int64{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}},
		{orderOptions{order: "morton", shape: "4,4"}, [][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}}},
		{orderOptions{order: "shell", shape: "4,4"}, [][]int64{{0, 1, 4, 9}, {2, 3, 5, 10}, {6, 7, 8, 11}, {12, 13, 14, 15}}},
		{
			orderOptions{order: "axial", shape: "5,4", grow: "1+1,0+1,0+1,1+1,0+1,1+1,0+1"},
			[][]int64{{0, 1, 6, 12}, {2, 3, 7, 13}, {4, 5, 8, 14}, {9, 10, 11, 15}, {16, 17, 18, 19}},
		},
	} {
		fig := figureOf(t, c.o)
		if diff := cmp.Diff(c.want, numbersOf(fig.Panels[0])); diff != "" || len(fig.Panels) != 1 || fig.Panels[0].Title != c.o.order {
			t.Errorf("%s (-want +got):\n%s", c.o.order, diff)
		}
	}
}

// Every cell must have the position that package curve gives its index, in 1 to 3 dimensions.
func TestOrderFiguresAgreeWithPackageCurve(t *testing.T) {
	for _, shape := range [][]int{{1}, {9}, {4, 4}, {3, 7}, {1, 5}, {2, 3, 4}, {4, 4, 4}, {1, 1, 1}} {
		for _, name := range curve.Names() {
			want, err := curve.New(name, shape)
			if err != nil {
				t.Fatal(err)
			}
			fig := figureOf(t, orderOptions{order: name, shape: cli.FormatInts(shape)})
			cells := 0
			for i, p := range fig.Panels {
				for r, row := range p.Cells {
					for c, cell := range row {
						index := []int{i, r, c}[3-len(shape):]
						if q, ok := want.Position(index); !ok || cell.Number != int64(q) || !cell.Written {
							t.Fatalf("%s %v: index %v has %+v, want place %d", name, shape, index, cell, q)
						}
						cells++
					}
				}
			}
			if cells != want.Len() || len(fig.Legend) != 2 {
				t.Errorf("%s %v: %d cells, %d lines of legend", name, shape, cells, len(fig.Legend))
			}
		}
	}
}

// Every box must be reachable without --grow. Its numbers must be a bijection, and the first ones
// those of the smaller box that it grew from.
func TestGrownBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		shape := make([]int, 1+rng.IntN(3))
		for d := range shape {
			shape[d] = 1 + rng.IntN(7)
		}
		b, err := orderOptions{}.box(axialOrder, shape)
		if err != nil {
			t.Fatalf("%v: %v", shape, err)
		}
		seen := make([]bool, b.Len())
		index, again := make([]int, len(shape)), make([]int, len(shape))
		last := 0
		for q := range seen {
			if !b.Index(q, index) {
				t.Fatalf("%v: nothing at place %d", shape, q)
			}
			b.Index(q, again)
			if p, ok := b.Position(again); !ok || p != q {
				t.Fatalf("%v: %v is at %d, not %d", shape, again, p, q)
			}
			seen[q] = true
			if s := b.segment(index); s < last {
				t.Fatalf("%v: place %d is in segment %d, the one before in %d", shape, q, s, last)
			} else {
				last = s
			}
		}
		if b.Index(b.Len(), index) || slices.Contains(seen, false) {
			t.Errorf("%v: not %d places", shape, b.Len())
		}
	}
}

// The history in the legend, given to --grow, must give the same box.
func TestHistoryReproducesBox(t *testing.T) {
	fig := figureOf(t, orderOptions{order: "axial", shape: "8,8"})
	told := fig.Legend[1][strings.Index(fig.Legend[1], "grown by ")+len("grown by "):]
	if told != "1+1,0+2,1+3,0+4,1+3,0+1" {
		t.Errorf("grown by %q", told)
	}
	again := figureOf(t, orderOptions{order: "axial", shape: "8,8", grow: told})
	if diff := cmp.Diff(numbersOf(fig.Panels[0]), numbersOf(again.Panels[0])); diff != "" {
		t.Error(diff)
	}
	segments := map[int]bool{}
	for _, row := range fig.Panels[0].Cells {
		for _, c := range row {
			segments[c.Segment] = true
		}
	}
	if len(segments) != 7 {
		t.Errorf("%d segments, want the first element and 6 more", len(segments))
	}
}

// A shell is the difference of two successive cubes.
func TestShellSegments(t *testing.T) {
	fig := figureOf(t, orderOptions{order: "shell", shape: "5,5"})
	for i, row := range fig.Panels[0].Cells {
		for j, c := range row {
			if n := int64(max(i, j)); c.Segment != int(n) || c.Number < n*n || c.Number >= (n+1)*(n+1) {
				t.Errorf("%d, %d: %+v", i, j, c)
			}
		}
	}
}

// The measures of known boxes must be right: the averages are golden values of package curve's
// tests.
func TestMeasures(t *testing.T) {
	for _, c := range []struct{ order, shape, want string }{
		{"row", "4,4", "row: neighbours 2.50 places apart on average, 3 jumps"},
		{"col", "4,4", "col: neighbours 2.50 places apart on average, 3 jumps"},
		{"morton", "4,4", "morton: neighbours 2.38 places apart on average, 1 jump"},
		{"hilbert", "4,4", "hilbert: neighbours 2.50 places apart on average, no jumps"},
		{"shell", "4,4", "shell: neighbours 2.69 places apart on average, 3 jumps"},
		{"row", "1,1,1", "row: neighbours 0.00 places apart on average, no jumps"},
	} {
		if got := figureOf(t, orderOptions{order: c.order, shape: c.shape}).Legend[1]; got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.order, c.shape, got, c.want)
		}
	}
}

// The figure of all orders of three dimensions must have a line of slices for each.
func TestAllOrders(t *testing.T) {
	fig := figureOf(t, orderOptions{order: "all", shape: "2,3,4", noNumbers: true})
	if len(fig.Panels) != 12 || fig.RowDim != "dim 1" || fig.ColDim != "dim 2" || !fig.Path || !fig.NoNumbers {
		t.Fatalf("%d panels, %+v", len(fig.Panels), fig)
	}
	for i, p := range fig.Panels {
		want := fmt.Sprintf("%s, dim 0 = %d", orderNames()[i/2], i%2)
		if p.Title != want || p.Break != (i%2 == 0) {
			t.Errorf("panel %d is %q, breaks %v, want %q", i, p.Title, p.Break, want)
		}
	}
	for _, name := range orderNames() {
		if orderNotes[name] == "" {
			t.Errorf("nothing is said about %s", name)
		}
	}
}

func TestOrderErrors(t *testing.T) {
	for _, c := range []struct {
		o    orderOptions
		want string
	}{
		{orderOptions{order: "row"}, "--order needs --shape"},
		{orderOptions{order: "peano", shape: "2,2"}, `"peano" is none of row, col, morton, hilbert, shell, axial, all`},
		{orderOptions{order: "row,", shape: "2,2"}, `"" is none of`},
		{orderOptions{order: "row", shape: "2,x"}, "not a 64-bit integer"},
		{orderOptions{order: "row", shape: "2,0"}, "dimension 1: extent 0 below 1"},
		{orderOptions{order: "axial", shape: "-2,2"}, "extent -2 below 1"},
		{orderOptions{order: "row", shape: "2,2,2,2"}, "4 dimensions, at most 3"},
		{orderOptions{order: "row", shape: "1000,1000"}, "more than 300000 elements in all orders"},
		{orderOptions{order: "row", shape: "4294967296,4294967296"}, "more than 300000"},
		{orderOptions{order: "all", shape: "300,300"}, "in all orders"},
		{orderOptions{order: "row", shape: "2,2", grow: "0+1"}, "only order axial has a history"},
		{orderOptions{order: "axial", shape: "2,2", grow: "0+1"}, "one element grows to 2 x 1, not to 2 x 2"},
		{orderOptions{order: "axial", shape: "2,2", grow: "2+1"}, "dimensions 0 to 1"},
		{orderOptions{order: "axial", shape: "2,2", grow: "0+0"}, "BY at least 1"},
		{orderOptions{order: "axial", shape: "2,2", grow: "0-1"}, "want DIM+BY"},
		{orderOptions{order: "row", shape: "2,2", noNumbers: true, noPath: true}, "nothing to draw"},
	} {
		_, err := c.o.figure(80)
		if _, usage := err.(cli.UsageError); !usage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
}
