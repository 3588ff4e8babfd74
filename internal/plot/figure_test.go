package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkers returns a picture of two colours.
func checkers(rows, cols int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, cols, rows))
	for i := range rows * cols {
		img.SetRGBA(i%cols, i/cols, []color.RGBA{RGB(0x440154), RGB(0xfde725)}[(i%cols+i/cols)%2])
	}
	return img
}

// example returns a picture with every part that a figure can have.
func example() Figure {
	return Figure{
		Title: "Rain <mm> & more\x1b", Subtitle: "time = 3",
		X:      Axis{Label: "lon (degrees_east)", From: -0.5, To: 9.5},
		Y:      Axis{Label: "lat", From: 4.5, To: -0.5},
		Raster: &Raster{checkers(5, 10), 400, 200},
		Bar:    &Bar{Label: "mm", Lo: 0, Hi: 50, Colors: []color.Color{RGB(0x440154), RGB(0xfde725)}},
		Key:    []Entry{{RGB(0x808080), "missing"}},
		Notes:  []string{"A pixel is the mean of 2 x 2 elements."},
	}
}

// svgOf returns a figure as SVG, which must be well-formed.
func svgOf(t *testing.T, f Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, b.String())
		}
	}
}

var textElement = regexp.MustCompile(`<text x="(-?\d+)" y="(-?\d+)" font-size="(\d+)" text-anchor="(\w+)"[^>]*?( transform="[^"]*")?>([^<]*)</text>`)

// texts returns the texts of an SVG document.
func texts(svg string) (list []string) {
	for _, m := range textElement.FindAllStringSubmatch(svg, -1) {
		list = append(list, m[6])
	}
	return list
}

func TestTextsOfAFigure(t *testing.T) {
	got := texts(svgOf(t, example()))
	want := []string{
		"Rain &lt;mm&gt; &amp; more�", "time = 3", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "1", "2", "3", "4", "lon (degrees_east)", "lat",
		"0", "10", "20", "30", "40", "50", "mm", "missing", "A pixel is the mean of 2 x 2 elements.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// No two texts of a figure overlap, and none extends beyond its edges.
func TestTextsAreApart(t *testing.T) {
	fs, err := NewFonts(titleSize, textSize, noteSize)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Grüße ", 8)
	for name, change := range map[string]func(f *Figure){
		"example": func(*Figure) {},
		"long names": func(f *Figure) {
			f.Title, f.Subtitle, f.X.Label, f.Y.Label, f.Bar.Label, f.Key[0].Text = long, long, long, long, long, long
		},
		"narrow": func(f *Figure) { f.Raster.Width = 16 },
		"flat":   func(f *Figure) { f.Raster.Height = 16 },
		"huge": func(f *Figure) {
			f.X.From, f.X.To, f.Y.From, f.Y.To, f.Bar.Lo, f.Bar.Hi = -1e300, 1e300, 1e15, 1e15+8, -1e-300, 1e300
		},
		"constant": func(f *Figure) { f.Bar.Lo, f.Bar.Hi = 3, 3 },
		"names": func(f *Figure) {
			f.X.Scale = Names{func(i int) string { return long }}
			f.Y.Scale = Names{func(i int) string { return long }}
		},
		"lines": func(f *Figure) {
			f.Raster, f.Bar, f.Key = nil, nil, nil
			f.Lines = []Line{{long, []float64{0, 1}, []float64{0, 1}}, {"b", []float64{0, 1}, []float64{1, 0}}}
		},
	} {
		f := example()
		change(&f)
		size, err := f.Size()
		if err != nil {
			t.Fatal(err)
		}
		var boxes []image.Rectangle
		svg := svgOf(t, f)
		for _, m := range textElement.FindAllStringSubmatch(svg, -1) {
			number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n } // the pattern has only digits
			plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(m[6])
			w := fs.Width(plain, number(3))
			left := number(1) - map[string]int{"middle": w / 2, "end": w}[m[4]]
			box := image.Rect(left, number(2)-number(3)*2/3, left+w, number(2))
			if m[5] != "" {
				box = image.Rect(number(1)-number(3)*2/3, number(2)-w/2, number(1), number(2)+w/2)
			}
			if !box.In(image.Rectangle{Max: size}) {
				t.Errorf("%s: %q at %v is beyond %v", name, plain, box, size)
			}
			for _, other := range boxes {
				if box.Overlaps(other) {
					t.Errorf("%s: %q at %v overlaps %v", name, plain, box, other)
				}
			}
			boxes = append(boxes, box)
		}
		img, err := f.Image()
		if err != nil || img.Rect.Max != size || !strings.Contains(svg, `width="`+strconv.Itoa(size.X)+`"`) {
			t.Errorf("%s: %v, image of %v, size %v", name, err, img.Rect, size)
		}
	}
}

// Titles do not change sizes, so that all pictures of an animation have the same size.
func TestTitlesChangeNoSizes(t *testing.T) {
	f := example()
	want, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	f.Title, f.Subtitle = strings.Repeat("W", 300), strings.Repeat("W", 300)
	if got, err := f.Size(); got != want || err != nil {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// The pixels of the elements, the ticks and the colour bar are at the positions of the layout.
func TestPixelsOfAFigure(t *testing.T) {
	f := example()
	l, err := newLayout(f)
	if err != nil {
		t.Fatal(err)
	}
	img, err := f.Image()
	if err != nil {
		t.Fatal(err)
	}
	for y := range 200 {
		for x := range 400 {
			want := f.Raster.Image.At(x/40, y/40)
			if got := img.RGBAAt(l.plot.Min.X+x, l.plot.Min.Y+y); got != want {
				t.Fatalf("pixel %d, %d: %v, want %v", x, y, got, want)
			}
		}
	}
	for i := range 10 { // the tick of element i is in its middle
		at := image.Pt(l.plot.Min.X+40*i+20, l.plot.Max.Y+3)
		if got := img.RGBAAt(at.X, at.Y); got != borderColor {
			t.Errorf("no tick of element %d at %v: %v", i, at, got)
		}
	}
	if top, bottom := img.RGBAAt(l.bar.Min.X+3, l.bar.Min.Y), img.RGBAAt(l.bar.Min.X+3, l.bar.Max.Y-1); top != RGB(0xfde725) || bottom != RGB(0x440154) {
		t.Errorf("colour bar from %v to %v", bottom, top)
	}
	if got := img.RGBAAt(l.right+3, l.bar.Max.Y+l.airAboveKey()+3); got != RGB(0x808080) {
		t.Errorf("key: %v", got)
	}
}

func TestLinesAreWhereTheyShould(t *testing.T) {
	f := Figure{
		X: Axis{From: 0, To: 10}, Y: Axis{From: 0, To: 1},
		Lines: []Line{{"a", []float64{0, 5, 5, 10}, []float64{0.5, 0.5, math.NaN(), 0.5}}, {"b", []float64{0, 10}, []float64{5, -4}}},
	}
	l, err := newLayout(f)
	if err != nil {
		t.Fatal(err)
	}
	img, err := f.Image()
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) color.RGBA { return img.RGBAAt(int(l.xAt(x)), int(l.yAt(y))) }
	if blue := at(2, 0.5); blue.R > 60 || at(8, 0.5) != grid { // the edges of lines are smoothed
		t.Errorf("line a: %v at 2, %v in its gap", at(2, 0.5), at(8, 0.5))
	}
	for y := range img.Rect.Dy() {
		for x := range l.plot.Max.X + 4 {
			if p := image.Pt(x, y); img.RGBAAt(x, y) == lineColors[1] && !p.In(l.plot.Inset(-1)) {
				t.Fatalf("line b goes beyond the plot, at %v", p)
			}
		}
	}
	none := Figure{X: Axis{From: 0, To: 1}, Y: Axis{From: 0, To: 1}, Lines: []Line{{X: []float64{1}, Y: []float64{math.NaN()}}}}
	if !strings.Contains(svgOf(t, none), ">no values<") {
		t.Error("a figure without values does not say so")
	}
}

// The clipped part of a step agrees with sampling points along it.
func TestClip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := &layout{plot: image.Rect(100, 50, 300, 150)}
	for range 3000 {
		a, b := Point{rng.Float64() * 400, rng.Float64() * 200}, Point{rng.Float64() * 400, rng.Float64() * 200}
		from, to, ok := l.clipStep(a, b)
		const n = 2000
		first, last := -1, -1
		for i := range n + 1 {
			s := float64(i) / n
			if l.inside(Point{a.X + s*(b.X-a.X), a.Y + s*(b.Y-a.Y)}) {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if first < 0 {
			if ok && math.Hypot(to.X-from.X, to.Y-from.Y) > 1 {
				t.Fatalf("%v to %v: %v to %v, nothing is inside", a, b, from, to)
			}
			continue
		}
		near := func(p Point, i int) bool {
			s := float64(i) / n
			return math.Hypot(p.X-a.X-s*(b.X-a.X), p.Y-a.Y-s*(b.Y-a.Y)) < 1
		}
		if !ok || !near(from, first) || !near(to, last) {
			t.Fatalf("%v to %v: %v to %v, %v", a, b, from, to, ok)
		}
	}
}

func TestAround(t *testing.T) {
	for _, c := range []struct {
		values []float64
		lo, hi float64
	}{
		{nil, 0, 1},
		{[]float64{math.NaN(), math.Inf(1)}, 0, 1},
		{[]float64{0, 0}, -1, 1},
		{[]float64{10}, 9, 11},
		{[]float64{0, 50, math.NaN()}, -2, 52},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, -math.MaxFloat64, math.MaxFloat64},
	} {
		if lo, hi := Around(c.values); lo != c.lo || hi != c.hi {
			t.Errorf("%v: %v to %v, want %v to %v", c.values, lo, hi, c.lo, c.hi)
		}
	}
}

// A figure in the colours of a palette differs little from the original.
func TestIndexed(t *testing.T) {
	var colors []color.RGBA
	for i := range 256 {
		colors = append(colors, color.RGBA{uint8(i), uint8(255 - i), 100, 255})
	}
	p := Palette(colors)
	if len(p) > 256 {
		t.Fatalf("%d colours", len(p))
	}
	img := image.NewRGBA(image.Rect(0, 0, 258, 1))
	for i, c := range append(colors, Ink, Paper) {
		img.SetRGBA(i, 0, c)
	}
	out := Indexed(img, p)
	for x := range 258 {
		r, g, b, _ := out.At(x, 0).RGBA()
		want := img.RGBAAt(x, 0)
		for _, d := range []int{int(r>>8) - int(want.R), int(g>>8) - int(want.G), int(b>>8) - int(want.B)} {
			if d < -1 || d > 1 {
				t.Fatalf("colour %v became %v", want, out.At(x, 0))
			}
		}
	}
	if few := Palette(colors[:3]); few[1] != color.Color(colors[1]) || !slices.Contains(few, color.Color(Paper)) {
		t.Errorf("palette %v", few)
	}
}

func TestWrongFigures(t *testing.T) {
	for name, change := range map[string]func(f *Figure){
		"axis":    func(f *Figure) { f.X.To = math.NaN() },
		"picture": func(f *Figure) { f.Raster.Width = 0 },
		"empty":   func(f *Figure) { f.Raster.Image = image.NewRGBA(image.Rectangle{}) },
		"large":   func(f *Figure) { f.Raster.Height = mostSide + 1 },
		"line":    func(f *Figure) { f.Lines = []Line{{Name: "l", X: []float64{1}}} },
	} {
		f := example()
		change(&f)
		if _, err := f.Image(); err == nil {
			t.Errorf("%s: drawn", name)
		}
		if err := f.SVG(io.Discard); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrors(t *testing.T) {
	if err := example().SVG(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("SVG: %v", err)
	}
	if err := WritePNG(full{}, checkers(2, 2)); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("PNG: %v", err)
	}
}

// TestLineAtTheEdge: lines that leave the canvas, on any side, are cut off there.
func TestLineAtTheEdge(t *testing.T) {
	points := [][]Point{{{X: -30, Y: 5}, {X: 70, Y: 20}}, {{X: 3, Y: -8}, {X: 37, Y: 55}}, {{X: 0.2, Y: 0.3}}, {{X: 39.9, Y: 1}, {X: 39.9, Y: 39}}, {{X: -9, Y: -9}}}
	draw := func(side int, by float64) *image.RGBA {
		c := NewPixels(side, side, nil)
		for _, line := range points {
			var moved []Point
			for _, p := range line {
				moved = append(moved, Point{X: p.X + by, Y: p.Y + by})
			}
			c.Line(moved, 3, Ink)
		}
		return c.Img
	}
	got, want := draw(40, 0), draw(140, 50)
	dark := 0
	for y := range 40 {
		for x := range 40 {
			if a, b := int(got.RGBAAt(x, y).R), int(want.RGBAAt(x+50, y+50).R); a-b > 2 || b-a > 2 {
				t.Fatalf("pixel %d, %d: %d, on a larger canvas %d", x, y, a, b)
			}
			if got.RGBAAt(x, y).R < 0x80 {
				dark++
			}
		}
	}
	if dark < 200 {
		t.Errorf("%d dark pixels", dark)
	}
}
