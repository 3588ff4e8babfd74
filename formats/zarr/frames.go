package zarr

import (
	"path"

	"drx/dtype"
	"drx/formats"
)

// ReadFrame implements formats.FrameReader. It returns no frames of bools, because their bytes must
// be checked.
func (r *reader) ReadFrame(chunkIndex []int) ([]byte, error) {
	a := r.a
	if a.text != noText || a.big && a.size > 1 || a.dtype == dtype.Bool || len(a.codecs) != 1 {
		return nil, nil
	}
	switch a.codecs[0].(type) {
	case blosc, zstandard, lz4Block:
		u := unit{index: chunkIndex}
		frame, err := r.encoded(u)
		return frame, r.named(u, err)
	}
	return nil, nil
}

// AcceptsFrames implements formats.FrameWriter.
func (w *writer) AcceptsFrames(c formats.CodecSpec) bool {
	if w.a.text != noText || w.a.big && w.a.size > 1 || len(w.a.codecs) != 1 {
		return false
	}
	want := compressorOf(c)
	switch own := w.a.codecs[0].(type) {
	case blosc:
		return want == Compressor{Name: "blosc", Blosc: own.cname, Level: own.clevel, Shuffle: own.shuffle}
	case zstandard:
		return want == Compressor{Name: "zstd", Level: own.level} && !own.checksum
	case lz4Block:
		return want == Compressor{Name: "lz4"}
	}
	return false
}

// LeftOut implements formats.FrameWriter. With the fill value null of version 2, readers may see
// anything.
func (w *writer) LeftOut() []byte {
	if w.a.fill == nil && w.store.Version == 3 {
		return make([]byte, w.a.size)
	}
	return w.a.fill
}

// WriteFrame implements formats.FrameWriter.
func (w *writer) WriteFrame(chunkIndex []int, frame []byte) error {
	n := 1
	for d, i := range chunkIndex {
		n *= min(w.a.chunk[d], w.info.Shape[d]-i*w.a.chunk[d])
	}
	w.written += n
	if frame == nil {
		return nil
	}
	return w.store.write(path.Join(w.a.path, w.a.key.key(chunkIndex)), frame)
}
