//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"path/filepath"
	"strings"
)

// A file is a file that is open for reading.
type file struct {
	path string // absolute: the library takes others for addresses in the network if they look so
	id   C.int
	hdf5 bool // it is a NetCDF-4 file
}

// openFile opens a file for reading.
func openFile(path string) (*file, error) {
	absolute, err := absolutePath(path)
	if err != nil {
		return nil, err
	}
	name, free := cstring(absolute)
	defer free()
	f := &file{path: absolute}
	if err := check("open", C.nc_open(name, C.NC_NOWRITE, &f.id)); err != nil {
		return nil, err
	}
	var format, mode C.int
	if err := check("open", C.nc_inq_format_extended(f.id, &format, &mode)); err != nil {
		f.close()
		return nil, err
	}
	f.hdf5 = format == C.NC_FORMATX_NC_HDF5
	return f, nil
}

// absolutePath returns an absolute path, which the library takes for no address in the network.
func absolutePath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err == nil && strings.Contains(absolute, `\`) {
		err = errors.New(`the NetCDF library takes \ in names for /: give the file, or its folder, another name`)
	}
	return absolute, err
}

// close closes the file.
func (f *file) close() { C.nc_close(f.id) }
