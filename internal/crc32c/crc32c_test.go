package crc32c

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

func random(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// The check value of CRC-32C, and the examples of RFC 3720, B.4.
func TestKnown(t *testing.T) {
	ascending := make([]byte, 32)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	for _, c := range []struct {
		of   string
		want uint32
	}{
		{"", 0},
		{"123456789", 0xe3069283},
		{string(make([]byte, 32)), 0x8a9136aa},
		{string(ascending), 0x46dd794e},
	} {
		if got := Sum([]byte(c.of)); got != c.want {
			t.Errorf("%q: %08x, want %08x", c.of, got, c.want)
		}
	}
}

// Long and short strings, at all alignments, summed at once or in steps, agree with the standard
// library.
func TestUpdate(t *testing.T) {
	data := random(4*foldLength + 1000)
	var lengths []int
	for n := range 600 {
		lengths = append(lengths, n, foldLength-300+n, 3*foldLength-300+n)
	}
	for _, n := range lengths {
		at := n % 67
		b := data[at : at+n]
		for _, sum := range []uint32{0, 1, 0xffffffff, 0x12345678} {
			want := crc32.Update(sum, table, b)
			if got := Update(sum, b); got != want {
				t.Fatalf("%d bytes from %d, after %08x: %08x, want %08x", n, at, sum, got, want)
			}
			if got := ^extendInSteps(^sum, b); got != want {
				t.Fatalf("%d bytes from %d, after %08x, in steps: %08x, want %08x", n, at, sum, got, want)
			}
		}
	}
}

func TestZeros(t *testing.T) {
	for _, n := range []int{0, 1, 7, 64, 1000, 1 << 20} {
		if got, want := Zeros(n), crc32.Checksum(make([]byte, n), table); got != want {
			t.Errorf("%d: %08x, want %08x", n, got, want)
		}
	}
}

// Many zeros, as in the longest chunk, give the same register as thousands of short runs of zeros.
func TestAfterZeros(t *testing.T) {
	const step = 1 << 20
	register := uint32(12345)
	for times := range min(4096, math.MaxInt/step) {
		if got := AfterZeros(12345, times*step); got != register {
			t.Fatalf("%d MiB: %08x, want %08x", times, got, register)
		}
		register = AfterZeros(register, step)
	}
	const longest = math.MaxUint32 & math.MaxInt
	if got, want := AfterZeros(12345, longest), AfterZeros(AfterZeros(12345, longest/2), longest-longest/2); got != want {
		t.Errorf("the longest chunk: %08x, want %08x", got, want)
	}
}

// BenchmarkSum sums strings that fit the caches, and more data than the caches hold.
func BenchmarkSum(b *testing.B) {
	const all = 256 << 20
	data := random(all)
	for _, size := range []int{4 << 10, 64 << 10, 512 << 10} {
		for _, many := range []int{1, all / size} {
			run := func(name string, sum func([]byte) uint32) {
				b.Run(fmt.Sprintf("%dx%dKiB/%s", many, size>>10, name), func(b *testing.B) {
					b.SetBytes(int64(size))
					for i := range b.N {
						at := i % many * size
						sum(data[at : at+size])
					}
				})
			}
			run("Sum", Sum)
			run("inSteps", func(p []byte) uint32 { return extendInSteps(0, p) })
			run("standard", func(p []byte) uint32 { return crc32.Checksum(p, table) })
		}
	}
}
