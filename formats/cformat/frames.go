package cformat

import (
	"drx/dtype"
	"drx/formats"
)

// FrameElements are Elements that may be stored as frames.
type FrameElements interface {
	Elements
	// Frame implements ReadFrame of formats.FrameReader.
	Frame(chunkIndex []int) []byte
}

// A FrameSink is a Sink that accepts frames.
type FrameSink interface {
	Sink
	// AcceptsFrames and LeftOut have the meaning of those of formats.FrameWriter.
	AcceptsFrames(c formats.CodecSpec) bool
	LeftOut() []byte
	// Frame writes a chunk as a frame.
	Frame(chunkIndex []int, frame []byte) error
}

// ReadFrame implements formats.FrameReader. It returns nil for bools, whose bytes must be checked
// after decoding, and for strings.
func (r *reader) ReadFrame(chunkIndex []int) ([]byte, error) {
	e, ok := r.elements.(FrameElements)
	if !ok || r.info.DType == dtype.Bool || r.info.Labels != nil {
		return nil, nil
	}
	if _, err := r.info.ChunkSection(chunkIndex); err != nil {
		return nil, inVariable(r.info.Name, err)
	}
	defer r.enter()()
	return e.Frame(chunkIndex), nil
}

// AcceptsFrames implements formats.FrameWriter.
func (w *writer) AcceptsFrames(c formats.CodecSpec) bool {
	s, ok := w.To.(FrameSink)
	if !ok || w.Info.Labels != nil {
		return false
	}
	defer w.enter()()
	return s.AcceptsFrames(c)
}

// LeftOut implements formats.FrameWriter.
func (w *writer) LeftOut() []byte {
	s, ok := w.To.(FrameSink)
	if !ok {
		return nil
	}
	return s.LeftOut()
}

// WriteFrame implements formats.FrameWriter.
func (w *writer) WriteFrame(chunkIndex []int, frame []byte) error {
	s, ok := w.To.(FrameSink)
	if !ok {
		return inVariable(w.Path, ErrClosed)
	}
	sec, err := w.Info.ChunkSection(chunkIndex)
	if err != nil {
		return inVariable(w.Path, err)
	}
	if frame != nil {
		defer w.enter()()
		if err := s.Frame(chunkIndex, frame); err != nil {
			return inSection(w.Path, sec, err)
		}
	}
	w.Written += Count(sec)
	return nil
}
