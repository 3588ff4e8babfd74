//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A reader reads a variable.
type reader struct {
	*variable
	catalog *catalog
}

// Open implements cformat.File.
func (c *catalog) Open(in *formats.Input) (cformat.Elements, error) {
	v, err := c.find(in.Variable)
	if err == nil {
		err = v.err
	}
	return &reader{v, c}, err
}

// Info implements cformat.Elements.
func (r *reader) Info() formats.Info { return r.info }

// Read implements cformat.Elements.
func (r *reader) Read(sec nd.Section, buf []byte) (err error) {
	if r.mask {
		w := newWindow(sec, 1)
		band := C.GDALGetMaskBand(C.GDALGetRasterBand(r.source, 1))
		err = check("read", C.GDALRasterIOEx(band, C.GF_Read, w.x, w.y, w.columns, w.rows, unsafe.Pointer(&buf[0]), w.columns, w.rows, r.code, 1, w.line, nil))
	} else {
		err = newWindow(sec, r.info.DType.Size()).move(r.source, C.GF_Read, r.bands, r.code, buf)
	}
	r.info.DType.ToLittle(buf)
	return err
}

// Close implements cformat.Elements.
func (r *reader) Close() error { return r.catalog.Close() }

// A window is a section in the library's terms.
type window struct {
	first, bands, x, y, columns, rows C.int
	pixel, line, band                 C.GSpacing // strides in the buffer, in bytes
}

// newWindow returns the window of a section of (band, y, x) or (y, x).
func newWindow(sec nd.Section, size int) window {
	n := len(sec)
	w := window{bands: 1, y: C.int(sec[n-2].Lo), rows: C.int(sec[n-2].Len()), x: C.int(sec[n-1].Lo), columns: C.int(sec[n-1].Len())}
	if n == 3 {
		w.first, w.bands = C.int(sec[0].Lo), C.int(sec[0].Len())
	}
	w.pixel = C.GSpacing(size)
	w.line = w.pixel * C.GSpacing(w.columns)
	w.band = w.line * C.GSpacing(w.rows)
	return w
}

// move reads or writes the window. bands are those of the variable.
func (w window) move(h C.GDALDatasetH, way C.GDALRWFlag, bands []C.int, code C.GDALDataType, buf []byte) error {
	chosen := bands[w.first : w.first+w.bands]
	doing := "read"
	if way == C.GF_Write {
		doing = "write"
	}
	return check(doing, C.GDALDatasetRasterIOEx(h, way, w.x, w.y, w.columns, w.rows, unsafe.Pointer(&buf[0]), w.columns, w.rows, code,
		w.bands, &chosen[0], w.pixel, w.line, w.band, nil))
}
