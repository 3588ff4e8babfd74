package hyper

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/outfile"
	"drx/hyper"
	hyperscene "drx/hyper/scene"
	"drx/internal/picture"
	"drx/internal/plot"
)

// mapPixels is the total width, in pixels, of several maps beside each other.
const mapPixels = 1440

// drawFlag adds the flag --draw.
func drawFlag(cmd *cobra.Command, draw *string, what string) {
	cmd.Flags().StringVar(draw, "draw", "", "draw "+what+" to a .png or .svg `file`")
}

// checkDraw checks the value of --draw.
func checkDraw(file string) error {
	if file == "" || slices.Contains([]string{".png", ".svg"}, strings.ToLower(filepath.Ext(file))) {
		return nil
	}
	return cli.Usagef("--draw %s: want a name that ends in .png or .svg", cli.Printable(file))
}

// saveFigure writes a figure to a file.
func saveFigure(f plot.Figure, file string) error {
	if strings.EqualFold(filepath.Ext(file), ".svg") {
		return outfile.Replace(file, f.SVG)
	}
	img, err := f.Image()
	if err != nil {
		return err
	}
	return outfile.Replace(file, func(w io.Writer) error { return plot.WritePNG(w, img) })
}

// sceneAxes returns the axes of a picture of the whole scene, samples and lines. A pixel is centred
// at its number, so the axes extend half a pixel beyond the bounds.
func sceneAxes(b hyperscene.Block) (x, y plot.Axis) {
	whole := plot.Numbers{Whole: true}
	x = plot.Axis{Label: "sample", From: float64(b.Lo.Sample) - 0.5, To: float64(b.Hi.Sample) - 0.5, Scale: whole}
	y = plot.Axis{Label: "line", From: float64(b.Hi.Line) - 0.5, To: float64(b.Lo.Line) - 0.5, Scale: whole}
	return x, y
}

// drawComposite draws three bands of a scene, by their numbers in the source, as red, green and
// blue.
func drawComposite(cmd *cobra.Command, c *hyperCube, rgb [3]int, file string) error {
	var bands []int
	var said []string
	waves, unit := c.Wavelengths()
	for _, b := range rgb {
		i := bandIndex(c.Cube, b)
		bands = append(bands, i)
		text := fmt.Sprintf("band %d", b)
		if waves != nil {
			text = strings.TrimSpace(fmt.Sprintf("%.4g %s", waves[i], unit))
		}
		said = append(said, text)
	}
	t, err := hyperscene.NewThumbnail(cmd.Context(), c.Cube, bands, display.FigureSide)
	if err != nil {
		return err
	}
	var parts [3]picture.Band
	for i, values := range t.Values {
		lo, hi := picture.HeatOptions{Lo: math.NaN(), Hi: math.NaN(), Robust: true}.Limits(values)
		parts[i] = picture.Band{Values: values, Lo: lo, Hi: hi}
	}
	size := display.RasterSize(t.Rows, t.Cols, 0)
	f := plot.Figure{Title: filepath.Base(c.name), Subtitle: "red, green, blue: " + strings.Join(said, ", ")}
	f.X, f.Y = sceneAxes(c.Bounds())
	f.Raster = &plot.Raster{Image: picture.Composite(parts, t.Rows, t.Cols), Width: size.X, Height: size.Y}
	return saveFigure(f, file)
}

// drawMaps draws each value of a plane as a map, all beside each other and with common colours.
func drawMaps(title, label string, plane *hyperscene.Plane, names []string, limits [2]float64, file string) error {
	f, _, err := mapsFigure(title, label, plane, names, limits)
	if err != nil {
		return err
	}
	return saveFigure(f, file)
}

// mapsFigure returns the figure of drawMaps, and the colours of its maps.
func mapsFigure(title, label string, plane *hyperscene.Plane, names []string, limits [2]float64) (plot.Figure, []color.Color, error) {
	b := plane.Bounds()
	rows, cols, n := b.Lines(), b.Samples(), plane.Values()
	gap := 0
	if n > 1 {
		gap = max(1, cols/20)
	}
	width := n*cols + (n-1)*gap
	values := make([]float64, rows*width)
	for i := range values {
		values[i] = math.NaN()
	}
	for i := range b.Pixels() {
		for k, v := range plane.At(b.At(i)) {
			values[i/cols*width+k*(cols+gap)+i%cols] = v
		}
	}
	heat := picture.HeatOptions{Lo: limits[0], Hi: limits[1], Robust: math.IsNaN(limits[0]), Zoom: 1}
	heat.Lo, heat.Hi = heat.Limits(values)
	img, err := picture.Heat(values, rows, width, heat)
	if err != nil {
		return plot.Figure{}, nil, err
	}
	f := plot.Figure{Title: title, Bar: &plot.Bar{Label: label, Lo: heat.Lo, Hi: heat.Hi, Colors: heat.Colors.Levels()}}
	f.X, f.Y = sceneAxes(b)
	size := display.RasterSize(rows, cols, 0)
	if n > 1 {
		f.X = mapsAxis(names, cols, gap)
		size = mapsSize(rows, width)
	}
	f.Raster = &plot.Raster{Image: img, Width: size.X, Height: size.Y}
	return f, heat.Colors.Levels(), nil
}

// mapsAxis returns the axis below several maps, labelled with their names. Maps have a gap between
// them.
func mapsAxis(names []string, cols, gap int) plot.Axis {
	part := float64(cols) / float64(cols+gap)
	return plot.Axis{
		Label: "", From: -part / 2, To: float64(len(names)-1) + part/2,
		Scale: plot.Names{Name: func(i int) string { return names[i] }},
	}
}

// mapsSize returns the size in pixels of several maps beside each other, which together have rows x
// cols pixels of the scene.
func mapsSize(rows, cols int) image.Point {
	zoom := float64(mapPixels) / float64(cols)
	if zoom > 1 {
		zoom = math.Floor(zoom)
	}
	zoom = min(zoom, max(1, math.Floor(display.GoodSide/float64(rows))))
	return image.Pt(max(1, int(float64(cols)*zoom)), max(1, int(float64(rows)*zoom)))
}

// classColor returns the colour of a class, counted from 1; 0 and NaN are no class.
func classColor(class float64) color.RGBA {
	colors := plot.LineColors()
	switch {
	case math.IsNaN(class):
		return plot.Paper
	case class == 0:
		return plot.RGB(0xd0d7de)
	}
	c := colors[(int(class)-1)%len(colors)]
	for range (int(class) - 1) / len(colors) { // colours repeat, darker each time
		c.R, c.G, c.B = c.R/3*2, c.G/3*2, c.B/3*2
	}
	return c
}

// drawClasses draws maps of classes beside each other. labels are the names of the classes 1, 2 and
// so on.
func drawClasses(title string, maps []*hyperscene.Plane, names []string, labels []string, notes []string, file string) error {
	b := maps[0].Bounds()
	rows, cols := b.Lines(), b.Samples()
	gap := 0
	if len(maps) > 1 {
		gap = max(1, cols/20)
	}
	width := len(maps)*cols + (len(maps)-1)*gap
	img := image.NewRGBA(image.Rect(0, 0, width, rows))
	for i := range img.Pix {
		img.Pix[i] = math.MaxUint8
	}
	for k, m := range maps {
		for i := range b.Pixels() {
			img.SetRGBA(k*(cols+gap)+i%cols, i/cols, classColor(m.At(b.At(i))[0]))
		}
	}
	f := plot.Figure{Title: title, Notes: notes}
	f.X, f.Y = sceneAxes(b)
	size := display.RasterSize(rows, cols, 0)
	if len(maps) > 1 {
		f.X = mapsAxis(names, cols, gap)
		size = mapsSize(rows, width)
	}
	for i, label := range labels {
		f.Key = append(f.Key, plot.Entry{Color: classColor(float64(i + 1)), Text: label})
	}
	f.Raster = &plot.Raster{Image: img, Width: size.X, Height: size.Y}
	return saveFigure(f, file)
}

// drawSpectra draws spectra over their wavelengths, or over the numbers of their bands.
func drawSpectra(title string, s *hyper.Spectra, file string) error {
	f := plot.Figure{Title: title}
	x, label := s.Wavelengths, strings.TrimSpace("wavelength "+bracketed(s.Unit))
	if len(x) == 0 {
		label = "band"
		for i := range s.Spectra[0] {
			number := i
			if s.Bands != nil {
				number = s.Bands[i]
			}
			x = append(x, float64(number))
		}
	}
	lo, hi := plot.Around(s.Spectra...)
	f.Y = plot.Axis{Label: "value", From: lo, To: hi}
	f.X = plot.Axis{Label: label, From: slices.Min(x), To: slices.Max(x)}
	if f.X.From == f.X.To {
		f.X.From, f.X.To = plot.Around(x)
	}
	for i, y := range s.Spectra {
		f.Lines = append(f.Lines, plot.Line{Name: s.Names[i], X: x, Y: y})
	}
	return saveFigure(f, file)
}

func bracketed(unit string) string {
	if unit == "" {
		return ""
	}
	return "(" + unit + ")"
}

// drawScree draws values by their number on a logarithmic axis. It leaves out values that are not
// positive.
func drawScree(title, label string, lines []plot.Line, file string) error {
	f := plot.Figure{Title: title}
	var all [][]float64
	longest := 0
	for _, l := range lines {
		logs := plot.Line{Name: l.Name}
		for i, v := range l.Y {
			if v > 0 {
				logs.X, logs.Y = append(logs.X, float64(i+1)), append(logs.Y, math.Log10(v))
			}
		}
		longest = max(longest, len(l.Y))
		all = append(all, logs.Y)
		f.Lines = append(f.Lines, logs)
	}
	lo, hi := plot.Around(all...)
	f.X = plot.Axis{Label: "number", From: 1, To: float64(max(2, longest)), Scale: plot.Numbers{Whole: true}}
	f.Y = plot.Axis{Label: label, From: lo, To: hi, Scale: plot.Logs{}}
	return saveFigure(f, file)
}
