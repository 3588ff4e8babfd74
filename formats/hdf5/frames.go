//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"slices"

	"drx/formats"
	"drx/formats/h5chunk"
)

// Frame implements cformat.FrameElements.
func (r *reader) Frame(chunkIndex []int) []byte {
	if !r.asked {
		r.asked = true
		if r.outer == len(r.info.Shape) && len(r.member.path) == 0 && !r.member.elem.text {
			r.frames = h5chunk.FramesOf(int64(r.dataset), int64(r.mem))
		}
	}
	if r.frames == nil {
		return nil
	}
	return r.frames.Read(chunkIndex)
}

// AcceptsFrames implements cformat.FrameSink.
func (w *writer) AcceptsFrames(c formats.CodecSpec) bool {
	if c != w.codec {
		return false
	}
	w.frames = h5chunk.FramesOf(int64(w.dataset), int64(w.mem))
	return w.frames != nil && w.frames.Has(c) && slices.Equal(w.frames.Chunk(), w.info.Chunk)
}

// LeftOut implements cformat.FrameSink.
func (w *writer) LeftOut() []byte {
	if w.info.Fill == nil {
		return make([]byte, w.info.DType.Size())
	}
	return w.info.Fill
}

// Frame implements cformat.FrameSink.
func (w *writer) Frame(chunkIndex []int, frame []byte) error {
	ok, err := w.frames.Write(chunkIndex, frame)
	if !ok && err == nil {
		err = failure("write")
	}
	return err
}
