package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"drx/internal/errkind"
)

// maxHeader limits the bytes of a header; 64 dimensions need less than 2 KiB.
const maxHeader = 1 << 20

// readHeader returns the text of the header and the offset of the first element.
func readHeader(r io.Reader) (text string, start int, err error) {
	var head [12]byte
	n, err := io.ReadFull(r, head[:8])
	if known := min(n, len(Magic)); string(head[:known]) != Magic[:known] {
		return "", 0, errkind.Errorf(ErrFormat, "not a .npy file: begins with %q", head[:n])
	}
	if err != nil {
		return "", 0, unexpectedEOF(err)
	}
	width := 4
	switch major, minor := head[6], head[7]; {
	case minor != 0 || major < 1 || major > 3:
		return "", 0, errkind.Errorf(ErrFormat, "version %d.%d: known are 1.0, 2.0 and 3.0", major, minor)
	case major == 1:
		width = 2
	}
	if _, err := io.ReadFull(r, head[8:8+width]); err != nil {
		return "", 0, unexpectedEOF(err)
	}
	// In version 1.0 the upper two bytes of head are still zero.
	length := binary.LittleEndian.Uint32(head[8:])
	if length > maxHeader {
		return "", 0, errkind.Errorf(ErrFormat, "header of %d bytes: the limit is %d", length, maxHeader)
	}
	// The buffer grows with the bytes that are read, since the length in the file may be wrong.
	var b bytes.Buffer
	if n, err := io.CopyN(&b, r, int64(length)); err != nil {
		return "", 0, fmt.Errorf("header of %d bytes, found %d: %w", length, n, unexpectedEOF(err))
	}
	return b.String(), 8 + width + int(length), nil
}

// unexpectedEOF turns an end of the input into an unexpected one.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseHeader parses the dict. big reports whether the elements are big-endian.
func parseHeader(text string) (h Header, big bool, err error) {
	dict, err := parseDict(text)
	if err != nil {
		return h, false, err
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := dict[key]; !ok {
			return h, false, errkind.Errorf(ErrFormat, "header has no %s", key)
		}
	}
	if len(dict) > 3 {
		return h, false, errkind.Errorf(ErrFormat, "header has other keys than descr, fortran_order and shape")
	}
	descr, ok := dict["descr"].value.(string)
	if !ok {
		return h, false, errDescr(dict["descr"].text)
	}
	if h.DType, big, err = parseDescr(descr); err != nil {
		return h, false, err
	}
	if h.ColMajor, ok = dict["fortran_order"].value.(bool); !ok {
		return h, false, errkind.Errorf(ErrFormat, "fortran_order %.40s is not True or False", dict["fortran_order"].text)
	}
	h.Shape, err = parseShape(dict["shape"])
	return h, big, err
}

// parseShape converts a tuple of integers to extents.
func parseShape(shape item) ([]int, error) {
	values, ok := shape.value.(tuple)
	extents := make([]int, len(values))
	for d, v := range values {
		if extents[d], ok = v.(int); !ok {
			break
		}
	}
	if !ok {
		return nil, errkind.Errorf(ErrFormat, "shape %.40s is not a tuple of integers", shape.text)
	}
	return extents, nil
}
