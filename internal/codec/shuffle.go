package codec

import "encoding/binary"

// shuffleGo copies src to dst with the bytes of the elements of the given size sorted: the first
// bytes of all elements, then the second ones, and so on. What is left over at the end keeps its
// place.
func shuffleGo(dst, src []byte, size int) { shuffleFrom(dst, src, size, 0) }

// shuffleFrom does what shuffleGo does for the elements from the given one, and for the rest.
func shuffleFrom(dst, src []byte, size, from int) {
	n := len(src) / size
	for b := range size {
		plane := dst[b*n:][:n]
		for i := from; i < n; i++ {
			plane[i] = src[i*size+b]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// unshuffleGo is the inverse of shuffleGo.
func unshuffleGo(dst, src []byte, size int) { unshuffleFrom(dst, src, size, 0) }

// unshuffleFrom does what unshuffleGo does for the elements from the given one, and for the rest.
func unshuffleFrom(dst, src []byte, size, from int) {
	n := len(src) / size
	switch size {
	case 2:
		a, b := src[:n], src[n:][:n]
		for i := from; i < n; i++ {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(a[i])|uint16(b[i])<<8)
		}
	case 4:
		a, b, c, d := src[:n], src[n:][:n], src[2*n:][:n], src[3*n:][:n]
		for i := from; i < n; i++ {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
	default:
		for b := range size {
			for i, v := range src[b*n:][from:n] {
				dst[(from+i)*size+b] = v
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// bitShuffleGo copies src to dst with the bits of the elements of the given size sorted: the lowest
// bit of the first byte of all elements, then the next bit, and so on. If the number of elements is
// no multiple of 8, it copies src as it is, as C-Blosc does.
func bitShuffleGo(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	// Byte b of elements i to i+7 is a matrix of bits; its columns are bytes of 8 planes.
	for b := range size {
		for i := 0; i < n; i += 8 {
			var m uint64
			for j := range 8 {
				m |= uint64(src[(i+j)*size+b]) << (8 * j)
			}
			m = transposeBits(m)
			for j := range 8 {
				dst[((b*8+j)*n+i)/8] = byte(m >> (8 * j))
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// bitUnshuffleGo is the inverse of bitShuffleGo.
func bitUnshuffleGo(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	for b := range size {
		for i := 0; i < n; i += 8 {
			var m uint64
			for j := range 8 {
				m |= uint64(src[((b*8+j)*n+i)/8]) << (8 * j)
			}
			m = transposeBits(m)
			for j := range 8 {
				dst[(i+j)*size+b] = byte(m >> (8 * j))
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// transposeBits transposes a matrix of 8 x 8 bits, a byte per row, by exchanging ever larger
// squares.
func transposeBits(m uint64) uint64 {
	x := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= x ^ x<<7
	x = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= x ^ x<<14
	x = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ x ^ x<<28
}
