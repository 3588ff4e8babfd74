package chunkstore

import (
	"crypto/subtle"

	"drx/internal/crc32c"
)

// patchedSum returns the checksum of a chunk of size bytes after pieces, in order, have replaced was. sum is the checksum
// before. was is nil if all bytes of the chunk were zero.
//
// CRCs are linear: those of two strings differ by the CRC of their difference, computed with an initial register of zero
// and without the final complement. That register stays zero as long as the strings agree, and behind the last difference it
// depends on the remaining length alone. So only the pieces have to be looked at.
func patchedSum(sum uint32, size int, was, pieces []Piece) uint32 {
	var register uint32
	var scratch [1024]byte
	at := 0
	for i, p := range pieces {
		register = crc32c.AfterZeros(register, p.At-at)
		for from := 0; from < len(p.Bytes); from += len(scratch) {
			difference := p.Bytes[from:min(len(p.Bytes), from+len(scratch))]
			if was != nil {
				n := subtle.XORBytes(scratch[:], difference, was[i].Bytes[from:])
				difference = scratch[:n]
			}
			register = crc32c.Register(register, difference)
		}
		at = p.At + len(p.Bytes)
	}
	return sum ^ crc32c.AfterZeros(register, size-at)
}
