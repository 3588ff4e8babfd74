package codec

import "encoding/binary"

// ShuffleBytes copies src to dst with the bytes of the elements, of size bytes each, regrouped: the
// first bytes of all elements, then the second ones, and so on. Bytes after the last whole element
// keep their offsets. dst has the length of src and does not overlap it.
func ShuffleBytes(dst, src []byte, size int) {
	n := len(src) / size
	done := shuffleGroups(dst, src, size, n)
	for b := range size {
		plane := dst[b*n:][:n]
		for i := done; i < n; i++ {
			plane[i] = src[i*size+b]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// UnshuffleBytes is the inverse of ShuffleBytes.
func UnshuffleBytes(dst, src []byte, size int) {
	n := len(src) / size
	done := unshuffleGroups(dst, src, size, n)
	switch size {
	case 2:
		a, b := src[:n], src[n:][:n]
		for i := done; i < n; i++ {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(a[i])|uint16(b[i])<<8)
		}
	case 4:
		a, b, c, d := src[:n], src[n:][:n], src[2*n:][:n], src[3*n:][:n]
		for i := done; i < n; i++ {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
	default:
		for b := range size {
			for i, v := range src[b*n:][done:n] {
				dst[(done+i)*size+b] = v
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// bitShuffle copies src to dst with the bits of the elements, of size bytes each, regrouped: the
// lowest bit of the first byte of all elements, then the next bit, and so on. If the number of
// elements is not a multiple of 8 it copies src unchanged, as C-Blosc does. work is at least as
// long as src.
//
// It first regroups the bytes. Eight bytes of a plane are then a matrix of 8 x 8 bits; each row of
// the transposed matrix is a byte of a bit plane.
func bitShuffle(dst, src, work []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	work = work[:n*size]
	if size > 1 {
		ShuffleBytes(work, src[:n*size], size)
		transpose(work, work)
	} else {
		transpose(work, src)
	}
	for b := range size {
		ShuffleBytes(dst[b*n:][:n], work[b*n:][:n], 8)
	}
	copy(dst[n*size:], src[n*size:])
}

// bitUnshuffle is the inverse of bitShuffle.
func bitUnshuffle(dst, src, work []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	work = work[:n*size]
	for b := range size {
		UnshuffleBytes(work[b*n:][:n], src[b*n:][:n], 8)
	}
	if size > 1 {
		transpose(work, work)
		UnshuffleBytes(dst[:n*size], work, size)
	} else {
		transpose(dst, work)
	}
	copy(dst[n*size:], src[n*size:])
}

// transpose transposes every 8 bytes of src as a matrix of 8 x 8 bits. The length of src is a
// multiple of 8. dst may be src.
func transpose(dst, src []byte) {
	for i := transposeGroups(dst, src); i < len(src); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], transposeBits(binary.LittleEndian.Uint64(src[i:])))
	}
}

// transposeBits transposes a matrix of 8 x 8 bits, one row per byte, by exchanging squares of 1, 2
// and 4 bits.
func transposeBits(m uint64) uint64 {
	x := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= x ^ x<<7
	x = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= x ^ x<<14
	x = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ x ^ x<<28
}
