package strided

import "unsafe"

// line is what caches hold and memory is written in, in bytes.
const line = 64

// long is the shortest run of bytes that Stream does not leave to Copy: the lines at the ends of a
// run, which are not written as a whole, would cost more than the others save.
const long = 256

// ahead is how many runs before it is written the page of a run is looked up: rows of a large array are
// pages apart, more of them than the processor remembers the places of, and stores wait for that.
const ahead = 2

// page is how far apart runs are that the processor does not foresee: it looks ahead within a page.
const page = 4096

// Runs of so many bytes are fetched in advance: for shorter ones two runs are too few, longer ones it foresees
// most of.
const (
	leastFetched = 512
	mostFetched  = 4 * page
)

// Stream is Copy for a destination that is larger than the caches: lines of it that are
// written as a whole go to memory without being read first, and drive nothing out of
// the caches. Where the machine has no such stores, or runs of bytes are short, it is Copy.
func Stream(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var room [inline]dim
	dims, ok := boxOf(room[:0], dstStride, srcStride, shape)
	if !ok {
		return
	}
	check(dims, len(dst), len(src), elem)
	dims, elem = fold(merge(dims), elem)
	if !streams || elem < long {
		copyBox(base(dst), base(src), dims, elem)
		return
	}
	streamBox(base(dst), base(src), dims, elem, 0)
	fence()
}

// streamBox copies a box in normal form, whose first elements are at dst and src, in the
// order of dst; stride is that of dst in the dimension before.
func streamBox(dst, src unsafe.Pointer, dims []dim, elem, stride int) {
	if len(dims) == 0 {
		streamRun(dst, src, elem, ahead*stride)
		return
	}
	d := dims[0]
	for i := range d.n {
		streamBox(unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src), dims[1:], elem, d.dst)
	}
}

// streamRun copies n bytes, at least long: what is before the first whole line of dst and
// behind the last one as always. The processor looks up the page so many bytes behind dst meanwhile.
func streamRun(dst, src unsafe.Pointer, n, ahead int) {
	head := int(-uintptr(dst) % line)
	body := (n - head) / line * line
	copyLong(dst, src, head)
	streamLines(unsafe.Add(dst, head), unsafe.Add(src, head), body, ahead)
	if tail := n - head - body; tail > 0 { // else the address may be that of something else
		copyLong(unsafe.Add(dst, head+body), unsafe.Add(src, head+body), tail)
	}
}

// Fetch is Copy for a source that is larger than the caches: of runs that are pages apart, those to come are
// fetched while one is copied. Where the machine cannot be told, or runs are short or very long, it is Copy.
func Fetch(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var room [inline]dim
	dims, ok := boxOf(room[:0], dstStride, srcStride, shape)
	if !ok {
		return
	}
	check(dims, len(dst), len(src), elem)
	dims, elem = fold(merge(dims), elem)
	if !fetches || elem < leastFetched || elem > mostFetched || !far(dims) {
		copyBox(base(dst), base(src), dims, elem)
		return
	}
	fetchBox(base(dst), base(src), dims, elem)
}

// far reports whether the runs of a box in normal form are pages apart in the source, and some to come.
func far(dims []dim) bool {
	last := len(dims) - 1
	return last >= 0 && dims[last].src >= page && dims[last].n > ahead
}

// fetchBox copies a box in normal form, whose first elements are at dst and src, in the order of dst.
func fetchBox(dst, src unsafe.Pointer, dims []dim, elem int) {
	d := dims[0]
	for i := range d.n {
		dst, src := unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src)
		if len(dims) > 1 {
			fetchBox(dst, src, dims[1:], elem)
			continue
		}
		body := elem &^ (line - 1)
		copyLines(dst, src, body, ahead*d.src)
		if tail := elem - body; tail > 0 {
			copyLong(unsafe.Add(dst, body), unsafe.Add(src, body), tail)
		}
	}
}
