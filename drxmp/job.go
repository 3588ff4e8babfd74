package drxmp

import (
	"slices"

	"drx/nd"
)

// A job is a section and its elements in memory: the element at position p of the section lies at byte
// sum(p[d]*strides[d]) of buf.
type job struct {
	sec     nd.Section
	buf     []byte
	strides []int
}

// denseJob returns the job of a section whose elements, of elem bytes each, lie in buf row-major.
func denseJob(sec nd.Section, buf []byte, elem int) job {
	strides := nd.RowMajor.Strides(sec.Shape())
	for d := range strides {
		strides[d] *= elem
	}
	return job{sec, buf, strides}
}

// elements returns how many elements jobs have together.
func elements(jobs []job) int {
	sum := 0
	for _, j := range jobs {
		n, _ := j.sec.Len() // a part of a section that was counted
		sum += n
	}
	return sum
}

// eachLine calls f with the offset and the length in bytes of each line of a box, in row-major order. A line is
// as many elements as lie next to each other.
func eachLine(shape, strides []int, elem int, f func(at, length int)) {
	if slices.Contains(shape, 0) {
		return
	}
	rank, length := len(shape), elem
	for rank > 0 && (shape[rank-1] == 1 || strides[rank-1] == length) {
		rank--
		length *= shape[rank]
	}
	lo, index := make([]int, rank), make([]int, rank)
	for more := true; more; more = nd.Next(index, lo, shape[:rank]) {
		at := 0
		for d, i := range index {
			at += i * strides[d]
		}
		f(at, length)
	}
}
