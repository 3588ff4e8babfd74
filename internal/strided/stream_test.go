package strided

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/internal/crc32c"
)

// sameAsPlain compares f with the definition of Copy for random boxes. sizes returns the size of an
// element and the least gap between elements of the source. Other bytes must not change.
func sameAsPlain(t *testing.T, f func([]byte, []int, []byte, []int, []int, int), sizes func(rng *rand.Rand) (elem, gap int)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 3))
	for range 2000 {
		shape := make([]int, rng.IntN(4))
		for d := range shape {
			shape[d] = rng.IntN(5)
		}
		elem, gap := sizes(rng)
		to, n := layout(rng, shape, elem)
		from, m := layout(rng, shape, elem+gap)
		dst, src := noise(rng, n+2*line), noise(rng, m)
		want := bytes.Clone(dst)
		plain(want[line:], to, src, from, shape, elem)
		f(dst[line:line+n], to, src, from, shape, elem)
		if !bytes.Equal(dst, want) {
			t.Fatalf("shape %v of %d bytes, strides %v and %v: not what a plain copy gives", shape, elem, to, from)
		}
	}
}

func TestStream(t *testing.T) {
	sameAsPlain(t, Stream, func(rng *rand.Rand) (elem, gap int) { return 1 + rng.IntN(3*minStreamRun), 0 })
}

// Runs of the source are near and far, and within and outside of the lengths that are prefetched.
func TestFetch(t *testing.T) {
	sameAsPlain(t, Fetch, func(rng *rand.Rand) (elem, gap int) {
		return 1 + rng.IntN(pickOne(rng, leastFetched, 3*leastFetched, mostFetched+2*line)), pickOne(rng, 0, page)
	})
}

func pickOne(rng *rand.Rand, from ...int) int { return from[rng.IntN(len(from))] }

// StreamSum does what Stream does. If it returns a checksum, it is that of the source.
func TestStreamSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for range 2000 {
		shape := make([]int, rng.IntN(4))
		elem := pickOne(rng, 64, 256, 2*256, 3*256+pickOne(rng, 0, 1))
		from, to, n := make([]int, len(shape)), make([]int, len(shape)), elem
		reach := elem + pickOne(rng, 0, 0, 1, 64)
		for d := len(shape) - 1; d >= 0; d-- {
			shape[d] = 1 + rng.IntN(4)
			from[d], to[d] = n, reach
			n *= shape[d]
			reach = reach*shape[d] + pickOne(rng, 0, 0, 0, 8, 256)
		}
		if len(shape) > 1 && rng.IntN(4) == 0 {
			d := rng.IntN(len(shape) - 1)
			from[d], from[d+1] = from[d+1], from[d+1]*shape[d] // the whole buffer, in another order
		}
		buffer := noise(rng, reach+4*line)
		at := int(-uintptr(base(buffer))%line) + pickOne(rng, 0, 0, 0, 8)
		dst, src := buffer[at:], noise(rng, n+pickOne(rng, 0, 0, 0, 1))
		want := bytes.Clone(buffer)
		plain(want[at:], to, src, from, shape, elem)
		sum, ok := StreamSum(dst, to, src, from, shape, elem)
		if !bytes.Equal(buffer, want) {
			t.Fatalf("shape %v of %d bytes, strides %v and %v: not what a plain copy gives", shape, elem, to, from)
		}
		if want := crc32c.Sum(src); ok && sum != want {
			t.Fatalf("shape %v of %d bytes, strides %v and %v: sum %08x, want %08x", shape, elem, to, from, sum, want)
		}
	}
}

// Runs of every length begin and end at every address within a line, on both sides.
func TestStreamRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	buffer, src := noise(rng, 6*minStreamRun), noise(rng, 4*minStreamRun)
	for at := range line {
		for n := minStreamRun; n < minStreamRun+2*line; n++ {
			for _, skip := range []int{0, at, rng.IntN(line)} {
				dst := buffer[at:]
				want := bytes.Clone(dst)
				copy(want, src[skip:skip+n])
				Stream(dst, nil, src[skip:], nil, nil, n)
				if !bytes.Equal(dst, want) {
					t.Fatalf("%d bytes from %d to %d: wrong", n, skip, at)
				}
				src[rng.IntN(len(src))]++ // the next run differs
			}
		}
	}
}

// Stream, StreamSum and Fetch refuse what Copy refuses.
func TestStreamRefuses(t *testing.T) {
	buf := make([]byte, 4*minStreamRun)
	for name, f := range map[string]func(dst, src []byte){
		"an element too long": func(dst, src []byte) { Stream(dst, nil, src, nil, nil, len(src)+1) },
		"no bytes":            func(dst, src []byte) { Stream(dst, nil, src, nil, nil, 0) },
		"a negative extent": func(dst, src []byte) {
			Stream(dst, []int{minStreamRun}, src, []int{minStreamRun}, []int{-1}, minStreamRun)
		},
		"a negative stride": func(dst, src []byte) {
			Stream(dst, []int{-minStreamRun}, src, []int{minStreamRun}, []int{2}, minStreamRun)
		},
		"a stride too long":   func(dst, src []byte) { Stream(dst, []int{2 * minStreamRun}, src, []int{0}, []int{2}, minStreamRun) },
		"summed too much":     func(dst, src []byte) { StreamSum(dst, nil, src, nil, nil, len(src)+1) },
		"fetched too much":    func(dst, src []byte) { Fetch(dst, nil, src, nil, nil, len(src)+1) },
		"fetched from behind": func(dst, src []byte) { Fetch(dst, []int{minStreamRun}, src, []int{page}, []int{2}, minStreamRun) },
	} {
		dst := make([]byte, 2*minStreamRun)
		if !panics(dst, func() { f(dst, buf[:2*minStreamRun]) }) {
			t.Errorf("%s: no panic, or something was copied before", name)
		}
	}
}

// A goroutine that is notified after the copy sees all streamed bytes.
func TestStreamIsSeen(t *testing.T) {
	const n = 1 << 16
	bufs := make(chan []byte)
	go func() {
		defer close(bufs)
		for i := range 200 {
			src := bytes.Repeat([]byte{byte(i)}, n)
			dst := make([]byte, n)
			Stream(dst, []int{n / 4}, src, []int{n / 4}, []int{4}, n/4)
			bufs <- dst
		}
	}()
	i := 0
	for dst := range bufs {
		if bytes.Count(dst, []byte{byte(i)}) != n {
			t.Fatalf("buffer %d is not there as a whole", i)
		}
		i++
	}
}

var sink int // keeps the compiler from removing the sums

// BenchmarkStream copies 512 KiB chunks to rows of 2 KiB in buffers of several sizes, and compares
// with Copy; then again with reading the whole buffer afterwards.
func BenchmarkStream(b *testing.B) {
	const run, rows = 2 << 10, 256
	src := make([]byte, 256<<20)
	for i := range src {
		src[i] = byte(i)
	}
	for _, size := range []int{1 << 20, 4 << 20, 16 << 20, 64 << 20} {
		dst, width := make([]byte, size), min(64<<10, size/rows)
		var at int
		all := func(f func([]byte, []int, []byte, []int, []int, int)) {
			for first := 0; first < size; first += width * rows {
				for left := 0; left < width; left += run {
					f(dst[first+left:], []int{width}, src[at:], []int{run}, []int{rows}, run)
					at = (at + run*rows) % len(src)
				}
			}
		}
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) {
			rate(b, "copy", size, func() { all(Copy) })
			rate(b, "stream", size, func() { all(Stream) })
			rate(b, "copy, used", size, func() { all(Copy); sink += bytes.Count(dst, []byte{1}) })
			rate(b, "stream, used", size, func() { all(Stream); sink += bytes.Count(dst, []byte{1}) })
		})
	}
}
