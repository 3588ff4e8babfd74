// Package file reads scenes from files of other formats, such as MAT, HDF5 or NetCDF, without
// importing them.
package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"drx/dtype"
	"drx/formats"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/internal/errkind"
	"drx/nd"
)

// Variable returns the name of the only variable of a file with the given number of dimensions, or
// else of its only variable. The error is one of formats.List, or wraps formats.ErrVariable and
// lists the variables.
func Variable(name string, rank int, o formats.Options) (string, error) {
	content, err := formats.List(name, o)
	if err != nil {
		return "", err
	}
	var fit, all []string
	for _, v := range content.Vars {
		all = append(all, v.Name)
		if len(v.Shape) == rank && v.Refused == "" {
			fit = append(fit, v.Name)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(all) == 1:
		return all[0], nil
	}
	return "", errkind.Errorf(formats.ErrVariable, "%s: of the variables %s, %d have %d dimensions: take one out with drx import", name, strings.Join(all, ", "), len(fit), rank)
}

// A Source reads the spectra of a variable of a file. Reads run one at a time, because a file has
// one reader.
type Source struct {
	name     string
	mu       sync.Mutex
	r        formats.Reader
	info     formats.Info
	dims     array.Dims
	elements *array.Elements
}

// Open opens the only variable of three dimensions of a file as a scene. Its lines and samples
// begin at 0. dims has the names or the numbers of the dimensions of lines, samples and bands; nil
// means the result of array.FindNames. The caller closes the source. The errors are those of
// Variable, formats.Open and array.FindNames, or that the elements are complex.
func Open(name string, dims []string, memory int64) (*Source, error) {
	o := formats.Options{Memory: memory}
	var err error
	if o.Variable, err = Variable(name, 3, o); err != nil {
		return nil, err
	}
	r, err := formats.Open(name, o)
	if err != nil {
		return nil, err
	}
	s := &Source{name: name, r: r, info: r.Info()}
	if err := s.prepare(name, dims); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return s, nil
}

// prepare finds the dimensions and sets up the conversion.
func (s *Source) prepare(name string, dims []string) (err error) {
	if s.info.DType.IsComplex() {
		return fmt.Errorf("%s: the elements are %s; spectra are real numbers", name, s.info.DType)
	}
	if s.dims, err = array.FindNames(name, s.info.Dims, len(s.info.Shape), dims); err != nil {
		return err
	}
	if s.Bands() < 1 {
		return fmt.Errorf("%s: there are no bands", name)
	}
	attrs := map[string]json.RawMessage{}
	for attr, value := range s.info.Attrs {
		if attrs[attr], err = formats.EncodeAttr(value); err != nil {
			return fmt.Errorf("%s: attribute %s: %w", name, attr, err)
		}
	}
	if s.elements, err = array.NewElements(s.info.DType, s.info.Fill, attrs); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Number returns the type of the numbers: that of the elements, or its signed or unsigned
// counterpart if the attribute _Unsigned says so.
func (s *Source) Number() dtype.DType { return s.elements.Number }

// Info describes the variable.
func (s *Source) Info() formats.Info { return s.info }

// Close closes the file.
func (s *Source) Close() error { return s.r.Close() }

// Bounds returns the lines and samples, from 0.
func (s *Source) Bounds() scene.Block {
	return scene.Block{Hi: scene.Pixel{Line: s.info.Shape[s.dims.Line], Sample: s.info.Shape[s.dims.Sample]}}
}

// Bands returns the number of bands.
func (s *Source) Bands() int { return s.info.Shape[s.dims.Band] }

// Integers16 reports whether all numbers are integers of at most 16 bits.
func (s *Source) Integers16() bool { return s.elements.Integers16() }

// Read reads the spectra of a block. The errors are those of formats.Reader.ReadSection, or say
// that a value does not fit in float64.
func (s *Source) Read(ctx context.Context, b scene.Block, dst []float64) error {
	if err := ctx.Err(); err != nil || len(dst) == 0 {
		return err
	}
	sec := make(nd.Section, 3)
	sec[s.dims.Line] = nd.Span(b.Lo.Line, b.Hi.Line)
	sec[s.dims.Sample] = nd.Span(b.Lo.Sample, b.Hi.Sample)
	sec[s.dims.Band] = nd.Span(0, s.Bands())
	stored := make([]byte, len(dst)*s.info.DType.Size())
	s.mu.Lock()
	err := s.r.ReadSection(sec, stored)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	values := make([]float64, len(dst))
	if err := s.elements.Decode(values, stored); err != nil {
		return fmt.Errorf("%s: %s: %w", s.name, b, err)
	}
	s.sort(b, dst, values)
	return nil
}

// sort copies the values of a block from the order of the file to lines, samples and bands.
func (s *Source) sort(b scene.Block, dst, values []float64) {
	extents := make([]int, 3)
	extents[s.dims.Line], extents[s.dims.Sample], extents[s.dims.Band] = b.Lines(), b.Samples(), s.Bands()
	order := s.info.Order
	if order == nil {
		order = nd.Order{0, 1, 2}
	}
	strides, step := make([]int, 3), 1
	for i := 2; i >= 0; i-- {
		strides[order[i]] = step
		step *= extents[order[i]]
	}
	to := 0
	for l := range b.Lines() {
		for m := range b.Samples() {
			from := l*strides[s.dims.Line] + m*strides[s.dims.Sample]
			for k := range s.Bands() {
				dst[to] = values[from+k*strides[s.dims.Band]]
				to++
			}
		}
	}
}
