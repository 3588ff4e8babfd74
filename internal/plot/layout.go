package plot

import (
	"image"
	"math"
)

// Sizes of texts, in pixels per em, and of the parts of a figure, in pixels.
const (
	titleSize = 18
	textSize  = 13
	noteSize  = 12

	margin     = 16
	titleLine  = 26
	lineHeight = 18
	tickLength = 5
	tickGap    = 4  // between a tick and its label
	labelGap   = 8  // between tick labels
	sideGap    = 20 // between the plot and the parts on its right
	barWidth   = 16
	leastBar   = 96  // the height of a colour bar
	leastWide  = 420 // of a figure
	mostLegend = 240 // maximal width of a text in the key or legend
	mostLabel  = 200 // maximal width of a tick's label left of the plot

	linesWidth, linesHeight = 640, 360 // of a plot of lines
	sampleWidth             = 22       // of a line in the legend
	swatch                  = 12       // of a colour in the key
)

// layout holds the positions of all parts of a figure.
type layout struct {
	Figure
	fonts         Fonts
	width, height int
	plot          image.Rectangle // the picture or the lines
	xTicks        []Tick
	yTicks        []Tick
	bar           image.Rectangle
	barTicks      []Tick
	right         int // where the key and the legend begin
	xLines        int // lines of text in the labels of x
	notes         []string
	notesAt       int
}

func newLayout(f Figure) (*layout, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	fs, err := NewFonts(titleSize, textSize, noteSize)
	if err != nil {
		return nil, err
	}
	l := &layout{Figure: f.printable(), fonts: fs}
	for _, a := range []*Axis{&l.X, &l.Y} {
		if a.Scale == nil {
			a.Scale = Numbers{}
		}
	}
	l.layOut()
	return l, nil
}

// layOut finds the ticks and sets the positions of all parts.
func (l *layout) layOut() {
	size := image.Pt(linesWidth, linesHeight)
	if l.Raster != nil {
		size = image.Pt(l.Raster.Width, l.Raster.Height)
	}
	l.xTicks = ticksOf(l.X.Scale, l.X.From, l.X.To, func(t []Tick) bool { return l.fitAcross(t, size.X) })
	l.yTicks = ticksOf(l.Y.Scale, l.Y.From, l.Y.To, func(t []Tick) bool { return fitDown(t, l.Y, size.Y) })

	left, top := margin+l.widest(l.yTicks)+tickLength+tickGap, margin
	if l.Y.Label != "" {
		left += lineHeight + 4
	}
	// The label of the first tick of x may begin left of the plot.
	for _, t := range l.xTicks {
		left = max(left, margin+l.tickWidth(t)/2-int(positionOn(l.X, t.At, size.X)))
	}
	if l.Title != "" {
		top += titleLine
	}
	if l.Subtitle != "" {
		top += lineHeight
	}
	l.plot = image.Rectangle{Max: size}.Add(image.Pt(left, top+textSize/2))
	l.right = l.plot.Max.X + sideGap
	l.layOutBar()
	l.layOutBottom()
}

// layOutBar positions the colour bar and the key on the right, and computes the size of both.
func (l *layout) layOutBar() {
	l.width, l.height = l.plot.Max.X, l.plot.Max.Y
	below := 0 // the height of the key
	for _, e := range l.Key {
		below += lineHeight
		l.width = max(l.width, l.right+swatch+6+min(l.fonts.Width(e.Text, textSize), mostLegend))
	}
	if l.Bar != nil {
		height := max(l.plot.Dy()-below-l.airAboveKey(), leastBar)
		l.bar = image.Rect(l.right, l.plot.Min.Y, l.right+barWidth, l.plot.Min.Y+height)
		axis := Axis{From: l.Bar.Lo, To: l.Bar.Hi}
		l.barTicks = ticksOf(Numbers{}, axis.From, axis.To, func(t []Tick) bool { return fitDown(t, axis, height) })
		labels := l.widest(l.barTicks)
		if l.Bar.Label != "" {
			labels += lineHeight + 4
		}
		l.width = max(l.width, l.bar.Max.X+tickLength+tickGap+labels)
		l.height = max(l.height, l.bar.Max.Y+below+l.airAboveKey())
	} else {
		l.height = max(l.height, l.plot.Min.Y+below)
	}
	for i, line := range l.Lines {
		if line.Name != "" {
			l.width = max(l.width, l.right+sampleWidth+6+min(l.fonts.Width(line.Name, textSize), mostLegend))
			l.height = max(l.height, l.plot.Min.Y+(i+1)*lineHeight)
		}
	}
}

// airAboveKey returns the space between the colour bar and the key.
func (l *layout) airAboveKey() int {
	if len(l.Key) == 0 {
		return 0
	}
	return lineHeight
}

// layOutBottom positions the labels of x and the notes below everything else.
func (l *layout) layOutBottom() {
	for _, t := range l.xTicks {
		l.width = max(l.width, l.plot.Min.X+int(positionOn(l.X, t.At, l.plot.Dx()))+l.tickWidth(t)/2)
		l.xLines = max(l.xLines, 1)
		if t.Sub != "" {
			l.xLines = 2
		}
	}
	l.width = max(l.width, leastWide-margin) + margin
	bottom := l.plot.Max.Y + tickLength + l.xLines*lineHeight
	if l.X.Label != "" {
		bottom += lineHeight + 2
	}
	l.height = max(l.height, bottom)
	l.notesAt = l.height + 6 + noteSize
	for _, s := range l.Figure.Notes {
		l.notes = append(l.notes, l.fonts.wrap(s, noteSize, l.width-2*margin)...)
	}
	if n := len(l.notes); n > 0 {
		l.height += 6 + n*(noteSize+4)
	}
	l.height += margin - 4
}

// positionOn returns the distance of a value from the left or upper end of an axis, in pixels.
func positionOn(a Axis, v float64, pixels int) float64 {
	if a.From == a.To {
		return float64(pixels) / 2
	}
	// With halves: the difference of two large values may overflow.
	return (v/2 - a.From/2) / (a.To/2 - a.From/2) * float64(pixels)
}

// fitAcross reports whether the labels of ticks below a plot do not overlap.
func (l *layout) fitAcross(ticks []Tick, pixels int) bool {
	return apart(ticks, func(a, b Tick) bool {
		space := math.Abs(positionOn(l.X, a.At, pixels) - positionOn(l.X, b.At, pixels))
		return space >= float64(l.fonts.Width(a.Label, textSize)+l.fonts.Width(b.Label, textSize))/2+labelGap
	}) && apart(withSub(ticks), func(a, b Tick) bool {
		space := math.Abs(positionOn(l.X, a.At, pixels) - positionOn(l.X, b.At, pixels))
		return space >= float64(l.fonts.Width(a.Sub, textSize)+l.fonts.Width(b.Sub, textSize))/2+labelGap
	})
}

// withSub returns the ticks with a second line.
func withSub(ticks []Tick) (some []Tick) {
	for _, t := range ticks {
		if t.Sub != "" {
			some = append(some, t)
		}
	}
	return some
}

// fitDown reports whether the labels of ticks beside a plot do not overlap.
func fitDown(ticks []Tick, a Axis, pixels int) bool {
	return apart(ticks, func(s, t Tick) bool {
		return math.Abs(positionOn(a, s.At, pixels)-positionOn(a, t.At, pixels)) >= textSize+labelGap/2
	})
}

// apart reports whether far holds for each tick and the next one.
func apart(ticks []Tick, far func(a, b Tick) bool) bool {
	for i := 1; i < len(ticks); i++ {
		if !far(ticks[i-1], ticks[i]) {
			return false
		}
	}
	return true
}

// tickWidth returns the width of a label below the plot.
func (l *layout) tickWidth(t Tick) int {
	return max(l.fonts.Width(t.Label, textSize), l.fonts.Width(t.Sub, textSize))
}

// beside returns the text of a tick on a vertical axis.
func (l *layout) beside(t Tick) string {
	s := t.Label
	if t.Sub != "" {
		s = t.Sub + " " + t.Label
	}
	return l.fonts.Elide(s, textSize, mostLabel)
}

// widest returns the width of the widest label of a vertical axis.
func (l *layout) widest(ticks []Tick) int {
	w := 0
	for _, t := range ticks {
		w = max(w, l.fonts.Width(l.beside(t), textSize))
	}
	return w
}
