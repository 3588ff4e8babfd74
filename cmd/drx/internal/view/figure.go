package view

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"

	"drx/cmd/drx/internal/display"
	"drx/internal/picture"
	"drx/internal/plot"
)

// paint returns a picture with a pixel per value.
func (s *Scene) paint(parts []*Slice, k colorScale) (image.Image, error) {
	part := parts[0]
	switch s.kind {
	case paletteKind:
		var rgb [3]picture.Band
		for i := range rgb {
			rgb[i] = picture.Band{Values: part.colors[i], Hi: 255}
		}
		return picture.Composite(rgb, part.Rows, part.Cols), nil
	case compositeKind:
		var rgb [3]picture.Band
		for i := range rgb {
			rgb[i] = picture.Band{Values: parts[i].Values, Lo: k.bands[i][0], Hi: k.bands[i][1]}
		}
		return picture.Composite(rgb, part.Rows, part.Cols), nil
	}
	heat := k.Heat
	heat.Zoom = 1
	img, err := picture.Heat(part.Values, part.Rows, part.Cols, heat)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.a.Name(), err)
	}
	return img, nil
}

// PlainPicture returns a picture without axes, of at most side pixels in each direction.
func (s *Scene) PlainPicture(parts []*Slice, k colorScale, side int) (image.Image, error) {
	k.Heat.MaxSide = side
	part := parts[0]
	if s.kind == mapKind {
		img, err := picture.Heat(part.Values, part.Rows, part.Cols, k.Heat)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.a.Name(), err)
		}
		return img, nil
	}
	img, err := s.paint(parts, k)
	if err != nil {
		return nil, err
	}
	size := k.Heat.Size(part.Rows, part.Cols)
	c := plot.NewPixels(size.X, size.Y, nil)
	c.Image(img, c.Img.Rect)
	return c.Img, nil
}

// Figure returns a picture with axes. subtitle is printed below the title. If missing, the key has
// an entry for missing values.
func (s *Scene) Figure(parts []*Slice, k colorScale, subtitle string, missing bool) (plot.Figure, error) {
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
	size := display.RasterSize(part.Rows, part.Cols, s.zoom)
	f.Raster = &plot.Raster{Image: img, Width: size.X, Height: size.Y}
	s.addKey(&f, k, missing)
	f.Notes = s.figureNotes(part, k)
	return f, nil
}

// title returns the name of the quantity and of the array, and of the one that is subtracted.
func (s *Scene) title() string {
	var long string
	name := filepath.Base(s.a.Name())
	if s.Minus != nil {
		name += " minus " + s.Minus.Cube.Array().Name()
	}
	if ok, err := s.a.Attr("long_name", &long); ok && err == nil && long != "" {
		return fmt.Sprintf("%s (%s)", long, name)
	}
	return name
}

// units returns the units of the values, "" if they have none.
func (s *Scene) units() string {
	var units string
	_, _ = s.a.Attr("units", &units) // an attribute that is no text is ignored
	if s.a.DType().IsComplex() {
		units = "modulus " + units
	}
	return units
}

// addKey adds the colour bar, or the entries that replace it.
func (s *Scene) addKey(f *plot.Figure, k colorScale, missing bool) {
	none := color.Color(k.Heat.Colors.Missing())
	switch {
	case s.kind == compositeKind:
		for i, c := range []uint32{0xd02020, 0x209020, 0x2040d0} {
			text := fmt.Sprintf("%s: %s to %s", s.at(s.bands, s.rgb[i]), formatShort(k.bands[i][0]), formatShort(k.bands[i][1]))
			f.Key = append(f.Key, plot.Entry{Color: plot.RGB(c), Text: text})
		}
		none = picture.NoData
	case s.kind == paletteKind:
		f.Key, none = s.classKey(), picture.NoData
	case s.isBool() && k.Heat.Lo == 0 && k.Heat.Hi == 1:
		f.Key = append(f.Key, plot.Entry{Color: k.Heat.Colors.Map(1), Text: "true"}, plot.Entry{Color: k.Heat.Colors.Map(0), Text: "false"})
	default:
		f.Bar = &plot.Bar{Label: s.units(), Lo: k.Heat.Lo, Hi: k.Heat.Hi, Colors: k.Heat.Colors.Levels()}
	}
	if missing {
		f.Key = append(f.Key, plot.Entry{Color: none, Text: "missing"})
	}
}

// formatShort formats a value with four digits.
func formatShort(v float64) string { return fmt.Sprintf("%.4g", v) }

// figureNotes returns the notes below a picture: what a reader must know to interpret it.
func (s *Scene) figureNotes(part *Slice, k colorScale) (notes []string) {
	if down, across := part.Down.Block, part.Across.Block; down > 1 || across > 1 {
		notes = append(notes, fmt.Sprintf("A pixel is the mean of %d x %d elements.", down, across))
	}
	switch down, across := part.Down.Step, part.Across.Step; {
	case down > 1 && down == across:
		notes = append(notes, fmt.Sprintf("Only every %d-th row and column was read.", part.Step))
	case down > 1 || across > 1:
		notes = append(notes, fmt.Sprintf("Every %d-th row and every %d-th column was read.", down, across))
	}
	if s.kind == mapKind && k.Heat.Robust {
		notes = append(notes, fmt.Sprintf("The colours end at the percentiles 0.5 and 99.5; values go from %s to %s.", formatShort(k.full[0]), formatShort(k.full[1])))
	}
	return notes
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

// figurePalette returns the palette of figures of the scene: the colours of its values, texts and
// axes.
func (s *Scene) figurePalette(k colorScale) color.Palette {
	colors := append([]color.RGBA{}, k.Heat.Colors.Missing())
	switch s.kind {
	case linesKind:
		colors = plot.LineColors()
	case paletteKind:
		colors = append([]color.RGBA{picture.NoData}, s.Palette...)
	default:
		for _, c := range k.Heat.Colors.Levels() {
			colors = append(colors, color.RGBAModel.Convert(c).(color.RGBA))
		}
	}
	for i := range colors {
		colors[i].A = math.MaxUint8
	}
	return plot.Palette(colors)
}
