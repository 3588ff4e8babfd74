//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// eachText calls f with every string of a section, and with the number of strings before it.
func (r *reader) eachText(sec nd.Section, f func(at int, text string) error) error {
	if cformat.Count(sec) == 0 {
		return nil
	}
	if r.member.elem.width == 0 {
		return r.eachVariable(sec, f)
	}
	width := r.member.elem.width
	tmp := make([]byte, width*min(cformat.Count(sec), max(1, cformat.PieceBytes/width)))
	return cformat.Pieces(sec, len(tmp)/width, func(box nd.Section, at int) error {
		if err := r.readElements(box, tmp); err != nil {
			return err
		}
		for i := range cformat.Count(box) {
			if err := f(at+i, r.member.elem.fixedText(tmp[i*width:(i+1)*width])); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachVariable is eachText for strings of variable length, which the library allocates.
func (r *reader) eachVariable(sec nd.Section, f func(at int, text string) error) error {
	const most = 4096
	transfer := handle(C.H5Pcreate(C.H5P_DATASET_XFER))
	defer transfer.close()
	texts := (*[most]*C.char)(C.calloc(most, C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	defer C.free(unsafe.Pointer(texts))
	return cformat.Pieces(sec, most, func(box nd.Section, at int) error {
		C.drxh5_limit_strings(transfer.id(), C.size_t(r.memory))
		err := r.read(box, transfer.id(), unsafe.Pointer(texts))
		for i := range cformat.Count(box) {
			p := texts[i]
			texts[i] = nil
			if err == nil && p != nil {
				err = f(at+i, formats.Text(C.GoString(p)))
			} else if err == nil {
				err = f(at+i, "")
			}
			C.free(unsafe.Pointer(p))
		}
		return err
	})
}
