package vfstest

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Images behave like slices of bytes, and a copy is independent of the original.
func TestImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var m image
	var want []byte
	for range 3000 {
		before, bytesBefore := m.clone(), bytes.Clone(want)
		if h := randomChange(rng, len(want)); h.length {
			m.apply(h)
			want = append(want, make([]byte, max(0, int(h.off)-len(want)))...)[:h.off]
		} else {
			m.apply(h)
			end := int(h.off) + len(h.data)
			want = append(want, make([]byte, max(0, end-len(want)))...)
			copy(want[h.off:], h.data)
		}
		for _, c := range []struct {
			m    image
			want []byte
		}{{m, want}, {before, bytesBefore}} {
			off := rng.IntN(len(c.want) + 2)
			got := bytes.Repeat([]byte{9}, rng.IntN(2000))
			n := c.m.readAt(got, int64(off))
			if expected := c.want[min(off, len(c.want)):]; n != min(len(got), len(expected)) || !bytes.Equal(got[:n], expected[:n]) {
				t.Fatalf("%d bytes at %d of %d are %v, want %v", n, off, len(c.want), got[:n], expected)
			}
		}
	}
}

// randomChange returns a change of a file of that size: a part of a sector, a whole one, or a
// length.
func randomChange(rng *rand.Rand, size int) change {
	switch rng.IntN(4) {
	case 0:
		return change{off: int64(rng.IntN(size + 1500)), length: true}
	case 1:
		data := bytes.Repeat([]byte{byte(rng.Uint32())}, crashSector)
		return change{off: int64(rng.IntN(size/crashSector+2) * crashSector), data: data}
	}
	from := rng.IntN(crashSector)
	data := bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(crashSector-from))
	return change{off: int64(rng.IntN(size/crashSector+2)*crashSector + from), data: data}
}
