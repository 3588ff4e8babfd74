//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5chunk"
	"drx/formats/h5filter"
	"drx/internal/errkind"
	"drx/nd"
)

// A target is a file that is being written.
type target struct {
	id    handle
	cache int64 // bytes of the chunk cache of a dataset that is opened to append to it
}

// A writer writes a variable.
type writer struct {
	info    formats.Info
	dataset handle
	mem     handle
	texts   *cformat.Strings  // nil unless the variable has labels
	codec   formats.CodecSpec // of a new dataset, whose chunks may be written as frames
	chunk   h5filter.Chunk
	chunks  *h5chunk.Dataset // nil if the library encodes the elements
	frames  *h5chunk.Frames  // of AcceptsFrames
}

// newWriter returns a writer for a dataset with its final extents, which belongs to the writer
// unless there is an error. memory limits what encodes chunks, in bytes.
func newWriter(info formats.Info, dataset handle, memory int64) (*writer, error) {
	texts, err := cformat.NewStrings(info.Labels, "HDF5")
	if err != nil {
		return nil, err
	}
	w := &writer{info: info, dataset: dataset, texts: texts}
	if err := w.setMemory(); err != nil {
		return nil, err
	}
	if texts == nil {
		w.chunks = h5chunk.Writable(int64(dataset), int64(w.mem), info.DType, memory)
	}
	return w, nil
}

// setMemory sets the type of elements in buffers: that of the file for an enumeration, to which the
// library converts no integers.
func (w *writer) setMemory() error {
	t := handle(C.H5Dget_type(w.dataset.id()))
	if !t.ok() {
		return failure("its type")
	}
	w.chunk = chunkOf(w.dataset, t, len(w.info.Shape), 0)
	if C.H5Tget_class(t.id()) != C.H5T_ENUM || w.info.DType == dtype.Bool {
		t.close()
		if w.mem = fileType(&w.info); !w.mem.ok() {
			return failure("its type")
		}
		return nil
	}
	of, elements := handle(C.H5Tget_super(t.id())), standard(w.info.DType)
	defer of.close()
	defer elements.close()
	if C.H5Tequal(of.id(), elements.id()) <= 0 { // the library would set undeclared elements to -1
		t.close()
		return errkind.Errorf(formats.ErrSize, "is an enumeration of other integers than little-endian %v in the file", w.info.DType)
	}
	w.mem = t
	return nil
}

// Write implements cformat.Sink.
func (w *writer) Write(sec nd.Section, buf []byte) error {
	if w.texts != nil {
		return w.texts.Write(&w.info, sec, buf, w.write)
	}
	if !w.chunks.Whole(sec) {
		return w.write(sec, unsafe.Pointer(&buf[0]))
	}
	ok, err := w.chunks.Write(sec, buf)
	if !ok && err == nil {
		err = failure("write")
	}
	return err
}

// write writes a section from memory.
func (w *writer) write(sec nd.Section, from unsafe.Pointer) error {
	mem, inFile, err := selection(w.dataset, sec)
	if err != nil {
		return err
	}
	defer mem.close()
	defer inFile.close()
	h5filter.Expect(w.chunk)
	return check("write", C.H5Dwrite(w.dataset.id(), w.mem.id(), mem.id(), inFile.id(), C.H5P_DEFAULT, from))
}

// Finish implements cformat.Sink.
func (w *writer) Finish(bool) error {
	w.mem.close()
	return check("close", C.H5Dclose(w.dataset.id()))
}

// Close closes the file.
func (t *target) Close() error { return check("close", C.H5Fclose(t.id.id())) }
