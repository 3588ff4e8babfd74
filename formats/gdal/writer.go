//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"errors"
	"fmt"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A writer writes a raster.
type writer struct {
	info    formats.Info
	envi    bool           // the format is ENVI, whose bands have no metadata
	handle  C.GDALDatasetH // nil after Close
	bands   []C.int
	written int
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	defer enter()()
	if w.handle == nil {
		err = cformat.ErrClosed
	} else {
		data := w.info.DType.Little(buf)
		err = newWindow(sec, w.info.DType.Size()).move(w.handle, C.GF_Write, w.bands, codes[w.info.DType], data)
	}
	if err != nil {
		return fmt.Errorf("section %v: %w", sec, err)
	}
	w.written += cformat.Count(sec)
	return nil
}

// Close implements formats.Writer.
func (w *writer) Close() error {
	defer enter()()
	if w.handle == nil {
		return nil
	}
	C.GDALFlushCache(w.handle)
	var err error
	if C.CPLGetLastErrorType() >= C.CE_Failure {
		err = failure("write")
	}
	C.CPLErrorReset()
	C.GDALClose(w.handle)
	w.handle = nil
	if C.CPLGetLastErrorType() >= C.CE_Failure {
		err = errors.Join(err, failure("close"))
	}
	return errors.Join(err, w.info.CheckWritten(w.written))
}

// checkInfo returns an error for a raster that the driver cannot write.
func checkInfo(info *formats.Info, driver string) error {
	rank := len(info.Shape)
	if rank != 2 && rank != 3 {
		return errorf(nd.ErrRank, "%d dimensions: a raster has rows and columns, or bands, rows and columns; choose a section or another variable", rank)
	}
	size, err := info.Bytes()
	if err != nil {
		return err
	}
	if size == 0 {
		return errorf(formats.ErrSize, "shape %v: a raster has at least one element", info.Shape)
	}
	for d, n := range info.Shape {
		limit := 1<<31 - 1
		if rank == 3 && d == 0 {
			limit = 65535
		}
		if n > limit {
			return errorf(formats.ErrSize, "dimension %d: %d elements, the limit is %d; choose a section", d, n, limit)
		}
	}
	for d, at := range info.Order.Dims(rank) {
		if d != at {
			return errorf(nd.ErrRank, "order %v: a raster is row-major", info.Order)
		}
	}
	if n := len(info.Chunk); n != 0 && n != rank {
		return errorf(nd.ErrRank, "Chunk: %d for %d dimensions", n, rank)
	}
	if n := len(info.Fill); n != 0 && n != info.DType.Size() {
		return errorf(formats.ErrSize, "fill value of %d bytes for %v", n, info.DType)
	}
	if info.Labels != nil {
		return errorf(formats.ErrType, "strings: a raster has numbers only; choose another variable")
	}
	_, known := codes[info.DType]
	if driver == "ENVI" && (info.DType == dtype.Int8 || info.DType.Size() == 8 && !info.DType.IsFloat() && !info.DType.IsComplex()) {
		known = false
	}
	if !known {
		other := map[dtype.DType]string{dtype.Bool: "uint8", dtype.Int8: "int16", dtype.Int64: "float64", dtype.Uint64: "float64"}[info.DType]
		if other == "" {
			other = "float32"
		}
		return errorf(formats.ErrType, "%v: %s files do not have it; copy the array to %s, or export it as %s", info.DType, driver, other, other)
	}
	return nil
}
