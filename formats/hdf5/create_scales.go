//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"path"

	"drx/formats/cformat"
)

// scales turns coordinates into dimension scales, creates scales for the other dimensions, and
// attaches all of them.
func (m *creator) scales(p *fileDef) error {
	at := map[string]handle{}
	for i, v := range p.vars {
		at[v.path] = m.datasets[i]
	}
	for _, s := range p.scales {
		d, name := at[s.path], path.Base(s.path)
		if s.bare != nil {
			var err error
			if d, err = m.bareScale(s); err != nil {
				return fmt.Errorf("dimension %s: %w", s.path, err)
			}
			defer d.close()
			at[s.path] = d
			name = fmt.Sprintf("%s. %10d", bareScale, s.extent) // as NetCDF-4 does
		}
		cname, free := cstring(name)
		status := C.H5DSset_scale(d.id(), cname)
		free()
		if status < 0 {
			return failure(fmt.Sprintf("dimension %s", s.path))
		}
	}
	for i, v := range p.vars {
		for dim, scale := range v.scales {
			if err := m.attach(m.datasets[i], dim, at, scale, v.info.Dims); err != nil {
				return fmt.Errorf("%s: dimension %d: %w", v.path, dim, err)
			}
		}
	}
	return nil
}

// attach attaches a scale to a dimension or, where there is no scale, labels the dimension with its
// name.
func (m *creator) attach(d handle, dim int, at map[string]handle, scale string, dims []string) error {
	switch {
	case scale != "" && at[scale] == d, dims[dim] == "":
		return nil
	case scale != "":
		return check("attach a scale", C.H5DSattach_scale(d.id(), at[scale].id(), C.uint(dim)))
	}
	label, free := cstring(path.Base(dims[dim]))
	defer free()
	return check("label", C.H5DSset_label(d.id(), C.uint(dim), label))
}

// bareScale creates a scale for a dimension without coordinates. The caller closes it.
func (m *creator) bareScale(s dimScale) (handle, error) {
	group, err := m.group(cformat.Parent(s.path))
	if err != nil {
		return -1, err
	}
	group.close()
	creation := handle(C.H5Pcreate(C.H5P_DATASET_CREATE))
	defer creation.close()
	t := handle(C.H5Tcopy(C.H5T_IEEE_F32BE))
	defer t.close()
	if err := m.creation(creation, t, s.bare); err != nil {
		return -1, err
	}
	return m.dataset(s.path, t, creation, s.bare)
}
