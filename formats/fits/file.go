//go:build fits && cgo

package fits

// #include <stdlib.h>
// #include <fitsio.h>
//
// typedef struct { void *data; size_t size; } inflated; // the library keeps pointers to both
import "C"

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unsafe"

	"drx/formats"
	"drx/internal/errkind"
)

// recognise reports whether a file begins like a FITS file.
func recognise(head []byte) bool { return bytes.HasPrefix(head, []byte("SIMPLE  =")) }

// A file is an open file of the library.
type file struct {
	fits   *C.fitsfile
	size   int64         // size in bytes
	memory *inflatedFile // the content of a file compressed with gzip; nil for others
}

// openFile opens a file. It checks the first bytes itself, because the library would decompress any
// format that it knows, without a limit.
func openFile(in *formats.Input) (*file, error) {
	if bytes.HasPrefix(in.Head, []byte("\x1f\x8b")) {
		return openCompressed(in)
	}
	if !recognise(in.Head) {
		return nil, errkind.Errorf(formats.ErrFormat, "starts with %q, a FITS file with %q", in.Head, "SIMPLE  =")
	}
	path, err := filepath.Abs(in.Path) // the library replaces a ~ before the name
	if err != nil {
		return nil, err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	f, status := &file{size: in.Size}, C.int(0)
	C.ffdkopn(&f.fits, name, C.READONLY, &status)
	return f, check("open", status)
}

// openCompressed opens a file compressed with gzip.
func openCompressed(in *formats.Input) (*file, error) {
	z, err := gzip.NewReader(io.NewSectionReader(in.File, 0, in.Size))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	m := &inflatedFile{limit: in.Memory / 2} // the other half is for decoding
	if _, err = io.Copy(m, z); err != nil {
		m.free()
		return nil, fmt.Errorf("gzip: %w", err)
	}
	m.handle = (*C.inflated)(C.calloc(1, C.sizeof_inflated))
	m.handle.data, m.handle.size = m.data, C.size_t(m.used)
	f, status := &file{size: m.used, memory: m}, C.int(0)
	name := C.CString("memory")
	defer C.free(unsafe.Pointer(name))
	C.ffomem(&f.fits, name, C.READONLY, &m.handle.data, &m.handle.size, 0, nil, &status)
	if err := check("open", status); err != nil {
		m.free()
		return nil, err
	}
	return f, nil
}

// An inflatedFile holds the bytes of a decompressed file in memory of C. It is an io.Writer.
type inflatedFile struct {
	handle   *C.inflated
	data     unsafe.Pointer
	capacity int64
	used     int64
	limit    int64
}

// Write implements io.Writer.
func (m *inflatedFile) Write(p []byte) (int, error) {
	need := m.used + int64(len(p))
	if need > m.limit {
		return 0, errkind.Errorf(formats.ErrMemory, "the file has more than %d bytes when it is decompressed, half of the limit; gunzip it, or raise the limit", m.limit)
	}
	if need > m.capacity {
		capacity := min(m.limit, max(need, 2*m.capacity, 1<<16))
		data := C.realloc(m.data, C.size_t(capacity))
		if data == nil {
			return 0, fmt.Errorf("%d bytes: %w", capacity, formats.ErrMemory)
		}
		m.data, m.capacity = data, capacity
	}
	copy(unsafe.Slice((*byte)(m.data), m.capacity)[m.used:], p)
	m.used = need
	return len(p), nil
}

// free frees the memory.
func (m *inflatedFile) free() {
	if m != nil {
		C.free(m.data)
		C.free(unsafe.Pointer(m.handle))
	}
}

// Close closes the file.
func (f *file) Close() error {
	status := C.int(0)
	if f.fits != nil {
		C.ffclos(f.fits, &status)
		f.fits = nil
	}
	f.memory.free()
	f.memory = nil
	return check("close", status)
}

// errEnd reports that there is no further header.
var errEnd = errors.New("no further header")

// move makes header number the current one, counted from 1. It returns errEnd after the last
// header.
func (f *file) move(number int) (kind C.int, err error) {
	status := C.int(0)
	C.ffmahd(f.fits, C.int(number), &kind, &status)
	if status == C.END_OF_FILE {
		C.ffcmsg()
		return 0, errEnd
	}
	return kind, check(fmt.Sprintf("header %d", number), status)
}
