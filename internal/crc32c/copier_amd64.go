package crc32c

import "unsafe"

// A Copier copies a string to rows, past the caches, and has its checksum then: the string comes from memory
// once. The zero Copier has copied nothing.
type Copier struct {
	sofar block
	n     int
}

// Copies reports whether a Copier can copy runs of so many bytes to dst and multiples of stride behind it: they
// are whole lines of the caches.
func Copies(dst unsafe.Pointer, run, stride int) bool {
	const line = 64
	return folds && run > 0 && run%blockSize == 0 && (uintptr(dst)|uintptr(stride))%line == 0
}

// Rows copies rows runs of run bytes each, that are one behind the other in src, to places in dst that are stride
// bytes apart. The processor looks up the page so many bytes behind each of them meanwhile.
func (c *Copier) Rows(dst, src unsafe.Pointer, run, rows, stride, ahead int) {
	foldRows(&c.sofar, &factors, dst, src, run, rows, stride, ahead)
	c.n += rows * run
}

// Sum returns the checksum of all that was copied.
func (c *Copier) Sum() uint32 {
	// The string was folded from a register of zero on. What another one would have added is what
	// becomes of it.
	return ^(Register(0, c.sofar[:]) ^ AfterZeros(^uint32(0), c.n))
}

// foldRows folds rows of a positive multiple of blockSize bytes to sofar, and copies them.
//
//go:noescape
func foldRows(sofar *block, factors *[2]uint64, dst, src unsafe.Pointer, run, rows, stride, ahead int)
