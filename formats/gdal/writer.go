//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// A writer writes a raster.
type writer struct {
	info   formats.Info
	envi   bool // the format is ENVI, whose bands have no metadata
	handle C.GDALDatasetH
	bands  []C.int
}

// Write implements cformat.Sink.
func (w *writer) Write(sec nd.Section, buf []byte) error {
	data := w.info.DType.Little(buf)
	return newWindow(sec, w.info.DType.Size()).move(w.handle, C.GF_Write, w.bands, codes[w.info.DType], data)
}

// Finish implements cformat.Sink.
func (w *writer) Finish(bool) error {
	C.GDALFlushCache(w.handle)
	return lastFailure("write")
}

// Close closes the file.
func (w *writer) Close() error {
	C.GDALClose(w.handle)
	return lastFailure("close")
}

// lastFailure returns the library's error after a call that reports none itself.
func lastFailure(doing string) error {
	defer C.CPLErrorReset()
	if C.CPLGetLastErrorType() >= C.CE_Failure {
		return failure(doing)
	}
	return nil
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
