package axial_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
)

// grow is one extension of a history.
type grow struct {
	dim, by int
	side    axial.Side
}

func high(dim, by int) grow { return grow{dim, by, axial.High} }
func low(dim, by int) grow  { return grow{dim, by, axial.Low} }

// history builds the grid of the given initial extents and extensions.
func history(t testing.TB, extents []int, steps ...grow) *axial.Grid {
	t.Helper()
	g, err := axial.New(make([]int, len(extents)), extents)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if g, err = g.Extend(s.dim, s.by, s.side); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// table prints the numbers of a 2-D grid as the papers' figures do.
func table(g *axial.Grid) string {
	var b strings.Builder
	for i := g.Lo()[0]; i < g.Hi()[0]; i++ {
		for j := g.Lo()[1]; j < g.Hi()[1]; j++ {
			q, _ := g.Number([]int{i, j})
			fmt.Fprintf(&b, "%3d", q)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func record(dim, start, number int, coef ...int) axial.Record {
	return axial.Record{Dim: dim, Start: start, Number: axial.Number(number), Coef: coef}
}

func wantNumbers(t *testing.T, g *axial.Grid, want map[axial.Number][]int) {
	t.Helper()
	for q, index := range want {
		if got, ok := g.Number(index); !ok || got != q {
			t.Errorf("F*(%v) = %d, %v, want %d", index, got, ok, q)
		}
		inverse := make([]int, len(index))
		if !g.Index(q, inverse) || !cmp.Equal(inverse, index) {
			t.Errorf("inverse(%d) = %v, want %v", q, inverse, index)
		}
	}
}

func wantRecords(t *testing.T, g *axial.Grid, want ...axial.Record) {
	t.Helper()
	if diff := cmp.Diff(want, g.Records()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// Otoo and Rotem 2007, figure 1.
func TestFigure1Of2007(t *testing.T) {
	g := history(t, []int{1, 1}, high(1, 1), high(0, 1), high(0, 1), high(1, 1), high(0, 1), high(1, 1), high(0, 1))
	want := "" +
		"  0  1  6 12\n" +
		"  2  3  7 13\n" +
		"  4  5  8 14\n" +
		"  9 10 11 15\n" +
		" 16 17 18 19\n"
	if diff := cmp.Diff(want, table(g)); diff != "" {
		t.Error(diff)
	}
	wantNumbers(t, g, map[axial.Number][]int{18: {4, 2}})
	if got := g.Segments(); got != 7 {
		t.Errorf("%d segments, want 7: dimension 0 extended twice running is one", got)
	}
}

// Otoo and Rotem 2007, figure 3.
func TestFigure3Of2007(t *testing.T) {
	g := history(t, []int{4, 3, 1}, high(2, 1), high(2, 1), high(1, 1), high(0, 2), high(2, 1))
	if g.Chunks() != 96 {
		t.Errorf("%d chunks, want 96", g.Chunks())
	}
	wantNumbers(t, g, map[axial.Number][]int{7: {2, 1, 0}, 34: {3, 1, 2}, 56: {4, 2, 2}})
	wantRecords(t, g,
		record(2, 0, 0, 3, 1, 1),
		record(2, 1, 12, 3, 1, 12),
		record(1, 3, 36, 3, 12, 1),
		record(0, 4, 48, 12, 3, 1),
		record(2, 3, 72, 4, 1, 24))
}

// Nimako 2016, figures 3.3.1 and 3.3.2, and the worked inverse of section 3.4.
func TestFigure331OfThesis(t *testing.T) {
	g := history(t, []int{3, 3, 2}, high(1, 2), high(0, 2), high(2, 1))
	wantNumbers(t, g, map[axial.Number][]int{26: {1, 4, 0}, 29: {2, 4, 1}, 37: {3, 3, 1}, 27: {1, 4, 1}})
	wantRecords(t, g,
		record(2, 0, 0, 6, 2, 1),
		record(1, 3, 18, 2, 6, 1),
		record(0, 3, 30, 10, 2, 1),
		record(2, 2, 50, 5, 1, 25))
}

// Otoo and Rotem 2006, figure 3.
func TestFigure3Of2006(t *testing.T) {
	g := history(t, []int{4, 3}, high(1, 2), high(0, 3), high(1, 3), high(0, 2), high(1, 2))
	want := "" +
		"  0  1  2 12 16 35 42 49 72 81\n" +
		"  3  4  5 13 17 36 43 50 73 82\n" +
		"  6  7  8 14 18 37 44 51 74 83\n" +
		"  9 10 11 15 19 38 45 52 75 84\n" +
		" 20 21 22 23 24 39 46 53 76 85\n" +
		" 25 26 27 28 29 40 47 54 77 86\n" +
		" 30 31 32 33 34 41 48 55 78 87\n" +
		" 56 57 58 59 60 61 62 63 79 88\n" +
		" 64 65 66 67 68 69 70 71 80 89\n"
	if diff := cmp.Diff(want, table(g)); diff != "" {
		t.Error(diff)
	}
}

// Nimako 2016, section 4.1: the record when a 2 x 2 grid gets another column of chunks.
func TestSection41OfThesis(t *testing.T) {
	g := history(t, []int{2, 2}, high(1, 1))
	wantRecords(t, g, record(1, 0, 0, 2, 1), record(1, 2, 4, 1, 2))
}

// Growth on the low side, worked by hand from the formula in the package comment: grid
// 2 x 2, one column at index -1, then two rows at -1 and -2 (numbers run outwards), then
// a column at 2.
func TestLowSide(t *testing.T) {
	g := history(t, []int{2, 2}, low(1, 1), low(0, 2), high(1, 1))
	want := "" + // columns -1 0 1 2, rows -2 -1 0 1
		"  9 10 11 12\n" +
		"  6  7  8 13\n" +
		"  4  0  1 14\n" +
		"  5  2  3 15\n"
	if diff := cmp.Diff(want, table(g)); diff != "" {
		t.Error(diff)
	}
	r := g.Records()
	if r[1].Side != axial.Low || r[1].Start != -1 || r[2].Side != axial.Low || r[2].Start != -1 {
		t.Errorf("low-side records %+v", r[1:3])
	}
}

// Growth of an empty grid: the first extension that adds chunks spans the whole grid.
func TestFromZero(t *testing.T) {
	g := history(t, []int{0, 2}, high(1, 1), high(0, 1), high(0, 1), high(1, 1))
	want := "" +
		"  0  1  2  6\n" +
		"  3  4  5  7\n"
	if diff := cmp.Diff(want, table(g)); diff != "" {
		t.Error(diff)
	}
	wantRecords(t, g, record(0, 0, 0, 3, 1), record(1, 3, 6, 1, 2))

	g = history(t, []int{2, 0}, low(1, 2), low(1, 1))
	if diff := cmp.Diff("  4  2  0\n  5  3  1\n", table(g)); diff != "" {
		t.Error(diff)
	}
}
