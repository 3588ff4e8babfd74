//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

func init() {
	library := cformat.Library{Enter: enter, Read: read}
	formats.Register(formats.Format{
		Name:       "netcdf",
		Extensions: []string{".nc", ".nc4", ".cdf", ".netcdf"},
		Recognise:  recognise,
		Open:       library.Open,
		List:       library.List,
		CreatePath: createNetCDF4,
		AppendPath: appendTo,
		Usual:      formats.CodecSpec{Name: "gzip", Level: 4}, // as netCDF4-python
		Codecs:     cformat.Codecs,
		Frames:     true,
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

// A source is an open file and its catalog.
type source struct {
	*catalog
	file *file
}

// Open implements cformat.File.
func (s source) Open(in *formats.Input) (cformat.Elements, error) {
	v, err := s.Find(strings.Trim(in.Variable, "/"))
	if err != nil {
		return nil, err
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
	if err := cformat.NeedFile(in, "a NetCDF file"); err != nil {
		return nil, err
	}
	if !recognise(in.Head) {
		return nil, errkind.Errorf(formats.ErrFormat, "starts with %q, which is no NetCDF file", in.Head)
	}
	state := cformat.StateOf(in)
	c, known := last.Get(state)
	if known && kept != nil {
		return source{c, kept.use()}, nil
	}
	var h *header
	if isClassic(in.Head) && !known {
		var err error
		if h, err = readHeader(in.File, in.Size, in.Memory); err != nil {
			return nil, err
		}
	}
	if !known && !isClassic(in.Head) {
		if err := linksStay(in.Path); err != nil {
			return nil, err
		}
	}
	f, err := openFile(in.Path)
	if err != nil {
		return nil, err
	}
	if known {
		f.keepIfLarge(c)
		return source{c, f}, nil
	}
	if c, err = readCatalog(f, h, in.Memory); err != nil {
		f.close()
		return nil, err
	}
	last.Keep(state, c)
	f.keepIfLarge(c)
	return source{c, f}, nil
}
