package codec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// plainShuffle shuffles bytes one by one, as the model for ShuffleBytes.
func plainShuffle(src []byte, size int) []byte {
	n := len(src) / size
	dst := bytes.Clone(src)
	for i := range n {
		for b := range size {
			dst[b*n+i] = src[i*size+b]
		}
	}
	return dst
}

// plainBitShuffle shuffles bits one by one, as the model for bitShuffle.
func plainBitShuffle(src []byte, size int) []byte {
	n := len(src) / size
	dst := bytes.Clone(src)
	if n%8 != 0 {
		return dst
	}
	clear(dst[:n*size])
	for i := range n {
		for bit := range 8 * size {
			if src[i*size+bit/8]>>(bit%8)&1 != 0 {
				to := bit*n + i
				dst[to/8] |= 1 << (to % 8)
			}
		}
	}
	return dst
}

// portably calls f with the kernels in assembly, if there are any, and without them.
func portably(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	before := hasKernels
	defer func() { hasKernels = before }()
	for _, kernels := range []bool{before, false} {
		hasKernels = kernels
		t.Run(fmt.Sprintf("kernels=%v", kernels), f)
	}
}

// Every shuffle equals the plain one for elements of any size and number, writes nothing else, and
// is undone by its inverse.
func TestShufflesAreThePlainOnes(t *testing.T) {
	portably(t, func(t *testing.T) {
		for seed := range uint64(600) {
			rng := rand.New(rand.NewPCG(seed, 5))
			size := 1 + rng.IntN(20)
			if seed%50 == 0 {
				size = 1 + rng.IntN(maxElement)
			}
			n := rng.IntN(300)*size + rng.IntN(size)
			if seed%3 == 0 {
				n = rng.IntN(40) * 8 * size
			}
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(rng.Uint32())
			}
			const guard = 64
			got, work := make([]byte, n+2*guard), make([]byte, n)
			for name, f := range map[string]struct {
				do   func(dst, src []byte)
				want []byte
				src  []byte
			}{
				"shuffle":      {func(dst, src []byte) { ShuffleBytes(dst, src, size) }, plainShuffle(src, size), src},
				"unshuffle":    {func(dst, src []byte) { UnshuffleBytes(dst, src, size) }, src, plainShuffle(src, size)},
				"bitShuffle":   {func(dst, src []byte) { bitShuffle(dst, src, work, size) }, plainBitShuffle(src, size), src},
				"bitUnshuffle": {func(dst, src []byte) { bitUnshuffle(dst, src, work, size) }, src, plainBitShuffle(src, size)},
			} {
				clear(got)
				f.do(got[guard:][:n], f.src)
				if !bytes.Equal(got[guard:][:n], f.want) {
					t.Fatalf("seed %d: %s of %d bytes in elements of %d differs", seed, name, n, size)
				}
				if !bytes.Equal(got[:guard], make([]byte, guard)) || !bytes.Equal(got[guard+n:], make([]byte, guard)) {
					t.Fatalf("seed %d: %s of %d bytes in elements of %d writes outside", seed, name, n, size)
				}
			}
		}
	})
}

func BenchmarkShuffle(b *testing.B) {
	const block = 256 << 10
	src, dst, work := make([]byte, block), make([]byte, block), make([]byte, block)
	for i := range src {
		src[i] = byte(i * i >> 3)
	}
	for _, size := range []int{2, 4, 8, 12, 16} {
		for name, f := range map[string]func(){
			"shuffle":      func() { ShuffleBytes(dst, src, size) },
			"unshuffle":    func() { UnshuffleBytes(dst, src, size) },
			"bitShuffle":   func() { bitShuffle(dst, src, work, size) },
			"bitUnshuffle": func() { bitUnshuffle(dst, src, work, size) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(block)
				for range b.N {
					f()
				}
			})
		}
	}
}
