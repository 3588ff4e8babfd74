package crc32c

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// A long string is folded: its first block, as a polynomial, is multiplied by x to the number of
// bits in a block and added to the second block. The sum has the same register as both blocks
// together. It is then folded into the third block, and so on. A lane of 128 bits is multiplied in
// halves, each by a power of x modulo the polynomial of Castagnoli (Gopal et al., Fast CRC
// Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009).
const blockSize = 256

// A block holds the string folded so far: Register returns the same for both.
type block [blockSize]byte

// folds reports whether the machine can multiply four lanes at once.
var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ

// factors are the factors of the halves of a lane, in memory order. Their exponents are adjusted,
// since the product of two reflected polynomials is shifted by one bit, and the remainder of 32
// bits is in the upper half of a 64-bit register.
var factors = [2]uint64{
	powerOf(8*blockSize + 32),
	powerOf(8*blockSize - 32),
}

// powerOf returns x to the n-th power, reflected, in 33 bits.
func powerOf(n int) uint64 {
	power := uint32(1) << 31
	for range n {
		odd := power & 1
		power = power>>1 ^ -odd&castagnoli
	}
	return uint64(power) << 1
}

// castagnoli is the polynomial, reflected.
const castagnoli = 0x82f63b78

// foldBlocks folds n bytes, a positive multiple of blockSize, into sofar.
//
//go:noescape
func foldBlocks(sofar *block, factors *[2]uint64, src unsafe.Pointer, n int)

// A long string has at least two blocks: one to begin with and one to fold.
const _ = uint(foldLength - 2*blockSize)

// extend is Register for long strings.
func extend(register uint32, b []byte) uint32 {
	if !folds {
		return extendInSteps(register, b)
	}
	var sofar block
	copy(sofar[:], b)
	le := binary.LittleEndian
	le.PutUint32(sofar[:], le.Uint32(sofar[:])^register)
	whole := len(b) / blockSize * blockSize
	foldBlocks(&sofar, &factors, unsafe.Pointer(&b[blockSize]), whole-blockSize)
	return Register(Register(0, sofar[:]), b[whole:])
}
