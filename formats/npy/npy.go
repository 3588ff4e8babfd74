// Package npy reads and writes NumPy's .npy files, which hold one dense array, either
// sequentially or, if the file supports it, at any offset.
//
//	magic     6 bytes  0x93 "NUMPY"
//	version   2 bytes  1.0, 2.0 or 3.0
//	length    2 bytes in version 1.0, else 4, little-endian: the bytes of the header
//	header    a Python dict literal, blanks, a newline; the elements start at a
//	          multiple of 64 bytes
//	elements  dense, row-major, or column-major when fortran_order is True
//
// The header of a (3, 4) array of float32 reads
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// bfloat16, which NumPy itself does not have, is the two-byte void type '<V2' that
// ml_dtypes writes; '|V2' is read as the same.
package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// Magic are the first bytes of every .npy file.
const Magic = "\x93NUMPY"

// ErrFormat is returned when a file is not a .npy file, when its header is malformed, or
// when it continues after the last element.
var ErrFormat = errors.New("not a valid npy file")

// A Header describes the array in a file.
type Header struct {
	DType    dtype.DType
	Shape    []int // extents; empty for a scalar, which is one element
	ColMajor bool  // the first dimension varies fastest
}

// Size returns the size of all elements in bytes. The error wraps dtype.ErrDType when the
// type is invalid, nd.ErrRank when there are more than nd.MaxRank dimensions,
// nd.ErrBounds when an extent is negative, and nd.ErrOverflow when the size does
// not fit an int.
func (h Header) Size() (int, error) {
	if !h.DType.Valid() {
		return 0, errkind.Errorf(dtype.ErrDType, "there is no element type %v", h.DType)
	}
	if len(h.Shape) > nd.MaxRank {
		return 0, errkind.Errorf(nd.ErrRank, "%d dimensions, the limit is %d", len(h.Shape), nd.MaxRank)
	}
	for d, n := range h.Shape {
		if n < 0 {
			return 0, errkind.Errorf(nd.ErrBounds, "dimension %d: extent %d is negative", d, n)
		}
	}
	n, err := nd.Product(h.Shape...)
	if err != nil {
		return 0, err
	}
	size, ok := nd.Mul(n, h.DType.Size())
	if !ok {
		return 0, fmt.Errorf("%d elements of %v: %w", n, h.DType, nd.ErrOverflow)
	}
	return size, nil
}

// codes are NumPy's names of the types, without the byte order.
var codes = [...]string{
	dtype.Bool:       "b1",
	dtype.Int8:       "i1",
	dtype.Int16:      "i2",
	dtype.Int32:      "i4",
	dtype.Int64:      "i8",
	dtype.Uint8:      "u1",
	dtype.Uint16:     "u2",
	dtype.Uint32:     "u4",
	dtype.Uint64:     "u8",
	dtype.Float16:    "f2",
	dtype.BFloat16:   "V2",
	dtype.Float32:    "f4",
	dtype.Float64:    "f8",
	dtype.Complex64:  "c8",
	dtype.Complex128: "c16",
}

// nativeBig reports whether '=', '|' and a missing prefix mean big-endian on this machine.
var nativeBig = func() bool {
	b := []byte{1, 0}
	dtype.Uint16.ToLittle(b)
	return b[0] == 0
}()

// parseDescr parses a type such as "<f4". big reports whether it is big-endian.
func parseDescr(descr string) (t dtype.DType, big bool, err error) {
	code := strings.TrimLeft(descr, "<>=|")
	big = nativeBig
	switch prefix := descr[:len(descr)-len(code)]; prefix {
	case "<", ">":
		big = prefix == ">"
	case "", "=", "|":
	default:
		code = ""
	}
	if code == "V2" && descr[0] != '>' {
		big = false // NumPy never swaps the bytes of a void type
	}
	for _, t := range dtype.All() {
		if codes[t] == code {
			return t, big, nil
		}
	}
	return 0, false, errDescr(strconv.Quote(descr))
}

// errDescr returns the error for a type without a counterpart in drx.
func errDescr(text string) error {
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	what := "convert it with astype"
	switch kind := strings.TrimLeft(text, "\"<>=|"); {
	case strings.HasPrefix(kind, "["):
		what = "save each field as an array of its own"
	case strings.HasPrefix(kind, "M"), strings.HasPrefix(kind, "m"):
		what = "save times as integers: a.astype('int64')"
	case strings.HasPrefix(kind, "U"), strings.HasPrefix(kind, "S"), strings.HasPrefix(kind, "O"):
		what = "save text as CSV, HDF5, NetCDF or Zarr"
	}
	return errkind.Errorf(dtype.ErrDType, "descr %s: only plain bool, integer, float and complex types are read; %s", text, what)
}
