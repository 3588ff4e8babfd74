//go:build matio && cgo

package mat

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

func init() {
	library := cformat.Library{Enter: enter, Read: func(in *formats.Input) (cformat.File, error) { return openFile(in) }}
	formats.Register(formats.Format{
		Name:       "mat",
		Extensions: []string{".mat"},
		Recognise:  recognise,
		Open:       library.Open,
		List:       library.List,
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

// Open implements cformat.File.
func (f *file) Open(in *formats.Input) (cformat.Elements, error) {
	v, err := f.Find(in.Variable)
	if err != nil {
		return nil, err
	}
	if v.err == nil && v.top < len(f.top) && f.top[v.top].packed {
		if err = f.top[v.top].checkPacked(in); err != nil {
			return nil, fmt.Errorf("%s: %w", v.info.Name, err)
		}
	}
	return newReader(f, v, in.Memory)
}

// notRead returns the error for an input that is not a MAT file.
func notRead(in *formats.Input) error {
	if bytes.HasPrefix(in.Head, []byte("\x89HDF")) {
		return errkind.Errorf(formats.ErrFormat, "an HDF5 file without the header of MATLAB 7.3: read it in format hdf5")
	}
	return errkind.Errorf(formats.ErrFormat, "starts with %q, a MAT file with %q or %q", in.Head, head5, head73)
}
