package chunkio

import (
	"crypto/subtle"
	"hash/crc32"
	"sync"
)

// sumOf returns the checksum of a chunk that was just read or put together: of bytes in the caches.
func sumOf(chunk []byte) uint32 { return crc32.Checksum(chunk, castagnoli) }

// sumStep is how many bytes are fetched before they are summed.
const sumStep = 4 << 10

// sumOfDistant is sumOf for bytes that come from memory. The sum takes them from three places in turn, which
// the processor does not foresee: after they were read in order it is three times as fast.
func sumOfDistant(chunk []byte) (sum uint32) {
	for len(chunk) > 0 {
		step := chunk[:min(sumStep, len(chunk))]
		fetch(step)
		sum = crc32.Update(sum, castagnoli, step)
		chunk = chunk[len(step):]
	}
	return sum
}

// fetch brings bytes to the caches, in order. What it returns has no meaning.
//
//go:noinline
func fetch(data []byte) (all byte) {
	const line = 64
	for i := 0; i < len(data); i += line {
		all |= data[i]
	}
	return all
}

// patchedSum returns the checksum of a chunk of size bytes in which pieces, in order, took the
// place of was, sum being that of before. The sums of two strings differ by that of the difference
// of the strings, begun with a register of zero and without its complement at the end: which is
// zero as long as the strings agree, and follows from length alone behind. was is nil where all
// bytes were zero.
func patchedSum(sum uint32, size int, was, pieces []Piece) uint32 {
	var register uint32
	var scratch [1024]byte
	at := 0
	for i, p := range pieces {
		register = afterZeros(register, p.At-at)
		for from := 0; from < len(p.Bytes); from += len(scratch) {
			difference := p.Bytes[from:min(len(p.Bytes), from+len(scratch))]
			if was != nil {
				n := subtle.XORBytes(scratch[:], difference, was[i].Bytes[from:])
				difference = scratch[:n]
			}
			register = ^crc32.Update(^register, castagnoli, difference)
		}
		at = p.At + len(p.Bytes)
	}
	return sum ^ afterZeros(register, size-at)
}

// sumOfZeros returns the checksum of n bytes of zero.
func sumOfZeros(n int) uint32 { return ^afterZeros(^uint32(0), n) }

// advances has what becomes of the register of a checksum after 1, 2, 4, ... bytes of zero, up to the
// length of a chunk, which has 32 bits. It is linear: the sum of what becomes of its four bytes.
var advances = sync.OnceValue(func() *[32][4][256]uint32 {
	a := new([32][4][256]uint32)
	for b := range uint32(256) {
		a[0][0][b] = castagnoli[b]
		for i := 1; i < 4; i++ {
			a[0][i][b] = b << (8*i - 8)
		}
	}
	for k := range len(a) - 1 {
		for i := range a[k] {
			for b, once := range a[k][i] {
				a[k+1][i][b] = advance(&a[k], once)
			}
		}
	}
	return a
})

func advance(a *[4][256]uint32, register uint32) uint32 {
	return a[0][byte(register)] ^ a[1][byte(register>>8)] ^ a[2][byte(register>>16)] ^ a[3][register>>24]
}

// afterZeros returns the register of a checksum after n bytes of zero.
func afterZeros(register uint32, n int) uint32 {
	if register == 0 {
		return 0
	}
	a := advances()
	for k := 0; n > 0; k, n = k+1, n>>1 {
		if n&1 > 0 {
			register = advance(&a[k], register)
		}
	}
	return register
}
