//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
)

// A creator creates everything that a file contains before the first element is written.
type creator struct {
	file     handle
	groups   map[string]bool // groups that exist
	types    map[string]bool // committed types that exist
	datasets []handle        // of the variables
}

// create implements formats.Format.CreatePath.
func create(path string, c formats.Content) (writers []formats.Writer, err error) {
	def, err := define(c)
	if err != nil {
		return nil, err
	}
	defer enter()()
	file, err := createFile(path)
	if err != nil {
		return nil, err
	}
	t := &target{id: file}
	m := &creator{file: file, groups: map[string]bool{"": true}, types: map[string]bool{}}
	if err = m.content(def, c); err == nil {
		writers, err = m.writers(t, def)
	}
	if err != nil || len(writers) == 0 {
		for _, d := range m.datasets {
			d.close()
		}
		err = errors.Join(err, t.Close())
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return writers, err
}

// createFile creates a file in the latest format of the library, which SWMR needs. Closing the file
// also closes every object open in it: a file still open when the program ends stays marked as
// being written.
func createFile(path string) (handle, error) {
	access := handle(C.H5Pcreate(C.H5P_FILE_ACCESS))
	defer access.close()
	creation := handle(C.H5Pcreate(C.H5P_FILE_CREATE))
	defer creation.close()
	name, free := cstring(path)
	defer free()
	if C.H5Pset_libver_bounds(access.id(), C.H5F_LIBVER_LATEST, C.H5F_LIBVER_LATEST) < 0 ||
		C.H5Pset_fclose_degree(access.id(), C.H5F_CLOSE_STRONG) < 0 || keepOrder(creation) < 0 {
		return -1, failure("create")
	}
	file := handle(C.H5Fcreate(name, C.H5F_ACC_EXCL, creation.id(), access.id()))
	if !file.ok() {
		return -1, failure("create")
	}
	return file, nil
}

// keepOrder makes a group list its members in the order of their creation.
func keepOrder(creation handle) C.herr_t {
	if plainObject(creation) < 0 {
		return -1
	}
	return C.H5Pset_link_creation_order(creation.id(), C.H5P_CRT_ORDER_TRACKED|C.H5P_CRT_ORDER_INDEXED)
}

// plainObject makes an object track the creation order of its attributes, as netCDF requires, and
// store no times.
func plainObject(creation handle) C.herr_t {
	if C.H5Pset_obj_track_times(creation.id(), C.hbool_t(false)) < 0 {
		return -1
	}
	return C.H5Pset_attr_creation_order(creation.id(), C.H5P_CRT_ORDER_TRACKED|C.H5P_CRT_ORDER_INDEXED)
}

// content creates groups, datasets, dimension scales and attributes.
func (m *creator) content(p *fileDef, c formats.Content) error {
	root, err := m.group("")
	if err != nil {
		return err
	}
	defer root.close()
	if err := writeAttributes(root, c.Attrs, 0); err != nil {
		return err
	}
	for i := range p.vars {
		d, err := m.variable(&p.vars[i])
		if err != nil {
			return fmt.Errorf("%s: %w", p.vars[i].path, err)
		}
		m.datasets = append(m.datasets, d)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) {
		g, err := m.group(strings.Trim(name, "/"))
		if err == nil {
			err = writeAttributes(g, c.Groups[name], 0)
			g.close()
		}
		if err != nil {
			return fmt.Errorf("group %q: %w", name, err)
		}
	}
	if err := m.scales(p); err != nil {
		return err
	}
	return m.attributes(p)
}

// attributes writes the attributes of the variables. It runs after the scales are attached:
// H5DSattach_scale can fail if an object has an attribute CLASS that is not that of a scale, as
// images have.
func (m *creator) attributes(p *fileDef) error {
	for i, v := range p.vars {
		attrs, of := v.info.Attrs, v.info.DType
		if v.info.Labels != nil {
			of = 0
		}
		if slices.ContainsFunc(p.scales, func(s dimScale) bool { return s.path == v.path }) {
			attrs = maps.Clone(attrs)
			delete(attrs, "CLASS") // which the library has set
			delete(attrs, "NAME")
		}
		if err := writeAttributes(m.datasets[i], attrs, of); err != nil {
			return fmt.Errorf("%s: %w", v.path, err)
		}
	}
	return nil
}

// group opens a group, and creates it and its parents if they do not exist. The caller closes it.
func (m *creator) group(name string) (handle, error) {
	cname, free := cstring("/" + name)
	defer free()
	if m.groups[name] {
		g := handle(C.H5Gopen2(m.file.id(), cname, C.H5P_DEFAULT))
		if !g.ok() {
			return g, failure("open")
		}
		return g, nil
	}
	if err := checkPath(name); err != nil {
		return -1, err
	}
	outer, err := m.group(cformat.Parent(name))
	if err != nil {
		return -1, err
	}
	outer.close()
	creation := handle(C.H5Pcreate(C.H5P_GROUP_CREATE))
	defer creation.close()
	links := utf8Links()
	defer links.close()
	if keepOrder(creation) < 0 {
		return -1, failure("create")
	}
	g := handle(C.H5Gcreate2(m.file.id(), cname, links.id(), creation.id(), C.H5P_DEFAULT))
	if !g.ok() {
		return g, failure("create")
	}
	m.groups[name] = true
	return g, nil
}

// utf8Links returns properties for links with names in UTF-8. The caller closes them.
func utf8Links() handle {
	links := handle(C.H5Pcreate(C.H5P_LINK_CREATE))
	C.H5Pset_char_encoding(links.id(), C.H5T_CSET_UTF8)
	return links
}

// writers returns a writer for each variable.
func (m *creator) writers(t *target, p *fileDef) ([]formats.Writer, error) {
	outputs := make([]cformat.Output, len(p.vars))
	for i, v := range p.vars {
		w, err := newWriter(v.info, m.datasets[i], v.memory)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.path, err)
		}
		w.codec = v.codec
		outputs[i] = cformat.Output{Info: v.info, Path: v.path, To: w}
	}
	return cformat.Writers(enter, t, outputs), nil
}
