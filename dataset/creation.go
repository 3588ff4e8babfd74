package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// creatingAttr is the attribute of the dataset's Marker that lists the arrays under creation.
const creatingAttr = "dataset.creating"

// A creation is the value of creatingAttr. As long as an array is in Arrays it does not count:
// readers ignore it, and the next writer removes it, because its creator must have died.
type creation struct {
	Number int      `json:"number"`           // counts the attempts, so that readers notice each
	Arrays []string `json:"arrays,omitempty"` // arrays of variables, and Markers of groups
}

// creationOf returns the arrays under creation that Marker m lists. The error wraps drx.ErrCorrupt.
func creationOf(m *drx.Array) (c creation, err error) {
	if _, err := m.Attr(creatingAttr, &c); err != nil {
		return c, errkind.Of(drx.ErrCorrupt, err)
	}
	return c, nil
}

// readMarker returns the creation and the renaming in the Marker of a folder. Both are empty if
// there is no Marker or it cannot be read; Attrs reports that error.
func readMarker(folder string) (creation, renaming) {
	m, err := drx.Open(filepath.Join(folder, Marker), drx.Options{})
	if err != nil {
		return creation{}, renaming{}
	}
	c, err := creationOf(m)
	r, renamingErr := renamingOf(m)
	if errors.Join(err, renamingErr, m.Close()) != nil {
		return creation{}, renaming{}
	}
	return c, r
}

// hides returns the variables and Markers under creation, without extensions: a file with several
// arrays lists as rain what was created as rain.drx.
func (c creation) hides() map[string]bool {
	hidden := make(map[string]bool, len(c.Arrays))
	for _, name := range c.Arrays {
		hidden[variableOf(name)] = true
	}
	return hidden
}

// setCreation commits the list of arrays under creation, together with changes of attributes.
func (d *Dataset) setCreation(c creation, changes attrChanges) error {
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	was := m.Attrs()
	if err := changes.to(m); err != nil {
		return err
	}
	if err := m.SetAttr(creatingAttr, c); err != nil {
		return err
	}
	if err := m.Sync(); err != nil {
		return errors.Join(err, changes.inverse(was).to(m)) // or the next commit would make them
	}
	d.pending.without(changes.clone())
	return nil
}

// rollBackCreation removes the arrays that a writer was creating when it died. It leaves the
// folders of groups, which are no groups without arrays.
func (d *Dataset) rollBackCreation() error {
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	c, err := creationOf(m)
	if err != nil || len(c.Arrays) == 0 {
		return err
	}
	for _, name := range c.Arrays {
		if err := drx.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return d.setCreation(creation{Number: c.Number + 1}, attrChanges{})
}

// CreateAll creates groups and variables durably, and all at the same moment for readers and after
// a crash: either all of them exist or none. groups maps the paths of new groups to their
// attributes, vars the names of variables to their specs, each as for CreateVariable. Where Shape
// is nil, the dimensions must exist already. Enclosing groups are created too. An existing group is
// no error and keeps its attributes. As with CreateVariable, a new coordinate may commit all
// changes so far. CreateAll takes a fraction of the time of one CreateVariable for each variable,
// and leaves no variable open.
//
// If fill is not nil, it is called with each new variable, in the order of their names, and may
// write its elements, see drx.CreateAll. Attributes of the dataset that fill changes with SetAttr
// and DeleteAttr become durable and visible at the same moment; after an error they are unchanged.
//
// The error is that of CreateGroup, CreateVariable or fill, or wraps fs.ErrExist if a variable of
// that name exists. After an error nothing is created.
func (d *Dataset) CreateAll(groups map[string]map[string]any, vars map[string]drx.Spec, fill func(name string, a *drx.Array) error) error {
	b, err := d.plan(groups, vars)
	if err != nil {
		return err
	}
	if len(b.specs) == 0 {
		return nil
	}
	if err := d.beforeCreation(b.vars); err != nil {
		return err
	}
	return b.create(fill)
}

// beforeCreation commits what the new variables depend on. Their bounds may be those of a growth
// that is not committed yet. A new coordinate would make such a growth visible, so then all changes
// are committed.
func (d *Dataset) beforeCreation(vars map[string]*variableInfo) error {
	for name, v := range vars {
		if _, own := split(name); len(v.own) == 1 && v.own[0] == own && len(d.grown) > 0 {
			return d.Sync()
		}
	}
	return d.announce()
}

// CheckAll returns the error that CreateAll would return before it creates anything.
func (d *Dataset) CheckAll(groups map[string]map[string]any, vars map[string]drx.Spec) error {
	_, err := d.plan(groups, vars)
	return err
}

// plan checks the groups and variables and returns them as a batch.
func (d *Dataset) plan(groups map[string]map[string]any, vars map[string]drx.Spec) (*batch, error) {
	if err := d.check(true); err != nil {
		return nil, err
	}
	b := &batch{d: d, groups: map[string]bool{}, specs: map[string]drx.Spec{}, vars: map[string]*variableInfo{}}
	return b, b.plan(groups, vars)
}

// A batch holds the groups and variables that one CreateAll creates.
type batch struct {
	d      *Dataset
	groups map[string]bool          // the new ones
	specs  map[string]drx.Spec      // of all arrays, by their names in the folder
	vars   map[string]*variableInfo // the new variables
	next   *catalogue               // the catalogue with the new variables
}

// plan fills the batch, see Dataset.plan.
func (b *batch) plan(groups map[string]map[string]any, vars map[string]drx.Spec) error {
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if err := b.addGroup(group); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if err := b.addVariable(name, vars[name]); err != nil {
			return err
		}
	}
	for group := range b.groups {
		b.specs[path.Join(group, Marker)] = markerSpec(groups[group])
	}
	b.next = b.d.scan.with(b.vars)
	name, err := b.next.contradiction(b.vars)
	if err != nil {
		return fmt.Errorf("%s: create variable %s: %w", b.d.folder, name, err)
	}
	return nil
}

// addGroup adds a group and its enclosing groups, unless they exist.
func (b *batch) addGroup(group string) error {
	if err := b.d.checkGroupName(group); err != nil {
		return err
	}
	for g := group; g != "" && g != "." && !b.d.hasGroup(g); g = path.Dir(g) {
		b.groups[g] = true
	}
	return nil
}

// addVariable adds a variable.
func (b *batch) addVariable(name string, spec drx.Spec) error {
	group, _ := split(name)
	if group != "" {
		if err := b.addGroup(group); err != nil {
			return err
		}
	}
	array, err := b.d.prepare(name, &spec)
	if err != nil {
		return err
	}
	name = variableOf(array)
	if b.d.scan.vars[name] != nil {
		return fmt.Errorf("%s: create variable %s: %w", b.d.folder, name, fs.ErrExist)
	}
	if b.vars[name], err = describeSpec(spec); err != nil {
		return fmt.Errorf("%s: create variable %s: %w", b.d.folder, name, err)
	}
	b.specs[array] = spec
	return nil
}

// create creates the arrays between two commits of the Marker. The first lists the arrays as under
// creation, which hides them; the second removes them from the list, which shows them all at once.
func (b *batch) create(fill func(name string, a *drx.Array) error) error {
	d := b.d
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	c, err := creationOf(m)
	if err != nil {
		return err
	}
	specs, own := make(map[string]drx.Spec, len(b.specs)), make(map[string]string, len(b.specs))
	for array, spec := range b.specs {
		specs[d.path(array)], own[d.path(array)] = spec, variableOf(array)
	}
	arrays := slices.Sorted(maps.Keys(b.specs))
	if err := d.setCreation(creation{c.Number + 1, slices.Concat(d.hidden, arrays)}, attrChanges{}); err != nil {
		return err
	}
	before := d.pending.clone()
	d.filled = &attrChanges{}
	defer func() { d.filled = nil }()
	err = drx.CreateAll(specs, b.filling(own, fill))
	if err == nil {
		if err = d.setCreation(creation{c.Number + 1, d.hidden}, d.durableAttrs()); err == nil {
			b.add()
			return nil
		}
		for _, array := range arrays {
			err = errors.Join(err, drx.Remove(d.path(array)))
		}
	}
	d.pending = before
	// If this fails too, the next Sync or the next writer removes them from the list.
	_ = d.setCreation(creation{c.Number + 2, d.hidden}, attrChanges{})
	return err
}

// durableAttrs returns the changes of attributes that become durable with the new variables: all,
// or only those of fill if others wait for a dimension that has grown.
func (d *Dataset) durableAttrs() attrChanges {
	if len(d.grown) > 0 {
		return *d.filled
	}
	return d.pending
}

// filling adapts fill to the names of drx.CreateAll; own maps them to the names in the dataset. It
// skips Markers.
func (b *batch) filling(own map[string]string, fill func(name string, a *drx.Array) error) func(string, *drx.Array) error {
	if fill == nil {
		return nil
	}
	return func(array string, a *drx.Array) error {
		if b.vars[own[array]] == nil {
			return nil
		}
		return fill(own[array], a)
	}
}

// add adds the new groups and variables to the catalogue.
func (b *batch) add() {
	b.d.scan = b.next
	for group := range b.groups {
		b.d.scan.groups = append(b.d.scan.groups, group)
		delete(b.d.markers, group) // it may be cached as missing
	}
	slices.Sort(b.d.scan.groups)
}

// describeSpec describes a variable before it exists. The error wraps drx.ErrRank.
func describeSpec(spec drx.Spec) (*variableInfo, error) {
	v := &variableInfo{own: spec.Dims, homes: homesIn(spec)}
	for i, n := range spec.Shape {
		lo := 0
		if i < len(spec.Lo) {
			lo = spec.Lo[i]
		}
		v.bounds = append(v.bounds, nd.Span(lo, lo+n))
	}
	if len(v.own) == 0 {
		v.own = make([]string, len(v.bounds))
	}
	if len(v.own) != len(v.bounds) {
		return nil, errkind.Errorf(drx.ErrRank, "%d names of dimensions for %d extents", len(v.own), len(v.bounds))
	}
	return v, nil
}

// contradiction checks new variables that are already in the catalogue. It returns the name of one
// and an error if it contradicts a dimension, or is a coordinate that other variables contradict.
func (c *catalogue) contradiction(added map[string]*variableInfo) (name string, err error) {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		for _, dim := range added[name].dims {
			if dim == "" || seen[dim] {
				continue
			}
			seen[dim] = true
			if name, err := c.contradictionIn(c.dims[dim], name, added); err != nil {
				return name, err
			}
		}
	}
	return "", nil
}

// contradictionIn is contradiction for one dimension. It compares all variables with the coordinate
// or, without one, with the first new variable; two older variables may differ.
func (c *catalogue) contradictionIn(dim *Dim, first string, added map[string]*variableInfo) (name string, err error) {
	if dim.HasCoordinate {
		first = dim.Name
	}
	want := c.boundsIn(first, dim.Name)
	for _, other := range dim.Variables {
		name, known := other, first
		if added[other] == nil {
			name, known = first, other
		}
		if added[name] == nil || c.boundsIn(other, dim.Name) == want {
			continue
		}
		return name, errkind.Errorf(ErrDim, "dimension %s: the new variable has %v, but %s has %v; give all variables of a dimension the same bounds",
			dim.Name, c.boundsIn(name, dim.Name), known, c.boundsIn(known, dim.Name))
	}
	return "", nil
}
