package crc32c

import (
	"testing"
	"unsafe"
)

// The register of a string equals the register of the block that it is folded to.
func TestFoldBlocks(t *testing.T) {
	if !folds {
		t.Skip("this machine does not fold")
	}
	data := random(40 * blockSize)
	for n := 2 * blockSize; n <= len(data); n += blockSize {
		sofar := block(data)
		foldBlocks(&sofar, &factors, unsafe.Pointer(&data[blockSize]), n-blockSize)
		if got, want := Register(0, sofar[:]), Register(0, data[:n]); got != want {
			t.Fatalf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}
