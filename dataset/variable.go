package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// A Variable is a variable of an open dataset. Its array stays open until the dataset is closed.
type Variable struct {
	d    *Dataset
	name string
	a    *drx.Array
}

// Variable opens a variable. The error wraps ErrVariable if there is none of that name; otherwise
// it is that of drx.Open, such as drx.ErrIncomplete for the target of an unfinished copy.
func (d *Dataset) Variable(name string) (*Variable, error) {
	if err := d.check(false); err != nil {
		return nil, err
	}
	name = strings.TrimPrefix(variableOf(name), "/") // h5py and netCDF4 begin names with a slash
	known := d.scan.vars[name]
	if known == nil {
		return nil, errkind.Errorf(ErrVariable, "%s: no variable %q: %s", d.folder, name, d.listVariables())
	}
	if v := d.vars[name]; v != nil {
		return v, nil
	}
	a, err := drx.Open(d.path(name), d.o)
	if r := d.scan.renaming; errors.Is(err, fs.ErrNotExist) && r.Variable && name == r.To {
		a, err = drx.Open(d.path(r.From), d.o) // its name until the renaming is complete
	}
	if err != nil {
		return nil, err
	}
	if known.err == nil && !slices.Equal(d.scan.renaming.dims(name, a.Dims()), known.own) {
		err := errkind.Errorf(ErrDim, "%s: the dimensions are %q now and were %q; open the dataset again", a.Name(), a.Dims(), known.own)
		_ = a.Discard() // nothing was written
		return nil, err
	}
	v := &Variable{d, name, a}
	d.vars[name] = v
	if known.err != nil || d.write { // a writer excludes later changes by others
		v.describe()
	}
	return v, nil
}

// describe updates the bounds of a variable in the catalogue.
func (v *Variable) describe() {
	now := describe(v.a)
	v.d.scan.renaming.apply(v.name, now)
	if known := v.d.scan.vars[v.name]; known != nil && known.same(now) {
		return
	}
	v.d.scan.set(v.name, now)
}

// listVariables returns the list of the variables for an error.
func (d *Dataset) listVariables() string {
	names := d.scan.names()
	if len(names) == 0 {
		return "it has no variables"
	}
	return "there are " + listed(names)
}

// maxListed is the largest number of names in an error.
const maxListed = 20

// listed formats names for an error.
func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Name returns the name of the variable with the path of its group.
func (v *Variable) Name() string { return v.name }

// Array returns the array of the variable. Its elements and attributes may be changed; they become
// durable with the dataset's Sync. Only the dataset may change its bounds, which may extend beyond
// Bounds.
func (v *Variable) Array() *drx.Array { return v.a }

// Dims returns the names of the variable's dimensions in the dataset, as Dataset.Dim expects them;
// "" for a dimension without a name.
func (v *Variable) Dims() []string { return slices.Clone(v.d.scan.vars[v.name].dims) }

// IsCoordinate reports whether the variable is the coordinate of its dimension.
func (v *Variable) IsCoordinate() bool { return v.d.scan.isCoordinate(v.name) }

// Bounds returns the bounds of the variable that readers see: its own, clipped to its dimensions.
func (v *Variable) Bounds() nd.Section {
	bounds := v.a.Bounds()
	for i, dim := range v.d.scan.vars[v.name].dims {
		if dim != "" {
			bounds[i] = overlap(bounds[i], v.d.scan.dims[dim].Bounds)
		}
	}
	return bounds
}

// Dims returns the named dimensions, sorted by name.
func (d *Dataset) Dims() []Dim {
	var dims []Dim
	for _, dim := range d.scan.dims {
		dims = append(dims, dim.clone())
	}
	slices.SortFunc(dims, func(x, y Dim) int { return strings.Compare(x.Name, y.Name) })
	return dims
}

// Dim returns a dimension by its name. The error wraps ErrDim and lists the dimensions.
func (d *Dataset) Dim(name string) (Dim, error) {
	dim, err := d.scan.dim(d.folder, name)
	if err != nil {
		return Dim{}, err
	}
	return dim.clone(), nil
}

func (dim *Dim) clone() Dim {
	c := *dim
	c.Variables = slices.Clone(c.Variables)
	return c
}

// coordinateChunk is the chunk extent, in elements, of an initially empty variable of rank 1, which
// usually is a coordinate with few elements.
const coordinateChunk = 1024

// CreateVariable creates a variable durably. Its group must exist, see CreateGroup. spec.Dims are
// the names of its dimensions without the path of the group; the package comment explains which
// dimension a name means. If spec.Shape is nil, the extents and low bounds are those of the
// dimensions, which must all exist. Without spec.ChunkShape the chunks are those of
// drx.DefaultChunk, or 1024 elements for an empty variable of rank 1. The options of the dataset
// replace those of spec. If a dimension has grown since the last Sync and the variable is a
// coordinate, all changes so far are committed, as by Sync. If name ends in .drx the array is in
// one file; the name of the variable lacks this extension.
//
// The error wraps ErrDim if the bounds contradict a dimension, ErrGroup if there is no such group,
// or is that of drx.Create.
func (d *Dataset) CreateVariable(name string, spec drx.Spec) (*Variable, error) {
	if err := d.check(true); err != nil {
		return nil, err
	}
	if group, _ := split(name); !d.hasGroup(group) {
		return nil, d.noGroup(group)
	}
	array, err := d.prepare(name, &spec)
	if err != nil {
		return nil, err
	}
	return d.create(array, spec)
}

// create is CreateVariable for a complete spec.
func (d *Dataset) create(array string, spec drx.Spec) (*Variable, error) {
	name := variableOf(array)
	added, err := describeSpec(spec)
	if err == nil {
		err = d.fits(name, added)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: create variable %s: %w", d.folder, name, err)
	}
	if err := d.beforeCreation(map[string]*variableInfo{name: added}); err != nil {
		return nil, err
	}
	a, err := drx.Create(d.path(array), spec)
	if err != nil {
		return nil, err
	}
	v := &Variable{d, name, a}
	d.vars[name] = v
	v.describe()
	return v, nil
}

// prepare checks the name of a new variable, completes the spec, and returns the name of the array.
func (d *Dataset) prepare(name string, spec *drx.Spec) (string, error) {
	group, own := split(name)
	name = path.Join(group, own)
	if hidden(own) || own == "" {
		return "", errkind.Errorf(ErrVariable, "%s: create variable %q: a name must not be empty or begin with a dot", d.folder, name)
	}
	if spec.Shape == nil {
		if err := d.shapeOf(group, spec); err != nil {
			return "", fmt.Errorf("%s: create variable %s: %w", d.folder, name, err)
		}
	}
	spec.Options = d.o
	if spec.ChunkShape == nil && slices.Equal(spec.Shape, []int{0}) {
		spec.ChunkShape = []int{coordinateChunk}
	}
	return name, nil
}

// shapeOf sets the bounds of a new variable to the bounds of its dimensions.
func (d *Dataset) shapeOf(group string, spec *drx.Spec) error {
	spec.Shape, spec.Lo = []int{}, nil
	homes := &variableInfo{homes: homesIn(*spec)}
	for _, own := range spec.Dims {
		dim := d.scan.dims[d.scan.dimOf(homes, group, own)]
		if own == "" || dim == nil {
			return errkind.Errorf(ErrDim, "the extent of dimension %q is not known: no variable has it yet; give the extents", own)
		}
		spec.Shape, spec.Lo = append(spec.Shape, dim.Bounds.Len()), append(spec.Lo, dim.Bounds.Lo)
	}
	return nil
}

// fits returns an error if a new variable contradicts its dimensions, or is a coordinate that other
// variables contradict.
func (d *Dataset) fits(name string, v *variableInfo) error {
	if d.scan.isPlain(name, v) {
		return nil
	}
	added := map[string]*variableInfo{name: v}
	_, err := d.scan.with(added).contradiction(added)
	return err
}

// with returns a catalogue that also has the given variables.
func (c *catalogue) with(added map[string]*variableInfo) *catalogue {
	trial := &catalogue{groups: slices.Clone(c.groups), vars: make(map[string]*variableInfo, len(c.vars)+len(added))}
	for name, known := range c.vars {
		copied := *known
		trial.vars[name] = &copied
	}
	for name, v := range added {
		trial.vars[name] = v
	}
	trial.resolve()
	return trial
}
