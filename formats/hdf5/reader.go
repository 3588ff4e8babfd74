//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5chunk"
	"drx/formats/h5filter"
	"drx/nd"
)

// A reader reads a variable.
type reader struct {
	info    formats.Info
	member  member
	file    *file
	dataset handle
	mem     handle           // the type in buffers, of whole elements of the dataset
	outer   int              // dimensions of the dataset; those of array types follow
	labels  *formats.Labeler // of strings
	memory  int64
	chunk   h5filter.Chunk
	chunks  *h5chunk.Dataset // nil if the library reads the elements
	frames  *h5chunk.Frames  // nil if chunks are not stored as frames, or before the first request
	asked   bool
}

// newReader opens a variable of a file. The file belongs to the reader unless there is an error.
func newReader(f *file, v *variable, memory int64) (*reader, error) {
	r := &reader{info: v.info, member: v.member, file: f, memory: memory, outer: len(v.info.Shape) - len(v.member.elem.inner)}
	err := v.err
	if err == nil {
		err = r.open(v.dataset)
	}
	if err != nil {
		r.mem.close()
		r.dataset.close()
		return nil, fmt.Errorf("%s: %w", v.info.Name, err)
	}
	return r, nil
}

// open opens the dataset at a path.
func (r *reader) open(path string) error {
	access, err := r.access()
	if err != nil {
		return err
	}
	defer access.close()
	name, free := cstring(path)
	defer free()
	if r.dataset = handle(C.H5Dopen2(r.file.id.id(), name, access.id())); !r.dataset.ok() {
		return failure("open")
	}
	t := handle(C.H5Dget_type(r.dataset.id()))
	defer t.close()
	r.chunk = chunkOf(r.dataset, t, r.outer, r.memory)
	if r.mem = inMemory(t, &r.member); !r.mem.ok() {
		return failure("its type")
	}
	if size := int64(C.H5Tget_size(r.mem.id())); size > r.memory {
		return fmt.Errorf("one element has %d bytes: %w: more than %d bytes", size, formats.ErrMemory, r.memory)
	}
	if r.member.elem.text {
		r.labels, err = cformat.FindLabels(r.info.Shape, r.memory, r.eachText)
		r.info.Labels = r.labels.Labels()
		return err
	}
	if r.info.Chunk != nil {
		r.chunks = h5chunk.Of(int64(r.dataset), int64(r.mem), r.info.DType, r.memory)
	}
	return nil
}

// access returns the access properties for opening the dataset. The chunk cache holds a whole row
// of chunks, that is all with the same index in dimension 0, if there is memory for it.
func (r *reader) access() (handle, error) {
	access := handle(C.H5Pcreate(C.H5P_DATASET_ACCESS))
	origin, free := cstring("${ORIGIN}") // search named files in the dataset's folder
	defer free()
	C.H5Pset_efile_prefix(access.id(), origin)
	C.H5Pset_virtual_prefix(access.id(), origin)
	C.drxh5_forbid_links(access.id())
	if r.info.Chunk == nil {
		return access, nil
	}
	size := int64(max(r.member.elem.width, r.info.DType.Size()))
	bytes := cformat.Multiply(size, r.info.Chunk...)
	row := cformat.RowOfChunks(r.info.Shape[:r.outer], r.info.Chunk[:r.outer])
	chunks, err := cformat.CachedChunks(r.info.Chunk, bytes, row, r.memory)
	if err != nil {
		access.close()
		return -1, err
	}
	return access, cacheChunks(access, chunks, bytes)
}

// cacheChunks sets the chunk cache in the properties access to a number of chunks of the given
// size. Chunks that were read or written whole are evicted first.
func cacheChunks(access handle, chunks, bytes int64) error {
	const slots = 1 << 20 // of a hash table, which should be large for few collisions
	return check("chunk cache", C.H5Pset_chunk_cache(access.id(), C.size_t(min(100*chunks+1, slots)), C.size_t(chunks*bytes), cformat.WholeFirst))
}

// Info implements cformat.Elements.
func (r *reader) Info() formats.Info { return r.info }

// Read implements cformat.Elements.
func (r *reader) Read(sec nd.Section, buf []byte) error {
	if outer := sec[:r.outer]; r.chunks.Whole(outer) && whole(sec[r.outer:], r.member.elem.inner) {
		return r.chunks.Read(outer, buf, r.readElements)
	}
	return cformat.NameChunk(r.readSection(sec, buf), r.info, sec, r.readSection)
}

func (r *reader) readSection(sec nd.Section, buf []byte) error {
	switch {
	case r.member.elem.text:
		return cformat.ReadLabels(r.labels, sec, buf, r.eachText)
	case whole(sec[r.outer:], r.member.elem.inner):
		return r.readElements(sec[:r.outer], buf)
	}
	return r.readInner(sec, buf)
}

// readElements reads whole elements of a section of the dataset to buf, by the library.
func (r *reader) readElements(sec nd.Section, buf []byte) error {
	return r.read(sec, C.H5P_DEFAULT, unsafe.Pointer(&buf[0]))
}

// whole reports whether a section is all of a shape.
func whole(sec nd.Section, shape []int) bool {
	for d, s := range sec {
		if s.Len() != shape[d] {
			return false
		}
	}
	return true
}

// read reads whole elements of a section of the dataset.
func (r *reader) read(sec nd.Section, transfer C.hid_t, to unsafe.Pointer) error {
	mem, inFile, err := selection(r.dataset, sec)
	if err != nil {
		return err
	}
	defer mem.close()
	defer inFile.close()
	h5filter.Expect(r.chunk)
	if r.info.Chunk != nil && len(sec) > 0 {
		return r.readParts(mem, inFile, sec, sec, transfer, to)
	}
	return check("read", C.H5Dread(r.dataset.id(), r.mem.id(), mem.id(), inFile.id(), transfer, to))
}

// selection returns the dataspaces of a section in memory and in the file. The caller closes both.
func selection(dataset handle, sec nd.Section) (mem, inFile handle, err error) {
	inFile = handle(C.H5Dget_space(dataset.id()))
	if !inFile.ok() {
		return -1, -1, failure("its shape")
	}
	if len(sec) == 0 {
		return handle(C.H5Screate(C.H5S_SCALAR)), inFile, nil
	}
	start, count := make([]C.hsize_t, len(sec)), cformat.Sizes[C.hsize_t](sec.Shape())
	for d, s := range sec {
		start[d] = C.hsize_t(s.Lo)
	}
	if C.H5Sselect_hyperslab(inFile.id(), C.H5S_SELECT_SET, &start[0], nil, &count[0], nil) < 0 {
		defer inFile.close()
		return -1, -1, failure("select")
	}
	return handle(C.H5Screate_simple(C.int(len(count)), &count[0], nil)), inFile, nil
}

// readInner reads a section that covers array types only in part. The library reads whole elements,
// from which readInner copies the parts.
func (r *reader) readInner(sec nd.Section, buf []byte) error {
	inner, size := r.member.elem.inner, r.info.DType.Size()
	one := int(cformat.Multiply(int64(size), inner...))
	inside := nd.Section(sec[r.outer:])
	part := int(cformat.Multiply(int64(size), inside.Shape()...))
	tmp := make([]byte, one*min(cformat.Count(sec[:r.outer]), max(1, cformat.PieceBytes/one)))
	return cformat.Pieces(sec[:r.outer], len(tmp)/one, func(box nd.Section, at int) error {
		if err := r.readElements(box, tmp); err != nil {
			return err
		}
		for i := range cformat.Count(box) {
			cformat.Cut(buf[(at+i)*part:], tmp[i*one:(i+1)*one], inner, inside, size)
		}
		return nil
	})
}

// Close implements cformat.Elements.
func (r *reader) Close() error {
	r.mem.close()
	r.dataset.close()
	r.file.close()
	return nil
}
