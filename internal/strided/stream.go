package strided

import "unsafe"

// line is the size of a cache line in bytes.
const line = 64

// minStreamRun is the length in bytes of the shortest run that is written with non-temporal stores.
// In shorter runs the partial lines at both ends cost more than the whole lines save.
const minStreamRun = 256

// prefetchRuns is the number of runs by which the page of a run is looked up in advance. The rows
// of a large array are on more pages than the TLB holds, and stores would wait for the lookup.
const prefetchRuns = 2

// Stream is Copy for a destination that is larger than the caches. It writes whole cache lines with
// non-temporal stores, which do not read the line first and evict nothing from the caches. On
// machines without such stores, and for short runs, it is Copy.
func Stream(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var buffer [inline]dim
	if dims, run, ok := normalize(buffer[:0], dst, dstStride, src, srcStride, shape, elem); ok {
		streamRuns(base(dst), base(src), dims, run)
	}
}

// streamRuns is Stream for a box in normal form.
func streamRuns(dst, src unsafe.Pointer, dims []dim, run int) {
	if !streams || run < minStreamRun {
		copyBox(dst, src, dims, run)
		return
	}
	streamBox(dst, src, dims, run, 0)
	fence()
}

// streamBox copies a box in normal form, whose first elements are at dst and src, in the
// order of dst; stride is the stride of dst in the dimension before these.
func streamBox(dst, src unsafe.Pointer, dims []dim, elem, stride int) {
	if len(dims) == 0 {
		streamRun(dst, src, elem, prefetchRuns*stride)
		return
	}
	d := dims[0]
	for i := range d.n {
		streamBox(unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src), dims[1:], elem, d.dst)
	}
}

// streamRun copies n bytes, at least long. The bytes before the first whole line of dst and after
// the last one are copied with ordinary stores. Meanwhile the processor looks up the page that is
// ahead bytes behind dst.
func streamRun(dst, src unsafe.Pointer, n, ahead int) {
	head := int(-uintptr(dst) % line)
	body := (n - head) / line * line
	copyLong(dst, src, head)
	streamLines(unsafe.Add(dst, head), unsafe.Add(src, head), body, ahead)
	if tail := n - head - body; tail > 0 { // otherwise the address may be beyond the buffer
		copyLong(unsafe.Add(dst, head+body), unsafe.Add(src, head+body), tail)
	}
}
