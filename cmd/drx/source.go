package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/convert"
	"drx/dtype"
	"drx/exchange"
	"drx/nd"
)

// A source is a file in another format whose elements are to be written to an array.
type source struct {
	convert.Reader
	convert.Info // shape and order with the dimensions of addDim
	name         string
	inFile       []int // the dimensions that the file has itself
	conversion   *dtype.Converter
}

// inputOptions are the flags of the verbs that read files in other formats.
type inputOptions struct {
	memory, variable string
	clip             bool
}

// flags adds the flags to a verb.
func (o *inputOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.variable, "var", "", "`name` of the variable, in files that have several")
	f.StringVar(&o.memory, "memory", "512MiB", "`bytes` of memory for decoding a picture, as in 64MiB")
	f.BoolVar(&o.clip, "clip", false, "round values to the array's element type, those out of range to its limits")
}

// openSource opens a file, "-" for standard input.
func openSource(name string, o inputOptions) (*source, error) {
	memory, err := parseBytes("--memory", o.memory)
	if err != nil {
		return nil, err
	}
	in, err := convert.Open(name, convert.Options{Variable: o.variable, Memory: int64(memory)})
	if errors.Is(err, convert.ErrMemory) {
		return nil, fmt.Errorf("%w; see --memory", err)
	}
	if errors.Is(err, convert.ErrVariable) {
		return nil, fmt.Errorf("%w; choose one with --var", err)
	}
	if err != nil {
		return nil, exchange.ExplainFile(err)
	}
	if name == "-" {
		name = "standard input"
	}
	return &source{Reader: in, Info: in.Info(), name: name, inFile: nd.RowMajor.Dims(len(in.Info().Shape))}, nil
}

// openSourceFor opens a file whose elements can be converted to those of an array.
func openSourceFor(a *drx.Array, name string, o inputOptions) (*source, error) {
	in, err := openSource(name, o)
	if err == nil {
		err = in.convertTo(a, o.clip)
	}
	if err != nil && in != nil {
		in.Close()
		in = nil
	}
	return in, err
}

// convertTo makes copyTo convert the elements to the type of an array. Without clip that must have all values
// of the source's type.
func (s *source) convertTo(a *drx.Array, clip bool) error {
	from, to := s.DType, a.DType()
	c, err := dtype.NewConverter(from, to, clip, a.FillValue())
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if !clip && !from.ExactIn(to) {
		return fmt.Errorf("%s: holds %v, %s holds %v, which does not have all of its values: --clip rounds them and limits those out of range: %w",
			s.name, from, a.Name(), to, drx.ErrDType)
	}
	s.conversion = c
	return nil
}

// addDim gives the source one more dimension, of extent one, as dimension d.
func (s *source) addDim(d int) {
	order := nd.Order{d} // slowest, which does not matter
	for _, other := range s.Order.Dims(len(s.Shape)) {
		if other >= d {
			other++
		}
		order = append(order, other)
	}
	inFile := slices.Clone(s.inFile)
	for i, own := range inFile {
		if own >= d {
			inFile[i]++
		}
	}
	s.Shape, s.Order, s.inFile = slices.Insert(slices.Clone(s.Shape), d, 1), order, inFile
}

// bytes returns the size of all elements in bytes.
func (s *source) bytes() int64 {
	n, _ := s.Bytes() // checked when the file was opened
	return int64(n)
}

// copyTo copies the source to a section of the array, in slabs. Both must have the same shape.
func (s *source) copyTo(ctx context.Context, a *drx.Array, sec nd.Section, p *progress) error {
	from, to := s.DType.Size(), a.DType().Size()
	larger := max(from, to)
	var buf []byte
	return eachSlabOf(ctx, a, larger, sec, s.Order, func(slab nd.Section, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		n /= larger
		old, converted := buf[(larger-from)*n:], buf[:n*to] // as Converter.Apply wants them
		old = old[:n*from]
		if err := s.ReadSection(s.section(slab, sec), old); err != nil {
			return err
		}
		defer p.add(len(old))
		if s.conversion != nil {
			if err := s.conversion.Apply(converted, old); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		return a.WriteBytes(slab, converted, s.Order)
	})
}

// section returns the section of the file for a slab of the array, when the whole file goes to section
// sec.
func (s *source) section(slab, sec nd.Section) nd.Section {
	of := nd.Section{}
	for _, d := range s.inFile {
		of = append(of, nd.Span(slab[d].Lo-sec[d].Lo, slab[d].Hi-sec[d].Lo))
	}
	return of
}
