package crc32c

import "unsafe"

// A Copier copies a string of less than 4 GiB to rows, past the caches, and has its checksum then: the string
// comes from memory once. The zero Copier has copied nothing.
type Copier struct {
	sofar block
	n     int
}

// most is how many bytes are copied without a chance for others: the runtime has to wait for assembly code, also
// while the system brings in what it touches.
const most = 256 << 10

// Copies reports whether a Copier can copy runs of so many bytes to dst and multiples of stride behind it: runs
// are whole blocks, and begin with a line of the caches.
func Copies(dst unsafe.Pointer, run, stride int) bool {
	const line = 64
	return folds && run > 0 && run%blockSize == 0 && (uintptr(dst)|uintptr(stride))%line == 0
}

// Rows copies rows runs of run bytes each, that are one behind the other in src, to places in dst that are stride
// bytes apart. The processor looks up the page so many bytes behind each of them meanwhile. Others see them
// after a fence (SFENCE) only.
func (c *Copier) Rows(dst, src unsafe.Pointer, run, rows, stride, ahead int) {
	c.n += rows * run
	if run > most {
		for r := range rows {
			c.pieces(unsafe.Add(dst, r*stride), unsafe.Add(src, r*run), run, ahead)
		}
		return
	}
	each := most / run
	for r := 0; r < rows; r += each {
		foldRows(&c.sofar, &factors, unsafe.Add(dst, r*stride), unsafe.Add(src, r*run), run, min(each, rows-r), stride, ahead)
	}
}

// pieces copies one run.
func (c *Copier) pieces(dst, src unsafe.Pointer, run, ahead int) {
	for at := 0; at < run; at += most {
		foldRows(&c.sofar, &factors, unsafe.Add(dst, at), unsafe.Add(src, at), min(most, run-at), 1, 0, ahead)
	}
}

// Sum returns the checksum of all that was copied.
func (c *Copier) Sum() uint32 {
	// The string was folded from a register of zero on. What another one would have added is what
	// becomes of it.
	return ^(Register(0, c.sofar[:]) ^ AfterZeros(^uint32(0), c.n))
}

// foldRows folds rows > 0 runs of a positive multiple of blockSize bytes to sofar, and copies them; dst and stride
// are multiples of a line.
//
//go:noescape
func foldRows(sofar *block, factors *[2]uint64, dst, src unsafe.Pointer, run, rows, stride, ahead int)
