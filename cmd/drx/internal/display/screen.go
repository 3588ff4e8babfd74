package display

import (
	"io"
	"os"

	"golang.org/x/term"

	"drx/cmd/drx/internal/cli"
	"drx/internal/picture"
)

// A Screen is the size in characters, and the colour mode, for a picture in the terminal.
type Screen struct {
	Cols, Rows int
	Mode       picture.TermMode
}

// maxWidth is the largest number of columns: a character shows up to four columns of pixels, of
// which a picture has at most 16384.
const maxWidth = 16384 / 4

// NewScreen returns the size of the terminal w, or of 80 columns if w is not a terminal. A width
// that is not zero overrides the number of columns.
func NewScreen(w io.Writer, width int) (Screen, error) {
	if width < 0 || width > maxWidth {
		return Screen{}, cli.Usagef("--width %d: want 1 to %d columns", width, maxWidth)
	}
	s := Screen{Cols: 80, Mode: picture.DetectMode(os.Getenv, cli.IsTerminal(w))}
	if file, ok := w.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(file.Fd())); err == nil && cols > 0 {
			s.Cols, s.Rows = cols, max(1, rows-3) // leave space for the summary and the prompt
		}
	}
	if width > 0 {
		s.Cols, s.Rows = width, 0 // replaced by the width below
	}
	if s.Rows == 0 {
		s.Rows = s.Cols
	}
	return s, nil
}
