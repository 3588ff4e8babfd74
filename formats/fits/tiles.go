//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"slices"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// A tile is an incomplete tile. It stays in memory until all its elements have been written,
// because CFITSIO loses existing 16-bit elements when it writes part of a compressed tile.
type tile struct {
	box     nd.Section
	data    []byte
	missing int // elements
}

// maxWaiting limits the memory of a variable's incomplete tiles, in bytes.
const maxWaiting = 256 << 20

// writeTiles writes a section of a compressed image.
func (w *writer) writeTiles(sec nd.Section, buf []byte) error {
	lo, hi := make([]int, len(sec)), make([]int, len(sec)) // tiles that the section touches
	for d, s := range sec {
		lo[d], hi[d] = s.Lo/w.tile[d], nd.CeilDiv(s.Hi, w.tile[d])
	}
	for index, more := slices.Clone(lo), true; more; more = nd.Next(index, lo, hi) {
		if err := w.addToTile(index, sec, buf); err != nil {
			return err
		}
	}
	return nil
}

// addToTile copies the section's part of the tile with the given index, and writes the tile once it
// is complete.
func (w *writer) addToTile(index []int, sec nd.Section, buf []byte) error {
	box, common := make(nd.Section, len(sec)), make(nd.Section, len(sec))
	first := 0
	for d, i := range index {
		box[d] = nd.Span(i*w.tile[d], min((i+1)*w.tile[d], w.info.Shape[d]))
		common[d] = nd.Span(max(box[d].Lo, sec[d].Lo), min(box[d].Hi, sec[d].Hi))
		first = first*w.info.Shape[d] + box[d].Lo
	}
	t, size := w.tiles[first], w.elem.dtype.Size()
	if t == nil {
		t = &tile{box, make([]byte, cformat.Count(box)*size), cformat.Count(box)}
		if w.tiles == nil {
			w.tiles = map[int]*tile{}
		}
		w.tiles[first] = t
		w.waiting += len(t.data)
	}
	copyBox(t.data, box, buf, sec, common, size)
	if t.missing -= cformat.Count(common); t.missing > 0 {
		if w.waiting > maxWaiting {
			return errkind.Errorf(formats.ErrMemory, "tiles %v that are not complete take %d bytes, the limit is %d; write sections of whole tiles, or without compression", w.tile, w.waiting, maxWaiting)
		}
		return nil
	}
	delete(w.tiles, first)
	w.waiting -= len(t.data)
	lo, hi := corners(box)
	data := w.stored(t.data)
	var status C.int
	C.ffpss(w.target.fits, w.elem.code, &lo[0], &hi[0], unsafe.Pointer(&data[0]), &status)
	return check("compress", status)
}

// copyBox copies a box of elements, size bytes each, between two buffers. Each buffer holds a
// larger box, dstBox or srcBox, that contains it.
func copyBox(dst []byte, dstBox nd.Section, src []byte, srcBox, box nd.Section, size int) {
	if len(box) == 0 {
		copy(dst[:size], src)
		return
	}
	dstStep, srcStep := size*cformat.Count(dstBox[1:]), size*cformat.Count(srcBox[1:])
	from, to := box[0].Lo-srcBox[0].Lo, box[0].Lo-dstBox[0].Lo
	if len(box) == 1 {
		copy(dst[to*size:], src[from*size:(from+box[0].Len())*size])
		return
	}
	for i := range box[0].Len() {
		copyBox(dst[(to+i)*dstStep:], dstBox[1:], src[(from+i)*srcStep:], srcBox[1:], box[1:], size)
	}
}
