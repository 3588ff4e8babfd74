//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"drx/formats"
	"drx/formats/cformat"
)

// A file is a file that is open for reading.
type file struct {
	path string // absolute: the library takes some relative ones for URLs
	id   C.int
	hdf5 bool // it is a NetCDF-4 file

	users int         // readers, and lists in progress
	late  *time.Timer // closes the file when it has had no user for keepTime; nil if it does not wait
}

// A file with at least manyVars variables stays open for keepTime after its last reader was closed.
// A program that reads all variables opens the file once for each, and every opening takes time,
// and memory that the library does not give back, in proportion to the number of variables.
const (
	manyVars = 100
	keepTime = time.Second
)

// kept is the file with many variables that was opened last, if it is still open.
var kept *file

// openFile opens a file for reading.
func openFile(path string) (*file, error) {
	absolute, err := absolutePath(path)
	if err != nil {
		return nil, err
	}
	name, free := cstring(absolute)
	defer free()
	f := &file{path: absolute, users: 1}
	if err := check("open", C.nc_open(name, C.NC_NOWRITE, &f.id)); err != nil {
		return nil, cformat.WhyNotOpened(absolute, err)
	}
	var format, mode C.int
	if err := check("open", C.nc_inq_format_extended(f.id, &format, &mode)); err != nil {
		f.close()
		return nil, err
	}
	f.hdf5 = format == C.NC_FORMATX_NC_HDF5
	return f, nil
}

// linksStay returns an error if the NetCDF-4 file at path has a link to another file. libnetcdf
// writes none, but follows them when it opens a file, wherever they lead.
func linksStay(path string) error {
	path, err := absolutePath(path)
	if err != nil {
		return err
	}
	cpath, free := cstring(path)
	defer free()
	var name [1024]C.char
	// A file that libhdf5 cannot read is none for libnetcdf.
	if C.drxnc_link(cpath, &name[0], C.size_t(len(name))) <= 0 {
		return nil
	}
	return cformat.Refuse(formats.ErrNotRead, fmt.Sprintf("%q is a link to another file, which is not read as NetCDF: read the file as hdf5",
		cformat.OneLine(C.GoString(&name[0]))))
}

// absolutePath returns an absolute path, which the library cannot mistake for a URL.
func absolutePath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err == nil && strings.Contains(absolute, `\`) {
		err = errors.New(`the NetCDF library takes \ in names for /: give the file, or its folder, another name`)
	}
	return absolute, err
}

// use adds a user to an open file.
func (f *file) use() *file {
	if f.late != nil {
		f.late.Stop()
		f.late = nil
	}
	f.users++
	return f
}

// close removes a user. The last one closes the file: at once or, if the file is kept, after
// keepTime.
func (f *file) close() {
	f.users--
	switch {
	case f.users > 0:
	case f == kept:
		var late *time.Timer
		late = time.AfterFunc(keepTime, func() {
			defer enter()()
			if f.late == late { // no user since
				kept = nil
				C.nc_close(f.id)
			}
		})
		f.late = late
	default:
		C.nc_close(f.id)
	}
}

// keepIfLarge makes f the kept file, if it has many variables, and releases the previous one.
func (f *file) keepIfLarge(c *catalog) {
	if old := kept; old != nil && old.users == 0 {
		old.late.Stop()
		old.late = nil
		C.nc_close(old.id)
	}
	kept = nil
	if len(c.Vars) >= manyVars {
		kept = f
	}
}
