package crc32c

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// A long string is folded: its first block, as a polynomial, times x to the number of bits in a block is
// added to the second one, which has the register of the two then, that again to the third one, and so on. A
// lane of 128 bits is multiplied in halves, each by a power of x modulo that of Castagnoli
// (Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009).
const blockSize = 256

// A block is the string folded so far: Register has the same for both.
type block [blockSize]byte

// folds says that the machine multiplies four lanes at once.
var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ

// factors are what the halves of a lane are multiplied by, in the order of memory. The product of two
// reflected polynomials is shifted by one bit, and the remainder stands in the upper half of a register of
// 64 bits: 32 of them.
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

// foldBlocks folds n bytes, a positive multiple of blockSize, to sofar.
//
//go:noescape
func foldBlocks(sofar *block, factors *[2]uint64, src unsafe.Pointer, n int)

// A long string has a block to begin with and another one to fold.
const _ = uint(long - 2*blockSize)

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
