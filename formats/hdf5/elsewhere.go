//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// beside returns the path of the file called name in the file at path, or an error if that file
// must not be opened. It must be a regular file in the same folder or below it; otherwise a hostile
// file could make the program read any file of the user.
func beside(path, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q lies outside of the folder of this file: put a copy beside it, and let h5py name it without a path", name)
	}
	there := filepath.Join(filepath.Dir(path), name)
	info, err := os.Stat(there)
	if err != nil {
		return "", cformat.Refuse(fs.ErrNotExist, fmt.Sprintf("%q is not there: put it beside this file", name))
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is no regular file", name)
	}
	return there, cformat.StaysBelow(path, there, name)
}

// drxMayFollow reports whether an external link of the file parent may be followed to the file
// target.
//
//export drxMayFollow
func drxMayFollow(parent, target *C.char) C.int {
	if _, err := beside(C.GoString(parent), C.GoString(target)); err != nil {
		return 0
	}
	return 1
}

// maxParts limits how many datasets are opened to check the parts of a virtual one.
const maxParts = 100_000

// A partsCheck checks the parts of a virtual dataset. It opens each part, because a part may be
// virtual itself.
type partsCheck struct {
	budget int
	passed map[string]bool   // files and datasets that were checked
	inside map[identity]bool // datasets that are being checked: one of them is no part of itself
}

// checkElsewhere returns an error if the elements of a dataset, which is in the file at path and
// has the creation properties plist, lie in files that must not be read or are not there.
func checkElsewhere(path string, dataset, plist handle) error {
	c := partsCheck{maxParts, map[string]bool{}, map[identity]bool{}}
	return c.dataset(path, dataset, plist)
}

func (c *partsCheck) dataset(path string, dataset, plist handle) error {
	id, _, err := identify(dataset)
	if err != nil {
		return err
	}
	if c.inside[id] {
		return errors.New("it is virtual, and a part of itself")
	}
	c.inside[id] = true
	defer delete(c.inside, id)
	if err := checkExternal(path, dataset, plist); err != nil {
		return err
	}
	if C.H5Pget_layout(plist.id()) != C.H5D_VIRTUAL {
		return nil
	}
	var parts C.size_t
	if err := check("virtual dataset", C.H5Pget_virtual_count(plist.id(), &parts)); err != nil {
		return err
	}
	for i := range parts {
		if err := c.part(path, dataset, plist, i); err != nil {
			return err
		}
	}
	return nil
}

// checkExternal checks the files of external storage. Each holds a number of bytes that the dataset
// states, one file after the other; where a file is shorter, libhdf5 reads zeros.
func checkExternal(path string, dataset, plist handle) error {
	files := int(C.H5Pget_external_count(plist.id()))
	if files <= 0 {
		return nil
	}
	space, t := handle(C.H5Dget_space(dataset.id())), handle(C.H5Dget_type(dataset.id()))
	defer space.close()
	defer t.close()
	rest := uint64(max(C.H5Sget_simple_extent_npoints(space.id()), 0)) * uint64(C.H5Tget_size(t.id()))
	for i := range files {
		var name [4096]C.char
		var offset C.off_t
		var size C.hsize_t
		if C.H5Pget_external(plist.id(), C.uint(i), C.size_t(len(name)-1), &name[0], &offset, &size) < 0 {
			return failure("external storage")
		}
		there, err := beside(path, C.GoString(&name[0]))
		if err != nil {
			return fmt.Errorf("its elements are in another file: %w", err)
		}
		info, err := os.Stat(there)
		if err != nil {
			return err
		}
		part := min(rest, uint64(size))
		if end := uint64(offset) + part; part > 0 && end > uint64(info.Size()) {
			return errkind.Errorf(formats.ErrFormat, "its elements are in another file: %q has %d bytes, and they end at byte %d: it is cut off, get it again", C.GoString(&name[0]), info.Size(), end)
		}
		rest -= part
	}
	return nil
}

// part checks mapping i of a virtual dataset. In a name, %b stands for numbers from 0; those that
// do not exist are not part of the dataset.
func (c *partsCheck) part(path string, dataset, plist handle, i C.size_t) error {
	file, err := nameOf("virtual dataset", func(buf *C.char, n C.size_t) C.ssize_t { return C.H5Pget_virtual_filename(plist.id(), i, buf, n) })
	if err != nil {
		return err
	}
	object, err := nameOf("virtual dataset", func(buf *C.char, n C.size_t) C.ssize_t { return C.H5Pget_virtual_dsetname(plist.id(), i, buf, n) })
	if err != nil {
		return err
	}
	if !strings.Contains(file+object, "%") {
		_, err := c.source(path, file, object, true)
		return err
	}
	for n := 0; ; n++ {
		thisFile, thisObject := numbered(file, n), numbered(object, n)
		if thisFile == file && thisObject == object {
			_, err := c.source(path, file, object, true)
			return err
		}
		if found, err := c.source(path, thisFile, thisObject, n == 0); err != nil || !found {
			return err
		}
	}
}

// numbered replaces %b by a number and %% by a percent sign.
func numbered(name string, n int) string {
	return strings.NewReplacer("%%", "%", "%b", strconv.Itoa(n)).Replace(name)
}

// source checks one source dataset of a virtual dataset; the file "." is the file itself. found is
// false if the dataset does not exist, which is an error if must is set.
func (c *partsCheck) source(path, file, object string, must bool) (found bool, err error) {
	key := path + "\x00" + file + "\x00" + object
	if c.passed[key] {
		return true, nil
	}
	if c.budget--; c.budget < 0 {
		return false, fmt.Errorf("it is virtual, and has more than %d parts", maxParts)
	}
	there := path
	if file != "." {
		if there, err = beside(path, file); errors.Is(err, fs.ErrNotExist) && !must {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("it is virtual, and its part %w", err)
		}
	}
	f, err := openFile(there)
	if err != nil {
		return false, fmt.Errorf("it is virtual, and its part %q: %w", file, err)
	}
	defer f.close()
	part, err := f.object(object)
	if err != nil && !must {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("it is virtual, and its part %q is not in %q", object, file)
	}
	defer part.close()
	plist := handle(C.H5Dget_create_plist(part.id()))
	if !plist.ok() {
		return false, fmt.Errorf("it is virtual, and its part %q of %q is no dataset", object, file)
	}
	defer plist.close()
	if err := c.dataset(there, part, plist); err != nil {
		return false, err
	}
	c.passed[key] = true
	return true, nil
}
