package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"
)

// expansion adds n chunk indices to a dimension, 0 the rows, 1 the columns.
type expansion struct {
	dim, n int
	low    bool
}

// grown returns the chunk map of a 2-D grid with one segment per expansion; each segment is
// numbered in row-major order after the earlier ones.
func grown(rows, cols int, expansions ...expansion) Figure {
	f := Figure{RowDim: "y", ColDim: "x", Legend: []string{fmt.Sprintf("0: initial %d x %d", rows, cols)}}
	lo, hi := [2]int{}, [2]int{rows, cols}
	cells := map[[2]int]Cell{}
	adjoin := func(segment int) {
		for i := lo[0]; i < hi[0]; i++ {
			for j := lo[1]; j < hi[1]; j++ {
				if _, ok := cells[[2]int{i, j}]; !ok {
					cells[[2]int{i, j}] = Cell{Number: int64(len(cells)), Segment: segment, Written: true}
				}
			}
		}
	}
	adjoin(0)
	for s, e := range expansions {
		side := "high"
		if e.low {
			lo[e.dim] -= e.n
			side = "low"
		} else {
			hi[e.dim] += e.n
		}
		adjoin(s + 1)
		f.Legend = append(f.Legend, fmt.Sprintf("%d: dim %c +%d (%s)", s+1, "yx"[e.dim], e.n, side))
	}
	var p Panel
	for j := lo[1]; j < hi[1]; j++ {
		p.ColLabels = append(p.ColLabels, j)
	}
	for i := lo[0]; i < hi[0]; i++ {
		p.RowLabels = append(p.RowLabels, i)
		var row []Cell
		for j := lo[1]; j < hi[1]; j++ {
			row = append(row, cells[[2]int{i, j}])
		}
		p.Cells = append(p.Cells, row)
	}
	f.Panels = []Panel{p}
	return f
}

// figure1 is figure 1 of the paper of 2007; the two expansions of dimension 0
// in a row are one segment.
func figure1() Figure {
	f := grown(1, 1, expansion{dim: 1, n: 1}, expansion{dim: 0, n: 2}, expansion{dim: 1, n: 1},
		expansion{dim: 0, n: 1}, expansion{dim: 1, n: 1}, expansion{dim: 0, n: 1})
	f.Title = "Chunk numbers"
	return f
}

// lowSides has negative labels, two panels and chunks that are not written.
func lowSides() Figure {
	f := grown(2, 2, expansion{dim: 1, n: 2, low: true}, expansion{dim: 0, n: 1, low: true}, expansion{dim: 1, n: 7})
	f.Title = "a < b & \"c\"\x1b[31m"
	f.Panels[0].Title = "time = -1"
	f.Panels[0].Cells[1][2].Written = false
	f.Panels[0].Cells[2][10].Written = false
	second := f.Panels[0]
	second.Title = "time = 0"
	second.Cells = append([][]Cell{{}}, second.Cells[1:]...)
	second.Cells[0] = append([]Cell{{Segment: -1}}, f.Panels[0].Cells[0][1:]...)
	f.Panels = append(f.Panels, second)
	return f
}

func TestFigureText(t *testing.T) {
	for name, f := range map[string]Figure{"figure1": figure1(), "lowsides": lowSides()} {
		var plain, colored bytes.Buffer
		if err := f.Text(&plain, false); err != nil {
			t.Fatal(err)
		}
		if err := f.Text(&colored, true); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", plain.Bytes())
		golden(t, name+"-color.txt", colored.Bytes())
		stripped := regexp.MustCompile(`(?m)^\x1b\[[0-9;]*m   \x1b\[0m |\x1b\[[0-9;]*m`).ReplaceAll(colored.Bytes(), nil)
		if !bytes.Equal(stripped, plain.Bytes()) {
			t.Errorf("%s: in colour, without its escape sequences:\n%s\nwithout colour:\n%s", name, stripped, &plain)
		}
		if strings.Contains(plain.String(), "\x1b") {
			t.Errorf("%s: an escape sequence got through", name)
		}
	}
}

func TestFigure1Numbers(t *testing.T) {
	// The table as printed in the paper.
	want := [][]int64{{0, 1, 6, 12}, {2, 3, 7, 13}, {4, 5, 8, 14}, {9, 10, 11, 15}, {16, 17, 18, 19}}
	var b bytes.Buffer
	f := Figure{Panels: []Panel{{Cells: figure1().Panels[0].Cells}}}
	if err := f.Text(&b, false); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, row := range want {
		for _, n := range row {
			fmt.Fprintf(&table, "%3d", n)
		}
		table.WriteString("\n")
	}
	if got := b.String(); got != table.String()+"\n" {
		t.Errorf("got\n%swant\n%s", got, &table)
	}
}

// svgShapes parses an SVG and counts its elements by name; it also returns
// all character data.
func svgShapes(t *testing.T, f Figure) (count map[string]int, text string) {
	t.Helper()
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	count = map[string]int{}
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if err == io.EOF {
			return count, text
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
		case xml.CharData:
			text += string(token)
		}
	}
}

func TestSVG(t *testing.T) {
	count, _ := svgShapes(t, figure1())
	// Rectangles: the background, 20 chunks, 7 swatches. Texts: the title, 20 numbers, 2 names of
	// dimensions, 9 labels, 7 entries.
	if count["rect"] != 1+20+7 || count["text"] != 1+20+2+9+7 || count["pattern"] != 0 {
		t.Errorf("elements %v", count)
	}
	low, text := svgShapes(t, lowSides())
	// One cell of the second panel is blank; the hatching has a swatch.
	if low["rect"] != 1+2*33-1+5 || low["pattern"] != len(segmentColors)+1 {
		t.Errorf("elements %v", low)
	}
	if !strings.Contains(text, `a < b & "c"`) || strings.Contains(text, "\x1b") {
		t.Errorf("the title came out differently: %q", text)
	}
}

// drawn returns the figure's PNG and its layout.
func drawn(t *testing.T, f Figure) (image.Image, *layout) {
	t.Helper()
	var b bytes.Buffer
	if err := f.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLayout(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got != image.Pt(l.width, l.height) {
		t.Fatalf("png of %v pixels, want %d x %d", got, l.width, l.height)
	}
	return img, l
}

func TestPNG(t *testing.T) {
	for _, f := range []Figure{figure1(), lowSides()} {
		img, l := drawn(t, f)
		for k, p := range f.Panels {
			for i, row := range p.Cells {
				for j, c := range row {
					r := image.Rect(0, 0, l.cellW, l.cellH).Inset(inset).Add(l.cells[k]).Add(image.Pt(j*l.cellW, i*l.cellH))
					for _, at := range []image.Point{r.Min, {r.Max.X - 1, r.Min.Y}, {r.Min.X, r.Max.Y - 1}, r.Max.Sub(image.Pt(1, 1))} {
						got := rgb(0)
						got.R, got.G, got.B, _ = rgba8(img, at)
						switch {
						case c.Segment < 0 && got != paper, c.Segment >= 0 && c.Written && got != segmentColor(c.Segment):
							t.Errorf("panel %d, cell %d,%d of segment %d: pixel %v is %v", k, i, j, c.Segment, at, got)
						}
					}
					if dark := darkest(img, r); c.Segment >= 0 && c.Written != (dark < 60) {
						t.Errorf("panel %d, cell %d,%d, written %v: darkest pixel %d", k, i, j, c.Written, dark)
					}
				}
			}
		}
	}
}

func rgba8(img image.Image, at image.Point) (r, g, b, a uint8) {
	r16, g16, b16, a16 := img.At(at.X, at.Y).RGBA()
	return uint8(r16 >> 8), uint8(g16 >> 8), uint8(b16 >> 8), uint8(a16 >> 8)
}

// darkest returns the lowest brightness in the rectangle, which is that of its number.
func darkest(img image.Image, r image.Rectangle) int {
	dark := 255
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := rgb(0)
			c.R, c.G, c.B, _ = rgba8(img, image.Pt(x, y))
			dark = min(dark, luma(c))
		}
	}
	return dark
}

func TestNumbersCentred(t *testing.T) {
	f := figure1()
	img, l := drawn(t, f)
	for i, row := range f.Panels[0].Cells {
		for j := range row {
			r := image.Rect(0, 0, l.cellW, l.cellH).Inset(inset).Add(l.cells[0]).Add(image.Pt(j*l.cellW, i*l.cellH))
			var box image.Rectangle
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					if px := image.Rect(x, y, x+1, y+1); darkest(img, px) < 130 {
						box = box.Union(px)
					}
				}
			}
			off := box.Min.Add(box.Max).Sub(r.Min.Add(r.Max))
			if box.Empty() || abs(off.X) > 4 || abs(off.Y) > 3 {
				t.Errorf("number in cell %d,%d covers %v of %v", i, j, box, r)
			}
		}
	}
}

func TestFigureShrinks(t *testing.T) {
	for _, c := range []struct{ side, numbers, cell int }{
		{90, numberSize, 36}, {140, smallSize, 26}, {160, 0, 24}, {700, 0, 4}, {3900, 0, 1},
	} {
		f := grown(c.side, 1)
		l, err := newLayout(f)
		if err != nil {
			t.Fatal(err)
		}
		if l.numbers != c.numbers || l.cellH != c.cell || l.height > maxSide {
			t.Errorf("%d rows: numbers of %d pixels in cells of %d, height %d; want %d in %d", c.side, l.numbers, l.cellH, l.height, c.numbers, c.cell)
		}
	}
	err := grown(4000, 1).PNG(io.Discard)
	if err == nil || !strings.Contains(err.Error(), "at most 4000") {
		t.Errorf("4000 rows: error %v", err)
	}
	// Without numbers, equal cells are drawn in runs.
	count, _ := svgShapes(t, grown(3, 1000))
	if count["rect"] != 1+3+1 {
		t.Errorf("3 rows of 1000 equal chunks: %d rectangles", count["rect"])
	}
}

func TestSVGRefusesTooMany(t *testing.T) {
	f := grown(560, 560)
	for i, row := range f.Panels[0].Cells {
		for j := range row {
			row[j].Segment = (i + j) % 2
		}
	}
	if err := f.SVG(io.Discard); err == nil || !strings.Contains(err.Error(), "at most 300000") {
		t.Errorf("313600 unequal chunks: error %v", err)
	}
	if err := f.PNG(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestPanelsWrap(t *testing.T) {
	f := figure1()
	for range 29 {
		f.Panels = append(f.Panels, f.Panels[0])
	}
	_, l := drawn(t, f)
	rows := 1
	for i := 1; i < len(l.cells); i++ {
		a, b := l.cells[i-1], l.cells[i]
		if b.Y != a.Y {
			rows++
		}
		if b.Y == a.Y && b.X < a.X+4*l.cellW || b.Y != a.Y && b.Y < a.Y+5*l.cellH {
			t.Errorf("panels %d and %d overlap: %v and %v", i-1, i, a, b)
		}
	}
	if rows < 2 || l.width > 1600 || 4*l.height > 5*l.width {
		t.Errorf("30 panels in %d rows, %d x %d pixels", rows, l.width, l.height)
	}
}

func TestLegendCap(t *testing.T) {
	f := grown(1, 1)
	for i := 1; i < 40; i++ {
		f.Legend = append(f.Legend, fmt.Sprintf("%d: dim x +1 (high)", i))
	}
	count, text := svgShapes(t, f)
	if count["rect"] != 1+1+24 || !strings.Contains(text, "... and 16 more") || strings.Contains(text, "24: ") {
		t.Errorf("legend of 40: %d rectangles, text %q", count["rect"], text)
	}
}

func TestLabelsThinned(t *testing.T) {
	l, err := newLayout(Figure{})
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]int, 30)
	for i := range labels {
		labels[i] = i - 7
	}
	for cell, want := range map[int]string{20: "-7 -6 -5", 10: "-6 -4 -2", 4: "-5 0 5", 2: "0 10 20", 1: "0 20"} {
		var got []string
		for i := range l.labelled(labels, cell, 20) {
			got = append(got, fmt.Sprint(labels[i]))
		}
		if s := strings.Join(got[:min(3, len(got))], " "); s != want {
			t.Errorf("cells of %d pixels: labels %s, want %s", cell, s, want)
		}
	}
}

func TestFigureEmpty(t *testing.T) {
	for _, f := range []Figure{{}, {Title: "empty", RowDim: "y", Panels: []Panel{{}, {Cells: [][]Cell{{}, {}}, RowLabels: []int{0, 1}}}}} {
		var b bytes.Buffer
		if err := f.Text(&b, true); err != nil {
			t.Fatal(err)
		}
		_, text := svgShapes(t, f)
		if n := len(f.Panels); strings.Count(b.String(), noChunks) != n || strings.Count(text, noChunks) != n {
			t.Errorf("%d empty panels: text %q, svg %q", n, b.String(), text)
		}
		drawn(t, f)
	}
}

func TestFigureRefuses(t *testing.T) {
	ragged := figure1()
	ragged.Panels[0].Cells[3] = ragged.Panels[0].Cells[3][:2]
	rows, cols := figure1(), figure1()
	rows.Panels[0].RowLabels = []int{1}
	cols.Panels[0].ColLabels = []int{1}
	for want, f := range map[string]Figure{"panel 0: row 3 has 2": ragged, "1 row labels for 5": rows, "1 column labels for 4": cols} {
		for name, err := range map[string]error{"png": f.PNG(io.Discard), "svg": f.SVG(io.Discard), "text": f.Text(io.Discard, false)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", name, err, want)
			}
		}
	}
	f := figure1()
	for name, err := range map[string]error{"png": f.PNG(fullDisk{}), "svg": f.SVG(fullDisk{}), "text": f.Text(fullDisk{}, false)} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s to a full disk: error %v", name, err)
		}
	}
}
