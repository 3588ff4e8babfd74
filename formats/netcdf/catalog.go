//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"fmt"
	"maps"
	"path"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
)

// A variable is a variable of the file, or a member of its compounds.
type variable struct {
	info   formats.Info
	path   string // in the file: its group and name
	member member
	err    error // why it cannot be read
}

// A dimension is a dimension of the file.
type dimension struct {
	name      string // in DRX
	extent    int
	unlimited bool
	err       error
}

// Describe implements cformat.Variable.
func (v *variable) Describe() (*formats.Info, error) { return &v.info, v.err }

// A catalog lists the variables of a file.
type catalog = cformat.Catalog[*variable]

// A walker collects the variables of a file.
type walker struct {
	catalog
	header *header             // of a classic file
	hdf5   bool                // a NetCDF-4 file
	budget int64               // memory that attributes may still take, in bytes
	dims   map[C.int]dimension // by number; numbers are unique in a file
	names  map[string]bool     // names of dimensions in use
	// counting has the dimensions of this group and its parents that are more than lengths of
	// strings; see noteCounting.
	counting map[C.int]bool
}

// maxDepth is the largest depth of nested groups.
const maxDepth = 200

// readCatalog describes a file. It returns an error only if the file as a whole cannot be
// described; a variable that cannot be read holds its reason. Attributes take at most memory bytes.
// h is the header of a classic file.
func readCatalog(f *file, h *header, memory int64) (*catalog, error) {
	w := &walker{header: h, hdf5: f.hdf5, budget: memory, dims: map[C.int]dimension{}, names: map[string]bool{}}
	w.counting = map[C.int]bool{}
	w.Groups = map[string]map[string]any{}
	if err := w.group(f.id, "", 0); err != nil {
		return nil, err
	}
	w.Attrs = w.Groups[""]
	delete(w.Groups, "")
	return &w.catalog, nil
}

// group walks a group: its dimensions first, because inner groups and their names build on them.
func (w *walker) group(id C.int, name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("group %q: groups are nested more than %d deep", name, maxDepth)
	}
	where := fmt.Sprintf("group %q", "/"+cformat.OneLine(name))
	outer := maps.Clone(w.counting)
	defer func() { w.counting = outer }()
	attrs, err := w.readAttributes(id, C.NC_GLOBAL)
	if err == nil {
		err = w.dimensions(id, name)
	}
	if err == nil {
		err = w.variables(id, name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if len(attrs) > 0 || name != "" {
		w.Groups[formats.Text(name)] = attrs
	}
	var n C.int
	if err := check(where, C.nc_inq_grps(id, &n, nil)); err != nil {
		return err
	}
	ids := make([]C.int, n)
	if err := check(where, C.nc_inq_grps(id, &n, cformat.First(ids))); err != nil {
		return err
	}
	for _, inner := range ids {
		var buf nameBuffer
		if err := check(where, C.nc_inq_grpname(inner, &buf[0])); err != nil {
			return err
		}
		if err := w.group(inner, path.Join(name, buf.String()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// dimensions records the dimensions of a group.
func (w *walker) dimensions(id C.int, group string) error {
	var n, unlimited C.int
	if err := check("dimensions", C.nc_inq_dimids(id, &n, nil, 0)); err != nil {
		return err
	}
	ids := make([]C.int, n)
	if err := check("dimensions", C.nc_inq_dimids(id, &n, cformat.First(ids), 0)); err != nil {
		return err
	}
	if err := check("dimensions", C.nc_inq_unlimdims(id, &unlimited, nil)); err != nil {
		return err
	}
	growing := make([]C.int, unlimited)
	if err := check("dimensions", C.nc_inq_unlimdims(id, &unlimited, cformat.First(growing))); err != nil {
		return err
	}
	grows := map[C.int]bool{}
	for _, d := range growing {
		grows[d] = true
	}
	for _, d := range ids {
		var buf nameBuffer
		var length C.size_t
		if err := check("dimension", C.nc_inq_dim(id, d, &buf[0], &length)); err != nil {
			return err
		}
		dim := dimension{unlimited: grows[d]}
		dim.extent, dim.err = extent(length)
		dim.name = w.nameDimension(path.Join(group, buf.String()))
		w.dims[d] = dim
	}
	return nil
}

// phony is the prefix of the names that the library invents for the dimensions of HDF5 files
// without dimension scales.
const phony = "phony_dim_"

// nameDimension returns the name of the dimension with the path full: the last component, or the
// whole path if another dimension has that name. Dimensions with equal extents are still different
// dimensions.
func (w *walker) nameDimension(full string) string {
	short := formats.Text(path.Base(full))
	if strings.HasPrefix(short, phony) {
		return ""
	}
	for _, name := range []string{short, formats.Text(full)} {
		if !w.names[name] {
			w.names[name] = true
			return name
		}
	}
	return ""
}
