package picture

import (
	"fmt"
	"image"
	"strconv"

	"drx/internal/plot"
	"drx/nd"
)

// A figure from top to bottom, all in pixels:
//
//	margin
//	title
//	panels, left to right, wrapped:
//	    panel title
//	            column dim →
//	    row dim ↓   0  1  2 ..      column labels
//	             0  cells
//	             1                  row labels in the gutter left of the cells
//	legend, right of narrow panels, else below
//	margin
const (
	maxSide    = 4000 // the longest side of a figure
	goodWidth  = 1200 // panels wrap at this width, unless the figure then gets too high
	besideMax  = 620  // if the panels are narrower than this, the legend is on their right
	margin     = 28
	gap        = 32  // between panels, and before the legend
	goodPath   = 400 // maximal width of panels of a path without numbers
	maxText    = 900
	maxGutter  = 140
	line       = 24 // a line of legend
	swatch     = 16
	inset      = 1 // half the width of the line between two cells
	leastLined = 8 // least side of cells, in pixels, with lines between them
)

// layout holds the positions and sizes of all parts of a figure.
type layout struct {
	fonts         plot.Fonts
	width, height int
	cellW, cellH  int
	numbers       int // font size of the chunk numbers, 0 for none
	gutter, head  int // space left of a panel's cells and above them
	cells         []image.Point
	legend        []legendItem
	legendAt      image.Point
	plain         bool // the legend is text without swatches, below the panels
	legendRows    int  // entries run downwards, then to the right
	legendW       int  // the width of a column of legend entries
}

// newLayout finds the largest cells for which the figure fits maxSide in both directions, with
// numbers if possible. The error names the limit.
func newLayout(f Figure) (*layout, error) {
	fs, err := newFonts()
	if err != nil {
		return nil, err
	}
	l := &layout{fonts: fs, legend: f.legend(), plain: f.Gradient}
	l.measure(f)
	_, largest, _ := f.census()
	columns := 0
	for _, p := range f.Panels {
		_, cols := p.size()
		columns = max(columns, cols)
	}
	for _, s := range l.cellSizes(largest) {
		if f.NoNumbers && (s.font > 0 || s.w > leastPath && s.w*columns > goodPath) {
			continue
		}
		l.cellW, l.cellH, l.numbers = s.w, s.h, s.font
		if l.arrange(f) {
			return l, nil
		}
	}
	chunks, _, _ := f.census()
	return nil, fmt.Errorf("chunk map of %d panels with %d chunks: at one pixel per chunk it is %d x %d pixels, at most %d each way can be drawn",
		len(f.Panels), chunks, l.width, l.height, maxSide)
}

// arrange wraps the panels at the smallest width for which the figure is not much higher than wide,
// and reports whether it then fits. The last width that it tries is the one with the lowest figure.
func (l *layout) arrange(f Figure) bool {
	fits := false
	for _, wrap := range [...]int{goodWidth, 1600, 2400, maxSide} {
		l.layOut(f, wrap)
		fits = l.width <= maxSide && l.height <= maxSide
		if fits && 4*l.height <= 5*l.width {
			break
		}
	}
	return fits
}

type cellSize struct{ w, h, font int }

// cellSizes returns the sizes to try, best first.
func (l *layout) cellSizes(largest int64) []cellSize {
	var sizes []cellSize
	digits := strconv.FormatInt(largest, 10)
	for _, font := range []int{numberSize, smallSize} {
		h := font * 12 / 5
		sizes = append(sizes, cellSize{max(h*10/9, l.fonts.Width(digits, font)+font), h, font})
	}
	for _, side := range []int{24, 16, 12, 8, 6, 4, 3, 2, 1} {
		sizes = append(sizes, cellSize{side, side, 0})
	}
	return sizes
}

// measure computes the gutter, the head and the width of the legend's column.
func (l *layout) measure(f Figure) {
	l.head = 4
	if f.RowDim != "" {
		l.gutter = min(l.fonts.Width(rowArrow(f.RowDim), labelSize), maxGutter)
	}
	if f.ColDim != "" {
		l.head += line - 4
	}
	titles, labels := false, f.RowDim != ""
	for _, p := range f.Panels {
		titles = titles || p.Title != ""
		labels = labels || len(p.ColLabels) > 0
		for _, v := range p.RowLabels {
			l.gutter = max(l.gutter, l.fonts.Width(strconv.Itoa(v), labelSize))
		}
	}
	if titles {
		l.head += line + 4
	}
	if labels {
		l.head += line - 4
	}
	if l.gutter > 0 {
		l.gutter += 8
	}
	for _, item := range l.legend {
		l.legendW = max(l.legendW, swatch+8+min(l.fonts.Width(item.text, labelSize), maxText)+gap)
	}
	if l.plain { // allow for fallback fonts, which are wider
		l.legendW += l.legendW / 8
	}
}

func rowArrow(dim string) string { return dim + " ↓" }
func colArrow(dim string) string { return dim + " →" }

// layOut arranges the panels left to right, wrapping at the given width, and then the legend.
func (l *layout) layOut(f Figure, wrap int) {
	top := margin
	if f.Title != "" {
		top += 44
	}
	l.cells = l.cells[:0]
	at, right, bottom := image.Pt(margin, top), margin, top
	for _, p := range f.Panels {
		size := l.panelSize(p)
		if at.X > margin && (p.Break || at.X+size.X > wrap-margin) {
			at = image.Pt(margin, bottom+gap)
		}
		l.cells = append(l.cells, at.Add(image.Pt(l.gutter, l.head)))
		right, bottom = max(right, at.X+size.X), max(bottom, at.Y+size.Y)
		at.X += size.X + gap
	}
	l.layOutLegend(top, right, bottom)
	title := min(l.fonts.Width(f.Title, titleSize), maxText)
	l.width = max(l.width, margin+title) + margin
	l.height += margin
}

// panelSize returns the pixels of a panel with its labels and title.
func (l *layout) panelSize(p Panel) image.Point {
	rows, cols := p.size()
	if rows*cols == 0 {
		return image.Pt(l.gutter+l.fonts.Width(noChunks, labelSize), l.head+line)
	}
	title := min(l.fonts.Width(p.Title, panelSize), maxText)
	return image.Pt(max(l.gutter+cols*l.cellW, title), l.head+rows*l.cellH)
}

// layOutLegend arranges the legend beside or below the panels, which end at right and bottom, and
// sets the width and height of the figure without its margin.
func (l *layout) layOutLegend(top, right, bottom int) {
	l.width, l.height = right, bottom
	n := len(l.legend)
	if n == 0 {
		return
	}
	columns := 1
	if right < besideMax && !l.plain {
		first := top + l.head
		l.legendRows = min(n, max(12, (bottom-first)/line))
		l.legendAt = image.Pt(right+gap+8, first)
	} else {
		columns = max(1, (right-margin+gap)/l.legendW)
		l.legendRows = nd.CeilDiv(n, columns)
		l.legendAt = image.Pt(margin, bottom+gap-8)
	}
	columns = nd.CeilDiv(n, l.legendRows)
	l.width = max(l.width, l.legendAt.X+columns*l.legendW-gap)
	l.height = max(l.height, l.legendAt.Y+l.legendRows*line)
}
