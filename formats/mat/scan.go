//go:build matio && cgo

package mat

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"drx/formats"
	"drx/internal/errkind"
)

// Types of data elements and classes of arrays of MATLAB 5.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
	miUTF16      = 17

	headerSize = 128
	tagSize    = 8
)

// An element is a variable in a file of MATLAB 5.
type element struct {
	at, size int64 // after the tag
	packed   bool  // compressed
	inflated int64 // its size then
	err      error // why its elements cannot be read
}

// scan checks that a file of MATLAB 5 is as long as its variables say, and returns them. The
// library decompresses cell arrays and structs to describe them: what that takes is at most memory
// bytes.
func scan(in *formats.Input) (variables []element, err error) {
	var head [headerSize]byte
	if err := readFull(in, head[:], 0); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[126] == 'M' && head[127] == 'I' {
		order = binary.BigEndian
	}
	left := in.Memory / 2 // the other half is for the elements
	for at := int64(headerSize); at < in.Size; {
		var tag [tagSize]byte
		if err := readFull(in, tag[:], at); err != nil {
			return nil, fmt.Errorf("variable %d: %w", len(variables)+1, err)
		}
		kind, size := order.Uint32(tag[:]), int64(order.Uint32(tag[4:]))
		at += tagSize
		if size > in.Size-at {
			return nil, errkind.Errorf(io.ErrUnexpectedEOF, "variable %d ends at byte %d, the file at %d", len(variables)+1, at+size, in.Size)
		}
		switch kind {
		case miMATRIX, miCOMPRESSED:
			e := element{at: at, size: size, packed: kind == miCOMPRESSED}
			head, err := e.start(in)
			if err != nil {
				return nil, fmt.Errorf("variable %d: %w", len(variables)+1, err)
			}
			e.inflated = int64(order.Uint32(head[4:]))
			if isArray(head, order) {
				e.err = checkArray(head, order)
			} else if e.packed {
				left -= e.inflated
			}
			if left < 0 {
				return nil, errkind.Errorf(formats.ErrMemory, "variable %d, a compressed struct or cell array, has %d bytes; the limit for all of them is %d, half of the memory", len(variables)+1, e.inflated, in.Memory/2)
			}
			variables = append(variables, e)
		default:
			return nil, fmt.Errorf("variable %d is of type %d, which is no array: the file is damaged", len(variables)+1, kind)
		}
		at += size
	}
	return variables, nil
}

// readFull reads bytes at an offset. It returns io.ErrUnexpectedEOF if the file ends before.
func readFull(in *formats.Input, buf []byte, at int64) error {
	if int64(len(buf)) > in.Size-at {
		return errkind.Errorf(io.ErrUnexpectedEOF, "the file ends at byte %d", in.Size)
	}
	_, err := in.File.ReadAt(buf, at)
	return err
}

// start returns the first bytes of a variable, decompressed, from its tag on.
func (e element) start(in *formats.Input) (head []byte, err error) {
	var r io.Reader = io.NewSectionReader(in.File, e.at, e.size)
	if e.packed {
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	} else {
		r = io.NewSectionReader(in.File, e.at-tagSize, e.size+tagSize)
	}
	head, err = io.ReadAll(io.LimitReader(r, 4096))
	if err == nil && len(head) < 3*tagSize {
		err = io.ErrUnexpectedEOF
	}
	return head, err
}

// isArray reports whether a variable that begins so is an array of numbers or characters.
func isArray(head []byte, order binary.ByteOrder) bool {
	class := order.Uint32(head[2*tagSize:]) & 0xff
	return class == charClass || class >= 6 && class <= 15
}

// checkArray checks that the extents of an array match its elements: for missing elements the
// library would return whatever was in memory.
func checkArray(head []byte, order binary.ByteOrder) error {
	isComplex := order.Uint32(head[2*tagSize:])&complexFlag != 0
	isText := order.Uint32(head[2*tagSize:])&0xff == charClass
	next := head[3*tagSize:]
	dims, next, err := field(next, order)
	if err != nil {
		return err
	}
	n := uint64(1)
	for ; len(dims) >= 4; dims = dims[4:] {
		if hi, lo := bits.Mul64(n, uint64(order.Uint32(dims))); hi == 0 {
			n = lo
		} else {
			n = math.MaxUint64
		}
	}
	if _, next, err = field(next, order); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if len(next) < tagSize {
		if n == 0 {
			return nil
		}
		return errors.New("its elements are missing: the file is damaged")
	}
	kind, size := order.Uint32(next), uint64(order.Uint32(next[4:]))
	if kind > 0xffff { // a small element has its size in the same word
		kind, size = kind&0xffff, uint64(kind>>16)
	}
	each := uint64(max(1, sizes[kind]))
	total := uint64(order.Uint32(head[4:]))
	if !isText && n != size/each || size > total || isComplex && 2*size > total {
		return errkind.Errorf(io.ErrUnexpectedEOF, "its extents say %d elements, it has %d: the file is damaged", n, size/each)
	}
	return nil
}

// sizes are the bytes of an element by type.
var sizes = map[uint32]int{
	miINT8: 1, miUINT8: 1, miINT16: 2, miUINT16: 2, miINT32: 4, miUINT32: 4, miSINGLE: 4, miDOUBLE: 8, miINT64: 8, miUINT64: 8, miUTF16: 2,
}

// field returns the content of the data element at the start of b, and the bytes after the element.
func field(b []byte, order binary.ByteOrder) (data, next []byte, err error) {
	if len(b) < tagSize {
		return nil, nil, io.ErrUnexpectedEOF
	}
	if kind := order.Uint32(b); kind > 0xffff { // a small element, with its size in the upper half
		return b[4:min(8, 4+kind>>16)], b[tagSize:], nil
	}
	size := uint64(order.Uint32(b[4:]))
	end := (tagSize + size + 7) / 8 * 8
	if end > uint64(len(b)) {
		return nil, nil, fmt.Errorf("%d bytes long: %w", size, io.ErrUnexpectedEOF)
	}
	return b[tagSize : tagSize+size], b[end:], nil
}

// checkPacked decompresses a variable to check that it is complete: the library would not report an
// error.
func (e element) checkPacked(in *formats.Input) error {
	z, err := zlib.NewReader(io.NewSectionReader(in.File, e.at, e.size))
	if err != nil {
		return err
	}
	defer z.Close()
	n, err := io.Copy(io.Discard, z)
	if err == nil && n < tagSize+e.inflated {
		err = fmt.Errorf("%d bytes of %d: %w", n, tagSize+e.inflated, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	return nil
}
