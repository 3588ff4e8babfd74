package crc32c

import (
	"bytes"
	"testing"
	"unsafe"
)

// A Copier copies exactly the rows, changes nothing else, and returns the checksum of all that it
// copied.
func TestCopier(t *testing.T) {
	buffer := make([]byte, 1<<16)
	dst := buffer[-uintptr(unsafe.Pointer(&buffer[0]))%64:]
	if !folds {
		if Copies(unsafe.Pointer(&dst[0]), blockSize, 64) {
			t.Error("copies on a machine that does not fold")
		}
		t.Skip("this machine does not fold")
	}
	src := random(20 * blockSize)
	for _, run := range []int{blockSize, 3 * blockSize} {
		for _, gap := range []int{0, 64, 320} {
			stride := run + gap
			if !Copies(unsafe.Pointer(&dst[64]), run, stride) {
				t.Fatalf("runs of %d, %d apart, are not copied", run, stride)
			}
			for rows := 1; rows*2*run <= len(src); rows++ {
				want := bytes.Clone(dst)
				for r := range 2 * rows {
					copy(want[64+r*stride:][:run], src[r*run:])
				}
				var c Copier
				for half := range 2 {
					c.Rows(unsafe.Pointer(&dst[64+half*rows*stride]), unsafe.Pointer(&src[half*rows*run]), run, rows, stride, 2*stride)
				}
				if !bytes.Equal(dst, want) {
					t.Fatalf("%d rows of %d, %d apart: wrong", rows, run, stride)
				}
				if got, want := c.Sum(), Sum(src[:2*rows*run]); got != want {
					t.Fatalf("%d rows of %d: %08x, want %08x", rows, run, got, want)
				}
				src[rows]++ // so that the next copy differs
			}
		}
	}
	for _, c := range []struct{ at, run, stride int }{{1, blockSize, 64}, {0, blockSize + 64, 64}, {0, blockSize, 65}, {0, 0, 64}} {
		if Copies(unsafe.Pointer(&dst[c.at]), c.run, c.stride) {
			t.Errorf("%+v is copied", c)
		}
	}
}

// Copying in several steps, rows or single runs, gives the same as in one step.
func TestCopierInSteps(t *testing.T) {
	if !folds {
		t.Skip("this machine does not fold")
	}
	const n = 2*maxRunBytes + maxRunBytes/2
	src, buffer := random(n), make([]byte, 2*n+64)
	for _, run := range []int{n, n / 2, maxRunBytes, maxRunBytes / 2, 1024} {
		rows, stride := n/run, run+64
		dst := buffer[-uintptr(unsafe.Pointer(&buffer[0]))%64:]
		clear(dst)
		var c Copier
		c.Rows(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), run, rows, stride, 2*stride)
		for r := range rows {
			if !bytes.Equal(dst[r*stride:][:run], src[r*run:][:run]) || !bytes.Equal(dst[r*stride+run:][:64], make([]byte, 64)) {
				t.Fatalf("run %d of %d bytes: wrong", r, run)
			}
		}
		if got, want := c.Sum(), Sum(src[:rows*run]); got != want {
			t.Errorf("runs of %d: %08x, want %08x", run, got, want)
		}
	}
}
