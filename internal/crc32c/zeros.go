package crc32c

import "sync"

// Zeros returns the checksum of n bytes of zero.
func Zeros(n int) uint32 { return ^AfterZeros(^uint32(0), n) }

// AfterZeros returns the register after n bytes of zero, for n below 2^32. It takes one step per
// bit that is set in n.
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

// advances has tables for the register after 1, 2, 4, ... bytes of zero. That map is linear, so
// each table has one part per byte of the register, and the parts' values are added.
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
