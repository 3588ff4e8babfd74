package picture

import (
	"fmt"
	"image"
	"image/color"
	"io"
)

// ramp holds the characters of ASCII mode from dark to bright.
const ramp = " .:-=+*#%@"

// Terminal draws the image as lines of text, as large as possible within cols x rows characters
// and with its aspect ratio. A character is assumed to be twice as high as wide and shows two
// pixels, one above the other: in colour with the upper half block, in ASCII by their mean
// brightness. Missing values of a heat map are blank in ASCII. It returns an error if the image is
// empty, if cols or rows is less than one, or if w fails.
func Terminal(w io.Writer, img image.Image, cols, rows int, mode TermMode) error {
	b := img.Bounds()
	if b.Empty() {
		return fmt.Errorf("image of %d x %d pixels: nothing to draw", b.Dx(), b.Dy())
	}
	if cols < 1 || rows < 1 {
		return fmt.Errorf("terminal of %d x %d characters: want at least 1 x 1", cols, rows)
	}
	s := sampler{img: img}
	s.width, s.height = fit(b.Dx(), b.Dy(), cols, 2*rows)
	var line []byte
	for y := 0; y < s.height; y += 2 {
		if mode == ASCII {
			line = s.asciiLine(line[:0], y)
		} else {
			line = s.blockLine(line[:0], y, mode)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write to terminal: %w", err)
		}
	}
	return nil
}

// fit returns the largest size in maxW x maxH with the aspect of w x h, at
// least one pixel each way.
func fit(w, h, maxW, maxH int) (int, int) {
	width, height := float64(maxW), float64(maxW)*float64(h)/float64(w)
	if height > float64(maxH) {
		width, height = float64(maxH)*float64(w)/float64(h), float64(maxH)
	}
	return max(1, int(width+0.5)), max(1, int(height+0.5))
}

// sampler shows an image as width x height pixels.
type sampler struct {
	img           image.Image
	width, height int
}

// at returns the mean colour of the part of the image under pixel x, y, which has at least one
// pixel.
func (s sampler) at(x, y int) color.RGBA {
	b := s.img.Bounds()
	x0, x1 := cover(x, s.width, b.Dx())
	y0, y1 := cover(y, s.height, b.Dy())
	var sum [3]uint64
	for j := b.Min.Y + y0; j < b.Min.Y+y1; j++ {
		for i := b.Min.X + x0; i < b.Min.X+x1; i++ {
			r, g, b, _ := s.img.At(i, j).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(b)
		}
	}
	n := uint64((x1 - x0) * (y1 - y0))
	return color.RGBA{uint8(sum[0] / n >> 8), uint8(sum[1] / n >> 8), uint8(sum[2] / n >> 8), 255}
}

// cover returns the range of n source pixels under pixel i of size.
func cover(i, size, n int) (from, to int) {
	from = i * n / size
	return from, max(from+1, (i+1)*n/size)
}

// asciiLine appends the characters for the pixel rows y and y+1.
func (s sampler) asciiLine(line []byte, y int) []byte {
	for x := range s.width {
		if s.missing(x, y) {
			line = append(line, ' ')
			continue
		}
		light := luma(s.at(x, y))
		if y+1 < s.height {
			light = (light + luma(s.at(x, y+1))) / 2
		}
		line = append(line, ramp[light*len(ramp)/256])
	}
	return line
}

// missing reports whether most of the elements that pixel x, y covers are missing values of a heat
// map. Their colour, a mid grey, would look like a high value in ASCII.
func (s sampler) missing(x, y int) bool {
	img, ok := s.img.(*image.Paletted)
	if !ok || len(img.Palette) <= missingLevel {
		return false
	}
	b := img.Bounds()
	x0, x1 := cover(x, s.width, b.Dx())
	y0, y1 := cover(y, s.height, b.Dy())
	missing := 0
	for j := b.Min.Y + y0; j < b.Min.Y+y1; j++ {
		for i := b.Min.X + x0; i < b.Min.X+x1; i++ {
			if img.ColorIndexAt(i, j) == missingLevel {
				missing++
			}
		}
	}
	return 2*missing > (x1-x0)*(y1-y0)
}

// luma returns the brightness of a colour, 0 to 255, with the weights of ITU-R BT.601.
func luma(c color.RGBA) int {
	return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
}

// blockLine appends half blocks for the pixel rows y and y+1: the upper pixel is the character's
// colour, the lower one its background. It does not repeat a colour that does not change. Below the
// last pixel row it sets no background.
func (s sampler) blockLine(line []byte, y int, mode TermMode) []byte {
	var upper, lower color.RGBA // transparent: none sent yet
	for x := range s.width {
		if c := s.at(x, y); c != upper {
			upper = c
			line = appendColor(line, "38", c, mode)
		}
		if y+1 < s.height {
			if c := s.at(x, y+1); c != lower {
				lower = c
				line = appendColor(line, "48", c, mode)
			}
		}
		line = append(line, "▀"...)
	}
	return append(line, resetColor...)
}
