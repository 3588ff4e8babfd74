package strided

import "unsafe"

// page is the distance of runs from which on the processor does not prefetch the next one, because
// its prefetcher stays within a page.
const page = 4096

// Only runs of these lengths are prefetched: two shorter runs ahead come too late, and most of a
// longer one is prefetched by the processor.
const (
	leastFetched = 512
	mostFetched  = 4 * page
)

// Fetch is Copy for a source that is larger than the caches: while it copies one run, it prefetches
// the next ones if they are pages apart. On machines without prefetch instructions, and for short
// or very long runs, it is Copy.
func Fetch(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var buffer [inline]dim
	dims, run, ok := normalize(buffer[:0], dst, dstStride, src, srcStride, shape, elem)
	switch {
	case !ok:
	case fetches && run >= leastFetched && run <= mostFetched && pagesApart(dims):
		fetchBox(base(dst), base(src), dims, run)
	default:
		copyBox(base(dst), base(src), dims, run)
	}
}

// pagesApart reports whether a box in normal form has several runs and they are pages apart in the
// source.
func pagesApart(dims []dim) bool {
	last := len(dims) - 1
	return last >= 0 && dims[last].src >= page && dims[last].n > prefetchRuns
}

// fetchBox copies a box in normal form, whose first runs are at dst and src, in the order of dst,
// with prefetching.
func fetchBox(dst, src unsafe.Pointer, dims []dim, run int) {
	d := dims[0]
	for i := range d.n {
		dst, src := unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src)
		if len(dims) > 1 {
			fetchBox(dst, src, dims[1:], run)
			continue
		}
		body := run &^ (line - 1)
		copyLines(dst, src, body, prefetchRuns*d.src)
		if tail := run - body; tail > 0 {
			copyLong(unsafe.Add(dst, body), unsafe.Add(src, body), tail)
		}
	}
}
