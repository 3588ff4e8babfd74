package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/convert"
	"drx/convert/raster"
	"drx/nd"
)

// A source is an array in a file that is to be written to one of ours.
type source struct {
	convert.Source
	name string
}

// pictureMemory is the flag --memory of the verbs that read pictures.
type pictureMemory struct{ text string }

// flag adds the flag to a verb.
func (m *pictureMemory) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.text, "memory", "512MiB", "most `bytes` of memory to decode a picture in")
}

// openSource opens the array in a file, "-" for standard input, and checks its type.
func openSource(a *drx.Array, name string, m pictureMemory) (*source, error) {
	memory, err := parseBytes("--memory", m.text)
	if err != nil {
		return nil, err
	}
	in, err := convert.Open(name, convert.Options{Memory: int64(memory)})
	if errors.Is(err, raster.ErrMemory) {
		return nil, fmt.Errorf("%w; see --memory", err)
	}
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "standard input"
	}
	if in.DType() != a.DType() {
		in.Close()
		return nil, fmt.Errorf("%s: holds %v, %s holds %v: %w", name, in.DType(), a.Name(), a.DType(), drx.ErrDType)
	}
	return &source{in, name}, nil
}

// bytes returns the bytes of all elements.
func (s *source) bytes() int64 {
	n, _ := nd.Product(s.Shape()...) // checked when the file was opened
	return int64(n) * int64(s.DType().Size())
}

// fill reads the next bytes into buf. With last set there must be no more: a file that
// goes on, or was damaged behind, is found out before its last elements are stored.
func (s *source) fill(buf []byte, last bool) error {
	if n, err := io.ReadFull(s, buf); errors.Is(err, io.EOF) || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: ends %d bytes early: %w", s.name, len(buf)-n, io.ErrUnexpectedEOF)
	} else if err != nil {
		return err
	}
	if !last {
		return nil
	}
	switch n, err := s.Read(make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("%s: goes on after its last element: %w", s.name, drx.ErrSize)
	case err != io.EOF:
		return err
	}
	return nil
}

// store streams the source to a section of the array, in the order that the elements have
// in terms of the array's dimensions.
func (s *source) store(ctx context.Context, a *drx.Array, sec nd.Section, order nd.Order, p *progress) error {
	var buf []byte
	rest := s.bytes()
	return eachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error {
		rest -= int64(n)
		buf = slices.Grow(buf[:0], n)[:n]
		if err := s.fill(buf, rest == 0); err != nil {
			return err
		}
		defer p.add(n)
		return a.WriteBytes(slab, buf, order)
	})
}
