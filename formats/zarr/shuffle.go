package zarr

import "encoding/binary"

// shuffleBytes copies src to dst with the bytes of the elements of the given size sorted: the first
// bytes of all elements, then the second ones, and so on. What is left over at the end keeps its
// place.
func shuffleBytes(dst, src []byte, size int) {
	n := len(src) / size
	for b := range size {
		plane := dst[b*n:][:n]
		for i := range plane {
			plane[i] = src[i*size+b]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// unshuffleBytes is the inverse of shuffleBytes.
func unshuffleBytes(dst, src []byte, size int) {
	n := len(src) / size
	switch size {
	case 2:
		a, b := src[:n], src[n:][:n]
		for i := range n {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(a[i])|uint16(b[i])<<8)
		}
		copy(dst[2*n:], src[2*n:])
		return
	case 4:
		a, b, c, d := src[:n], src[n:][:n], src[2*n:][:n], src[3*n:][:n]
		for i := range n {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
		copy(dst[4*n:], src[4*n:])
		return
	}
	for b := range size {
		plane := src[b*n:][:n]
		for i, v := range plane {
			dst[i*size+b] = v
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// shuffleBits copies src to dst with the bits of the elements sorted: the lowest bit of the first
// byte of all elements, then the next bit, and so on. The number of elements is a multiple of 8,
// otherwise it copies src as it is, as C-Blosc does.
func shuffleBits(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	for b := range size { // byte b of elements i to i+7 is a bit matrix; columns become planes
		for i := 0; i < n; i += 8 {
			from, fromStep, to, toStep := i*size+b, size, (b*8*n+i)/8, n/8
			var m uint64
			for j := range 8 {
				m |= uint64(src[from+j*fromStep]) << (8 * j)
			}
			m = transposeBits(m)
			for j := range 8 {
				dst[to+j*toStep] = byte(m >> (8 * j))
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// transposeBits transposes a matrix of 8 x 8 bits, a byte per row, by exchanging ever larger
// squares.
func transposeBits(m uint64) uint64 {
	for _, s := range [3]struct {
		mask  uint64
		shift uint
	}{{0x00aa00aa00aa00aa, 7}, {0x0000cccc0000cccc, 14}, {0x00000000f0f0f0f0, 28}} {
		x := (m ^ m>>s.shift) & s.mask
		m ^= x ^ x<<s.shift
	}
	return m
}
