//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5chunk"
	"drx/formats/h5filter"
	"drx/nd"
)

// sizeT is size_t.
type sizeT = C.size_t

// A reader reads a variable.
type reader struct {
	info   formats.Info
	member member
	file   *file
	group  C.int
	id     C.int
	outer  int              // the variable's own dimensions in Info; those of an array member follow
	labels *formats.Labeler // of strings
	chunks *h5chunk.Dataset // nil if the library reads the elements
	memory int64
	name   string          // its path in the file
	frames *h5chunk.Frames // nil if chunks are not stored as frames, or before the first request
	asked  bool
}

// newReader opens a variable of a file. The file belongs to the reader unless there is an error.
func newReader(f *file, v *variable, memory int64) (*reader, error) {
	r := &reader{info: v.info, member: v.member, file: f, memory: memory, outer: len(v.info.Shape)}
	if v.member.elem.text == noText {
		r.outer -= len(v.member.inner)
	}
	err := v.err
	if err == nil {
		err = r.open(v.path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.info.Name, err)
	}
	return r, nil
}

// open finds the variable at a path of the file.
func (r *reader) open(name string) (err error) {
	r.name = name
	r.group = r.file.id
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		cname, free := cstring(part)
		err := check("open", C.nc_inq_grp_ncid(r.group, cname, &r.group))
		free()
		if err != nil {
			return err
		}
	}
	cname, free := cstring(path.Base(name))
	defer free()
	if err := check("open", C.nc_inq_varid(r.group, cname, &r.id)); err != nil {
		return err
	}
	if r.file.hdf5 {
		if err := errors.Join(r.within(name), r.cache()); err != nil {
			return err
		}
		r.openChunks(name)
	}
	if size := int64(max(r.member.whole, r.width())); size > r.memory {
		return fmt.Errorf("one element has %d bytes: %w: more than %d bytes", size, formats.ErrMemory, r.memory)
	}
	if r.member.elem.text != noText {
		r.labels, err = cformat.FindLabels(r.info.Shape, r.memory, r.eachText)
		r.info.Labels = r.labels.Labels()
		return err
	}
	return nil
}

// within returns an error if the elements of the variable are in another file.
func (r *reader) within(name string) error {
	file, freeFile := cstring(r.file.path)
	defer freeFile()
	status := C.int(-1)
	for _, stored := range storedNames(name) {
		dataset, free := cstring("/" + stored)
		status = max(status, C.drxnc_within(file, dataset))
		free()
	}
	switch {
	case status < 0:
		return errors.New("its dataset is not found in the HDF5 file")
	case status == 0:
		return cformat.Refuse(formats.ErrNotRead, "its elements are in other files, which are not read as NetCDF: read the file in format hdf5")
	}
	return nil
}

// storedNames returns the names that the HDF5 dataset of a variable may have.
func storedNames(name string) []string {
	return []string{name, path.Join(path.Dir(name), "_nc4_non_coord_"+path.Base(name))}
}

// openChunks opens the dataset of a numeric variable, to read its chunks without the library where
// possible.
func (r *reader) openChunks(name string) {
	if r.info.Chunk == nil || r.member.elem.text != noText || r.member.whole > 0 {
		return
	}
	for _, stored := range storedNames(name) {
		if r.chunks = h5chunk.Open(r.file.path, "/"+stored, r.info.DType, r.info.Shape, r.memory, false); r.chunks != nil {
			return
		}
	}
}

// cache sets the chunk cache of the variable: it holds a whole row of chunks, that is all that have
// the same index in dimension 0, if there is memory for it.
func (r *reader) cache() error {
	if r.info.Chunk == nil {
		return nil
	}
	size := int64(max(r.info.DType.Size(), r.member.whole, r.width()))
	chunk := r.info.Chunk[:r.outer]
	bytes := cformat.Multiply(size, chunk...)
	chunks, err := cformat.CachedChunks(r.info.Chunk, bytes, cformat.RowOfChunks(r.info.Shape[:r.outer], chunk), r.memory)
	if err != nil {
		return err
	}
	return cacheChunks(r.group, r.id, chunks, bytes)
}

// cacheChunks sets the chunk cache of a variable to a number of chunks of the given size. Chunks
// that were read or written whole are evicted first.
func cacheChunks(group, id C.int, chunks, bytes int64) error {
	const slots = 1 << 20 // of a hash table, which should be large for few collisions
	return check("chunk cache", C.nc_set_var_chunk_cache(group, id, C.size_t(chunks*bytes), C.size_t(min(100*chunks+1, slots)), cformat.WholeFirst))
}

// width returns the bytes of a string in an array of characters, 0 for other variables.
func (r *reader) width() int {
	switch {
	case r.member.elem.text != charArray:
		return 0
	case len(r.member.inner) == 1:
		return r.member.inner[0]
	}
	return 1
}

// Info implements cformat.Elements.
func (r *reader) Info() formats.Info { return r.info }

// Read implements cformat.Elements.
func (r *reader) Read(sec nd.Section, buf []byte) error {
	if r.chunks.Whole(sec) {
		return r.chunks.Read(sec, buf, r.readSection)
	}
	return cformat.NameChunk(r.readSection(sec, buf), r.info, sec, r.readSection)
}

func (r *reader) readSection(sec nd.Section, buf []byte) (err error) {
	switch {
	case r.member.elem.text != noText:
		return cformat.ReadLabels(r.labels, sec, buf, r.eachText)
	case r.member.whole > 0:
		err = r.readMember(sec, buf)
	default:
		err = r.read(sec, pointer(buf))
	}
	r.info.DType.ToLittle(buf)
	return err
}

// read reads whole elements of a section, given in the dimensions that the variable has in the
// file.
func (r *reader) read(sec nd.Section, to unsafe.Pointer) error {
	start, counts := corner(sec)
	h5filter.Expect(chunkOf(r.group, r.id, len(r.info.Shape)+1, r.memory))
	return check("read", C.nc_get_vara(r.group, r.id, &start[0], &counts[0], to))
}

// corner returns the first index and the extents of a section for the library, never nil.
func corner(sec nd.Section) (start, counts []sizeT) {
	start, counts = make([]sizeT, len(sec)+1), make([]sizeT, len(sec)+1)
	for d, s := range sec {
		start[d], counts[d] = sizeT(s.Lo), sizeT(s.Len())
	}
	return start, counts
}

// readMember reads a member of compounds. The library reads only whole compounds, from which the
// member is copied piece by piece.
func (r *reader) readMember(sec nd.Section, buf []byte) error {
	m, size := &r.member, r.info.DType.Size()
	one := int(cformat.Multiply(int64(size), m.inner...))
	inside := nd.Section(sec[r.outer:])
	part := int(cformat.Multiply(int64(size), inside.Shape()...))
	n := min(cformat.Count(sec[:r.outer]), max(1, cformat.PieceBytes/m.whole))
	tmp := C.calloc(C.size_t(n), C.size_t(m.whole)) // memory of C: it may hold pointers
	defer C.free(tmp)
	var t C.nc_type
	if err := check("its type", C.nc_inq_vartype(r.group, r.id, &t)); err != nil {
		return err
	}
	elements := unsafe.Slice((*byte)(tmp), n*m.whole)
	return cformat.Pieces(sec[:r.outer], n, func(box nd.Section, at int) error {
		if err := r.read(box, tmp); err != nil {
			return err
		}
		for i := range cformat.Count(box) {
			from := elements[i*m.whole+m.at:]
			cformat.Cut(buf[(at+i)*part:], from[:one], m.inner, inside, size)
		}
		return check("read", C.nc_reclaim_data(r.group, t, tmp, C.size_t(cformat.Count(box))))
	})
}

// Close implements cformat.Elements.
func (r *reader) Close() error {
	r.chunks.Close()
	r.frames.Close()
	if r.file == kept && r.file.hdf5 && r.info.Chunk != nil {
		_ = cacheChunks(r.group, r.id, 1, 1) // frees memory; a failure costs only memory
	}
	r.file.close()
	return nil
}
