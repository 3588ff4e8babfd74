//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"fmt"

	"drx/formats"
	"drx/formats/cformat"
)

func init() {
	formats.Register(formats.Format{
		Name:       "netcdf",
		Extensions: []string{".nc", ".nc4", ".cdf", ".netcdf"},
		Recognise:  recognise,
		Open:       open,
		List:       listFile,
		CreatePath: createNetCDF4,
		AppendPath: appendTo,
	})
	formats.Register(formats.Format{Name: "netcdf3", Extensions: []string{".nc3"}, CreatePath: createClassic, AppendPath: appendTo})
	formats.Register(formats.Format{Name: "cdf1", Extensions: []string{".nc1"}, CreatePath: createCDF1, AppendPath: appendTo})
	formats.Register(formats.Format{Name: "cdf2", Extensions: []string{".nc2"}, CreatePath: createCDF2, AppendPath: appendTo})
	formats.Register(formats.Format{Name: "cdf5", Extensions: []string{".nc5"}, CreatePath: createCDF5, AppendPath: appendTo})
}

const hdf5Magic = "\x89HDF\r\n\x1a\n"

// recognise reports whether a file begins as a classic NetCDF file, or as an HDF5 file, which every
// NetCDF-4 file is.
func recognise(head []byte) bool { return isClassic(head) || bytes.HasPrefix(head, []byte(hdf5Magic)) }

// isClassic reports whether a file begins as a file of version 1, 2 or 5.
func isClassic(head []byte) bool {
	return len(head) > 3 && bytes.HasPrefix(head, []byte("CDF")) && (head[3] == 1 || head[3] == 2 || head[3] == 5)
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
	if err := cformat.NeedFile(in, "a NetCDF file"); err != nil {
		return nil, nil, err
	}
	if !recognise(in.Head) {
		return nil, nil, fmt.Errorf("starts with %q, which is no NetCDF file: %w", in.Head, formats.ErrFormat)
	}
	state := cformat.StateOf(in)
	c, known := last.Get(state)
	if known && kept != nil {
		return kept.use(), c, nil
	}
	var h *header
	if isClassic(in.Head) && !known {
		var err error
		if h, err = readHeader(in.File, in.Size, in.Memory); err != nil {
			return nil, nil, err
		}
	}
	if !known && !isClassic(in.Head) {
		if err := linksStay(in.Path); err != nil {
			return nil, nil, err
		}
	}
	f, err := openFile(in.Path)
	if err != nil {
		return nil, nil, err
	}
	if known {
		f.keepIfLarge(c)
		return f, c, nil
	}
	if c, err = readCatalog(f, h, in.Memory); err != nil {
		f.close()
		return nil, nil, err
	}
	last.Keep(state, c)
	f.keepIfLarge(c)
	return f, c, nil
}
