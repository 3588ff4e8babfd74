//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
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
	if count(sec) == 0 {
		return nil
	}
	if r.member.elem.width == 0 {
		return r.eachVariable(sec, f)
	}
	width := r.member.elem.width
	tmp := make([]byte, width*min(count(sec), max(1, pieceBytes/width)))
	return pieces(sec, len(tmp)/width, func(box nd.Section, at int) error {
		if err := r.read(box, C.H5P_DEFAULT, unsafe.Pointer(&tmp[0])); err != nil {
			return err
		}
		for i := range count(box) {
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
	return pieces(sec, most, func(box nd.Section, at int) error {
		C.drxh5_limit_strings(transfer.id(), C.size_t(r.memory))
		err := r.read(box, transfer.id(), unsafe.Pointer(texts))
		for i := range count(box) {
			p := texts[i]
			texts[i] = nil
			if err == nil && p != nil {
				err = f(at+i, utf8Text([]byte(C.GoString(p))))
			} else if err == nil {
				err = f(at+i, "")
			}
			C.free(unsafe.Pointer(p))
		}
		return err
	})
}
