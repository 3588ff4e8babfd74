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

// A screen is the room for a picture made of characters.
type screen struct {
	cols, rows int
	mode       picture.TermMode
}

// newScreen asks the terminal, if w is one. A width of zero is all of it.
func newScreen(w io.Writer, width int) (screen, error) {
	if width < 0 {
		return screen{}, usagef("--width %d: want at least 1 column", width)
	}
	s := screen{cols: 80, mode: picture.DetectMode(os.Getenv, isTerminal(w))}
	if file, ok := w.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(file.Fd())); err == nil && cols > 0 {
			s.cols, s.rows = cols, max(1, rows-3) // the prompt and the summary stay in sight
		}
	}
	if width > 0 {
		s.cols, s.rows = width, 0 // as high as it takes
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

// checkExtension refuses the name of an output that has none of the extensions: it would not
// be what its name says, and a slip of the pen would overwrite an array. Devices and pipes
// may have any name.
func checkExtension(name string, extensions ...string) error {
	if name == "" || name == "-" || slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe) != 0 {
		return nil
	}
	return usagef("-o %s: want a name that ends in %s, or - for stdout", name, strings.Join(extensions, " or "))
}
