// Package regrid converts arrays to other coordinates: Coarsen computes statistics over windows of
// indices; Regrid computes nearest values, linear interpolation or means of cells for given
// coordinates.
//
//	windows, err := regrid.ParseWindows("time=1D,lat=4,lon=4")
//	means := regrid.Coarsening{Func: stats.Func{Op: stats.Mean}}
//	report, err := regrid.Coarsen(ctx, "era", "coarse", windows, means, regrid.Options{})
//	grid, err := regrid.ParseGrid("lat=-90:90:1,lon=0:360:1")
//	report, err = regrid.Regrid(ctx, "era", "regular", grid, regrid.Mean, regrid.Options{})
//
// The source is a dataset, or an array with its coordinates. The result is a dataset, which becomes
// visible when it is complete. All variables with the dimensions change, others are copied. Grids
// are rectilinear: each dimension has a coordinate of its own.
//
// # Invariants
//
//  1. Blocks and parts have fixed sizes, so a result has the same bits with any number of
//     goroutines and any memory.
//  2. The buffers have the size of a block for each goroutine, however large the arrays are.
package regrid

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"drx"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/optionerr"
)

// Options limit what a call uses.
type Options struct {
	// Memory is the number of bytes for buffers, at least 32 MiB; 0 means 256 MiB. The caches of
	// the arrays are extra.
	Memory     int
	Goroutines int // 0 means runtime.GOMAXPROCS(0)
	// Progress, if not nil, is called with the number of elements written so far and the total.
	// Calls do not overlap.
	Progress func(done, total int64)
}

// A Dim is a dimension of a Report.
type Dim struct {
	Name     string
	From, To int  // its extents
	Wraps    bool // longitudes were compared modulo 360, because the units are degrees east
}

// A Report describes the new dataset.
type Report struct {
	Dims      []Dim
	Variables []string // those that changed, sorted
	Notes     []string // sentences about omitted variables
}

// workerBytes is the size of the buffers of a goroutine: see blockCells and partCells.
const workerBytes = 32 << 20

// workers returns the number of goroutines that the memory allows.
func (o Options) workers() (int, error) {
	memory, n := o.Memory, o.Goroutines
	if memory == 0 {
		memory = 256 << 20
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if memory < workerBytes {
		return 0, optionerr.Wrong("memory", memory, "want at least %d, which one block needs", workerBytes)
	}
	return max(1, min(n, memory/workerBytes)), nil
}

// A job makes a dataset from another one.
type job struct {
	ctx     context.Context
	d       *dataset.Dataset
	only    string   // the only requested variable; empty for all
	names   []string // of the variables to make
	o       Options
	workers int
	axes    map[string]*axis // the dimensions that change, by their names in the dataset
	// replaced are the variables that are omitted, or replaced by the new coordinates and their
	// bounds.
	replaced map[string]bool
	outputs  map[string]output
	report   *Report

	mu          sync.Mutex
	done, total int64
}

// An output is a new variable.
type output struct {
	spec drx.Spec
	fill func(a *drx.Array) error
}

// newJob opens the source: an array, which takes precedence, or a dataset.
func newJob(ctx context.Context, from string, o Options) (*job, error) {
	j := &job{ctx: ctx, o: o, axes: map[string]*axis{}, replaced: map[string]bool{}, outputs: map[string]output{}, report: &Report{}}
	var err error
	if j.workers, err = o.workers(); err != nil {
		return nil, err
	}
	if j.d, j.only, err = open(from); err != nil {
		return nil, err
	}
	if j.only != "" {
		if err := j.checkBounds(); err != nil {
			return nil, errors.Join(err, j.close())
		}
	}
	return j, nil
}

// open opens a dataset for reading, or the dataset of an array, with the variable's name in only.
func open(name string) (d *dataset.Dataset, only string, err error) {
	isArray, err := drx.Exists(name)
	if err != nil {
		return nil, "", err
	}
	folder := name
	if isArray && !strings.HasSuffix(name, string(filepath.Separator)) {
		if folder, only, err = dataset.Find(name); err != nil {
			return nil, "", err
		}
		if folder == "" {
			folder, only = filepath.Split(drx.BaseName(name))
			folder = filepath.Clean(folder)
		}
		only = strings.TrimSuffix(only, drx.OneFileExt)
	}
	d, err = dataset.Open(folder, drx.Options{})
	return d, only, err
}

func (j *job) close() error { return j.d.Discard() } // it was open for reading

// run plans the variables and creates the new dataset. plan plans a variable with dimensions that
// change.
func (j *job) run(to string, plan func(v *dataset.Variable) error) (*Report, error) {
	if rel, err := filepath.Rel(j.d.Folder(), to); err == nil && filepath.IsLocal(rel) && j.only == "" {
		return nil, errkind.Errorf(fs.ErrInvalid, "%s lies in the source %s: choose a name outside", to, j.d.Folder())
	}
	var err error
	if j.names, err = j.variables(); err != nil {
		return nil, err
	}
	for _, name := range j.names {
		v, err := j.d.Variable(name)
		if err != nil {
			return nil, err
		}
		switch {
		case j.replaced[name]:
			continue
		case j.changes(v):
			err = plan(v)
		default:
			err = j.planPicked(v)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(j.report.Variables) == 0 {
		return nil, errkind.Errorf(dataset.ErrVariable, "%s: no variable is left that has the dimensions%s", j.d.Folder(), strings.Join(append([]string{""}, j.report.Notes...), "; "))
	}
	return j.report, dataset.CreateFilled(to, drx.Options{}, j.create)
}

// create creates the groups and the variables.
func (j *job) create(to *dataset.Dataset) error {
	groups := map[string]map[string]any{}
	for _, group := range append([]string{""}, j.d.Groups()...) {
		if !j.hasGroup(group) {
			continue
		}
		attrs, err := j.d.Attrs(group)
		if err != nil && !errors.Is(err, dataset.ErrGroup) {
			return err
		}
		groups[group] = map[string]any{}
		for name, value := range attrs {
			if group != "" {
				groups[group][name] = value
			} else if err := to.SetAttr("", name, value); err != nil {
				return err
			}
		}
	}
	delete(groups, "")
	specs := map[string]drx.Spec{}
	for name, out := range j.outputs {
		specs[name] = out.spec
		n := int64(1)
		for _, extent := range out.spec.Shape {
			n *= int64(extent)
		}
		j.total += n
	}
	return to.CreateAll(groups, specs, func(name string, a *drx.Array) error { return j.outputs[name].fill(a) })
}

// hasGroup reports whether the new dataset has a group. For an array it has only the groups that
// contain it or variables that it needs.
func (j *job) hasGroup(group string) bool {
	return j.only == "" || group == "" || slices.ContainsFunc(j.names, func(name string) bool { return strings.HasPrefix(name, group+"/") })
}

// progress adds to the number of elements written.
func (j *job) progress(elements int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.done += int64(elements); j.o.Progress != nil {
		j.o.Progress(j.done, j.total)
	}
}

// changes reports whether a variable has a dimension that changes.
func (j *job) changes(v *dataset.Variable) bool {
	return slices.ContainsFunc(v.Dims(), func(dim string) bool { return j.axes[dim] != nil })
}

// variables returns the names of the variables to create. For an array these are the array and the
// variables that its attributes and dimensions name.
func (j *job) variables() ([]string, error) {
	all := j.d.Variables()
	if j.only == "" {
		return all, nil
	}
	chosen := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if chosen[name] || !slices.Contains(all, name) {
			return nil
		}
		v, err := j.d.Variable(name)
		if err != nil {
			return err
		}
		chosen[name] = true
		named := v.Dims()
		for _, attr := range []string{"coordinates", "bounds", "grid_mapping"} {
			for _, other := range strings.Fields(textOf(v.Array(), attr)) {
				named = append(named, path.Join(path.Dir(name), other))
			}
		}
		for _, other := range named {
			if err := add(other); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(j.only); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(chosen)), nil
}

// checkBounds returns an error if the only variable is clipped: in a folder that is not declared a
// dataset, other arrays may have different dimensions with the same names.
func (j *job) checkBounds() error {
	v, err := j.d.Variable(j.only)
	if err != nil {
		return err
	}
	if bounds := v.Bounds(); !slices.Equal(bounds, v.Array().Bounds()) {
		return errkind.Errorf(dataset.ErrDim, "%s: other arrays of its folder have the same dimensions with the bounds %v: move it to a folder of its own", v.Array().Name(), bounds)
	}
	return nil
}

// leaveOut records that a variable has no result. If it is the only one, that is an error.
func (j *job) leaveOut(v *dataset.Variable, why string) error {
	if v.Name() == j.only {
		return errkind.Errorf(drx.ErrDType, "%s: %s", v.Array().Name(), why)
	}
	j.report.Notes = append(j.report.Notes, v.Name()+" is left out: "+why)
	return nil
}

// textOf returns a text attribute, or "" if there is none.
func textOf(a *drx.Array, name string) (text string) {
	_, _ = a.Attr(name, &text) // an attribute of another type is ignored
	return text
}
