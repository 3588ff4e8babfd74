package strided

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"
)

// rate runs f, which moves n bytes, as a benchmark.
func rate(b *testing.B, name string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(n))
		for b.Loop() {
			f()
		}
	})
}

// BenchmarkRows copies n x n elements of 8 bytes out of rows with a gap, like a section that is
// narrower than its chunk, and compares with memcpy and a loop of copy.
func BenchmarkRows(b *testing.B) {
	for _, n := range []int{8, 64, 256, 1024} {
		row, from := n*8, n*8+512
		dst, src := make([]byte, n*row), make([]byte, n*from)
		b.Run(fmt.Sprintf("%dx%d", n, n), func(b *testing.B) {
			rate(b, "memcpy", len(dst), func() { copy(dst, src) })
			rate(b, "loop", len(dst), func() {
				for r := range n {
					copy(dst[r*row:(r+1)*row], src[r*from:r*from+row])
				}
			})
			rate(b, "copy", len(dst), func() { Copy(dst, []int{row, 8}, src, []int{from, 8}, []int{n, n}, 8) })
		})
	}
}

// blocked transposes n x n elements as a programmer would, with slices of the right type, in blocks
// whose cache lines are read and written once.
func blocked[T any](dst, src []T, n int) {
	const edge = 8
	for r := 0; r < n; r += edge {
		for c := 0; c < n; c += edge {
			for y := r; y < r+edge; y++ {
				to := (*[edge]T)(dst[y*n+c:])
				s := src[c*n+y:]
				to[0], to[1], to[2], to[3] = s[0], s[n], s[2*n], s[3*n]
				to[4], to[5], to[6], to[7] = s[4*n], s[5*n], s[6*n], s[7*n]
			}
		}
	}
}

func typed[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(base(b)), len(b)/int(unsafe.Sizeof(t)))
}

func blockedBytes(dst, src []byte, n, elem int) {
	switch elem {
	case 1:
		blocked(dst, src, n)
	case 2:
		blocked(typed[uint16](dst), typed[uint16](src), n)
	case 4:
		blocked(typed[uint32](dst), typed[uint32](src), n)
	case 8:
		blocked(typed[uint64](dst), typed[uint64](src), n)
	case 16:
		blocked(typed[[2]uint64](dst), typed[[2]uint64](src), n)
	}
}

// BenchmarkTranspose transposes n x n elements, and compares with memcpy and the hand-written loop.
func BenchmarkTranspose(b *testing.B) {
	for _, n := range []int{8, 64, 256, 1000, 1024} {
		for _, elem := range []int{1, 2, 4, 8, 16} {
			dst, src := make([]byte, n*n*elem), make([]byte, n*n*elem)
			b.Run(fmt.Sprintf("%dx%d/elem=%d", n, n, elem), func(b *testing.B) {
				rate(b, "memcpy", len(dst), func() { copy(dst, src) })
				rate(b, "blocked", len(dst), func() { blockedBytes(dst, src, n, elem) })
				rate(b, "copy", len(dst), func() {
					Copy(dst, []int{n * elem, elem}, src, []int{elem, n * elem}, []int{n, n}, elem)
				})
			})
		}
	}
}

// BenchmarkRank3 copies 128 x 128 x 128 elements of 8 bytes in every order.
func BenchmarkRank3(b *testing.B) {
	const n = 128
	row := [3]int{n * n * 8, n * 8, 8}
	dst, src := make([]byte, n*n*n*8), make([]byte, n*n*n*8)
	for _, p := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		from := []int{row[p[0]], row[p[1]], row[p[2]]}
		rate(b, fmt.Sprintf("%d%d%d", p[0], p[1], p[2]), len(dst), func() {
			Copy(dst, row[:], src, from, []int{n, n, n}, 8)
		})
	}
}

// BenchmarkSetUp copies boxes of two elements along every dimension, to measure the cost of a call.
func BenchmarkSetUp(b *testing.B) {
	dst, src := make([]byte, 1<<12), make([]byte, 1<<12)
	for rank := range 7 {
		shape, to, from := make([]int, rank), make([]int, rank), make([]int, rank)
		for d := range shape {
			shape[d], to[d], from[d] = 2, 16<<(rank-d), 24<<(rank-d)
		}
		rate(b, fmt.Sprintf("rank=%d", rank), 8<<rank, func() { Copy(dst, to, src, from, shape, 8) })
	}
}

// BenchmarkRuns copies 64 x 64 runs of a few bytes each between planes of different orders, and
// compares with a loop of copy.
func BenchmarkRuns(b *testing.B) {
	const n = 64
	for _, run := range []int{3, 12, 24, 48, 64, 200, 512} {
		dst, src := make([]byte, n*n*run), make([]byte, n*n*(run+8))
		row, from := n*run, n*(run+8)
		rate(b, fmt.Sprintf("%d/loop", run), len(dst), func() {
			for r := range n {
				for c := range n {
					copy(dst[r*row+c*run:][:run], src[r*from+c*(run+8):][:run])
				}
			}
		})
		rate(b, fmt.Sprintf("%d/copy", run), len(dst), func() {
			Copy(dst, []int{row, run, 1}, src, []int{from, run + 8, 1}, []int{n, n, run}, 1)
		})
		rate(b, fmt.Sprintf("%d/swapped", run), len(dst), func() {
			Copy(dst, []int{row, run, 1}, src, []int{run + 8, from, 1}, []int{n, n, run}, 1)
		})
	}
}

// BenchmarkStreamChunks measures the copying in a read of 1 GiB, with two goroutines: consecutive
// chunks of 256 x 256 elements are copied into rows of 8192, or, to measure the speed of memory,
// one after the other.
func BenchmarkStreamChunks(b *testing.B) {
	const edge, across, down, elem = 256, 32, 64, 8
	const chunk, row = edge * edge * elem, across * edge * elem
	src, dst := make([]byte, across*down*chunk), make([]byte, across*down*chunk)
	for i := range src {
		src[i], dst[i] = byte(i), 1
	}
	each := func(f func(q int)) {
		var wg sync.WaitGroup
		for g := range 2 {
			wg.Go(func() {
				for q := g; q < across*down; q += 2 {
					f(q)
				}
			})
		}
		wg.Wait()
	}
	rate(b, "rows", len(src), func() {
		each(func(q int) {
			at := q/across*edge*row + q%across*edge*elem
			Stream(dst[at:], []int{row, elem}, src[q*chunk:][:chunk], []int{edge * elem, elem}, []int{edge, edge}, elem)
		})
	})
	rate(b, "one behind the other", len(src), func() {
		each(func(q int) {
			Stream(dst[q*chunk:][:chunk], []int{elem}, src[q*chunk:][:chunk], []int{elem}, []int{edge * edge}, elem)
		})
	})
}

// BenchmarkGatherChunks measures the copying in a write of 1 GiB, with two goroutines: chunks of
// 256 x 256 elements are collected from rows that are 64 KiB apart, or, to measure the speed of
// memory, from contiguous ones.
func BenchmarkGatherChunks(b *testing.B) {
	const edge, across, down, elem = 256, 32, 64, 8
	const chunk, row = edge * edge * elem, across * edge * elem
	src := make([]byte, across*down*chunk)
	for i := range src {
		src[i] = byte(i)
	}
	gather := func(f func(dst []byte, q int)) {
		var wg sync.WaitGroup
		for g := range 2 {
			wg.Go(func() {
				dst := make([]byte, chunk)
				for q := g; q < across*down; q += 2 {
					f(dst, q)
				}
			})
		}
		wg.Wait()
	}
	rate(b, "rows", len(src), func() {
		gather(func(dst []byte, q int) {
			at := q/across*edge*row + q%across*edge*elem
			Fetch(dst, []int{edge * elem, elem}, src[at:], []int{row, elem}, []int{edge, edge}, elem)
		})
	})
	rate(b, "one behind the other", len(src), func() { gather(func(dst []byte, q int) { copy(dst, src[q*chunk:]) }) })
}

// BenchmarkStep copies every third element of 256 rows of 256.
func BenchmarkStep(b *testing.B) {
	const n = 256
	for _, elem := range []int{1, 2, 4, 8, 16} {
		dst, src := make([]byte, n*n*elem), make([]byte, 3*n*n*elem)
		rate(b, fmt.Sprintf("elem=%d", elem), len(dst), func() {
			Copy(dst, []int{n * elem, elem}, src, []int{3 * n * elem, 3 * elem}, []int{n, n}, elem)
		})
	}
}

// BenchmarkFill fills 256 rows of 256 elements of 8 bytes, with a gap between them.
func BenchmarkFill(b *testing.B) {
	const n = 256
	dst := make([]byte, n*(n*8+512))
	for _, value := range []string{"\x00\x00\x00\x00\x00\x00\x00\x00", "elements"} {
		rate(b, fmt.Sprintf("%q", value[:1]), n*n*8, func() {
			Fill(dst, []int{n*8 + 512, 8}, []int{n, n}, []byte(value))
		})
	}
}
