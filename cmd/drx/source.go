package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/convert"
	"drx/nd"
)

// A source is a file in another format whose elements are to be written to an array.
type source struct {
	convert.Reader
	convert.Info
	name string
}

// pictureMemory is the flag --memory of the verbs that read pictures.
type pictureMemory struct{ text string }

// flag adds the flag to a verb.
func (m *pictureMemory) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.text, "memory", "512MiB", "`bytes` of memory for decoding a picture, as in 64MiB")
}

// openSource opens a file, "-" for standard input, and checks that it has the element type of the array.
func openSource(a *drx.Array, name string, m pictureMemory) (*source, error) {
	memory, err := parseBytes("--memory", m.text)
	if err != nil {
		return nil, err
	}
	in, err := convert.Open(name, convert.Options{Memory: int64(memory)})
	if errors.Is(err, convert.ErrMemory) {
		return nil, fmt.Errorf("%w; see --memory", err)
	}
	if errors.Is(err, convert.ErrFormat) && strings.EqualFold(filepath.Ext(name), ".csv") {
		return nil, fmt.Errorf("%w; append --coords reads CSV", err)
	}
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "standard input"
	}
	if in.Info().DType != a.DType() {
		in.Close()
		return nil, fmt.Errorf("%s: holds %v, %s holds %v: %w", name, in.Info().DType, a.Name(), a.DType(), drx.ErrDType)
	}
	return &source{in, in.Info(), name}, nil
}

// bytes returns the size of all elements in bytes.
func (s *source) bytes() int64 {
	n, _ := s.Bytes() // checked when the file was opened
	return int64(n)
}

// copyTo copies the source to a section of the array, in slabs. If the source has one dimension less than
// the array, it goes to one index of dimension frame; otherwise frame is -1.
func (s *source) copyTo(ctx context.Context, a *drx.Array, sec nd.Section, frame int, p *progress) error {
	order := s.orderIn(frame)
	var buf []byte
	return eachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		if err := s.ReadSection(s.section(slab, sec, frame), buf); err != nil {
			return err
		}
		defer p.add(n)
		return a.WriteBytes(slab, buf, order)
	})
}

// orderIn returns the order of the source's elements in terms of the array's dimensions.
func (s *source) orderIn(frame int) nd.Order {
	if frame < 0 {
		return s.Order
	}
	order := nd.Order{frame}
	for _, d := range s.Order.Dims(len(s.Shape)) {
		if d >= frame {
			d++
		}
		order = append(order, d)
	}
	return order
}

// section returns the section of the file for a slab of the array, when the whole file goes to section
// sec.
func (s *source) section(slab, sec nd.Section, frame int) nd.Section {
	var of nd.Section
	for d, r := range slab {
		if d != frame {
			of = append(of, nd.Span(r.Lo-sec[d].Lo, r.Hi-sec[d].Lo))
		}
	}
	return of
}
