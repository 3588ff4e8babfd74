package chunkmap

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/axial"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/internal/picture"
	"drx/nd"
)

var updateGrowth = flag.Bool("update-growth", false, "write the pictures of docs/images")

// growthFigure shows a grid of 2 x 2 chunks after 0, 1, 3 and 4 expansions.
func growthFigure(t *testing.T) picture.Figure {
	t.Helper()
	grid, err := axial.New([]int{0, 0}, []int{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	fig := picture.Figure{
		Title:  "An array grows: no chunk ever changes its number, its place in the file",
		RowDim: "y", ColDim: "x",
	}
	snap := func(title string) {
		panel, err := chunkPanel(grid, nd.Box(grid.Lo(), grid.Hi()), display.Plane{Rows: 0, Cols: 1},
			func(axial.Number) (bool, error) { return true, nil })
		if err != nil {
			t.Fatal(err)
		}
		panel.Title = title
		fig.Panels = append(fig.Panels, panel)
	}
	extend := func(dim, by int, side axial.Side) {
		if grid, err = grid.Extend(dim, by, side); err != nil {
			t.Fatal(err)
		}
	}
	snap("created")
	extend(1, 2, axial.High)
	snap("x +2")
	extend(0, 1, axial.Low)
	extend(0, 1, axial.High)
	snap("y +1 on both sides")
	extend(1, 1, axial.Low)
	snap("x +1 on the low side")
	fig.Legend = segmentLegend(grid, []string{"y", "x"})
	return fig
}

func TestGrowthPictureIsUpToDate(t *testing.T) {
	var b bytes.Buffer
	if err := growthFigure(t).SVG(&b); err != nil {
		t.Fatal(err)
	}
	checkImage(t, "growth.svg", b.Bytes())
}

// The pictures of orders in docs/images must be those that these flags of map draw.
func TestOrderPicturesAreUpToDate(t *testing.T) {
	for name, flags := range map[string]string{
		"orders.svg":  "--order all --shape 8,8",
		"hilbert.svg": "--order hilbert,morton --shape 16,16 --no-numbers",
		"figure1.svg": "--order axial --shape 5,4 --grow 1+1,0+2,1+1,0+1,1+1,0+1",
	} {
		drawn := filepath.Join(t.TempDir(), name)
		var out strings.Builder
		args := append(append([]string{"map"}, strings.Fields(flags)...), "-o", drawn)
		if code := cli.Run(t.Context(), cli.NewRoot(New), args, nil, &out, &out); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, out.String())
		}
		svg, err := os.ReadFile(drawn)
		if err != nil {
			t.Fatal(err)
		}
		checkImage(t, name, svg)
	}
}

// checkImage compares a picture with the one in docs/images, or updates that one.
func checkImage(t *testing.T, image string, drawn []byte) {
	t.Helper()
	name := filepath.Join("..", "..", "..", "..", "docs", "images", image)
	if *updateGrowth {
		if err := os.WriteFile(name, drawn, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn, want) {
		t.Errorf("%s is out of date; write it with: go test ./cmd/drx/internal/chunkmap -run UpToDate -update-growth", name)
	}
}
