//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5chunk"
	"drx/formats/h5filter"
	"drx/nd"
)

// A target is a file that is being written.
type target struct{ id C.int }

// Close closes the file.
func (t *target) Close() error { return check("close", C.nc_close(t.id)) }

// A writer writes a variable.
type writer struct {
	info      formats.Info
	group, id C.int
	texts     *cformat.Strings  // nil unless the variable has strings
	width     int               // bytes of a string as characters, 0 for other variables
	codec     formats.CodecSpec // of a new variable, whose chunks may be written as frames
	file      string            // absolute path of the file
	path      string            // path of the variable in the file
	frames    *h5chunk.Frames   // set by AcceptsFrames
	memory    int64             // limit of what encodes chunks, in bytes
	chunks    *h5chunk.Dataset  // nil if the library encodes the elements, or before the first section
	asked     bool
}

// Write implements cformat.Sink.
func (w *writer) Write(sec nd.Section, buf []byte) error {
	switch {
	case w.texts != nil:
		return w.texts.Write(&w.info, sec, buf, w.write)
	case w.width > 0:
		return w.writeChars(sec, buf)
	}
	w.openChunks()
	if !w.chunks.Whole(sec) {
		return w.write(sec, pointer(w.info.DType.Little(buf)))
	}
	ok, err := w.chunks.Write(sec, buf)
	if !ok && err == nil {
		err = check("write", ehdferr)
	}
	return err
}

// openChunks opens the dataset of a new variable, once, to write its chunks without the library
// where possible.
func (w *writer) openChunks() {
	if w.asked || w.path == "" || len(w.info.Shape) == 0 || w.info.DType.IsComplex() {
		return
	}
	w.asked = true
	var storage C.int
	if C.nc_inq_var_chunking(w.group, w.id, &storage, nil) != C.NC_NOERR || storage != C.NC_CHUNKED || w.growAtOnce() != nil {
		return
	}
	for _, stored := range storedNames(w.path) {
		if w.chunks = h5chunk.Open(w.file, "/"+stored, w.info.DType, w.info.Shape, w.memory, true); w.chunks != nil {
			return
		}
	}
}

// Finish implements cformat.Sink.
func (w *writer) Finish(bool) error {
	w.frames.Close()
	w.chunks.Close()
	w.frames, w.chunks = nil, nil
	return nil
}

// write writes a section from memory.
func (w *writer) write(sec nd.Section, from unsafe.Pointer) error {
	start, counts := corner(sec)
	h5filter.Expect(chunkOf(w.group, w.id, len(w.info.Shape)+1, 0))
	return check("write", C.nc_put_vara(w.group, w.id, &start[0], &counts[0], from))
}

// writeChars writes the strings of a section as characters, padded with zeros.
func (w *writer) writeChars(sec nd.Section, buf []byte) error {
	most := max(1, cformat.PieceBytes/w.width)
	return cformat.Pieces(sec, most, func(box nd.Section, at int) error {
		tmp := make([]byte, cformat.Count(box)*w.width)
		for i := range cformat.Count(box) {
			label, err := w.info.Label(buf, at+i)
			if err != nil {
				return err
			}
			copy(tmp[i*w.width:], w.info.Labels[label])
		}
		return w.write(append(box, nd.Span(0, w.width)), pointer(tmp))
	})
}
