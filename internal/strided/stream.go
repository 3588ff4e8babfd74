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

// Stream is Copy for a destination that is larger than the caches: lines of it that are
// written as a whole go to memory without being read first, and drive nothing out of
// the caches. Where the machine has no such stores, or runs of bytes are short, it is Copy.
func Stream(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var room [inline]dim
	if dims, run, ok := normal(room[:0], dst, dstStride, src, srcStride, shape, elem); ok {
		streamRuns(base(dst), base(src), dims, run)
	}
}

// streamRuns is Stream of a box in normal form.
func streamRuns(dst, src unsafe.Pointer, dims []dim, run int) {
	if !streams || run < long {
		copyBox(dst, src, dims, run)
		return
	}
	streamBox(dst, src, dims, run, 0)
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
