package dataset

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// A catalogue is a snapshot of the arrays of a dataset.
type catalogue struct {
	groups []string                 // paths, sorted; "" first, for the dataset itself
	vars   map[string]*variableInfo // by name
	dims   map[string]*Dim          // by name
	named  map[string]bool          // "group/name" for each dimension name in a group
	uneven map[string]bool          // dimensions without coordinate whose variables differ in bounds
	hidden map[string]bool          // arrays under creation, while the folders are read

	renaming renaming // in progress
}

// A variableInfo describes a variable.
type variableInfo struct {
	own    []string          // dimension names in the array
	dims   []string          // dimension names in the dataset, "" for none
	homes  map[string]string // own name to the dimension in the dataset that an attribute gives
	bounds nd.Section        // of the array
	err    error             // error of opening; then the other fields are empty
}

// same reports whether two descriptions agree. It ignores fields that follow from other arrays,
// such as dims.
func (v *variableInfo) same(w *variableInfo) bool {
	return v.err == nil && w.err == nil && slices.Equal(v.own, w.own) && slices.Equal(v.bounds, w.bounds) && maps.Equal(v.homes, w.homes)
}

// A Dim is a dimension of a dataset.
type Dim struct {
	// Name is the name with the path of the group: "time", "model/time".
	Name string
	// Bounds are the indices that readers see.
	Bounds nd.Range
	// HasCoordinate reports whether the dimension has a coordinate, the variable Name.
	HasCoordinate bool
	// Variables are the names of the variables with this dimension, sorted. The coordinate is among
	// them.
	Variables []string
}

// readCatalogue reads all arrays of a folder and its subfolders. It opens one at a time. Arrays
// that are created together are all in it or none: if a creation began or ended meanwhile, it reads
// again.
func readCatalogue(folder string) (*catalogue, error) {
	for before, naming := readMarker(folder); ; {
		c := &catalogue{vars: map[string]*variableInfo{}, hidden: before.hides(), renaming: naming}
		if err := c.read(folder, ""); err != nil {
			return nil, err
		}
		now, name := readMarker(folder)
		if now.Number != before.Number || len(now.Arrays) != len(before.Arrays) || name.Number != naming.Number {
			before, naming = now, name
			continue
		}
		slices.Sort(c.groups)
		c.resolve()
		return c, nil
	}
}

// read adds a group and its subgroups.
func (c *catalogue) read(folder, group string) error {
	arrays, folders, err := drx.List(filepath.Join(folder, filepath.FromSlash(group)))
	if err != nil {
		return err
	}
	before := len(c.vars)
	for _, own := range arrays {
		array := path.Join(group, own)
		name := variableOf(array)
		if hidden(own) || c.hidden[name] {
			continue
		}
		v := describeNamed(filepath.Join(folder, filepath.FromSlash(name)))
		// The file may no longer begin as an array, and then only its full name finds it.
		if errors.Is(v.err, fs.ErrNotExist) && array != name {
			v = describeNamed(filepath.Join(folder, filepath.FromSlash(array)))
		}
		if !errors.Is(v.err, fs.ErrNotExist) { // otherwise it is under creation or just removed
			c.renaming.apply(name, v)
			c.vars[c.renaming.name(name)] = v
		}
	}
	groups := len(c.groups)
	for _, sub := range folders {
		if hidden(sub) {
			continue
		}
		if err := c.read(folder, path.Join(group, sub)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	declared := slices.Contains(arrays, Marker) && !c.hidden[path.Join(group, Marker)]
	if group == "" || len(c.vars) > before || len(c.groups) > groups || declared {
		c.groups = append(c.groups, group)
	}
	return nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// describeNamed opens the array with a name and describes it.
func describeNamed(name string) *variableInfo {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return &variableInfo{err: err}
	}
	v := describe(a)
	v.err = a.Close()
	return v
}

func describe(a *drx.Array) *variableInfo {
	return &variableInfo{own: a.Dims(), bounds: a.Bounds(), homes: homesOf(a)}
}

// names returns the names of the variables, sorted.
func (c *catalogue) names() []string { return slices.Sorted(maps.Keys(c.vars)) }

// isCoordinate reports whether the variable with a name is a coordinate.
func (c *catalogue) isCoordinate(name string) bool {
	v := c.vars[name]
	_, own := split(name)
	return v != nil && v.err == nil && len(v.own) == 1 && v.own[0] == own
}

// resolve sets the dimension of the dataset for each dimension name of a variable, and then the
// bounds of the dimensions.
func (c *catalogue) resolve() {
	c.nameDims()
	c.dims, c.uneven = map[string]*Dim{}, map[string]bool{}
	for _, name := range c.names() {
		v := c.vars[name]
		group, _ := split(name)
		v.dims = make([]string, len(v.own))
		for i, own := range v.own {
			if own != "" {
				v.dims[i] = c.dimOf(v, group, own)
				c.addTo(v.dims[i], name)
			}
		}
	}
	for _, dim := range c.dims {
		dim.Bounds = c.bounds(dim)
	}
}

// nameDims sets c.named.
func (c *catalogue) nameDims() {
	c.named = map[string]bool{}
	for name, v := range c.vars {
		group, _ := split(name)
		for _, own := range v.own {
			full := path.Join(group, own)
			if home := v.homes[own]; home != "" {
				full = home
			}
			c.named[full] = true
		}
	}
}

// dimOf returns the dimension of the dataset for the own name of a dimension of a variable in a
// group. An attribute of the variable may give it, see HomeAttr, if that is a coordinate or a
// dimension of an enclosing folder. Otherwise the rule of home applies.
func (c *catalogue) dimOf(v *variableInfo, group, own string) string {
	full := v.homes[own]
	if full != "" && (c.isCoordinate(full) || isAround(full, group)) {
		return full
	}
	return c.home(group, own)
}

// isAround reports whether a dimension belongs to a group or an enclosing folder.
func isAround(dim, group string) bool {
	outer, _ := split(dim)
	return outer == "" || outer == group || strings.HasPrefix(group, outer+"/")
}

// home returns the dimension of the dataset for a dimension name in a group.
func (c *catalogue) home(group, own string) string {
	outermost := path.Join(group, own)
	for g := group; ; g = path.Dir(g) {
		if g == "." {
			g = ""
		}
		name := path.Join(g, own)
		if c.isCoordinate(name) {
			return name
		}
		if c.named[name] {
			outermost = name
		}
		if g == "" {
			return outermost
		}
	}
}

// addTo adds a variable to the variables of a dimension.
func (c *catalogue) addTo(dim, variable string) {
	if c.dims[dim] == nil {
		c.dims[dim] = &Dim{Name: dim, HasCoordinate: c.isCoordinate(dim)}
	}
	c.dims[dim].Variables = append(c.dims[dim].Variables, variable)
}

// bounds returns the bounds of a dimension that readers see: those of its coordinate or, without
// one, the indices common to all its variables.
func (c *catalogue) bounds(dim *Dim) nd.Range {
	if dim.HasCoordinate {
		return c.vars[dim.Name].bounds[0]
	}
	first := c.boundsIn(dim.Variables[0], dim.Name)
	common := first
	for _, name := range dim.Variables[1:] {
		own := c.boundsIn(name, dim.Name)
		common = overlap(common, own)
		if own != first {
			c.uneven[dim.Name] = true
		}
	}
	return common
}

// set adds a variable, or replaces its description.
func (c *catalogue) set(name string, v *variableInfo) {
	plain := c.isPlain(name, v)
	c.vars[name] = v
	if !plain {
		c.resolve()
		return
	}
	group, _ := split(name)
	v.dims = make([]string, len(v.own))
	for i, own := range v.own {
		if own != "" {
			dim := c.dims[c.dimOf(v, group, own)]
			v.dims[i] = dim.Name
			at, _ := slices.BinarySearch(dim.Variables, name)
			dim.Variables = slices.Insert(dim.Variables, at, name)
		}
	}
}

// isPlain reports whether a new variable leaves the dimensions as they are, so that the other
// variables need no update: it is no coordinate, and all its dimensions exist in its group with its
// bounds.
func (c *catalogue) isPlain(name string, v *variableInfo) bool {
	group, own := split(name)
	if v.err != nil || c.vars[name] != nil || len(v.homes) > 0 || len(v.own) == 1 && v.own[0] == own {
		return false
	}
	for i, dim := range v.own {
		if dim == "" {
			continue
		}
		if !c.named[path.Join(group, dim)] || slices.Contains(v.own[:i], dim) {
			return false
		}
		known := c.dims[c.home(group, dim)]
		if c.uneven[known.Name] || known.Bounds != v.bounds[i] {
			return false
		}
	}
	return true
}

// boundsIn returns the bounds of a dimension in a variable.
func (c *catalogue) boundsIn(variable, dim string) nd.Range {
	v := c.vars[variable]
	return v.bounds[slices.Index(v.dims, dim)]
}

// overlap returns the indices common to two ranges, or an empty range at r.Lo.
func overlap(r, s nd.Range) nd.Range {
	common := nd.Span(max(r.Lo, s.Lo), min(r.Hi, s.Hi))
	if common.Hi < common.Lo {
		return nd.Span(r.Lo, r.Lo)
	}
	return common
}

// dim returns a dimension by its name. The error wraps ErrDim.
func (c *catalogue) dim(folder, name string) (*Dim, error) {
	if dim := c.dims[name]; dim != nil {
		return dim, nil
	}
	known := "none of its dimensions has a name"
	if len(c.dims) > 0 {
		known = "there are " + listed(slices.Sorted(maps.Keys(c.dims)))
	}
	return nil, errkind.Errorf(ErrDim, "%s: no dimension %q: %s", folder, name, known)
}

// apply updates the description of a variable to the names after the renaming.
func (r renaming) apply(variable string, v *variableInfo) {
	own := r.dims(variable, v.own)
	for i := range own {
		if was := v.own[i]; was != own[i] && v.homes[was] != "" {
			delete(v.homes, was)
			v.homes = withHome(v.homes, own[i], r.To)
		}
	}
	v.own = own
}
