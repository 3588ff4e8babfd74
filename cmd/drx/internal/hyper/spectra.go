package hyper

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/hyper"
	"drx/hyper/library"
	hyperscene "drx/hyper/scene"
)

// readSpectra reads spectra from a file: JSON, CSV, or an ENVI spectral library. It keeps the named
// ones, or all without names.
func readSpectra(path string, names ...string) (*hyper.Spectra, error) {
	var s *hyper.Spectra
	var err error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".hdr", ".sli", ".slb":
		var l *library.Library
		if l, err = library.ReadENVI(path, false); err == nil {
			s = &hyper.Spectra{Library: *l}
		}
	case ".json":
		s, err = openSpectra(path, hyper.ReadSpectra)
	case ".csv", ".tsv", ".txt":
		s, err = openSpectra(path, func(r io.Reader) (*hyper.Spectra, error) {
			l, err := library.ReadCSV(r)
			if err != nil {
				return nil, err
			}
			return &hyper.Spectra{Library: *l}, nil
		})
	default:
		return nil, cli.Usagef("%s: want a file of spectra: .json, .csv, or the .hdr or .sli of an ENVI spectral library", cli.Printable(path))
	}
	if err == nil && len(names) > 0 {
		var l *library.Library
		if l, err = s.Select(names...); err != nil {
			err = fmt.Errorf("%s: %w", cli.Printable(path), err)
		} else {
			s.Library = *l
		}
	}
	if err != nil {
		return nil, otherFile{err}
	}
	return s, nil
}

// openSpectra reads spectra from a file. The error names it.
func openSpectra(path string, read func(io.Reader) (*hyper.Spectra, error)) (*hyper.Spectra, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.Printable(path), err)
	}
	return s, nil
}

// fitSpectra reads spectra and fits them to the bands of a scene, with a note if it resamples them.
func fitSpectra(cmd *cobra.Command, grid hyper.Grid, path string, names ...string) (*hyper.Spectra, [][]float64, error) {
	s, err := readSpectra(path, names...)
	if err != nil {
		return nil, nil, err
	}
	list, said, err := grid.Fit(s)
	if err != nil {
		return nil, nil, otherFile{fmt.Errorf("%s: %w", cli.Printable(path), err)}
	}
	printNote(cmd, path, said)
	return s, list, nil
}

// printNote prints a note about a file or a scene on the error output, unless it is empty or
// --quiet is set.
func printNote(cmd *cobra.Command, name, text string) {
	if text != "" && !cli.IsQuiet(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: %s\n", cli.Printable(name), text)
	}
}

// readTarget returns the spectrum of a target: of a pixel, LINE,SAMPLE, or from a file of spectra.
// name chooses one in the file and may be empty if there is only one.
func readTarget(cmd *cobra.Command, c *hyperCube, text, name string) ([]float64, error) {
	var p hyperscene.Pixel
	var rest string
	if n, _ := fmt.Sscanf(text, "%d,%d%s", &p.Line, &p.Sample, &rest); n == 2 {
		if !c.Bounds().Contains(p) {
			return nil, cli.Usagef("--target %s: the scene has %s", text, c.Bounds())
		}
		t, err := c.Read(cmd.Context(), p.Block())
		if err == nil && !slices.Contains(t.Valid, true) {
			err = fmt.Errorf("--target %s: this pixel is left out, or has no usable spectrum", text)
		}
		if err != nil {
			return nil, err
		}
		return t.Spectrum(0), nil
	}
	var names []string
	if name != "" {
		names = []string{name}
	}
	s, list, err := fitSpectra(cmd, hyper.GridOf(c.Cube), text, names...)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		const few = 8
		return nil, cli.Usagef("--target %s has %d spectra: choose one with --name, as %s", text, len(list), strings.Join(s.Names[:min(few, len(list))], ", "))
	}
	return list[0], nil
}
