package zarr

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
)

const (
	// maxDepth and maxNodes limit the groups and arrays of a store.
	maxDepth = 64
	maxNodes = 100_000
)

// A node is an array or a group of a store.
type node struct {
	path  string
	array *array // nil for a group
	err   error  // why the array cannot be read
	attrs map[string]any
}

// A hierarchy holds all nodes of a store with their paths, each group before its members.
type hierarchy struct {
	store *store
	nodes []node
	left  int64 // bytes of metadata that may still be read
	seen  int   // number of folders visited
	// copies are the metadata in .zmetadata, by key; the next field lists its folders, by the path
	// of their parent.
	copies   map[string]json.RawMessage
	children map[string][]string
}

// readHierarchy reads the metadata of all nodes.
func readHierarchy(s *store) (*hierarchy, error) {
	h := &hierarchy{store: s, left: s.memory / 16}
	if err := h.readCopies(); err != nil {
		return nil, err
	}
	if err := h.add("", 0); err != nil {
		return nil, err
	}
	if len(h.nodes) == 0 {
		return nil, errkind.Errorf(ErrFormat, "no .zarray, .zgroup or zarr.json in it, so it is no Zarr store; import the files in it one by one")
	}
	h.scopeDims()
	return h, nil
}

// readCopies reads .zmetadata.
func (h *hierarchy) readCopies() error {
	data, err := h.read(".zmetadata")
	if data == nil || err != nil {
		return err
	}
	o, err := parseObject(data)
	if err == nil {
		err = o.get("metadata", &h.copies)
	}
	if err != nil {
		return fmt.Errorf(".zmetadata: %w", err)
	}
	h.children = map[string][]string{}
	seen := map[string]bool{".": true}
	for key := range h.copies {
		if !fs.ValidPath(key) {
			return errkind.Errorf(ErrFormat, ".zmetadata: %q is not a key", short(key))
		}
		for dir := path.Dir(key); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			parent := strings.TrimPrefix(path.Dir(dir), ".")
			h.children[parent] = append(h.children[parent], path.Base(dir))
		}
	}
	return nil
}

// metadata returns the content of a file of metadata, or the copy of it, or nil.
func (h *hierarchy) metadata(key string) ([]byte, error) {
	data, err := h.read(key)
	if data == nil && err == nil {
		data = h.copies[key]
	}
	return data, err
}

// read reads a file of metadata, nil if there is none.
func (h *hierarchy) read(key string) ([]byte, error) {
	data, err := h.store.read(key, h.left)
	h.left -= int64(len(data))
	return data, err
}

// add adds the node at a path and all nodes below it.
func (h *hierarchy) add(at string, depth int) error {
	if h.seen++; depth > maxDepth || h.seen > maxNodes {
		return errkind.Errorf(ErrFormat, "%s: the limits are %d folders and %d levels", short(at), maxNodes, maxDepth)
	}
	n, found, err := h.node(at)
	if err != nil {
		return err
	}
	first := len(h.nodes)
	if found {
		h.nodes = append(h.nodes, n)
		if n.array != nil || n.err != nil {
			return nil
		}
	}
	names, err := h.store.folders(cmp.Or(at, "."))
	if err != nil {
		return err
	}
	names = append(names, h.children[at]...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := h.add(path.Join(at, name), depth+1); err != nil {
			return err
		}
	}
	if !found && len(h.nodes) > first { // a group without metadata that has nodes
		h.nodes = slices.Insert(h.nodes, first, node{path: at})
	}
	return nil
}

// node reads the metadata at a path and reports whether there is any.
func (h *hierarchy) node(at string) (n node, found bool, err error) {
	n.path = at
	if data, err := h.metadata(path.Join(at, "zarr.json")); data != nil || err != nil {
		if err == nil {
			n.parse3(data)
		}
		return n, true, err
	}
	attrs, err := h.metadata(path.Join(at, ".zattrs"))
	if err != nil {
		return n, false, err
	}
	if data, err := h.metadata(path.Join(at, ".zarray")); data != nil || err != nil {
		if err == nil {
			n.array, n.err = parse2(data, attrs)
			n.named()
		}
		return n, true, err
	}
	group, err := h.metadata(path.Join(at, ".zgroup"))
	if group == nil && attrs == nil || err != nil {
		return n, false, err
	}
	n.attrs, err = parseAttrs2(attrs)
	return n, true, err
}

// parse3 decodes the metadata of a group or an array of version 3. An error concerns this node
// only.
func (n *node) parse3(data []byte) {
	var kind string
	var version int
	var attrs object
	o, err := parseObject(data)
	if err == nil {
		err = o.get("zarr_format", &version)
	}
	if err != nil && o.has("metadata_encoding") {
		err = fmt.Errorf("a draft of version 3, of before 2023: %w; write it anew with a later zarr-python or zarrita", ErrCodec)
	}
	if err == nil && version != 3 {
		err = errkind.Errorf(ErrFormat, "zarr.json of version %d: want 3", version)
	}
	if err == nil {
		err = o.get("node_type", &kind)
	}
	switch {
	case err != nil:
	case kind == "array":
		n.array, err = parse3(o)
		n.named()
	case kind == "group":
		if err = o.get("attributes", &attrs); err == nil {
			n.attrs, err = attrs.attrs()
		}
	default:
		err = errkind.Errorf(ErrFormat, "node_type %q is neither array nor group", short(kind))
	}
	n.err = err
}

// named sets the path of the array and completes its attributes.
func (n *node) named() {
	if n.array == nil {
		return
	}
	n.array.path = n.path
	if _, ok := n.array.attrs["units"]; n.array.units != "" && !ok {
		n.array.attrs = maps.Clone(n.array.attrs)
		if n.array.attrs == nil {
			n.array.attrs = map[string]any{}
		}
		n.array.attrs["units"] = n.array.units
	}
}

// scopeDims makes the names of dimensions unique in the whole store. Two arrays share a dimension
// if the extents are equal and one array lies in the folder of the other, or below it. A different
// dimension of the same name is prefixed with the path of its array's group or, if that name is
// taken as well, with the path of the array.
func (h *hierarchy) scopeDims() {
	used := map[string]bool{} // names
	known := map[scopedDim]string{}
	byDepth := slices.Clone(h.nodes)
	slices.SortStableFunc(byDepth, func(a, b node) int { return strings.Count(a.path, "/") - strings.Count(b.path, "/") })
	for _, n := range byDepth {
		if n.array == nil || n.err != nil {
			continue
		}
		dims := slices.Clone(n.array.dims)
		for d, name := range dims {
			if name != "" {
				dims[d] = scopedName(scopedDim{parentOf(n.path), name, n.array.shape[d]}, n.path, used, known)
			}
		}
		n.array.dims = dims
	}
}

// A scopedDim is a dimension within the arrays of a group.
type scopedDim struct {
	group, name string
	extent      int
}

// scopedName returns a name, unique in the whole store, for a dimension of the array at a path, and
// records it. It returns "" if an array has the name twice, with two extents, so that no candidate
// is free.
func scopedName(dim scopedDim, array string, used map[string]bool, known map[scopedDim]string) string {
	for outer := dim; ; outer.group = parentOf(outer.group) {
		if name, is := known[outer]; is {
			return name
		}
		if outer.group == "" {
			break
		}
	}
	for _, name := range []string{dim.name, path.Join(dim.group, dim.name), path.Join(array, dim.name)} {
		if !used[name] {
			used[name], known[dim] = true, name
			return name
		}
	}
	return ""
}

// open returns a reader of the array with the given name, or of the only array if name is empty.
func (h *hierarchy) open(name string) (*reader, error) {
	var names []string
	var found *node
	for i, n := range h.nodes {
		if n.array == nil && n.err == nil {
			continue
		}
		if names = append(names, n.path); n.path == name {
			found = &h.nodes[i]
		}
	}
	if found == nil && name == "" && len(names) == 1 {
		name = names[0]
		for i := range h.nodes {
			if h.nodes[i].path == name {
				found = &h.nodes[i]
			}
		}
	}
	switch {
	case found == nil && name == "":
		return nil, fmt.Errorf("%w: name one of %s", formats.ErrVariable, someOf(names))
	case found == nil:
		return nil, fmt.Errorf("%s: %w: there are %s", name, formats.ErrVariable, someOf(names))
	case found.err != nil && found.path != "":
		return nil, fmt.Errorf("%s: %w", found.path, found.err)
	case found.err != nil:
		return nil, found.err
	}
	r, err := newReader(h.store, found.array)
	if named := (*unitError)(nil); err != nil && found.path != "" && !errors.As(err, &named) {
		err = fmt.Errorf("%s: %w", found.path, err)
	}
	return r, err
}

// someOf lists names for an error. If there are many, it lists only the first ones.
func someOf(names []string) string {
	if len(names) == 0 {
		return "no arrays"
	}
	if len(names) > 10 {
		return strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", len(names)-10)
	}
	return strings.Join(names, ", ")
}

// content describes the store.
func (h *hierarchy) content() formats.Content {
	var c formats.Content
	for _, n := range h.nodes {
		switch {
		case n.array != nil || n.err != nil:
			c.Vars = append(c.Vars, h.info(n))
		case n.path == "":
			c.Attrs = n.attrs
		default:
			if c.Groups == nil {
				c.Groups = map[string]map[string]any{}
			}
			c.Groups[n.path] = n.attrs
		}
	}
	return c
}

// info describes an array, also one that cannot be read.
func (h *hierarchy) info(n node) formats.Info {
	var err error
	if err = n.err; err == nil {
		var r *reader
		if r, err = newReader(h.store, n.array); err == nil {
			return r.info
		}
	}
	info := formats.Info{Name: n.path}
	info.Refuse(err)
	var syntax *json.SyntaxError
	info.Damaged = info.Damaged || errors.As(err, &syntax)
	if n.array != nil {
		info.Attrs, info.Shape, info.DType = n.array.attrs, n.array.shape, n.array.dtype
	}
	return info
}

func openFolder(in *formats.Input) (formats.Reader, error) { return openArray(in, openStore) }
func openZip(in *formats.Input) (formats.Reader, error)    { return openArray(in, openZipStore) }

func listFolder(in *formats.Input) (formats.Content, error) { return listStore(in, openStore) }
func listZip(in *formats.Input) (formats.Content, error)    { return listStore(in, openZipStore) }

// openArray opens a variable of a store.
func openArray(in *formats.Input, open func(*formats.Input) (*store, error)) (formats.Reader, error) {
	s, err := open(in)
	if err != nil {
		return nil, err
	}
	h, err := readHierarchy(s)
	if err == nil {
		var r *reader
		if r, err = h.open(in.Variable); err == nil {
			return r, nil
		}
	}
	return nil, joined(err, s.close())
}

// listStore describes a store.
func listStore(in *formats.Input, open func(*formats.Input) (*store, error)) (c formats.Content, err error) {
	s, err := open(in)
	if err != nil {
		return c, err
	}
	h, err := readHierarchy(s)
	if err == nil {
		c = h.content()
	}
	return c, joined(err, s.close())
}

// joined returns the first of two errors, on one line.
func joined(err, second error) error {
	if err == nil {
		return second
	}
	return err
}
