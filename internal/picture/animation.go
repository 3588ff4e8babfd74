package picture

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"
	"time"
)

// Animation holds the common properties of an animation's pictures.
type Animation struct {
	Width, Height int           // pixels, 1 to 65535 each
	Palette       color.Palette // of every picture: 2 to 256 opaque colours
	Pictures      int           // number of pictures, at least 1
	Delay         time.Duration // of each picture: 20 ms to a minute, in hundredths of a second
}

// An AnimationWriter writes an animation one picture at a time and keeps none in memory. The
// animation loops for ever.
type AnimationWriter interface {
	// Add writes the next picture. It returns an error if the picture has another size or palette
	// than the animation, if all pictures were added already, or if the writer fails.
	Add(img *image.Paletted) error
	// Close writes the end. It returns an error if pictures are missing, so that the file is
	// incomplete, or if the writer fails. It does not close the writer.
	Close() error
}

// The delays that all programs support: browsers replace delays below two hundredths of a second by
// ten, and an APNG has at most 65 seconds.
const (
	leastDelay = 20 * time.Millisecond
	mostDelay  = time.Minute
)

// Check returns an error, with the value and the limit, if a property is out of its range.
func (a Animation) Check() error {
	const most = 1<<16 - 1
	switch {
	case a.Width < 1 || a.Height < 1 || a.Width > most || a.Height > most:
		return fmt.Errorf("animation of %d x %d pixels: want 1 to %d each way", a.Width, a.Height, most)
	case len(a.Palette) < 2 || len(a.Palette) > 256:
		return fmt.Errorf("animation in %d colours: want 2 to 256", len(a.Palette))
	case a.Pictures < 1:
		return fmt.Errorf("animation of %d pictures: want at least 1", a.Pictures)
	}
	return CheckDelay(a.Delay)
}

// CheckDelay returns an error if a delay is out of range.
func CheckDelay(d time.Duration) error {
	if d < leastDelay || d > mostDelay {
		return fmt.Errorf("delay %v: want %v to %v", d, leastDelay, mostDelay)
	}
	return nil
}

// centiseconds returns the delay in hundredths of a second, the unit of both formats.
func (a Animation) centiseconds() uint16 {
	return uint16(a.Delay.Round(10*time.Millisecond) / (10 * time.Millisecond))
}

// sequence checks that each picture fits the animation.
type sequence struct {
	Animation
	next int
}

// count counts a picture that fits.
func (s *sequence) count(img *image.Paletted) error {
	switch size := img.Rect.Size(); {
	case s.next == s.Pictures:
		return fmt.Errorf("animation of %d pictures: one more was added", s.Pictures)
	case size != image.Pt(s.Width, s.Height):
		return fmt.Errorf("picture %d of %d x %d pixels in an animation of %d x %d", s.next, size.X, size.Y, s.Width, s.Height)
	case !slices.Equal(img.Palette, s.Palette):
		return fmt.Errorf("picture %d has another palette than the animation", s.next)
	}
	s.next++
	return nil
}

// complete returns an error while pictures are missing.
func (s *sequence) complete() error {
	if s.next < s.Pictures {
		return fmt.Errorf("animation of %d pictures ends after %d", s.Pictures, s.next)
	}
	return nil
}

// formats maps the extension of a file's name, in lower case, to a format.
var formats = map[string]func(io.Writer, Animation) (AnimationWriter, error){
	".gif": NewGIF, ".png": NewAPNG, ".apng": NewAPNG,
}

// NewAnimation begins an animation in the format of an extension: ".gif", or ".png" or ".apng"
// for APNG. It fails like NewGIF and NewAPNG, and for any other extension.
func NewAnimation(w io.Writer, extension string, a Animation) (AnimationWriter, error) {
	begin, ok := formats[extension]
	if !ok {
		return nil, fmt.Errorf("extension %q: want .gif, .png or .apng", extension)
	}
	return begin(w, a)
}
