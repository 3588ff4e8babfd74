//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// A reader reads a variable.
type reader struct {
	variable
	file *file
}

// newReader returns a reader that closes the file.
func newReader(f *file, v *variable, memory int64) (*reader, error) {
	if v.err != nil {
		return nil, fmt.Errorf("%s: %w", v.info.Name, v.err)
	}
	if v.world != nil {
		return &reader{*v, f}, nil
	}
	if _, err := f.move(v.header); err != nil {
		return nil, fmt.Errorf("%s: %w", v.info.Name, err)
	}
	if v.tiled { // the tile as stored, decompressed and converted, up to 8 bytes an element each
		if need := cformat.Multiply(3*8, v.info.Chunk...); need > memory {
			return nil, errkind.Errorf(formats.ErrMemory, "%s: a tile %v needs %d bytes, the limit is %d", v.info.Name, v.info.Chunk, need, memory)
		}
	}
	if err := unscaled(f.fits); err != nil {
		return nil, fmt.Errorf("%s: %w", v.info.Name, err)
	}
	return &reader{*v, f}, nil
}

// unscaled makes the library read and write numbers without scaling.
func unscaled(f *C.fitsfile) error {
	var status C.int
	C.ffpscl(f, 1, 0, &status)
	return check("scaling", status)
}

// Info implements cformat.Elements.
func (r *reader) Info() formats.Info { return r.info }

// Read implements cformat.Elements.
func (r *reader) Read(sec nd.Section, buf []byte) (err error) {
	if r.world != nil {
		for i := range sec[0].Len() {
			binary.LittleEndian.PutUint64(buf[8*i:], math.Float64bits(r.world.At(sec[0].Lo+i)))
		}
		return nil
	}
	if r.tiled {
		err = r.readTiles(sec, buf)
	} else {
		size := r.elem.dtype.Size()
		err = formats.Runs(r.info.Shape, nil, sec, func(first, at, n int) error { return r.read(first, n, buf[at*size:]) })
	}
	r.elem.dtype.ToLittle(buf)
	r.elem.turn(buf)
	return err
}

// read reads n consecutive elements of the file, starting with number first.
func (r *reader) read(first, n int, buf []byte) error {
	var status C.int
	C.ffgpv(r.file.fits, r.elem.code, C.LONGLONG(first+1), C.LONGLONG(n), nil, unsafe.Pointer(&buf[0]), nil, &status)
	return check("read", status)
}

// readTiles reads a section of a compressed image.
func (r *reader) readTiles(sec nd.Section, buf []byte) error {
	lo, hi := corners(sec)
	steps := make([]C.long, len(sec))
	for i := range steps {
		steps[i] = 1
	}
	var status, nulls C.int
	C.ffgsv(r.file.fits, r.elem.code, &lo[0], &hi[0], &steps[0], nil, unsafe.Pointer(&buf[0]), &nulls, &status)
	return check("decompress", status)
}

// corners returns the first and the last pixel of a section in the library's convention: counted
// from 1, the fastest axis first.
func corners(sec nd.Section) (lo, hi []C.long) {
	for d := len(sec) - 1; d >= 0; d-- {
		lo, hi = append(lo, C.long(sec[d].Lo+1)), append(hi, C.long(sec[d].Hi))
	}
	return lo, hi
}

// Close implements cformat.Elements.
func (r *reader) Close() error { return r.file.Close() }
