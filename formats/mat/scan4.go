//go:build matio && cgo

package mat

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"drx/formats"
	"drx/internal/errkind"
)

// header4 is the size of the header of a variable of MATLAB 4: type, rows, columns, whether there
// are imaginary parts, and the length of the name.
const header4 = 20

// sizes4 are the bytes of elements by the second last digit of the type.
var sizes4 = []uint64{8, 4, 4, 2, 2, 1}

// maxType4 is the largest type of a variable of MATLAB 4.
const maxType4 = 4052

// isType4 reports whether a number is the type of a variable of MATLAB 4.
func isType4(n uint32) bool {
	return n <= maxType4 && n/100%10 == 0 && n/10%10 <= 5 && n%10 <= 2
}

// scan4 checks that a file of MATLAB 4 is as long as its variables say: for missing elements the
// library would return whatever was in memory.
func scan4(in *formats.Input) error {
	at := int64(0)
	for number := 1; at < in.Size; number++ {
		var head [header4]byte
		if err := readFull(in, head[:], at); err != nil {
			return fmt.Errorf("variable %d: %w", number, err)
		}
		var order binary.ByteOrder = binary.LittleEndian
		if order.Uint32(head[:]) > maxType4 {
			order = binary.BigEndian
		}
		kind := order.Uint32(head[:])
		if !isType4(kind) {
			return fmt.Errorf("variable %d is of type %d, which is no array: the file is damaged", number, kind)
		}
		rows, columns := order.Uint32(head[4:]), order.Uint32(head[8:])
		parts := uint64(1)
		if order.Uint32(head[12:]) != 0 {
			parts = 2
		}
		at += header4 + int64(order.Uint32(head[16:]))
		hi, size := bits.Mul64(uint64(rows)*uint64(columns), sizes4[kind/10%10]*parts)
		if left := in.Size - at; left < 0 || hi > 0 || size > uint64(left) {
			return errkind.Errorf(io.ErrUnexpectedEOF, "variable %d has %d x %d elements, more than fit into the %d bytes of the file", number, rows, columns, in.Size)
		}
		at += int64(size)
	}
	return nil
}
