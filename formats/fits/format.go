//go:build fits && cgo

package fits

import (
	"drx/formats"
	"drx/formats/cformat"
)

func init() {
	formats.Register(formats.Format{
		Name:       "fits",
		Extensions: []string{".fits", ".fit", ".fts"},
		Recognise:  recognise,
		Open:       open,
		List:       list,
		CreatePath: create,
	})
}

// open implements formats.Format.
func open(in *formats.Input) (formats.Reader, error) {
	defer enter()()
	f, c, err := read(in)
	if err != nil {
		return nil, err
	}
	v, err := c.find(in.Variable)
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
	f, c, err := read(in)
	if err != nil {
		return formats.Content{}, err
	}
	return c.content(), f.close()
}

// read opens a file and describes it.
func read(in *formats.Input) (*file, *catalog, error) {
	if err := cformat.NeedFile(in, "a FITS file"); err != nil {
		return nil, nil, err
	}
	f, err := openFile(in)
	if err != nil {
		return nil, nil, err
	}
	c, err := readCatalog(f, in.Memory)
	if err != nil {
		_ = f.close()
		return nil, nil, err
	}
	return f, c, nil
}
