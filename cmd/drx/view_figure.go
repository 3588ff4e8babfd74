package main

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"

	"drx/internal/picture"
	"drx/internal/plot"
	"drx/nd"
)

const (
	figureSide = 1200 // largest number of pixels of a picture with axes in each direction, unless --zoom is given
	goodSide   = 480  // a smaller picture with axes is enlarged to about this
	leastSide  = 160  // and its shorter side to this
)

// paint returns a picture with a pixel per value.
func (s *scene) paint(parts []*slice, k look) (image.Image, error) {
	part := parts[0]
	switch s.kind {
	case paletteKind:
		var rgb [3]picture.Band
		for i := range rgb {
			rgb[i] = picture.Band{Values: part.colors[i], Hi: 255}
		}
		return picture.Composite(rgb, part.rows, part.cols), nil
	case compositeKind:
		var rgb [3]picture.Band
		for i := range rgb {
			rgb[i] = picture.Band{Values: parts[i].values, Lo: k.bands[i][0], Hi: k.bands[i][1]}
		}
		return picture.Composite(rgb, part.rows, part.cols), nil
	}
	heat := k.heat
	heat.Zoom = 1
	img, err := picture.Heat(part.values, part.rows, part.cols, heat)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.a.Name(), err)
	}
	return img, nil
}

// plainPicture returns a picture without axes, of at most side pixels in each direction.
func (s *scene) plainPicture(parts []*slice, k look, side int) (image.Image, error) {
	k.heat.MaxSide = side
	part := parts[0]
	if s.kind == mapKind {
		img, err := picture.Heat(part.values, part.rows, part.cols, k.heat)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.a.Name(), err)
		}
		return img, nil
	}
	img, err := s.paint(parts, k)
	if err != nil {
		return nil, err
	}
	size := k.heat.Size(part.rows, part.cols)
	c := plot.NewPixels(size.X, size.Y, nil)
	c.Image(img, c.Img.Rect)
	return c.Img, nil
}

// figure returns a picture with axes. what is said below the title, and the key has an entry for missing values if missing.
func (s *scene) figure(parts []*slice, k look, subtitle string, missing bool) (plot.Figure, error) {
	img, err := s.paint(parts, k)
	if err != nil {
		return plot.Figure{}, err
	}
	part := parts[0]
	f := plot.Figure{Title: s.title(), Subtitle: subtitle}
	if f.X, f.Y, err = s.axesOf(part); err != nil {
		return f, err
	}
	if s.flip {
		img = upsideDown(img)
	}
	size := rasterSize(part.rows, part.cols, s.zoom)
	f.Raster = &plot.Raster{Image: img, Width: size.X, Height: size.Y}
	s.addKey(&f, k, missing)
	f.Notes = s.figureNotes(part, k)
	return f, nil
}

// title returns the name of the quantity and of the array.
func (s *scene) title() string {
	var long string
	name := filepath.Base(s.a.Name())
	if ok, err := s.a.Attr("long_name", &long); ok && err == nil && long != "" {
		return fmt.Sprintf("%s (%s)", long, name)
	}
	return name
}

// units returns the units of the values, "" if they have none.
func (s *scene) units() string {
	var units string
	_, _ = s.a.Attr("units", &units) // what is no text is no unit
	if s.a.DType().IsComplex() {
		units = "modulus " + units
	}
	return units
}

// addKey adds the colour bar, or the entries that take its place.
func (s *scene) addKey(f *plot.Figure, k look, missing bool) {
	none := color.Color(k.heat.Colors.Missing())
	switch {
	case s.kind == compositeKind:
		for i, c := range []uint32{0xd02020, 0x209020, 0x2040d0} {
			text := fmt.Sprintf("%s: %s to %s", s.at(s.bands, s.rgb[i]), formatShort(k.bands[i][0]), formatShort(k.bands[i][1]))
			f.Key = append(f.Key, plot.Entry{Color: plot.RGB(c), Text: text})
		}
		none = picture.NoData
	case s.kind == paletteKind:
		f.Key, none = s.classKey(), picture.NoData
	case s.isBool() && k.heat.Lo == 0 && k.heat.Hi == 1:
		f.Key = append(f.Key, plot.Entry{Color: k.heat.Colors.Map(1), Text: "true"}, plot.Entry{Color: k.heat.Colors.Map(0), Text: "false"})
	default:
		f.Bar = &plot.Bar{Label: s.units(), Lo: k.heat.Lo, Hi: k.heat.Hi, Colors: k.heat.Colors.Levels()}
	}
	if missing {
		f.Key = append(f.Key, plot.Entry{Color: none, Text: "missing"})
	}
}

// formatShort formats a value with four digits.
func formatShort(v float64) string { return fmt.Sprintf("%.4g", v) }

// figureNotes says what else a reader of a picture must know.
func (s *scene) figureNotes(part *slice, k look) (notes []string) {
	if down, across := part.down.block, part.across.block; down > 1 || across > 1 {
		notes = append(notes, fmt.Sprintf("A pixel is the mean of %d x %d elements.", down, across))
	}
	switch down, across := part.down.step, part.across.step; {
	case down > 1 && down == across:
		notes = append(notes, fmt.Sprintf("Only every %d-th row and column was read.", part.step))
	case down > 1 || across > 1:
		notes = append(notes, fmt.Sprintf("Every %d-th row and every %d-th column was read.", down, across))
	}
	if s.kind == mapKind && k.heat.Robust {
		notes = append(notes, fmt.Sprintf("The colours end at the percentiles 0.5 and 99.5; values go from %s to %s.", formatShort(k.full[0]), formatShort(k.full[1])))
	}
	return notes
}

// rasterSize returns the pixels of a picture of rows x cols values in a figure.
func rasterSize(rows, cols, zoom int) image.Point {
	if zoom > 0 {
		return image.Pt(cols*zoom, rows*zoom)
	}
	longer := max(rows, cols)
	zoom = max(1, (goodSide+longer/2)/longer)
	stretch := func(n int) int { return n * max(zoom, nd.CeilDiv(leastSide, n)) }
	return image.Pt(stretch(cols), stretch(rows))
}

// upsideDown returns an image with its last row first.
func upsideDown(img image.Image) image.Image {
	b := img.Bounds()
	out := image.NewRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.Set(x, b.Min.Y+b.Max.Y-1-y, img.At(x, y))
		}
	}
	return out
}

// framePalette returns the palette of figures of the scene: its colours, and those of texts and axes.
func (s *scene) framePalette(k look) color.Palette {
	colors := append([]color.RGBA{}, k.heat.Colors.Missing())
	switch s.kind {
	case linesKind:
		colors = plot.LineColors()
	case paletteKind:
		colors = append([]color.RGBA{picture.NoData}, s.palette...)
	default:
		for _, c := range k.heat.Colors.Levels() {
			colors = append(colors, color.RGBAModel.Convert(c).(color.RGBA))
		}
	}
	for i := range colors {
		colors[i].A = math.MaxUint8
	}
	return plot.Palette(colors)
}
