package metalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"drx/internal/state"

	"drx/axial"
	"drx/nd"
)

var update = flag.Bool("update", false, "write the golden logs anew")

// golden has the logs of the arrays in the figures of the papers (with chunks of 2 x 3 (x 1)
// elements if the paper gives no chunk shape), and of arrays with later features. chunks is the
// size of the grid and number one of the paper's values of F*.
var golden = []struct {
	name    string
	commits [][]state.Record
	chunks  axial.Number
	index   []int
	number  axial.Number
}{
	{ // Otoo and Rotem 2007, figure 1: one commit per step.
		"figure1-2007", [][]state.Record{
			{header([]int{2, 3}, 2, 3)}, {high(1, 3)}, {high(0, 2)}, {high(0, 2)}, {high(1, 3)}, {high(0, 2)}, {high(1, 3)}, {high(0, 2)},
		}, 20, []int{4, 2}, 18,
	},
	{ // Otoo and Rotem 2007, figure 3: all steps in one commit.
		"figure3-2007", [][]state.Record{
			{header([]int{2, 3, 1}, 8, 9, 1)}, {high(2, 1), high(2, 1), high(1, 3), high(0, 4), high(2, 1)},
		}, 96, []int{4, 2, 2}, 56,
	},
	{ // Nimako 2016, figure 3.3.1.
		"figure331-2016", [][]state.Record{
			{header([]int{2, 3, 1}, 6, 9, 2)}, {high(1, 6), high(0, 4)}, {high(2, 1)},
		}, 75, []int{1, 4, 0}, 26,
	},
	{ // Otoo and Rotem 2006, figure 3.
		"figure3-2006", [][]state.Record{
			{header([]int{2, 3}, 8, 9)}, {high(1, 6)}, {high(0, 6), high(1, 9)}, {high(0, 4)}, {high(1, 6)},
		}, 90, []int{6, 4}, 34,
	},
	{ // Growth on the low side, with bounds inside chunks, every field and kind of record.
		"everything", [][]state.Record{
			{{Header: &state.Header{
				Version: 1, DType: "float32", Chunk: []int{2, 3}, Order: "col", Lo: []int{-3, 0}, Hi: []int{2, 5},
				Fill: json.RawMessage(`"NaN"`), Dims: []string{"y", "x"}, Align: 4096,
			}}},
			{setAttr("units", `"K"`)},
			{low(0, 3), addDim("time"), high(2, 4), delAttr("units")},
			{setAttr("scale", `{"offset":-273.15,"note":"a \u003c b"}`)},
		}, 40, []int{-2, 0, 0}, 0,
	},
	{ // An array of version 1 that has become one of version 2, and commits that go through the journal.
		"version2", [][]state.Record{
			{header([]int{2, 3}, 4, 6)},
			{format(2), setAttr("units", `"K"`)},
			{journal(3), high(0, 2)},
			{journal(0), {Shrink: &state.Shrink{Dim: 1, By: 3}}},
			{high(1, 6)},
		}, 9, []int{2, 1}, 5,
	},
	{ // The same from the beginning.
		"created2", [][]state.Record{
			{{Header: &state.Header{
				Version: 2, DType: "uint16", Chunk: []int{1, 4}, Order: "row", Lo: []int{0, 0}, Hi: []int{0, 8}, Fill: json.RawMessage("65535"),
			}}, setAttr("units", `"mm"`)},
			{high(0, 2)},
			{journal(1), high(0, 1)},
		}, 6, []int{2, 1}, 5,
	},
	{ // Commits that can be told apart, of one process and of some that share the array.
		"identity", [][]state.Record{
			{{Header: &state.Header{
				Version: 2, DType: "int16", Chunk: []int{2, 4}, Order: "row", Lo: []int{0, 0}, Hi: []int{2, 8}, Fill: json.RawMessage("0"),
			}}, {Identity: &state.Identity{ID: "68c1905fbee382e3"}}},
			{journal(2)},
			{{Shared: &state.Shared{Shared: true}}},
			{high(0, 2), {Shared: &state.Shared{Shared: true}}},
			{{Reserve: &state.Reserve{Key: "block 7"}}, high(0, 2), {Shared: &state.Shared{Shared: true}}},
			{{Shared: new(state.Shared)}},
			{{Identity: &state.Identity{ID: "another"}}, setAttr("units", `"K"`)},
			{{Journal: &state.Journal{Chunks: 1, Appended: true}}, high(0, 2)},
		}, 8, []int{2, 1}, 5,
	},
	{ // Compressed chunks.
		"codec", [][]state.Record{
			{{Header: &state.Header{
				Version: 2, DType: "int16", Chunk: []int{2, 4}, Order: "row", Lo: []int{0, 0}, Hi: []int{2, 8}, Fill: json.RawMessage("0"),
				Codec: "blosc:zstd:5:shuffle",
			}}},
			{high(0, 2)},
		}, 4, []int{1, 1}, 3,
	},
	{ // Elements along a curve, in chunks whose extents are not powers of two.
		"hilbert", [][]state.Record{
			{{Header: &state.Header{
				Version: 1, DType: "int16", Chunk: []int{5, 6}, Order: "hilbert", Lo: []int{0, 0}, Hi: []int{10, 12}, Fill: json.RawMessage("-1"),
			}}},
			{high(1, 6), addDim("z")},
		}, 6, []int{1, 2, 0}, 5,
	},
	{
		"morton", [][]state.Record{
			{{Header: &state.Header{
				Version: 1, DType: "uint8", Chunk: []int{3, 1, 4}, Order: "morton", Lo: []int{0, 0, 0}, Hi: []int{3, 1, 4}, Fill: json.RawMessage("0"),
			}}},
			{high(1, 3), low(0, 3)},
		}, 8, []int{0, 3, 0}, 3,
	},
}

// The positions of the elements, in row-major order, in a chunk of the golden arrays along a curve,
// as testdata/read_xta.py at the root computes them.
var goldenPlaces = map[string][]int{
	"hilbert": {
		0, 1, 14, 15, 16, 19,
		3, 2, 13, 12, 17, 18,
		4, 7, 8, 11, 22, 21,
		5, 6, 9, 10, 23, 20,
		29, 28, 27, 26, 24, 25,
	},
	"morton": {
		0, 1, 4, 5,
		2, 3, 6, 7,
		8, 9, 10, 11,
	},
}

func TestGoldenPlaces(t *testing.T) {
	for _, g := range golden {
		places := goldenPlaces[g.name]
		if places == nil {
			continue
		}
		s := apply(t, g.commits...)
		index, lo := make([]int, len(s.Chunk)), make([]int, len(s.Chunk))
		for e, want := range places {
			position := 0
			for d, i := range index {
				position += i * s.Strides[d]
			}
			if got := s.Offset(position); got != want*s.DType.Size() {
				t.Errorf("%s: element %v, number %d in row-major order, at byte %d, want %d", g.name, index, e, got, want*s.DType.Size())
			}
			nd.Next(index, lo, s.Chunk)
		}
	}
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
			s, log, err := ReadLog(newFile(t, want))
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, s, apply(t, g.commits...))
			if log.Commits() != len(g.commits) || s.Grid.Chunks() != g.chunks {
				t.Errorf("%d commits, %d chunks, want %d and %d", log.Commits(), s.Grid.Chunks(), len(g.commits), g.chunks)
			}
			if q, ok := s.Grid.Number(g.index); !ok || q != g.number {
				t.Errorf("F*(%v) = %d, %v, want %d", g.index, q, ok, g.number)
			}
		})
	}
}
