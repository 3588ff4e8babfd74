package meta

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"drx/axial"
)

var update = flag.Bool("update", false, "write the golden logs anew")

// golden holds the logs of the arrays that the papers draw, chunks of 2 x 3 (x 1) elements
// where the paper gives none, and of what the papers do not have. chunks is the size of
// the grid and number one of the paper's values of F*.
var golden = []struct {
	name    string
	commits [][]Record
	chunks  axial.Number
	index   []int
	number  axial.Number
}{
	{ // Otoo and Rotem 2007, figure 1: one commit per step.
		"figure1-2007", [][]Record{
			{header([]int{2, 3}, 2, 3)}, {high(1, 3)}, {high(0, 2)}, {high(0, 2)}, {high(1, 3)}, {high(0, 2)}, {high(1, 3)}, {high(0, 2)},
		}, 20, []int{4, 2}, 18,
	},
	{ // Otoo and Rotem 2007, figure 3: all steps in one commit.
		"figure3-2007", [][]Record{
			{header([]int{2, 3, 1}, 8, 9, 1)}, {high(2, 1), high(2, 1), high(1, 3), high(0, 4), high(2, 1)},
		}, 96, []int{4, 2, 2}, 56,
	},
	{ // Nimako 2016, figure 3.3.1.
		"figure331-2016", [][]Record{
			{header([]int{2, 3, 1}, 6, 9, 2)}, {high(1, 6), high(0, 4)}, {high(2, 1)},
		}, 75, []int{1, 4, 0}, 26,
	},
	{ // Otoo and Rotem 2006, figure 3.
		"figure3-2006", [][]Record{
			{header([]int{2, 3}, 8, 9)}, {high(1, 6)}, {high(0, 6), high(1, 9)}, {high(0, 4)}, {high(1, 6)},
		}, 90, []int{6, 4}, 34,
	},
	{ // Growth on the low side, with bounds inside chunks, every field and kind of record.
		"everything", [][]Record{
			{{Header: &Header{
				Version: 1, DType: "float32", Chunk: []int{2, 3}, Order: "col", Lo: []int{-3, 0}, Hi: []int{2, 5},
				Fill: json.RawMessage(`"NaN"`), Dims: []string{"y", "x"}, Align: 4096,
			}}},
			{setAttr("units", `"K"`)},
			{low(0, 3), addDim("time"), high(2, 4), delAttr("units")},
			{setAttr("scale", `{"offset":-273.15,"note":"a \u003c b"}`)},
		}, 40, []int{-2, 0, 0}, 0,
	},
}

func TestGoldenLogs(t *testing.T) {
	for _, g := range golden {
		t.Run(g.name, func(t *testing.T) {
			name := filepath.Join("testdata", g.name+".xmd")
			file, _ := write(t, g.commits...)
			text := bytesOf(t, file)
			if *update {
				if err := os.WriteFile(name, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, want) {
				t.Errorf("written\n%s, want\n%s", text, want)
			}
			state, log, err := ReadLog(newFile(t, want))
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, state, apply(t, g.commits...))
			if log.Commits() != len(g.commits) || state.Grid.Chunks() != g.chunks {
				t.Errorf("%d commits, %d chunks, want %d and %d", log.Commits(), state.Grid.Chunks(), len(g.commits), g.chunks)
			}
			if q, ok := state.Grid.Number(g.index); !ok || q != g.number {
				t.Errorf("F*(%v) = %d, %v, want %d", g.index, q, ok, g.number)
			}
		})
	}
}
