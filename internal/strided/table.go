package strided

import (
	"fmt"
	"unsafe"
)

// Gather copies a box of shape elements of elem bytes each from src, with a table of positions: the
// element at index i is element number table[sum(i[d]*step[d])] of src. In dst it is at byte
// sum(i[d]*stride[d]). The bytes copied from and to must not overlap.
//
// It panics like Copy, before anything is copied, if a stride leads outside of dst or a step
// outside of the table. If an entry of the table leads outside of src it panics, too, but earlier
// elements were copied.
func Gather(dst []byte, stride []int, src []byte, table []int32, step, shape []int, elem int) {
	var buffer [inline]dim
	dims, ok := tableBox(buffer[:0], stride, step, shape, len(dst), len(table), elem)
	if !ok {
		return
	}
	d, s, n := base(dst), base(src), len(src)/elem
	switch {
	case elem == 1:
		gather[uint8](d, s, table, dims, n)
	case elem == 2 && wordwise:
		gather[uint16](d, s, table, dims, n)
	case elem == 4 && wordwise:
		gather[uint32](d, s, table, dims, n)
	case elem == 8 && wordwise:
		gather[uint64](d, s, table, dims, n)
	case elem == 16 && wordwise:
		gather[[2]uint64](d, s, table, dims, n)
	default:
		eachEntry(dims, 0, 0, func(at, entry int) {
			from := checked(table[entry], n) * elem
			copy(dst[at:at+elem], src[from:from+elem])
		})
	}
}

// Scatter is the inverse of Gather: the element at byte sum(i[d]*stride[d]) of src becomes element
// number table[sum(i[d]*step[d])] of dst. A stride of 0 repeats elements of src. It panics as
// Gather does.
func Scatter(dst []byte, table []int32, step []int, src []byte, stride, shape []int, elem int) {
	var buffer [inline]dim
	dims, ok := tableBox(buffer[:0], stride, step, shape, len(src), len(table), elem)
	if !ok {
		return
	}
	d, s, n := base(dst), base(src), len(dst)/elem
	switch {
	case elem == 1:
		scatter[uint8](d, s, table, dims, n)
	case elem == 2 && wordwise:
		scatter[uint16](d, s, table, dims, n)
	case elem == 4 && wordwise:
		scatter[uint32](d, s, table, dims, n)
	case elem == 8 && wordwise:
		scatter[uint64](d, s, table, dims, n)
	case elem == 16 && wordwise:
		scatter[[2]uint64](d, s, table, dims, n)
	default:
		eachEntry(dims, 0, 0, func(at, entry int) {
			to := checked(table[entry], n) * elem
			copy(dst[to:to+elem], src[at:at+elem])
		})
	}
}

// tableBox appends the dims of a box to buffer, at least one. ok is false if the box is empty. In a
// dim dst is the stride in the buffer, src the step in the table.
func tableBox(buffer []dim, stride, step, shape []int, buf, table, elem int) (dims []dim, ok bool) {
	if elem < 1 {
		panic(fmt.Sprintf("strided: elements of %d bytes", elem))
	}
	dims, ok = boxOf(buffer, stride, step, shape)
	if !ok {
		return nil, false
	}
	buf, table = buf-elem, table-1
	if buf < 0 || table < 0 {
		panic(fmt.Sprintf("strided: element of %d bytes beyond a buffer of %d or a table of %d", elem, buf+elem, table+1))
	}
	for _, d := range dims {
		buf -= span(d.n, d.dst, buf)
		table -= span(d.n, d.src, table)
	}
	if len(dims) == 0 {
		return append(dims, dim{n: 1}), true
	}
	return merge(dims), true
}

// gather is Gather for elements of one word; src has n elements.
func gather[W word](dst, src unsafe.Pointer, table []int32, dims []dim, n int) {
	row := dims[0]
	if len(dims) > 1 {
		for i := range row.n {
			gather[W](unsafe.Add(dst, i*row.dst), src, table[i*row.src:], dims[1:], n)
		}
		return
	}
	var w W
	to, entry := 0, 0
	for range row.n {
		move[W](dst, to, src, checked(table[entry], n)*int(unsafe.Sizeof(w)))
		to, entry = to+row.dst, entry+row.src
	}
}

// scatter is Scatter for elements of one word; dst has n elements.
func scatter[W word](dst, src unsafe.Pointer, table []int32, dims []dim, n int) {
	row := dims[0]
	if len(dims) > 1 {
		for i := range row.n {
			scatter[W](dst, unsafe.Add(src, i*row.dst), table[i*row.src:], dims[1:], n)
		}
		return
	}
	var w W
	from, entry := 0, 0
	for range row.n {
		move[W](dst, checked(table[entry], n)*int(unsafe.Sizeof(w)), src, from)
		from, entry = from+row.dst, entry+row.src
	}
}

// eachEntry calls f with the offset in the buffer and the position in the table of every element.
func eachEntry(dims []dim, at, entry int, f func(at, entry int)) {
	if len(dims) == 0 {
		f(at, entry)
		return
	}
	for i := range dims[0].n {
		eachEntry(dims[1:], at+i*dims[0].dst, entry+i*dims[0].src, f)
	}
}

// checked returns a table entry as an int. It panics if the entry is not below n.
func checked(entry int32, n int) int {
	if uint(entry) >= uint(n) {
		panic(fmt.Sprintf("strided: place %d is not within 0 and %d", entry, n))
	}
	return int(entry)
}
