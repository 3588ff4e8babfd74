package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// ordered returns a panel with the given numbers; negative numbers are blank cells.
func ordered(numbers ...[]int64) Panel {
	var p Panel
	for _, row := range numbers {
		cells := make([]Cell, len(row))
		for j, n := range row {
			cells[j] = Cell{Number: n, Written: true}
			if n < 0 {
				cells[j].Segment = -1
			}
		}
		p.Cells = append(p.Cells, cells)
	}
	return p
}

// path returns a figure of one panel.
func path(numbers ...[]int64) Figure {
	return Figure{Panels: []Panel{ordered(numbers...)}, Gradient: true, Path: true}
}

func TestTrail(t *testing.T) {
	l := &layout{cellW: 10, cellH: 10}
	middle := func(row, col int) image.Point { return image.Pt(100+10*col+5, 50+10*row+5) }
	for _, c := range []struct {
		what  string
		panel Panel
		want  trail
	}{
		{"a corner", ordered([]int64{0, 1}, []int64{3, 2}), trail{
			steps:  [][]image.Point{{middle(0, 0), middle(0, 1), middle(1, 1), middle(1, 0)}},
			begins: [][]image.Point{{middle(0, 0)}},
		}},
		{"a diagonal is a step", ordered([]int64{0, 1}, []int64{2, 3}), trail{
			steps:  [][]image.Point{{middle(0, 0), middle(0, 1), middle(1, 0), middle(1, 1)}},
			begins: [][]image.Point{{middle(0, 0)}},
		}},
		{"a jump", ordered([]int64{0, 1, 2}, []int64{3, 4, 5}), trail{
			steps: [][]image.Point{
				{middle(0, 0), middle(0, 1), middle(0, 2)}, {middle(1, 0), middle(1, 1), middle(1, 2)},
			},
			jumps:  [][]image.Point{{middle(0, 2), middle(1, 0)}},
			begins: [][]image.Point{{middle(0, 0)}},
		}},
		{"two parts, and a blank cell", ordered([]int64{9, -1, 5}, []int64{8, 4, -1}), trail{
			steps:  [][]image.Point{{middle(1, 1), middle(0, 2)}, {middle(1, 0), middle(0, 0)}},
			begins: [][]image.Point{{middle(1, 1)}, {middle(1, 0)}},
		}},
	} {
		got := l.trail(c.panel, image.Pt(100, 50))
		same := func(a, b []image.Point) bool { return slices.Equal(a, b) }
		if !slices.EqualFunc(got.steps, c.want.steps, same) || !slices.EqualFunc(got.jumps, c.want.jumps, same) ||
			!slices.EqualFunc(got.begins, c.want.begins, same) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// PNG has the line at the points of the trail, and no line without Path.
func TestPathIsDrawn(t *testing.T) {
	f := path([]int64{0, 1, 2}, []int64{5, 4, 3})
	f.NoNumbers = true
	l, err := newLayout(f)
	if err != nil {
		t.Fatal(err)
	}
	at := func(f Figure) func(x, y int) color.Color {
		var b bytes.Buffer
		if err := f.PNG(&b); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		return func(x, y int) color.Color {
			return color.RGBAModel.Convert(img.At(l.cells[0].X+x, l.cells[0].Y+y))
		}
	}
	w, h := l.cellW, l.cellH
	with := at(f)
	for _, p := range [][2]int{{w / 2, h / 2}, {w, h / 2}, {2 * w, h / 2}, {2*w + w/2, h}, {2 * w, h + h/2}, {w, h + h/2}} {
		if c := with(p[0], p[1]); c != edgeInk {
			t.Errorf("no line at %v but %v", p, c)
		}
	}
	f, _ = f.checked()
	if c, want := with(w/2+1, h-3), f.shade(Cell{Number: 0}); c != want {
		t.Errorf("beside the line: %v, want %v", c, want)
	}
	if c := with(w+w/2, h); c == edgeInk {
		t.Error("a line from 1 to 4")
	}
	f.Path = false
	if c, want := at(f)(w/2, h/2), f.shade(Cell{Number: 0}); c != want {
		t.Errorf("without a path: %v, want %v", c, want)
	}
}

// SVG has the same lines, with the numbers over them.
func TestPathInSVG(t *testing.T) {
	f := path([]int64{0, 1, 2}, []int64{3, 4, 5})
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, `stroke-linecap="round"`); n != 2 {
		t.Errorf("%d paths, want one of steps and one of jumps", n)
	}
	if n := strings.Count(text, "<rect"); n != 1+6+6 {
		t.Errorf("%d rectangles, want the paper, 6 cells and 6 patches", n)
	}
	if strings.LastIndex(text, "<path") > strings.Index(text, ">0</text>") {
		t.Error("the path covers a number")
	}
	f.NoNumbers = true
	b.Reset()
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<text") || strings.Count(b.String(), `stroke-linecap="round"`) != 3 {
		t.Errorf("without numbers there are no texts, but a dot where the path begins: %s", b.String())
	}
}

func TestPathAsText(t *testing.T) {
	for _, c := range []struct {
		what  string
		panel Panel
		want  string
	}{
		{
			"Hilbert curve", ordered([]int64{0, 3, 4, 5}, []int64{1, 2, 7, 6}, []int64{14, 13, 8, 9}, []int64{15, 12, 11, 10}),
			" ╷ ┌───┐\n └─┘ ┌─┘\n ┌─┐ └─┐\n ╵ └───┘\n",
		},
		{"a step aside is none, a single cell a dot", ordered([]int64{0, 1}, []int64{2, -1}), " ╶─╴\n ·  \n"},
		{"upwards and to the left", ordered([]int64{3, 2}, []int64{0, 1}), " ╶─┐\n ╶─┘\n"},
	} {
		f := Figure{Panels: []Panel{c.panel}, Gradient: true, Path: true, NoNumbers: true}
		var b bytes.Buffer
		if err := f.Text(&b, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.what, got, c.want)
		}
	}
}

// As many panels are side by side as fit, each at its column, with and without colours.
func TestPanelsSideBySide(t *testing.T) {
	f := Figure{Gradient: true, TextWidth: 40}
	for _, title := range []string{"one", "two", "three", "four", "five"} {
		p := ordered([]int64{0, 1, 2, 3, 4}, []int64{5, 6, 7, 8, 9})
		p.Title, p.Break = title, title == "five"
		f.Panels = append(f.Panels, p)
	}
	f.Panels[1].Cells = f.Panels[1].Cells[:1]
	const want = "" +
		"one          two          three\n" +
		" 0 1 2 3 4    0 1 2 3 4    0 1 2 3 4\n" +
		" 5 6 7 8 9                 5 6 7 8 9\n" +
		"\n" +
		"four\n" +
		" 0 1 2 3 4\n" +
		" 5 6 7 8 9\n" +
		"\n" +
		"five\n" +
		" 0 1 2 3 4\n" +
		" 5 6 7 8 9\n" +
		"\n"
	for _, colored := range []bool{false, true} {
		var b bytes.Buffer
		if err := f.Text(&b, colored); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if colored {
			if n := strings.Count(got, resetColor); n != 45 {
				t.Errorf("%d cells have colours, want 45", n)
			}
			var plain strings.Builder
			for line := range strings.Lines(got) {
				for s := line; s != ""; {
					before, after, _ := strings.Cut(s, "\x1b[")
					plain.WriteString(before)
					_, s, _ = strings.Cut(after, "m")
				}
			}
			got = plain.String()
		}
		if got != want {
			t.Errorf("colours %v:\n%swant\n%s", colored, got, want)
		}
	}
}

// Dark ink is readable on every shade.
func TestShadesAreLight(t *testing.T) {
	f, err := path([]int64{0, 500}, []int64{1000, 250}).checked()
	if err != nil {
		t.Fatal(err)
	}
	dark := f.shade(Cell{Number: 0})
	for n := range int64(1001) {
		c := f.shade(Cell{Number: n})
		if light := 2*int(c.R) + 7*int(c.G) + int(c.B); light < 10*128 {
			t.Fatalf("shade %v of %d is too dark", c, n)
		}
	}
	if f.shade(Cell{Number: 1000}) == dark {
		t.Error("first and last have the same colour")
	}
}
