package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"drx/internal/picture"
)

// A screen is the size in characters, and the colour mode, for a picture in the terminal.
type screen struct {
	cols, rows int
	mode       picture.TermMode
}

// maxWidth is the largest number of columns: a character shows up to four columns of pixels, of which a
// picture has at most 16384.
const maxWidth = 16384 / 4

// newScreen returns the size of the terminal w, or of 80 columns if w is not a terminal. A width that is
// not zero overrides the number of columns.
func newScreen(w io.Writer, width int) (screen, error) {
	if width < 0 || width > maxWidth {
		return screen{}, usagef("--width %d: want 1 to %d columns", width, maxWidth)
	}
	s := screen{cols: 80, mode: picture.DetectMode(os.Getenv, isTerminal(w))}
	if file, ok := w.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(file.Fd())); err == nil && cols > 0 {
			s.cols, s.rows = cols, max(1, rows-3) // leave space for the summary and the prompt
		}
	}
	if width > 0 {
		s.cols, s.rows = width, 0 // replaced by the width below
	}
	if s.rows == 0 {
		s.rows = s.cols
	}
	return s, nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// checkExtension returns an error if the name of an output file has none of the extensions: such a file
// would have the wrong format for its name, and a typing mistake could overwrite an array. Devices and
// pipes may have any name.
func checkExtension(name string, extensions ...string) error {
	if name == "" || name == "-" || slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe) != 0 {
		return nil
	}
	return usagef("-o %s: want a name that ends in %s, or - for stdout", name, strings.Join(extensions, " or "))
}
