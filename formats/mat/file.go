//go:build matio && cgo

package mat

// #include "bridge.h"
import "C"

import (
	"cmp"
	"fmt"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// A file is an open file of the library, and what is in it.
type file struct {
	mat     *C.mat_t
	is73    bool
	handles []*C.matvar_t // of variables, to be freed
	cformat.Catalog[*variable]
	names map[string]bool
	top   []element // of MATLAB 5
}

// openFile opens a file and describes its variables.
func openFile(in *formats.Input) (*file, error) {
	if err := cformat.NeedFile(in, "a MAT file"); err != nil {
		return nil, err
	}
	var variables []element
	known := false
	switch {
	case strings.HasPrefix(string(in.Head), head73):
	case recognise4(in.Head):
		if err := scan4(in); err != nil {
			return nil, err
		}
	case recognise(in.Head):
		var err error
		known = true
		if variables, err = scan(in); err != nil {
			return nil, err
		}
	default:
		return nil, notRead(in)
	}
	name := C.CString(in.Path)
	defer C.free(unsafe.Pointer(name))
	if err := checkElsewhere(name); err != nil {
		return nil, err
	}
	f := &file{names: map[string]bool{}, top: variables}
	if f.mat = C.Mat_Open(name, C.MAT_ACC_RDONLY); f.mat == nil {
		return nil, failure("open")
	}
	f.is73 = C.Mat_GetVersion(f.mat) == C.MAT_FT_MAT73
	if err := f.describe(known); err != nil {
		_ = f.Close()
		return nil, err
	}
	if f.is73 {
		f.refuseRest(name)
	}
	return f, nil
}

// checkElsewhere returns an error for a file of MATLAB 7.3, which is an HDF5 file, with a variable
// in another file. MATLAB writes no such files, and a hostile one could name any file of the user.
func checkElsewhere(path *C.char) error {
	var name [256]C.char
	switch C.drxmat_elsewhere(path, &name[0], C.size_t(len(name))) {
	case 0:
		return nil
	case 1:
		return errkind.Errorf(formats.ErrType, "variable %q lies in another file, which is not read: copy it into this one, or read this one as HDF5",
			formats.Text(C.GoString(&name[0])))
	}
	return errkind.Errorf(formats.ErrFormat, "its HDF5 objects cannot be read")
}

// describe describes all variables. known is true if scan found all of them.
func (f *file) describe(known bool) error {
	for {
		h := C.Mat_VarReadNextInfo(f.mat)
		if h == nil {
			break
		}
		f.handles = append(f.handles, h)
		if h.name != nil && *h.name != 0 { // variables without a name are MATLAB's own
			f.addVariable(h, formats.Text(C.GoString(h.name)))
		}
	}
	if known && len(f.handles) < len(f.top) {
		return failure(fmt.Sprintf("variable %d of %d is damaged", len(f.handles)+1, len(f.top)))
	}
	if text := C.GoString(C.drxmat_message()); !known && len(f.handles) == 0 && text != "" {
		return failure("list")
	}
	return nil
}

// maxObjectName limits the bytes of an object's name that are read.
const maxObjectName = 1024

// refuseRest adds the variables of MATLAB 7.3 that the library does not list: its list, which is in
// the order of names, ends at the first object without a class of MATLAB, as other programs add.
func (f *file) refuseRest(path *C.char) {
	listed := map[string]bool{}
	for _, h := range f.handles {
		if h.name != nil {
			listed[C.GoString(h.name)] = true
		}
	}
	buf, first := (*C.char)(C.calloc(1, maxObjectName)), ""
	defer C.free(unsafe.Pointer(buf))
	for i := C.size_t(0); C.drxmat_object(path, i, buf, maxObjectName) != 0; i++ {
		name := C.GoString(buf)
		if listed[name] || strings.HasPrefix(name, "#") { // these are MATLAB's own
			continue
		}
		first = cmp.Or(first, name)
		v := &variable{info: formats.Info{Name: formats.Text(name)}}
		v.err = cformat.Refuse(formats.ErrType, fmt.Sprintf("libmatio lists no variables from %q on, which has no class of MATLAB: read the file as format hdf5", first))
		f.Add(v)
	}
}

// Close closes the file.
func (f *file) Close() error {
	if f.mat == nil {
		return nil
	}
	for _, h := range f.handles {
		C.Mat_VarFree(h)
	}
	f.handles = nil
	status := C.Mat_Close(f.mat)
	f.mat = nil
	return check("close", status)
}
