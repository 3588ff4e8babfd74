//go:build fits && cgo

package fits

import (
	"drx/formats"
	"drx/formats/cformat"
)

func init() {
	library := cformat.Library{Enter: enter, Read: read}
	formats.Register(formats.Format{
		Name:       "fits",
		Extensions: []string{".fits", ".fit", ".fts"},
		Recognise:  recognise,
		Open:       library.Open,
		List:       library.List,
		CreatePath: create,
	})
}

// A source is an open file and what it contains.
type source struct {
	*catalog
	*file
}

// Open implements cformat.File.
func (s source) Open(in *formats.Input) (cformat.Elements, error) {
	v, err := s.Find(in.Variable)
	if err != nil {
		return nil, err
	}
	return newReader(s.file, v, in.Memory)
}

// read opens a file and describes it.
func read(in *formats.Input) (cformat.File, error) {
	if err := cformat.NeedFile(in, "a FITS file"); err != nil {
		return nil, err
	}
	f, err := openFile(in)
	if err != nil {
		return nil, err
	}
	c, err := readCatalog(f, in.Memory)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return source{c, f}, nil
}
