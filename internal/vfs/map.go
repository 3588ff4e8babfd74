package vfs

import (
	"errors"
	"io/fs"
)

// MapAlign divides the offsets of mappings in files and their addresses in memory. It is a
// multiple of every page size and the huge page of most machines: what touches one
// MapAlign bytes of a mapping makes no byte of others resident.
const MapAlign = 2 << 20

// A Mapping is a range of a file as bytes in memory. They may only be read, and are always
// what WriteAt wrote last. Touching a page that lies wholly behind the end of the file, or
// that the device cannot read, is a memory fault; all else behind the end is zeros. The
// mapping outlives the closing of the file. Its methods may be called by many goroutines
// at once.
type Mapping interface {
	// Bytes returns the whole mapping, and nil after Unmap.
	Bytes() []byte
	// Forget lets the whole pages in n bytes from off leave the process. They stay in the
	// system's cache, and come back when they are touched.
	Forget(off, n int) error
	// Ahead lets the system read n bytes from off into its cache, without waiting.
	Ahead(off, n int) error
	// Unmap ends the mapping: touching its bytes afterwards is a memory fault, and all
	// methods but Bytes return fs.ErrClosed.
	Unmap() error
}

// mapError names the file that cannot be mapped, or whose mapping is not as asked.
func mapError(name string, err error) error { return &fs.PathError{Op: "map", Path: name, Err: err} }

// Map is not supported.
func (f *memFile) Map(int64, int) (Mapping, error) {
	return nil, mapError(f.name, errors.ErrUnsupported)
}

// Map is not supported.
func (f *crashFile) Map(int64, int) (Mapping, error) {
	return nil, mapError(f.name, errors.ErrUnsupported)
}

// Map asks before it maps; the mapping itself does not ask.
func (f faultyFile) Map(off int64, n int) (Mapping, error) {
	if err := f.fail(OpMap, f.Name()); err != nil {
		return nil, err
	}
	return f.File.Map(off, n)
}
