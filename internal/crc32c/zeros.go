package crc32c

import "sync"

// Zeros returns the checksum of n bytes of zero.
func Zeros(n int) uint32 { return ^AfterZeros(^uint32(0), n) }

// AfterZeros returns what becomes of the register after n bytes of zero, n up to the length of a chunk,
// which has 32 bits, in as many steps as that has ones.
func AfterZeros(register uint32, n int) uint32 {
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

// advances has what becomes of the register after 1, 2, 4, ... bytes of zero. It is linear: the sum of what
// becomes of its four bytes.
var advances = sync.OnceValue(func() *[32][4][256]uint32 {
	a := new([32][4][256]uint32)
	for b := range uint32(256) {
		a[0][0][b] = table[b]
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
