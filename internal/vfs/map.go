package vfs

import (
	"errors"
	"io/fs"
)

// MapAlign is the alignment of mappings, of both their offsets in files and their addresses in
// memory. It is a multiple of every page size and the size of huge pages on most machines: an
// access within one aligned range of that size makes no byte outside of it resident.
const MapAlign = 2 << 20

// A Mapping is a range of a file as bytes in memory. They must not be written, and always reflect
// the last WriteAt. Accessing a page that lies completely after the end of the file, or that the
// device cannot read, is a memory fault; other bytes after the end are zeros. A mapping stays valid
// when the file is closed. Its methods may be called by many goroutines concurrently.
type Mapping interface {
	// Bytes returns the whole mapping, and nil after Unmap.
	Bytes() []byte
	// Forget unmaps the whole pages in n bytes from off from the process. They stay in the system's
	// cache, and the next access maps them again.
	Forget(off, n int) error
	// Ahead asks the system to read n bytes from off into its cache and does not wait.
	Ahead(off, n int) error
	// Unmap ends the mapping. Accessing its bytes afterwards is a memory fault, and all methods
	// but Bytes return fs.ErrClosed.
	Unmap() error
}

// mapError returns the error of a file that cannot be mapped, or of a wrong use of its mapping.
func mapError(name string, err error) error { return &fs.PathError{Op: "map", Path: name, Err: err} }

// Map is not supported.
func (f *memFile) Map(int64, int) (Mapping, error) {
	return nil, mapError(f.name, errors.ErrUnsupported)
}
