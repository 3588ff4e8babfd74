package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether an output is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
