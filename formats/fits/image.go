//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// An element describes the storage of elements.
type element struct {
	dtype  dtype.DType
	bitpix C.int
	code   C.int // the library's code for this type in buffers
	flip   bool  // the highest bit is inverted: the convention for integers of the other sign
	zero   float64
}

// elements are the types of FITS: it stores uint8 and signed integers, and the other integers by
// convention.
var elements = []element{
	{dtype.Uint8, C.BYTE_IMG, C.TBYTE, false, 0},
	{dtype.Int16, C.SHORT_IMG, C.TSHORT, false, 0},
	{dtype.Int32, C.LONG_IMG, C.TINT, false, 0},
	{dtype.Int64, C.LONGLONG_IMG, C.TLONGLONG, false, 0},
	{dtype.Float32, C.FLOAT_IMG, C.TFLOAT, false, 0},
	{dtype.Float64, C.DOUBLE_IMG, C.TDOUBLE, false, 0},
	{dtype.Int8, C.BYTE_IMG, C.TBYTE, true, -1 << 7},
	{dtype.Uint16, C.SHORT_IMG, C.TSHORT, true, 1 << 15},
	{dtype.Uint32, C.LONG_IMG, C.TINT, true, 1 << 31},
	{dtype.Uint64, C.LONGLONG_IMG, C.TLONGLONG, true, 1 << 63},
}

// tileMethods names the compression of tiles for each value of ZCMPTYPE.
var tileMethods = map[string]string{
	"GZIP_1": "gzip", "GZIP_2": "gzip", "RICE_1": "rice", "RICE_ONE": "rice", "PLIO_1": "plio", "HCOMPRESS_1": "hcompress",
}

// maxTiledRank is the largest rank of compressed images in the library.
const maxTiledRank = 6

// describe completes a variable from the current header.
func (v *variable) describe(f *file, rank int, h *header) error {
	var status, bitpix C.int
	C.ffgidt(f.fits, &bitpix, &status)
	axes := make([]C.LONGLONG, rank)
	C.ffgiszll(f.fits, C.int(rank), &axes[0], &status)
	if err := check("image", status); err != nil {
		return err
	}
	for _, n := range slices.Backward(axes) {
		v.info.Shape = append(v.info.Shape, int(n))
	}
	if v.tiled = C.fits_is_compressed_image(f.fits, &status) != 0; v.tiled {
		method, _ := h.values["ZCMPTYPE"].(string)
		v.info.Codec.Name = cmp.Or(tileMethods[method], "tiles")
	} else if f.memory != nil {
		v.info.Codec.Name = "gzip"
	}
	scale, offset := h.float("BSCALE", 1), h.float("BZERO", 0)
	i := slices.IndexFunc(elements, func(e element) bool { return e.bitpix == bitpix && (e.flip && e.zero == offset && scale == 1) })
	scaled := i < 0 && (scale != 1 || offset != 0)
	if i < 0 {
		i = slices.IndexFunc(elements, func(e element) bool { return e.bitpix == bitpix && !e.flip })
	}
	if i < 0 {
		return cformat.Refuse(formats.ErrType, fmt.Sprintf("BITPIX = %d: a type that FITS does not have", bitpix))
	}
	v.elem = elements[i]
	v.info.DType = v.elem.dtype
	v.info.Attrs = h.attributes(&v.elem)
	if scaled {
		v.info.Attrs["scale_factor"], v.info.Attrs["add_offset"] = scale, offset
	}
	if unit, ok := h.values["BUNIT"].(string); ok && unit != "" {
		v.info.Attrs["units"] = unit
	}
	v.info.Fill = v.fill(h)
	size, err := v.info.Bytes()
	if err != nil {
		return err
	}
	if v.tiled {
		return v.tile(h)
	}
	return v.complete(f, int64(size))
}

// complete returns an error if the file ends before the data of the current header does.
func (v *variable) complete(f *file, size int64) error {
	var status C.int
	var head, start, end C.LONGLONG
	C.ffghadll(f.fits, &head, &start, &end, &status)
	if err := check("position", status); err != nil {
		return err
	}
	if missing := int64(start) + size - f.size; missing > 0 {
		return errkind.Errorf(io.ErrUnexpectedEOF, "the file has %d bytes, but its elements end at %d", f.size, int64(start)+size)
	}
	return nil
}

// tile sets the chunk to the tiles of a compressed image.
func (v *variable) tile(h *header) error {
	rank := len(v.info.Shape)
	if rank > maxTiledRank {
		return cformat.Refuse(formats.ErrType, fmt.Sprintf("%d dimensions: CFITSIO decompresses images of at most %d; decompress the file with funpack", rank, maxTiledRank))
	}
	for d, n := range v.info.Shape {
		along := int64(1)
		if d == rank-1 {
			along = int64(n)
		}
		if set, ok := h.values[fmt.Sprintf("ZTILE%d", rank-d)]; ok {
			along, _ = set.(int64)
		}
		if along < 1 && n > 0 {
			return fmt.Errorf("ZTILE%d = %d: the extent of a tile is at least 1", rank-d, along)
		}
		v.info.Chunk = append(v.info.Chunk, int(min(max(1, along), int64(max(1, n)))))
	}
	return nil
}

// fill returns the element that marks missing values, nil if there is none.
func (v *variable) fill(h *header) []byte {
	if v.elem.dtype.IsFloat() {
		b, _ := v.elem.dtype.EncodeValue(math.NaN())
		if declared := declaredFill(v.elem.dtype, h.values); declared != nil {
			b = declared
		}
		return b
	}
	if declared := declaredFill(v.elem.dtype, h.values); declared != nil {
		return declared
	}
	for _, name := range []string{"BLANK", "ZBLANK"} {
		stored, ok := h.values[name].(int64)
		raw := slices.IndexFunc(elements, func(e element) bool { return e.bitpix == v.elem.bitpix && !e.flip })
		if b, err := elements[raw].dtype.EncodeValue(stored); ok && err == nil {
			v.elem.turn(b)
			return b
		}
	}
	return nil
}

// declaredFill returns the value of the attribute _FillValue or missing_value as an element, nil if
// there is none.
func declaredFill(of dtype.DType, attrs map[string]any) []byte {
	for _, name := range []string{"_FillValue", "missing_value"} {
		if value, ok := attrs[name]; ok {
			if b, err := of.EncodeValue(value); err == nil {
				return b
			}
		}
	}
	return nil
}

// turn converts little-endian elements between stored and actual values, in either direction.
func (e *element) turn(buf []byte) {
	if !e.flip {
		return
	}
	size := e.dtype.Size()
	for i := size - 1; i < len(buf); i += size {
		buf[i] ^= 0x80
	}
}
