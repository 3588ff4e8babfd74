package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func render(t *testing.T, c Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
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

// count returns how often a piece of text occurs.
func count(svg, tag string) int { return strings.Count(svg, tag) }

func TestEveryPointIsDrawn(t *testing.T) {
	c := Chart{
		Title: "a < b & \"c\"", Note: "note", X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y", Log: true},
		Series: []Series{
			{Name: "one", Points: []Point{{1, 1}, {10, 100}, {100, 10}}},
			{Name: "two", Points: []Point{{1, 5}, {0, 1}, {10, -1}, {5, math.NaN()}, {7, math.Inf(1)}}},
			{Name: "limit", Limit: true, Points: []Point{{1, 2}, {100, 2}}},
		},
	}
	svg := render(t, c)
	for color, want := range map[string]int{"#0072B2": 3, "#D55E00": 1, "#888888": 2} {
		if got := count(svg, `style="fill:`+color+`"`); got != want+1 { // and the legend's
			t.Errorf("%d markers of colour %s, want %d", got, color, want+1)
		}
	}
	if !strings.Contains(svg, "a &lt; b &amp; ") {
		t.Error("the title is not escaped")
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("a point that cannot be drawn was")
	}
}

func TestBarsAndNames(t *testing.T) {
	names := []string{"short", "a name so long that it will not fit its category, at a slant or otherwise", "third"}
	for _, log := range []bool{false, true} {
		c := Chart{
			Title: "bars", Kind: Bars, X: Axis{Names: names}, Y: Axis{Log: log},
			Series: []Series{{Name: "s", Points: []Point{{0, 10}, {1, 20}, {2, 30}}}, {Name: "t", Points: []Point{{1, 1}}}},
		}
		svg := render(t, c)
		if got := count(svg, `style="fill:#0072B2"`); got != 4 {
			t.Errorf("log %v: %d bars of the first series with the legend, want 4", log, got)
		}
		if !strings.Contains(svg, "rotate(32)") || !strings.Contains(svg, ">short<") || strings.Contains(svg, names[1]) {
			t.Errorf("names are missing, not at a slant, or too long:\n%s", svg)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []Chart{{}, {Series: []Series{{Name: "a"}}}, {Y: Axis{Log: true}, Series: []Series{{Name: "a", Points: []Point{{1, 0}}}}}} {
		if err := c.SVG(io.Discard); !errors.Is(err, ErrEmpty) {
			t.Errorf("%v: error %v, want ErrEmpty", c, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	c := Chart{Series: []Series{{Points: []Point{{1, 1}}}}}
	if err := c.SVG(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want the writer's", err)
	}
}

func TestScales(t *testing.T) {
	for _, test := range []struct {
		log    bool
		values []float64
		ticks  []float64
		lo, hi float64
	}{
		{false, []float64{3, 11}, []float64{0, 2, 4, 6, 8, 10, 12}, 0, 12},
		{false, []float64{90, 100}, []float64{90, 92, 94, 96, 98, 100}, 90, 100},
		{false, []float64{-4, 5}, []float64{-4, -2, 0, 2, 4, 6}, -4, 6},
		{false, []float64{0, 0}, []float64{0, 1}, 0, 1},
		{false, []float64{2, 4}, []float64{2, 3, 4}, 2, 4},
		{false, []float64{3, 4.5}, []float64{3, 3.5, 4, 4.5}, 3, 4.5},
		{true, []float64{1, 1000}, []float64{1, 10, 100, 1000}, 1 / 1.5, 1500},
		{true, []float64{3, 30}, []float64{2, 5, 10, 20}, 2, 45},
	} {
		s := Series{}
		for _, v := range test.values {
			s.Points = append(s.Points, Point{Y: v})
		}
		got := Chart{Series: []Series{s}}.scale(Axis{Log: test.log}, func(p Point) float64 { return p.Y })
		if math.Abs(got.lo-test.lo) > 1e-9 || math.Abs(got.hi-test.hi) > 1e-9 {
			t.Errorf("%v: scale %g to %g, want %g to %g", test.values, got.lo, got.hi, test.lo, test.hi)
		}
		ticks := got.ticks()
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if !slices.EqualFunc(ticks, test.ticks, same) {
			t.Errorf("%v: ticks %v, want %v", test.values, ticks, test.ticks)
		}
		marks := got.Ticks(0, 0)
		if len(marks) != len(ticks) || marks[0].Value != ticks[0] || marks[0].Label != label(ticks[0]) {
			t.Errorf("%v: the axis has marks %v", test.values, marks)
		}
	}
}

func TestLabels(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.001: "0.001", 2.5: "2.5", 50000: "50000", 1e5: "10⁵", 2e7: "2·10⁷", 1e-6: "10⁻⁶", -4: "-4"} {
		if got := label(v); got != want {
			t.Errorf("label(%g) = %q, want %q", v, got, want)
		}
	}
}

// Many series are distinguishable: no two have the same colour, dash and marker.
func TestLooksDiffer(t *testing.T) {
	c := Chart{}
	for range 2 * len(colors) {
		c.Series = append(c.Series, Series{Points: []Point{{1, 1}}})
	}
	seen := map[seriesStyle]bool{}
	for i := range c.Series {
		if seen[c.styleOf(i)] {
			t.Errorf("series %d looks like another", i)
		}
		seen[c.styleOf(i)] = true
	}
}

// Bars of several series at a category do not overlap, stay within it, and begin at the lower end
// of the axis, or at zero.
func TestBarsStandSideBySide(t *testing.T) {
	c := Chart{Kind: Bars, X: Axis{Names: []string{"a", "b"}}}
	for range 4 {
		c.Series = append(c.Series, Series{Points: []Point{{0, 2}, {1, -3}}})
	}
	_, y := c.scales()
	end := -barsShare / 2
	for i := range c.Series {
		marks, err := c.marks(i, y)
		if err != nil {
			t.Fatal(err)
		}
		b := marks[0].(bars)
		if left := b.points[0].X - b.width/2; math.Abs(left-end) > 1e-9 || b.base != 0 {
			t.Errorf("series %d begins at %g, %g, want %g, 0", i, left, b.base, end)
		}
		end += b.width
	}
	if math.Abs(end-barsShare/2) > 1e-9 {
		t.Errorf("the last bar ends at %g, want %g", end, barsShare/2)
	}
}
