//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"slices"
	"unsafe"

	"drx/formats/cformat"
	"drx/nd"
)

// eachText calls f with every string of a section, and with the number of strings before it.
func (r *reader) eachText(sec nd.Section, f func(at int, text string) error) error {
	switch {
	case cformat.Count(sec) == 0:
		return nil
	case r.member.elem.text == stringText:
		return r.eachString(sec, f)
	}
	width := max(1, r.width()) // a dimension has at least one element, unless it is unlimited
	tmp := make([]byte, width*min(cformat.Count(sec), max(1, cformat.PieceBytes/width)))
	return cformat.Pieces(sec, len(tmp)/width, func(box nd.Section, at int) error {
		chars := slices.Clone(box)
		for _, n := range r.member.inner {
			chars = append(chars, nd.Span(0, n))
		}
		if err := r.read(chars, pointer(tmp)); err != nil {
			return err
		}
		for i := range cformat.Count(box) {
			if err := f(at+i, charText(tmp[i*width:(i+1)*width])); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachString is eachText for strings that the library allocates.
func (r *reader) eachString(sec nd.Section, f func(at int, text string) error) error {
	const most = 4096
	texts := (*[most]*C.char)(C.calloc(most, C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	defer C.free(unsafe.Pointer(texts))
	return cformat.Pieces(sec, most, func(box nd.Section, at int) error {
		err := r.read(box, unsafe.Pointer(texts))
		for i := range cformat.Count(box) {
			if err == nil {
				err = f(at+i, text(texts[i]))
			}
			C.free(unsafe.Pointer(texts[i]))
			texts[i] = nil
		}
		return err
	})
}
