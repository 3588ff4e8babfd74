package strided

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/nd"
)

// plain is the copy as its definition says.
func plain(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	lo := make([]int, len(shape))
	for _, n := range shape {
		if n == 0 {
			return
		}
	}
	for at, more := make([]int, len(shape)), true; more; more = nd.Next(at, lo, shape) {
		d, s := 0, 0
		for i, x := range at {
			d += x * dstStride[i]
			s += x * srcStride[i]
		}
		copy(dst[d:d+elem], src[s:s+elem])
	}
}

// layout returns byte strides of a random order with random gaps, and the buffer size.
func layout(rng *rand.Rand, shape []int, elem int) (strides []int, size int) {
	strides = make([]int, len(shape))
	step := elem
	for _, d := range rng.Perm(len(shape)) {
		if rng.IntN(3) == 0 {
			step += rng.IntN(3) * elem
		}
		strides[d] = step
		step *= max(1, shape[d])
	}
	return strides, step + elem
}

func TestCopyAndFillAgainstDefinition(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		elem := []int{1, 2, 4, 8, 16}[rng.IntN(5)]
		shape := make([]int, rng.IntN(5))
		for d := range shape {
			shape[d] = rng.IntN(7)
			if rng.IntN(10) == 0 {
				shape[d] = 30 + rng.IntN(40)
			}
		}
		if n, _ := nd.Product(shape...); n > 1<<18 {
			continue
		}
		ds, dn := layout(rng, shape, elem)
		ss, sn := layout(rng, shape, elem)
		src := make([]byte, sn)
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		got, want := make([]byte, dn), make([]byte, dn)
		Copy(got, ds, src, ss, shape, elem)
		plain(want, ds, src, ss, shape, elem)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: shape %v elem %d dst %v src %v differ", seed, shape, elem, ds, ss)
		}
		value := src[:elem]
		Fill(got, ds, shape, value)
		plain(want, ds, value, make([]int, len(shape)), shape, elem)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: fill of shape %v elem %d stride %v differs", seed, shape, elem, ds)
		}
	}
}

func TestCopyAllocatesNothing(t *testing.T) {
	dst, src := make([]byte, 64*64*8), make([]byte, 64*64*8)
	shape, row, col := []int{64, 64}, []int{512, 8}, []int{8, 512}
	if n := testing.AllocsPerRun(10, func() { Copy(dst, row, src, col, shape, 8) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCopy(b *testing.B) {
	const n = 1024
	for _, elem := range []int{1, 2, 4, 8, 16} {
		dst, src := make([]byte, n*n*elem), make([]byte, n*n*elem)
		row, col := []int{n * elem, elem}, []int{elem, n * elem}
		for _, c := range []struct {
			name string
			src  []int
		}{{"rows", row}, {"transpose", col}} {
			b.Run(fmt.Sprintf("%s/elem=%d", c.name, elem), func(b *testing.B) {
				b.SetBytes(int64(len(dst)))
				for range b.N {
					Copy(dst, row, src, c.src, []int{n, n}, elem)
				}
			})
		}
	}
}
