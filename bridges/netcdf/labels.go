//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"drx/convert"
	"drx/nd"
)

// perLabel is what a label takes in memory beside its text, in bytes.
const perLabel = 80

// findLabels reads all strings and sets the labels: each string once, in the order of their first appearance.
func (r *reader) findLabels() error {
	r.labels, r.info.Labels = map[string]uint32{}, []string{}
	all, err := nd.Section(nil).Resolve(make([]int, len(r.info.Shape)), r.info.Shape)
	if err != nil {
		return err
	}
	var used int64
	return r.eachText(all, func(_ int, text string) error {
		if _, known := r.labels[text]; known {
			return nil
		}
		if used += int64(len(text)) + perLabel; used > r.memory || len(r.info.Labels) == math.MaxUint32 {
			return fmt.Errorf("%d different strings: %w: they need more than %d bytes", len(r.info.Labels), convert.ErrMemory, r.memory)
		}
		r.labels[text] = uint32(len(r.info.Labels))
		r.info.Labels = append(r.info.Labels, text)
		return nil
	})
}

// readTexts reads strings as indices into the labels.
func (r *reader) readTexts(sec nd.Section, buf []byte) error {
	return r.eachText(sec, func(at int, text string) error {
		index, known := r.labels[text]
		if !known {
			return fmt.Errorf("%q was not in the file when it was opened", text)
		}
		binary.LittleEndian.PutUint32(buf[4*at:], index)
		return nil
	})
}

// eachText calls f with every string of a section and the number of strings before it.
func (r *reader) eachText(sec nd.Section, f func(at int, text string) error) error {
	switch {
	case count(sec) == 0:
		return nil
	case r.member.elem.text == stringText:
		return r.eachString(sec, f)
	}
	width := max(1, r.width()) // a dimension has at least one element, unless it is unlimited
	tmp := make([]byte, width*min(count(sec), max(1, pieceBytes/width)))
	return pieces(sec, len(tmp)/width, func(box nd.Section, at int) error {
		chars := slices.Clone(box)
		for _, n := range r.member.inner {
			chars = append(chars, nd.Span(0, n))
		}
		if err := r.read(chars, pointer(tmp)); err != nil {
			return err
		}
		for i := range count(box) {
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
	return pieces(sec, most, func(box nd.Section, at int) error {
		err := r.read(box, unsafe.Pointer(texts))
		for i := range count(box) {
			if err == nil {
				err = f(at+i, text(texts[i]))
			}
			C.free(unsafe.Pointer(texts[i]))
			texts[i] = nil
		}
		return err
	})
}
