//go:build matio && cgo

package mat

// #include "bridge.h"
import "C"

import (
	"fmt"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// pieceElements is the number of elements of complex or converted variables that are read or
// written at a time.
const pieceElements = 1 << 15

// A reader reads a variable.
type reader struct {
	variable
	file  *file
	whole bool     // must be read as a whole, because it is compressed
	all   []byte   // then its elements; nil before the first section
	texts []uint32 // of characters: the labels of all elements
}

// newReader returns a reader that closes the file.
func newReader(f *file, v *variable, memory int64) (*reader, error) {
	if v.err != nil {
		return nil, fmt.Errorf("%s: %w", v.info.Name, v.err)
	}
	r := &reader{variable: *v, file: f, whole: !f.is73 && v.handle.compression != C.MAT_COMPRESSION_NONE}
	size, err := r.info.Bytes()
	if err != nil {
		return nil, err
	}
	need := int64(0)
	switch {
	case r.info.Labels != nil: // bytes or words of characters, their text, a label each
		n, err := nd.Product(v.dims...)
		if err != nil {
			return nil, err
		}
		need = 8*int64(n) + 100*int64(size/4)
	case r.whole:
		need = int64(size)
	}
	if need > memory {
		return nil, errkind.Errorf(formats.ErrMemory, "%s: %v of %v is read as a whole and needs %d bytes, the limit is %d", v.info.Name, v.dims, v.info.DType, need, memory)
	}
	if r.info.Labels != nil {
		if err := r.readText(memory); err != nil {
			return nil, fmt.Errorf("%s: %w", v.info.Name, err)
		}
	}
	return r, nil
}

// Info implements cformat.Elements.
func (r *reader) Info() formats.Info { return r.info }

// Read implements cformat.Elements.
func (r *reader) Read(sec nd.Section, buf []byte) error {
	switch {
	case r.texts != nil:
		r.copyTexts(sec, buf)
		return nil
	case r.file.is73:
		return r.readBoxes(sec, buf)
	}
	return r.readRuns(sec, buf)
}

// readRuns reads a section of a file of MATLAB 5 or 4, one contiguous run at a time.
func (r *reader) readRuns(sec nd.Section, buf []byte) error {
	size := r.info.DType.Size()
	read := r.readLinear
	if r.whole {
		if r.all == nil {
			n, err := r.info.Bytes()
			if err != nil {
				return err
			}
			all := make([]byte, n)
			if err := r.readLinear(0, n/size, all); err != nil {
				return err
			}
			r.all = all
		}
		read = func(first, n int, buf []byte) error {
			copy(buf, r.all[first*size:(first+n)*size])
			return nil
		}
	}
	return formats.Runs(r.info.Shape, r.info.Order, sec, func(first, at, n int) error { return read(first, n, buf[at*size:(at+n)*size]) })
}

// readLinear reads elements that follow each other.
func (r *reader) readLinear(first, n int, buf []byte) error {
	step := n
	if r.info.DType.IsComplex() && !r.whole {
		step = pieceElements
	}
	size := r.info.DType.Size()
	for from := 0; from < n; from += step {
		count := min(step, n-from)
		err := r.parts(buf[from*size:(from+count)*size], func(re, im unsafe.Pointer) C.int {
			return C.drxmat_linear(r.file.mat, r.handle, re, im, C.int(first+from), C.int(count))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readBoxes reads a section of a file of MATLAB 7.3, cut along the slowest dimension if it is
// complex and large.
func (r *reader) readBoxes(sec nd.Section, buf []byte) error {
	last := len(sec) - 1
	step := sec[last].Len()
	row := len(buf) / step
	if r.info.DType.IsComplex() {
		step = max(1, pieceElements*r.info.DType.Size()/row)
	}
	start, stride, edge := make([]C.int, len(sec)), make([]C.int, len(sec)), make([]C.int, len(sec))
	for d, s := range sec {
		start[d], stride[d], edge[d] = C.int(s.Lo), 1, C.int(s.Len())
	}
	for lo := sec[last].Lo; lo < sec[last].Hi; lo += step {
		n := min(step, sec[last].Hi-lo)
		start[last], edge[last] = C.int(lo), C.int(n)
		piece := buf[:n*row]
		buf = buf[n*row:]
		if err := r.parts(piece, func(re, im unsafe.Pointer) C.int {
			return C.drxmat_box(r.file.mat, r.handle, re, im, &start[0], &stride[0], &edge[0])
		}); err != nil {
			return err
		}
	}
	return nil
}

// parts calls read to fill buf. For complex elements, read gets separate memory for the real and
// the imaginary parts, which parts then interleaves in buf.
func (r *reader) parts(buf []byte, read func(re, im unsafe.Pointer) C.int) error {
	if !r.info.DType.IsComplex() {
		if err := check("read", read(unsafe.Pointer(&buf[0]), nil)); err != nil {
			return err
		}
		r.info.DType.ToLittle(buf)
		if r.info.DType == dtype.Bool {
			for i, b := range buf {
				buf[i] = min(b, 1)
			}
		}
		return nil
	}
	n, size := len(buf)/r.info.DType.Size(), r.part.Size()
	re, im := make([]byte, n*size), make([]byte, n*size)
	if err := check("read", read(unsafe.Pointer(&re[0]), unsafe.Pointer(&im[0]))); err != nil {
		return err
	}
	r.part.ToLittle(re)
	r.part.ToLittle(im)
	half := r.info.DType.Size() / 2
	for i := range n {
		at := 2 * half * i
		r.writePart(buf[at:at+half], re[i*size:(i+1)*size])
		r.writePart(buf[at+half:at+2*half], im[i*size:(i+1)*size])
	}
	return nil
}

// writePart stores one part of a complex number: unchanged, or an integer as float64, which holds
// it exactly.
func (r *reader) writePart(to, part []byte) {
	if r.part.IsFloat() {
		copy(to, part)
		return
	}
	storeFloat64(to, integer(r.part, part))
}

// Close implements cformat.Elements.
func (r *reader) Close() error { return r.file.Close() }
