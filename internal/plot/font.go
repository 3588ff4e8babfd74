package plot

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// parseFont parses Go Regular once.
var parseFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// Fonts holds the faces of one drawing by size. Goroutines must not share a face.
type Fonts map[int]font.Face

// NewFonts returns the faces of the given sizes, in pixels per em. The error is that of the font.
func NewFonts(sizes ...int) (Fonts, error) {
	parsed, err := parseFont()
	if err != nil {
		return nil, fmt.Errorf("parse font: %w", err)
	}
	fs := Fonts{}
	for _, size := range sizes {
		o := &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingNone}
		if fs[size], err = opentype.NewFace(parsed, o); err != nil {
			return nil, fmt.Errorf("font of %d pixels: %w", size, err)
		}
	}
	return fs, nil
}

// Width returns the width of a text in pixels.
func (fs Fonts) Width(s string, size int) int {
	return font.MeasureString(fs[size], s).Ceil()
}

// Elide shortens a text to a width in pixels; an ellipsis replaces the end.
func (fs Fonts) Elide(s string, size, width int) string {
	if fs.Width(s, size) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && fs.Width(string(runes)+"…", size) > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// wrap breaks a text at its spaces into lines of at most the given width. It elides a longer word.
func (fs Fonts) wrap(s string, size, width int) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines); n > 0 && fs.Width(lines[n-1]+" "+word, size) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, fs.Elide(word, size, width))
		}
	}
	return lines
}

// Printable replaces control characters, which could affect a terminal or break a line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
