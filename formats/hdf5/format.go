//go:build hdf5 && cgo

package hdf5

import (
	"bytes"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

func init() {
	library := cformat.Library{Enter: enter, Read: read}
	formats.Register(formats.Format{
		Name:       "hdf5",
		Extensions: []string{".h5", ".hdf5", ".hdf", ".he5", ".emd", ".nxs", ".nx5", ".hspy"},
		Recognise:  recognise,
		Open:       library.Open,
		List:       library.List,
		CreatePath: create,
		AppendPath: appendTo,
		Usual:      formats.CodecSpec{Name: "gzip", Level: 4}, // as h5py
		Codecs:     cformat.Codecs,
		Frames:     true,
	})
}

// recognise reports whether a file begins as an HDF5 file or as a MAT file of version 7.3, which is
// an HDF5 file behind a text block. Files with other blocks in front are recognised by their
// extension.
func recognise(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x89HDF\r\n\x1a\n")) || bytes.HasPrefix(head, []byte("MATLAB 7.3 MAT"))
}

// hasSignature reports whether a file has the HDF5 signature at offset 0, or behind a user block of
// 512 bytes or a larger power of two.
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

// A source is an open file and its catalog.
type source struct {
	*catalog
	file *file
}

// Open implements cformat.File.
func (s source) Open(in *formats.Input) (cformat.Elements, error) {
	v, err := s.find(s.file, in.Variable)
	if err != nil {
		return nil, err
	}
	if in.Rounded && v.info.Rounded {
		v = v.readRounded()
	}
	return newReader(s.file, v, in.Memory)
}

// Close implements cformat.File.
func (s source) Close() error {
	s.file.close()
	return nil
}

// last caches the catalog of the last file read.
var last cformat.Last[*catalog]

// read opens a file and describes it.
func read(in *formats.Input) (cformat.File, error) {
	if err := cformat.NeedFile(in, "an HDF5 file"); err != nil {
		return nil, err
	}
	f, err := openFile(in.Path)
	if err != nil {
		if in.File != nil && !hasSignature(in) {
			err = errkind.Errorf(formats.ErrFormat, "starts with %q, which is no HDF5 file", in.Head)
		}
		return nil, err
	}
	state := cformat.StateOf(in)
	if c, known := last.Get(state); known {
		return source{c, f}, nil
	}
	c, err := readCatalog(f, in.Path, in.Memory)
	if err != nil {
		f.close()
		return nil, err
	}
	last.Keep(state, c)
	return source{c, f}, nil
}
