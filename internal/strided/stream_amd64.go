package strided

import "unsafe"

// streams says that the machine has stores that go past the caches: SSE2, which all have.
const streams = true

// streamLines copies n bytes, a positive multiple of line, to dst, which begins with a line. Others see
// them only after fence.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, n int)

// fence lets everything that streamLines has written be there before what is written after it.
func fence()
