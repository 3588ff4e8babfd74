//go:build !amd64

package strided

import "unsafe"

const (
	streams = false
	fetches = false
)

func streamLines(dst, src unsafe.Pointer, n, _ int) { copyLong(dst, src, n) }

func copyLines(dst, src unsafe.Pointer, n, _ int) { copyLong(dst, src, n) }

func fence() {}
