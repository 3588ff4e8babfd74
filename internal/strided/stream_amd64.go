package strided

import "unsafe"

// streams says that the machine has stores that go past the caches: SSE2, which all have.
const streams = true

// streamLines copies n bytes, a positive multiple of line, to dst, which begins with a line. Others see
// them only after fence. The page so many bytes behind dst is about to be written, if there is one.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, n, ahead int)

// fetches says that copyLines does what copy does not.
const fetches = true

// copyLines copies n bytes, a positive multiple of line. As many bytes, so far behind src, are fetched into the cache
// meanwhile, without waiting for them.
//
//go:noescape
func copyLines(dst, src unsafe.Pointer, n, ahead int)

// fence lets everything that streamLines has written be there before what is written after it.
func fence()
