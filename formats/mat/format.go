//go:build matio && cgo

package mat

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"drx/formats"
)

func init() {
	formats.Register(formats.Format{
		Name:       "mat",
		Extensions: []string{".mat"},
		Recognise:  recognise,
		Open:       open,
		List:       list,
		CreatePath: create,
	})
}

// The first bytes of files.
const (
	head5  = "MATLAB 5.0 MAT"
	head73 = "MATLAB 7.3 MAT"
)

// recognise reports whether a file begins as a MAT file of MATLAB 5 or 7.3.
func recognise(head []byte) bool {
	return bytes.HasPrefix(head, []byte(head5)) || bytes.HasPrefix(head, []byte(head73))
}

// recognise4 reports whether a file may be one of MATLAB 4, which begins with the type of the first
// variable: four decimal digits, of which the second is 0.
func recognise4(head []byte) bool {
	if len(head) < 16 {
		return false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if isType4(order.Uint32(head)) {
			return true
		}
	}
	return false
}

// open implements formats.Format.
func open(in *formats.Input) (formats.Reader, error) {
	defer enter()()
	f, err := openFile(in)
	if err != nil {
		return nil, err
	}
	v, err := f.find(in.Variable)
	if err == nil && v.err == nil && v.top < len(f.top) && f.top[v.top].packed {
		if err = f.top[v.top].checkPacked(in); err != nil {
			err = fmt.Errorf("%s: %w", v.info.Name, err)
		}
	}
	if err == nil {
		var r *reader
		if r, err = newReader(f, v, in.Memory); err == nil {
			return r, nil
		}
	}
	_ = f.close() // the first error is what the caller needs
	return nil, err
}

// list implements formats.Format.
func list(in *formats.Input) (formats.Content, error) {
	defer enter()()
	f, err := openFile(in)
	if err != nil {
		return formats.Content{}, err
	}
	var c formats.Content
	for _, v := range f.vars {
		c.Vars = append(c.Vars, v.info)
	}
	return c, f.close()
}

// notRead returns an error for what is no MAT file.
func notRead(in *formats.Input) error {
	if bytes.HasPrefix(in.Head, []byte("\x89HDF")) {
		return fmt.Errorf("an HDF5 file without the header of MATLAB 7.3: read it in format hdf5: %w", formats.ErrFormat)
	}
	return fmt.Errorf("starts with %q, a MAT file with %q or %q: %w", in.Head, head5, head73, formats.ErrFormat)
}
