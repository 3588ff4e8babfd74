//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
)

// A variable is a dataset, or a member of its compounds.
type variable struct {
	info    formats.Info
	dataset string // its path
	member  member
	err     error // why it cannot be read
}

// Describe implements cformat.Variable.
func (v *variable) Describe() (*formats.Info, error) { return &v.info, v.err }

// A dataset holds what the walk reads from the header of a dataset.
type dataset struct {
	path   string
	ident  identity
	shape  []int
	scale  bool     // it is a dimension scale
	bare   bool     // the scale has no coordinates
	number int      // the number that NetCDF-4 gives to a dimension; -1 without
	scales []uint64 // addresses of the scales of its dimensions; nil if there are none
	ids    []int    // numbers of its dimensions, of a scale with several of them
	labels []string // names of dimensions without a scale; nil if there are none
	vars   []variable

	namedType identity // its type, if that is a committed one
}

// A catalog lists the datasets of a file.
type catalog struct {
	cformat.Catalog[*variable]
	byAddr map[uint64]string // paths of the datasets of this file, not of others that links lead to
}

// A walker collects the datasets of a file.
type walker struct {
	file     *file
	path     string // of the file
	root     identity
	budget   int64 // memory that attributes may still take, in bytes
	seen     map[identity]bool
	datasets []*dataset
	types    []committedEnum
	groups   map[string]map[string]any
	later    []link // links that are no hard ones
}

type link struct {
	path     string
	external bool
}

// maxDepth is the largest depth of nested groups.
const maxDepth = 200

// readCatalog describes the file, which is at path. It returns an error only if the file as a whole
// cannot be described; the reason why a dataset cannot be read is in its variable. Attributes take
// at most memory bytes.
func readCatalog(f *file, path string, memory int64) (*catalog, error) {
	w := &walker{file: f, path: path, budget: memory, seen: map[identity]bool{}, groups: map[string]map[string]any{}}
	root, err := f.object("/")
	if err != nil {
		return nil, err
	}
	defer root.close()
	if w.root, _, err = identify(root); err != nil {
		return nil, err
	}
	if err := w.group(root, "", 0); err != nil {
		return nil, err
	}
	if err := w.links(); err != nil {
		return nil, err
	}
	nameDimensions(w.datasets)
	c := &catalog{byAddr: map[uint64]string{}}
	c.Attrs, c.Groups = w.groups[""], w.groups
	delete(c.Groups, "")
	for _, d := range w.datasets {
		d.describeEnums(w.types)
		if d.ident.file == w.root.file {
			c.byAddr[d.ident.address] = d.path
		}
		for i := range d.vars {
			if !d.bare {
				c.Add(&d.vars[i])
			}
		}
	}
	return c, nil
}

// group walks a group that is open.
func (w *walker) group(group handle, path string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("group %q: groups are nested more than %d deep", path, maxDepth)
	}
	id, _, err := identify(group)
	if err != nil {
		return err
	}
	w.seen[id] = true
	attrs, err := readAttributes(group, nil, &w.budget)
	if err != nil {
		return fmt.Errorf("group %q: %w", "/"+path, err)
	}
	if len(attrs) > 0 || path != "" {
		w.groups[path] = attrs
	}
	var list C.drxh5_names
	err = check(fmt.Sprintf("group %q", "/"+path), C.drxh5_links(group.id(), &list))
	all := names(&list)
	if err != nil {
		return err
	}
	for _, entry := range all {
		child := strings.TrimPrefix(path+"/"+entry[1:], "/")
		if entry[0] != 'h' {
			w.later = append(w.later, link{child, entry[0] == 'e'})
			continue
		}
		if err := w.object(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// object visits the object at a path, unless the walk has already visited it under another path.
func (w *walker) object(path string, depth int) error {
	h, err := w.file.object(path)
	if err != nil {
		w.refuse(path, err)
		return nil
	}
	defer h.close()
	id, kind, err := identify(h)
	if err != nil {
		w.refuse(path, err)
		return nil
	}
	switch {
	case w.seen[id]:
	case kind == C.H5O_TYPE_GROUP:
		return w.group(h, path, depth)
	case kind == C.H5O_TYPE_DATASET:
		w.seen[id] = true
		d := &dataset{path: path, ident: id, number: -1}
		if err := d.read(w.path, h, &w.budget); err != nil {
			w.refuse(path, err)
			return nil
		}
		w.datasets = append(w.datasets, d)
	case kind == C.H5O_TYPE_NAMED_DATATYPE:
		w.seen[id] = true
		w.noteType(path, id, h)
	}
	return nil
}

// links visits the targets of soft and external links, unless the walk has already visited them
// under another path.
func (w *walker) links() error {
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		if next.external {
			if err := w.external(next.path); err != nil {
				w.refuse(next.path, err)
				continue
			}
		}
		h, err := w.file.object(next.path)
		if err != nil {
			w.refuse(next.path, fmt.Errorf("it is a link, and what it leads to cannot be opened: %w", err))
			continue
		}
		h.close()
		if err := w.object(next.path, strings.Count(next.path, "/")); err != nil {
			return err
		}
	}
	return nil
}

// external returns an error if an external link must not be followed.
func (w *walker) external(path string) error {
	name, free := cstring(path)
	defer free()
	target := C.drxh5_external_file(w.file.id.id(), name, w.file.access.id())
	if target == nil {
		return failure("external link")
	}
	defer C.free(unsafe.Pointer(target))
	if _, err := beside(w.path, C.GoString(target)); err != nil {
		return fmt.Errorf("it is a link to another file: %w", err)
	}
	return nil
}

// refuse lists a dataset that cannot be read, with the reason.
func (w *walker) refuse(path string, err error) {
	v := variable{info: formats.Info{Name: path}, dataset: path, err: err}
	w.datasets = append(w.datasets, &dataset{path: path, number: -1, vars: []variable{v}})
}

// find returns the variable with the given name, or the only variable if name is empty. The path of
// a link to a dataset is also a valid name.
func (c *catalog) find(f *file, name string) (*variable, error) {
	name = strings.Trim(name, "/")
	v, err := c.Find(name)
	if target := c.byAddr[f.address(name)]; err != nil && name != "" && target != "" {
		return c.Find(target)
	}
	return v, err
}
