package cavity

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"drx"
	"drx/internal/picture"
	"drx/internal/plot"
)

const (
	// strongest is the vorticity, either way, with the strongest colour, and levels the number of
	// colours between.
	strongest, levels = 5.0, 20
	side              = 512 // pixels of a picture, about
	animatedSide      = 256
)

// streamlines are values of the stream function, most of them of figure 3 of Ghia, Ghia and Shin
// 1982.
var streamlines = []float64{
	-0.1175, -0.115, -0.11, -0.1, -0.09, -0.07, -0.05, -0.03, -0.01, -1e-3, -1e-4, 1e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 1.5e-3, 3e-3,
}

// Draw draws the vorticity with streamlines, axes and a colour bar, as PNG.
func (f *Field) Draw(w io.Writer) error {
	img, err := f.image(f.Rows, f.Cols, side)
	if err != nil {
		return err
	}
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	figure, err := plot.Figure{
		Title:    fmt.Sprintf("Lid-driven cavity, Re %.4g, %d x %d nodes", f.Reynolds(), f.Cols, f.Rows),
		Subtitle: "vorticity and streamlines",
		X:        plot.Axis{Label: "x", To: 1},
		Y:        plot.Axis{Label: "y", To: float64(f.Rows) / float64(f.Cols)},
		Raster:   &plot.Raster{Image: img, Width: width, Height: height},
		Bar:      &plot.Bar{Label: "vorticity, in speeds of the lid by widths", Lo: -strongest, Hi: strongest, Colors: picture.Diverging.Levels()},
	}.Image()
	if err != nil {
		return err
	}
	return plot.WritePNG(w, plot.Indexed(figure, palette()))
}

// Animate draws all snapshots of an array one after the other, as GIF or animated PNG: extension is
// ".gif" or ".png".
func Animate(w io.Writer, name, extension string) error {
	return withSnapshots(name, func(a *drx.Array) error {
		var out picture.AnimationWriter
		shape := a.Shape()
		for i := range shape[0] {
			f, err := readOf(a, i)
			if err != nil {
				return err
			}
			img, err := f.image(shape[1], shape[2], animatedSide)
			if err == nil && out == nil {
				out, err = picture.NewAnimation(w, extension, picture.Animation{
					Width: img.Bounds().Dx(), Height: img.Bounds().Dy(), Palette: palette(), Pictures: shape[0], Delay: 150 * time.Millisecond,
				})
			}
			if err == nil {
				err = out.Add(plot.Indexed(img, palette()))
			}
			if err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// image draws the vorticity, in bands of colours, and streamlines, on a sheet for rows x cols
// nodes, the first row at the bottom. Nodes that the snapshot does not have yet are left blank.
func (f *Field) image(rows, cols, side int) (*image.RGBA, error) {
	values, vorticity := make([]float64, rows*cols), f.vorticity()
	for i := range values {
		y, x := rows-1-i/cols-f.y, i%cols-f.x
		values[i] = math.NaN()
		if y >= 0 && y < f.Rows && x >= 0 && x < f.Cols {
			band := math.Floor(vorticity[y*f.Cols+x] * levels / (2 * strongest))
			values[i] = min(max((band+0.5)*2*strongest/levels, -strongest), strongest)
		}
	}
	zoom := (side + max(rows, cols) - 1) / max(rows, cols)
	heat, err := picture.Heat(values, rows, cols, picture.HeatOptions{Lo: -strongest, Hi: strongest, Fixed: true, Colors: picture.Diverging, Zoom: zoom})
	if err != nil {
		return nil, err
	}
	canvas := plot.NewPixels(heat.Bounds().Dx(), heat.Bounds().Dy(), nil)
	canvas.Image(heat, heat.Bounds())
	scale := float64(heat.Bounds().Dx()) / float64(cols)
	for _, level := range streamlines {
		for _, line := range contour(f.streamFunction(), f.Rows, f.Cols, level) {
			for i, p := range line {
				line[i] = plot.Point{X: scale * (p.X + float64(f.x) + 0.5), Y: scale * (float64(rows-f.y) - 0.5 - p.Y)}
			}
			canvas.Line(line[:], 1, plot.Ink)
		}
	}
	return canvas.Img, nil
}

// contour returns the lines, in nodes, on which values have a level: in each triangle of two
// neighbours of a row and one of the next row the values are linear.
func contour(values []float64, rows, cols int, level float64) (lines [][2]plot.Point) {
	for y := range rows - 1 {
		for x := range cols - 1 {
			for _, corners := range [2][3][2]int{{{0, 0}, {0, 1}, {1, 0}}, {{1, 1}, {0, 1}, {1, 0}}} {
				var cut []plot.Point
				for i, a := range corners {
					b := corners[(i+1)%3]
					from, to := values[(y+a[0])*cols+x+a[1]], values[(y+b[0])*cols+x+b[1]]
					if (from < level) != (to < level) {
						t := (level - from) / (to - from)
						cut = append(cut, plot.Point{
							X: float64(x+a[1]) + t*float64(b[1]-a[1]), Y: float64(y+a[0]) + t*float64(b[0]-a[0]),
						})
					}
				}
				if len(cut) == 2 {
					lines = append(lines, [2]plot.Point{cut[0], cut[1]})
				}
			}
		}
	}
	return lines
}

// palette returns the colours of the bands, of the lines and of what is written.
func palette() color.Palette {
	var bands []color.RGBA
	for i := range levels {
		bands = append(bands, picture.Diverging.Map((float64(i)+0.5)/levels))
	}
	return plot.Palette(append(bands, picture.Diverging.Missing(), plot.Ink))
}
