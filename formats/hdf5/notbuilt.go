//go:build !hdf5 || !cgo

package hdf5

// Built reports whether libhdf5 is compiled in.
const Built = false

// Library returns ErrNotBuilt: this program was built without the tag hdf5, or without cgo.
func Library() (string, error) { return "", ErrNotBuilt }
