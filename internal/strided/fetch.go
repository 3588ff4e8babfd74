package strided

import "unsafe"

// page is how far apart runs are that the processor does not foresee: it looks ahead within a page.
const page = 4096

// Runs of so many bytes are fetched in advance: for shorter ones two runs are too few, longer ones it foresees
// most of.
const (
	leastFetched = 512
	mostFetched  = 4 * page
)

// Fetch is Copy for a source that is larger than the caches: of runs that are pages apart, those to come are
// fetched while one is copied. Where the machine cannot be told, or runs are short or very long, it is Copy.
func Fetch(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var room [inline]dim
	dims, run, ok := normal(room[:0], dst, dstStride, src, srcStride, shape, elem)
	switch {
	case !ok:
	case fetches && run >= leastFetched && run <= mostFetched && far(dims):
		fetchBox(base(dst), base(src), dims, run)
	default:
		copyBox(base(dst), base(src), dims, run)
	}
}

// far reports whether the runs of a box in normal form are pages apart in the source, and some to come.
func far(dims []dim) bool {
	last := len(dims) - 1
	return last >= 0 && dims[last].src >= page && dims[last].n > ahead
}

// fetchBox copies a box in normal form, whose first runs are at dst and src, in the order of dst.
func fetchBox(dst, src unsafe.Pointer, dims []dim, run int) {
	d := dims[0]
	for i := range d.n {
		dst, src := unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src)
		if len(dims) > 1 {
			fetchBox(dst, src, dims[1:], run)
			continue
		}
		body := run &^ (line - 1)
		copyLines(dst, src, body, ahead*d.src)
		if tail := run - body; tail > 0 {
			copyLong(unsafe.Add(dst, body), unsafe.Add(src, body), tail)
		}
	}
}
