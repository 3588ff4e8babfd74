package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drx/formats"
	"drx/nd"
)

// chunked are the formats whose writers accept sections in any order, and are fastest with whole
// chunks. Files of other formats may be streams, which must be written in order.
var chunked = []string{"hdf5", "netcdf", "zarr2", "zarr3", "zarrzip", "geotiff"}

// writeVars writes a section of each variable, together total bytes, to the file at path, and
// closes its writers.
func (o *exporter) writeVars(ctx context.Context, path string, writers []formats.Writer, vars []exportVar, total int64, section func(v exportVar) nd.Section) (err error) {
	bar := newMeter(o.Progress, total)
	for i, v := range vars {
		if err == nil {
			err = o.writeSection(ctx, path, writers[i], v, section(v), bar)
		}
	}
	for _, w := range writers {
		if closeErr := w.Close(); err == nil && closeErr != nil { // also after an error: close all
			err = fmt.Errorf("%s: %w", path, closeErr)
		}
	}
	return err
}

// writeSection writes a section of a variable.
func (o *exporter) writeSection(ctx context.Context, path string, w formats.Writer, v exportVar, sec nd.Section, bar *meter) error {
	info := v.info
	if !slices.Contains(chunked, o.Format) {
		info.Chunk = nil
	}
	write := func(sec nd.Section, buf []byte) error {
		bar.add(len(buf))
		if err := w.WriteSection(sec, buf); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if v.elements != nil && len(sec) == 0 { // a scalar
		return write(sec, v.elements)
	}
	if v.elements != nil { // of rank 1
		size := info.DType.Size()
		return write(sec, v.elements[sec[0].Lo*size:sec[0].Hi*size])
	}
	if fw, ok := w.(formats.FrameWriter); ok && !v.frames.IsNone() && fw.AcceptsFrames(v.frames) {
		lo := make([]int, len(sec))
		for d := range lo {
			lo[d] = v.sel[d][0].Lo
		}
		return newFrameExport(path, fw, v.cube.Array(), &selectionReader{v}).write(ctx, lo, bar)
	}
	err := stream(ctx, &selectionReader{v}, info.Boxes(sec, o.boxBytes()), 0, nil, write)
	var read readError
	if errors.As(err, &read) {
		return read.error
	}
	return err
}

// A selectionReader reads a selection of an array as if it were a file.
type selectionReader struct{ v exportVar }

// Info implements formats.Reader.
func (r *selectionReader) Info() formats.Info { return r.v.info }

// ReadSection implements formats.Reader.
func (r *selectionReader) ReadSection(sec nd.Section, buf []byte) error {
	err := r.readExact(sec, buf)
	if err == nil && r.v.round != nil {
		err = r.v.round(buf)
	}
	return err
}

// readExact is ReadSection without rounding.
func (r *selectionReader) readExact(sec nd.Section, buf []byte) error {
	if r.v.values != nil {
		return r.v.values(sec, buf)
	}
	part := slices.Clone(r.v.sel)
	for d := range sec { // none for a scalar
		part[d] = r.v.sel[d].Slice(sec[d].Lo, sec[d].Len())
	}
	stored := func(buf []byte) error { return r.v.cube.Read(part, buf, r.v.info.Order) }
	if r.v.unpack != nil {
		return r.v.unpacked(sec, buf, stored)
	}
	if r.v.meant != nil {
		return r.v.meant.read(sec, buf, func(buf []byte) error { return r.v.convert(sec, buf, stored) })
	}
	return r.v.convert(sec, buf, stored)
}

// unpacked reads a section of packed numbers and unpacks them into buf as float64.
func (v *exportVar) unpacked(sec nd.Section, buf []byte, stored func(buf []byte) error) error {
	packed := make([]byte, len(buf)/8*v.unpack.m.Type.Size())
	if err := stored(packed); err != nil {
		return err
	}
	v.unpack.sec = sec
	elements, err := v.unpack.elements(packed)
	copy(buf, elements)
	return err
}

// convert reads a section with stored, which fills a buffer with the array's elements, and applies
// the conversions of the variable.
func (v *exportVar) convert(sec nd.Section, buf []byte, stored func(buf []byte) error) error {
	if v.conversion != nil {
		if err := v.conversion.read(sec, buf, stored); err != nil {
			return err
		}
	} else if err := stored(buf); err != nil {
		return err
	}
	unified, err := v.unified.Apply(buf)
	if err != nil {
		return fmt.Errorf("section %v: %w", sec, err)
	}
	copy(buf, unified) // of the same type
	return nil
}

// Close implements formats.Reader.
func (r *selectionReader) Close() error { return nil }
