//go:build matio && cgo

package mat

// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// readText reads all characters, and sets the labels, which take at most memory bytes.
func (r *reader) readText(memory int64) error {
	labels := formats.NewLabeler(memory)
	r.info.Labels = labels.Labels()
	n, err := nd.Product(r.info.Shape...)
	if err != nil {
		return err
	}
	r.texts = make([]uint32, n)
	if n == 0 {
		return nil
	}
	width := r.dims[1]
	units, err := r.units(n * width)
	if err != nil {
		return err
	}
	row := make([]uint16, width)
	for i := range n {
		first := i%r.dims[0] + i/r.dims[0]*r.dims[0]*width
		for k := range row {
			row[k] = units[first+k*r.dims[0]]
		}
		text := string(utf16.Decode(row))
		if n > 1 {
			text = strings.TrimRight(text, " ")
		}
		if r.texts[i], err = labels.Add(text); err != nil {
			return err
		}
	}
	r.info.Labels = labels.Labels()
	return nil
}

// units returns n characters as code units of UTF-16.
func (r *reader) units(n int) ([]uint16, error) {
	if n == 0 {
		return nil, nil
	}
	if err := check("read", C.Mat_VarReadDataAll(r.file.mat, r.handle)); err != nil {
		return nil, err
	}
	h := r.handle
	if h.data == nil {
		return nil, failure("read")
	}
	bytes := unsafe.Slice((*byte)(h.data), int(h.nbytes))
	units := make([]uint16, 0, n)
	switch h.data_type {
	case C.MAT_T_UTF8:
		for _, c := range formats.Text(bytes) {
			units = utf16.AppendRune(units, c)
		}
	case C.MAT_T_UINT8, C.MAT_T_INT8:
		for _, b := range bytes {
			units = append(units, uint16(b))
		}
	case C.MAT_T_UINT16, C.MAT_T_UTF16, C.MAT_T_INT16:
		for i := 0; i+1 < len(bytes); i += 2 {
			units = append(units, binary.NativeEndian.Uint16(bytes[i:]))
		}
	default:
		return nil, fmt.Errorf("characters of type %d, which are unknown here: save double(x)", h.data_type)
	}
	if len(units) < n {
		return nil, fmt.Errorf("%d characters for shape %v: the file is damaged", len(units), r.dims)
	}
	return units, nil
}

// copyTexts copies the labels of a section.
func (r *reader) copyTexts(sec nd.Section, buf []byte) {
	// The function returns no error.
	_ = formats.Runs(r.info.Shape, r.info.Order, sec, func(first, at, n int) error {
		for i := range n {
			binary.LittleEndian.PutUint32(buf[4*(at+i):], r.texts[first+i])
		}
		return nil
	})
}

// integer returns an integer of at most 32 bits as a float64.
func integer(t dtype.DType, b []byte) float64 {
	switch t {
	case dtype.Int8:
		return float64(int8(b[0]))
	case dtype.Uint8:
		return float64(b[0])
	case dtype.Int16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case dtype.Uint16:
		return float64(binary.LittleEndian.Uint16(b))
	case dtype.Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	}
	return float64(binary.LittleEndian.Uint32(b))
}

func storeFloat64(to []byte, x float64) { binary.LittleEndian.PutUint64(to, math.Float64bits(x)) }

// columns returns the elements of a box, given in an order, column-major.
func columns(buf []byte, shape []int, order nd.Order, size int) []byte {
	column := nd.ColMajor(len(shape))
	from, to := order.Strides(shape), column.Strides(shape)
	same := true
	for d, n := range shape {
		same = same && (n == 1 || from[d] == to[d])
	}
	if same || len(buf) == 0 {
		return buf
	}
	out := make([]byte, 0, len(buf))
	// The slowest dimension comes first.
	lo, hi, steps := make([]int, len(shape)), column.Apply(shape), column.Apply(from)
	for index, more := slices.Clone(lo), true; more; more = nd.Next(index, lo, hi) {
		at := 0
		for d, i := range index {
			at += i * steps[d]
		}
		out = append(out, buf[at*size:(at+1)*size]...)
	}
	return out
}
