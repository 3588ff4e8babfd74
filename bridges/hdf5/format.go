//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"drx/convert"
)

func init() {
	convert.Register(convert.Format{
		Name:       "hdf5",
		Extensions: []string{".h5", ".hdf5", ".hdf", ".he5", ".emd", ".nxs", ".nx5", ".hspy"},
		Recognise:  recognise,
		Open:       open,
		List:       listFile,
		CreatePath: create,
	})
}

// recognise reports whether a file begins as an HDF5 file, or as a MAT file of version 7.3, which is an HDF5 file with a
// block of text before it. Files with other such blocks are found by their extension.
func recognise(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x89HDF\r\n\x1a\n")) || bytes.HasPrefix(head, []byte("MATLAB 7.3 MAT"))
}

// open implements convert.Format.
func open(in *convert.Input) (convert.Reader, error) {
	defer enter()()
	f, c, err := read(in)
	if err != nil {
		return nil, err
	}
	v, err := c.find(f, in.Variable)
	if err == nil {
		var r *reader
		if r, err = newReader(f, v, in.Memory); err == nil {
			return r, nil
		}
	}
	f.close()
	return nil, err
}

// listFile implements convert.Format.
func listFile(in *convert.Input) (convert.Content, error) {
	defer enter()()
	f, c, err := read(in)
	if err != nil {
		return convert.Content{}, err
	}
	f.close()
	return c.content(), nil
}

// last is the catalog of the file that was read last.
var last struct {
	path string
	info fs.FileInfo
	*catalog
}

// read opens a file and describes it.
func read(in *convert.Input) (*file, *catalog, error) {
	if in.File == nil {
		return nil, nil, fmt.Errorf("an HDF5 file cannot be read from a pipe: save it and give its name: %w", convert.ErrNotRead)
	}
	f, err := openFile(in.Path)
	if err != nil {
		return nil, nil, err
	}
	info := describe(in)
	if last.catalog != nil && last.path == in.Path && same(last.info, info) {
		return f, last.catalog, nil
	}
	c, err := readCatalog(f, in.Path, in.Memory)
	if err != nil {
		f.close()
		return nil, nil, err
	}
	last.path, last.info, last.catalog = in.Path, info, c
	return f, c, nil
}

// describe returns what the system says of the file, nil if it says nothing.
func describe(in *convert.Input) fs.FileInfo {
	if f, ok := in.File.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil {
			return info
		}
	}
	return nil
}

// same reports whether a file has not changed.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
