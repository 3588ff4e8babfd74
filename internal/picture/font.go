package picture

import (
	"fmt"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// The sizes of text, in pixels per em.
const (
	titleSize  = 22
	panelSize  = 16
	numberSize = 15
	smallSize  = 11 // numbers, when they must shrink
	labelSize  = 13 // labels and legend
)

// parseFont parses Go Regular once.
var parseFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// fonts holds the faces of one drawing by size: a face must not be shared
// among goroutines.
type fonts map[int]font.Face

func newFonts() (fonts, error) {
	parsed, err := parseFont()
	if err != nil {
		return nil, fmt.Errorf("parse font: %w", err)
	}
	fs := fonts{}
	for _, size := range []int{titleSize, panelSize, numberSize, smallSize, labelSize} {
		o := &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingNone}
		if fs[size], err = opentype.NewFace(parsed, o); err != nil {
			return nil, fmt.Errorf("font of %d pixels: %w", size, err)
		}
	}
	return fs, nil
}

// width returns the pixels that the text takes.
func (fs fonts) width(s string, size int) int {
	return font.MeasureString(fs[size], s).Ceil()
}

// elide shortens the text to the width, with an ellipsis for what is cut off.
func (fs fonts) elide(s string, size, width int) string {
	if fs.width(s, size) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && fs.width(string(runes)+"…", size) > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
