package strided

import (
	"runtime"
	"unsafe"
)

// wordwise reports whether the machine is little-endian and loads and stores words of any size at
// any address. On other machines elements are copied byte by byte.
const wordwise = runtime.GOARCH == "amd64" || runtime.GOARCH == "386" || runtime.GOARCH == "arm64"

// maxWordElem is the size in bytes of the largest element that is copied in words. For larger ones
// the runtime's memmove is faster.
const maxWordElem = 64

// A word is a type that is loaded and stored at once.
type word interface {
	uint8 | uint16 | uint32 | uint64 | [2]uint64 | [4]uint64 | [8]uint64
}

// move copies one word from byte s of src to byte d of dst.
func move[W word](dst unsafe.Pointer, d int, src unsafe.Pointer, s int) {
	*(*W)(unsafe.Add(dst, d)) = *(*W)(unsafe.Add(src, s))
}

func copyLong(dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// lines copies a plane one row after the other.
func lines(dst, src unsafe.Pointer, rows, cols dim, elem int) {
	switch {
	case elem == 1:
		linesOf[uint8](dst, src, rows, cols)
	case elem > maxWordElem || !wordwise:
		longLines(dst, src, rows, cols, elem)
	case elem == 2:
		linesOf[uint16](dst, src, rows, cols)
	case elem == 4:
		linesOf[uint32](dst, src, rows, cols)
	case elem == 8:
		linesOf[uint64](dst, src, rows, cols)
	case elem == 16:
		linesOf[[2]uint64](dst, src, rows, cols)
	case elem == 32:
		linesOf[[4]uint64](dst, src, rows, cols)
	case elem == 64:
		linesOf[[8]uint64](dst, src, rows, cols)
	case elem > 16:
		shortLines[[2]uint64](dst, src, rows, cols, elem)
	case elem > 8:
		shortLines[uint64](dst, src, rows, cols, elem)
	case elem > 4:
		shortLines[uint32](dst, src, rows, cols, elem)
	default:
		shortLines[uint16](dst, src, rows, cols, elem)
	}
}

// linesOf is lines for elements of one word.
func linesOf[W word](dst, src unsafe.Pointer, rows, cols dim) {
	for r := range rows.n {
		dst, src := unsafe.Add(dst, r*rows.dst), unsafe.Add(src, r*rows.src)
		d, s, n := 0, 0, cols.n
		for ; n >= 4; n -= 4 {
			move[W](dst, d, src, s)
			move[W](dst, d+cols.dst, src, s+cols.src)
			move[W](dst, d+2*cols.dst, src, s+2*cols.src)
			move[W](dst, d+3*cols.dst, src, s+3*cols.src)
			d, s = d+4*cols.dst, s+4*cols.src
		}
		for ; n > 0; n-- {
			move[W](dst, d, src, s)
			d, s = d+cols.dst, s+cols.src
		}
	}
}

// shortLines is lines for elements that are longer than a word and not a multiple of it: the last
// word of each element overlaps the previous one.
func shortLines[W word](dst, src unsafe.Pointer, rows, cols dim, elem int) {
	var w W
	size := int(unsafe.Sizeof(w))
	last := elem - size
	for r := range rows.n {
		d, s := r*rows.dst, r*rows.src
		for range cols.n {
			for at := 0; at < last; at += size {
				move[W](dst, d+at, src, s+at)
			}
			move[W](dst, d+last, src, s+last)
			d, s = d+cols.dst, s+cols.src
		}
	}
}

// longLines is lines for elements of any size.
func longLines(dst, src unsafe.Pointer, rows, cols dim, elem int) {
	to := unsafe.Slice((*byte)(dst), (rows.n-1)*rows.dst+(cols.n-1)*cols.dst+elem)
	from := unsafe.Slice((*byte)(src), (rows.n-1)*rows.src+(cols.n-1)*cols.src+elem)
	for r := range rows.n {
		to, from := to[r*rows.dst:], from[r*rows.src:]
		for c := range cols.n {
			copy(to[c*cols.dst:c*cols.dst+elem], from[c*cols.src:c*cols.src+elem])
		}
	}
}
