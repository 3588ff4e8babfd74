//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"

	"drx/formats/cformat"
)

// A file is a file that is open for reading.
type file struct {
	id     handle
	access handle // link access properties, for everything that is opened by name
}

// openFile opens a file; one that another process is writing for such readers is read as it is now
// (SWMR).
func openFile(path string) (*file, error) {
	name, free := cstring(path)
	defer free()
	id := handle(C.H5Fopen(name, C.H5F_ACC_RDONLY, C.H5P_DEFAULT))
	if !id.ok() {
		err := failure("open")
		if id = openBesideWriter(name); !id.ok() {
			C.H5Eclear2(C.H5E_DEFAULT)
			return nil, cformat.WhyNotOpened(path, err)
		}
	}
	f := &file{id, handle(C.H5Pcreate(C.H5P_LINK_ACCESS))}
	if C.drxh5_forbid_links(f.access.id()) < 0 {
		defer f.close()
		return nil, failure("open")
	}
	return f, nil
}

// readAttempts is the number of times that the library reads a part of a file whose checksum is
// wrong, because another process may be writing it. It waits between attempts, each time twice as
// long, for a quarter of a second in all. The library's own 100 attempts take longer than the world
// has existed, on any damaged file.
const readAttempts = 28

// openBesideWriter opens a file for reading that another process may be writing.
func openBesideWriter(name *C.char) handle {
	access := handle(C.H5Pcreate(C.H5P_FILE_ACCESS))
	defer access.close()
	C.H5Pset_metadata_read_attempts(access.id(), readAttempts)
	return handle(C.H5Fopen(name, C.H5F_ACC_RDONLY|C.H5F_ACC_SWMR_READ, access.id()))
}

// close closes the file. Everything opened in it must be closed first, otherwise the library keeps
// the file open.
func (f *file) close() {
	f.access.close()
	C.H5Fclose(f.id.id())
}

// object opens a group, a dataset or a type by its path. The caller closes it.
func (f *file) object(path string) (handle, error) {
	name, free := cstring(path)
	defer free()
	h := handle(C.H5Oopen(f.id.id(), name, f.access.id()))
	if !h.ok() {
		return h, failure(fmt.Sprintf("object %q", path))
	}
	return h, nil
}

// An identity distinguishes objects independently of their paths: the number of the open file and
// the address in it.
type identity struct {
	file    uint64
	address uint64
}

// identify returns the identity and the type of an object.
func identify(h handle) (identity, C.H5O_type_t, error) {
	var info C.H5O_info_t
	if C.H5Oget_info2(h.id(), &info, C.H5O_INFO_BASIC) < 0 {
		return identity{}, 0, failure("object")
	}
	return identity{uint64(info.fileno), uint64(info.addr)}, info._type, nil
}

// address returns the address of an object of this file, 0 if the path leads to none.
func (f *file) address(path string) uint64 {
	h, err := f.object(path)
	if err != nil {
		return 0
	}
	defer h.close()
	id, _, err := identify(h)
	root, _, errRoot := identify(f.id)
	if err != nil || errRoot != nil || id.file != root.file {
		return 0
	}
	return id.address
}
