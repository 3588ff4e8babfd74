package crc32c

import "unsafe"

// A Copier copies a byte string of less than 4 GiB to rows with non-temporal stores and computes
// its checksum on the way, so that the string is read from memory only once. The zero Copier has
// copied nothing.
type Copier struct {
	sofar block
	n     int
}

// maxRunBytes is the largest number of bytes per call of the assembly code. The Go runtime cannot
// preempt that code, not even while the system handles its page faults.
const maxRunBytes = 256 << 10

// Copies reports whether a Copier can copy runs of run bytes to dst and to multiples of stride
// after it: runs must be whole blocks and begin at a cache line.
func Copies(dst unsafe.Pointer, run, stride int) bool {
	const line = 64
	return folds && run > 0 && run%blockSize == 0 && (uintptr(dst)|uintptr(stride))%line == 0
}

// Rows copies rows runs of run bytes each from src, where they are contiguous, to dst, where they
// are stride bytes apart. Meanwhile the processor looks up the page ahead bytes after each of them.
// Other goroutines see the bytes only after a fence (SFENCE).
func (c *Copier) Rows(dst, src unsafe.Pointer, run, rows, stride, ahead int) {
	c.n += rows * run
	if run > maxRunBytes {
		for r := range rows {
			c.copyRun(unsafe.Add(dst, r*stride), unsafe.Add(src, r*run), run, ahead)
		}
		return
	}
	each := maxRunBytes / run
	for r := 0; r < rows; r += each {
		foldRows(&c.sofar, &factors, unsafe.Add(dst, r*stride), unsafe.Add(src, r*run), run, min(each, rows-r), stride, ahead)
	}
}

// copyRun copies one run.
func (c *Copier) copyRun(dst, src unsafe.Pointer, run, ahead int) {
	for at := 0; at < run; at += maxRunBytes {
		foldRows(&c.sofar, &factors, unsafe.Add(dst, at), unsafe.Add(src, at), min(maxRunBytes, run-at), 1, 0, ahead)
	}
}

// Sum returns the checksum of all that was copied.
func (c *Copier) Sum() uint32 {
	// The string was folded with an initial register of zero. The register is linear, so the real
	// initial value contributes its own image after n bytes of zero.
	return ^(Register(0, c.sofar[:]) ^ AfterZeros(^uint32(0), c.n))
}

// foldRows copies rows > 0 runs and folds them into sofar. run is a positive multiple of blockSize;
// dst and stride are multiples of a cache line.
//
//go:noescape
func foldRows(sofar *block, factors *[2]uint64, dst, src unsafe.Pointer, run, rows, stride, ahead int)
