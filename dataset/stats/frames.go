package stats

import (
	"encoding/binary"
	"unsafe"
)

// memoryOf returns the bytes of numbers. All procs of a job run on machines of one kind.
func memoryOf[E number | int | dd | wide](v []E) []byte {
	var one E
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(one)))
}

// appendFrame appends some bytes with their number before them.
func appendFrame(b, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(data))), data...)
}

// nextFrame divides what appendFrame has made into the first frame and the rest.
func nextFrame(b []byte) (data, rest []byte) {
	n := binary.LittleEndian.Uint64(b)
	return b[8 : 8+n], b[8+n:]
}
