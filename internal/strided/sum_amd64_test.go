package strided

import (
	"testing"

	"drx/internal/crc32c"
)

// A whole source that is copied to whole lines is summed on the way, other boxes are not.
func TestStreamSumSums(t *testing.T) {
	const run, rows, planes = 512, 4, 3
	buffer := make([]byte, 1<<16)
	dst, src := buffer[-uintptr(base(buffer))%line:], make([]byte, planes*rows*run)
	if !crc32c.Copies(base(dst), run, line) {
		t.Skip("this machine does not fold")
	}
	for _, c := range []struct {
		name     string
		dst      []byte
		to, from []int
		shape    []int
		ok       bool
	}{
		{"planes of rows", dst, []int{8 * run, run + line, 1}, []int{rows * run, run, 1}, []int{planes, rows, run}, true},
		{"one run", dst, []int{1}, []int{1}, []int{planes * rows * run}, true},
		{"another order", dst, []int{8 * run, run + line, 1}, []int{run, planes * run, 1}, []int{planes, rows, run}, false},
		{"not all", dst, []int{8 * run, run + line, 1}, []int{rows * run, run, 1}, []int{planes - 1, rows, run}, false},
		{"no whole lines", dst[1:], []int{8 * run, run + line, 1}, []int{rows * run, run, 1}, []int{planes, rows, run}, false},
		{"rows that are not", dst, []int{8 * run, run + 1, 1}, []int{rows * run, run, 1}, []int{planes, rows, run}, false},
	} {
		if _, ok := StreamSum(c.dst, c.to, src, c.from, c.shape, 1); ok != c.ok {
			t.Errorf("%s: summed %v", c.name, ok)
		}
	}
}
