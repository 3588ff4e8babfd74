package chunkmap

import (
	"errors"
	"slices"
	"testing"

	"drx"
	"drx/axial"
	"drx/cmd/drx/internal/clitest"
	"drx/nd"
)

func TestMapFigureNumbersAndWritten(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{Shape: []int{2, 2, 3}, ChunkShape: []int{1, 1, 1}, Dims: []string{"t", "y", "x"}})
	if _, err := a.ExtendLow(1, 1); err != nil {
		t.Fatal(err)
	}
	if err := drx.Set(a, int16(7), 1, -1, 2); err != nil {
		t.Fatal(err)
	}
	fig, note, err := Figure(a, "", "")
	if err != nil || note != "" {
		t.Fatalf("note %q, error %v", note, err)
	}
	if len(fig.Panels) != 2 || fig.Panels[1].Title != "t = 1" || fig.RowDim != "y" || fig.ColDim != "x" {
		t.Fatalf("%d panels, rows %s, columns %s", len(fig.Panels), fig.RowDim, fig.ColDim)
	}
	for i, panel := range fig.Panels {
		for r, row := range panel.Cells {
			for c, cell := range row {
				index := []int{i, panel.RowLabels[r], panel.ColLabels[c]}
				q, _ := a.Grid().Number(index)
				segment, _ := a.Grid().SegmentOf(index)
				if cell.Number != int64(q) || cell.Segment != segment || cell.Written != slices.Equal(index, []int{1, -1, 2}) {
					t.Errorf("chunk %v: %+v, want number %d of segment %d", index, cell, q, segment)
				}
			}
		}
	}
}

func TestMapFigureNoteForHigherRank(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{Shape: []int{2, 3, 4, 5}, ChunkShape: []int{1, 1, 1, 1}})
	fig, note, err := Figure(a, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "showing chunk 1=0 of 0:3; choose with --at"; note != want || len(fig.Panels) != 2 {
		t.Errorf("%d panels, note %q, want 2 and %q", len(fig.Panels), note, want)
	}
	fig, note, err = Figure(a, "0,2", "1=2,3=1:4")
	if err != nil || note != "" {
		t.Fatalf("note %q, error %v", note, err)
	}
	if len(fig.Panels) != 3 || fig.Panels[2].Title != "3 = 3" {
		t.Fatalf("%d panels, want 3", len(fig.Panels))
	}
	if q, _ := a.Grid().Number([]int{1, 2, 3, 3}); fig.Panels[2].Cells[1][3].Number != int64(q) {
		t.Errorf("chunk 1,2,3,3 is shown as %d, want %d", fig.Panels[2].Cells[1][3].Number, q)
	}
}

func TestMapFigureLimit(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{Shape: []int{1000, 1000}, ChunkShape: []int{1, 1}})
	if _, _, err := Figure(a, "", ""); err == nil {
		t.Error("a map of a million chunks was drawn")
	}
	if fig, _, err := Figure(a, "", "0=5:8"); err != nil || len(fig.Panels[0].Cells) != 3 {
		t.Errorf("part of it: %v", err)
	}
}

// The boxes in the legend must have as many chunks as the segments.
func TestSegmentLegend(t *testing.T) {
	grid, err := axial.New([]int{0, 0}, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		dim, by int
		side    axial.Side
	}{{0, 1, axial.High}, {0, 2, axial.High}, {1, 1, axial.Low}, {1, 3, axial.Low}, {0, 1, axial.High}} {
		if grid, err = grid.Extend(e.dim, e.by, e.side); err != nil {
			t.Fatal(err)
		}
	}
	if grid, err = grid.AddDim(); err != nil {
		t.Fatal(err)
	}
	if grid, err = grid.Extend(2, 1, axial.High); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0: first 3 x 2 x 1, chunks 0 to 5",
		"1: x +4 low, chunks 6 to 17",
		"2: y +1, chunks 18 to 23",
		"3: z +1, chunks 24 to 47",
	}
	if got := segmentLegend(grid, []string{"y", "x", "z"}); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestWrittenRefusesOtherNumbers(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{Shape: []int{4}, ChunkShape: []int{2}})
	for _, q := range []axial.Number{-1, 2} {
		if _, err := a.Written(q); !errors.Is(err, drx.ErrBounds) {
			t.Errorf("chunk %d of 2: %v", q, err)
		}
	}
	if err := drx.Write(a, nd.Sec(nd.Span(2, 4)), []int16{1, 2}); err != nil {
		t.Fatal(err)
	}
	for q, want := range []bool{false, true} {
		if got, err := a.Written(axial.Number(q)); got != want || err != nil {
			t.Errorf("chunk %d: %v, %v", q, got, err)
		}
	}
}
