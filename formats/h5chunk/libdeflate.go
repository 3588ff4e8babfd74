//go:build deflate && (hdf5 || netcdf) && cgo

package h5chunk

// #cgo pkg-config: libdeflate
// #include <libdeflate.h>
import "C"

import (
	"errors"
	"io"
	"runtime"
	"unsafe"
)

func init() { inflate, deflate = (*scratch).inflateByC, (*scratch).deflateByC }

// reasons are the errors for the results of libdeflate.
var reasons = map[C.enum_libdeflate_result]error{
	C.LIBDEFLATE_BAD_DATA: errors.New("invalid data or a wrong checksum"), C.LIBDEFLATE_SHORT_OUTPUT: io.ErrUnexpectedEOF,
	C.LIBDEFLATE_INSUFFICIENT_SPACE: errLong,
}

// A libdeflate is a decompressor, which one goroutine at a time may use.
type libdeflate struct {
	c *C.struct_libdeflate_decompressor
}

// inflateByC is inflateAll with libdeflate, in a third of the time.
func (s *scratch) inflateByC(dst, compressed []byte) error {
	d, ok := s.inflater.(*libdeflate)
	if !ok {
		d = &libdeflate{C.libdeflate_alloc_decompressor()}
		if d.c == nil {
			return s.inflateAll(dst, compressed)
		}
		runtime.AddCleanup(d, func(c *C.struct_libdeflate_decompressor) { C.libdeflate_free_decompressor(c) }, d.c)
		s.inflater = d
	}
	var n C.size_t
	status := C.libdeflate_zlib_decompress(d.c, unsafe.Pointer(&compressed[0]), C.size_t(len(compressed)), unsafe.Pointer(&dst[0]), C.size_t(len(dst)), &n)
	err := reasons[status]
	if err == nil && int(n) < len(dst) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// A compressor is one of libdeflate for the level of a dataset, which one goroutine at a time may
// use.
type compressor struct {
	c *C.struct_libdeflate_compressor
}

// deflateByC is deflateAll with libdeflate.
func (s *scratch) deflateByC(dst, chunk []byte, level int) ([]byte, error) {
	d, ok := s.deflater.(*compressor)
	if !ok {
		d = &compressor{C.libdeflate_alloc_compressor(C.int(level))}
		if d.c == nil {
			return s.deflateAll(dst, chunk, level)
		}
		runtime.AddCleanup(d, func(c *C.struct_libdeflate_compressor) { C.libdeflate_free_compressor(c) }, d.c)
		s.deflater = d
	}
	n := C.libdeflate_zlib_compress(d.c, unsafe.Pointer(&chunk[0]), C.size_t(len(chunk)), unsafe.Pointer(&dst[0]), C.size_t(len(dst)-1))
	if n == 0 {
		return nil, nil
	}
	return dst[:n], nil
}
