package strided

import "unsafe"

// streams reports whether the machine has non-temporal stores: SSE2, which every amd64 has.
const streams = true

// streamLines copies n bytes, a positive multiple of line, to dst, which is aligned to a line.
// Other goroutines see them only after fence. Meanwhile it looks up the page ahead bytes after dst,
// which is written soon; 0 means none.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, n, ahead int)

// fetches reports whether copyLines prefetches.
const fetches = true

// copyLines copies n bytes, a positive multiple of line. Meanwhile it prefetches as many bytes,
// ahead bytes after src, without waiting for them.
//
//go:noescape
func copyLines(dst, src unsafe.Pointer, n, ahead int)

// fence orders all stores of streamLines before later stores.
func fence()
