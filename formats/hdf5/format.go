//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"fmt"

	"drx/formats"
	"drx/formats/cformat"
)

func init() {
	formats.Register(formats.Format{
		Name:       "hdf5",
		Extensions: []string{".h5", ".hdf5", ".hdf", ".he5", ".emd", ".nxs", ".nx5", ".hspy"},
		Recognise:  recognise,
		Open:       open,
		List:       listFile,
		CreatePath: create,
		AppendPath: appendTo,
	})
}

// recognise reports whether a file begins as an HDF5 file, or as a MAT file of version 7.3, which
// is an HDF5 file with a block of text before it. Files with other such blocks are found by their
// extension.
func recognise(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x89HDF\r\n\x1a\n")) || bytes.HasPrefix(head, []byte("MATLAB 7.3 MAT"))
}

// hasSignature reports whether a file has the signature of HDF5 at the beginning, or after a block
// of its user's of 512 bytes or a power of two more.
func hasSignature(in *formats.Input) bool {
	signature := []byte("\x89HDF\r\n\x1a\n")
	buf := make([]byte, len(signature))
	for at := int64(0); at < in.Size; at = max(512, 2*at) {
		if _, err := in.File.ReadAt(buf, at); err == nil && bytes.Equal(buf, signature) {
			return true
		}
	}
	return false
}

// open implements formats.Format.
func open(in *formats.Input) (formats.Reader, error) {
	defer enter()()
	f, c, err := read(in)
	if err != nil {
		return nil, err
	}
	v, err := c.find(f, in.Variable)
	if err == nil {
		if in.Rounded && v.info.Rounded {
			v = v.readRounded()
		}
		var r *reader
		if r, err = newReader(f, v, in.Memory); err == nil {
			return r, nil
		}
	}
	f.close()
	return nil, err
}

// listFile implements formats.Format.
func listFile(in *formats.Input) (formats.Content, error) {
	defer enter()()
	f, c, err := read(in)
	if err != nil {
		return formats.Content{}, err
	}
	f.close()
	return c.content(), nil
}

// last is the catalog of the file that was read last.
var last cformat.Last[*catalog]

// read opens a file and describes it.
func read(in *formats.Input) (*file, *catalog, error) {
	if err := cformat.NeedFile(in, "an HDF5 file"); err != nil {
		return nil, nil, err
	}
	f, err := openFile(in.Path)
	if err != nil {
		if in.File != nil && !hasSignature(in) {
			err = fmt.Errorf("starts with %q, which is no HDF5 file: %w", in.Head, formats.ErrFormat)
		}
		return nil, nil, err
	}
	state := cformat.StateOf(in)
	if c, known := last.Get(state); known {
		return f, c, nil
	}
	c, err := readCatalog(f, in.Path, in.Memory)
	if err != nil {
		f.close()
		return nil, nil, err
	}
	last.Keep(state, c)
	return f, c, nil
}
