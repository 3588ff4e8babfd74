package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// A target is an array or a dataset that is open for writing.
type target struct {
	a *drx.Array // nil for a dataset
	d *dataset.Dataset
}

// exists reports whether there is an array or a folder of the name of DST.
func exists(dst string) (bool, error) {
	there, err := drx.Exists(dst)
	if there || err != nil {
		return there, err
	}
	info, err := os.Stat(dst)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && info.Mode().IsRegular() && strings.HasSuffix(dst, drx.OneFileExt) && !drx.IsContainer(dst) {
		return false, nil // left by a killed creation: the next creation replaces it
	}
	return err == nil, err
}

// openTarget opens DST. cache is the memory for the elements of one array, in bytes.
func openTarget(dst string, cache int64) (*target, error) {
	opts := drx.Options{Write: true, Cache: cache}
	isArray, err := drx.Exists(dst)
	if err != nil {
		return nil, err
	}
	if isArray {
		a, err := drx.Open(dst, opts)
		return &target{a: a}, err
	}
	if declared, err := drx.Exists(filepath.Join(dst, dataset.Marker)); err != nil {
		return nil, err
	} else if !declared {
		return nil, errkind.Errorf(fs.ErrNotExist, "%s is no dataset; create a dataset of this name first", wording.Printable(dst))
	}
	d, err := dataset.Open(dst, opts)
	return &target{d: d}, err
}

// array returns the array of a variable.
func (t *target) array(name string) (*drx.Array, error) {
	if t.a != nil {
		return t.a, nil
	}
	v, err := t.d.Variable(name)
	if err != nil {
		return nil, err
	}
	return v.Array(), nil
}

// dim returns the bounds of a dimension, by its name or, of an array, by its number.
func (t *target) dim(name string) (nd.Range, error) {
	if t.d != nil {
		dim, err := t.d.Dim(name)
		return dim.Bounds, err
	}
	d, err := headerOf(t.a).dim(name)
	if err != nil {
		return nd.Range{}, err
	}
	return t.a.Bounds()[d], nil
}

// state returns the description of DST, without elements.
func (t *target) state(dst string) (*dstState, error) {
	if t.a != nil {
		v := dstVar{arrayHeader: headerOf(t.a)}
		for d := range t.a.Rank() {
			v.along = append(v.along, strconv.Itoa(d))
		}
		return &dstState{dst: dst, isArray: true, vars: []dstVar{v}}, nil
	}
	e := &dstState{dst: dst, dims: t.d.Dims()}
	for _, name := range t.d.Variables() {
		v, err := t.d.Variable(name)
		if err != nil {
			return nil, err
		}
		e.vars = append(e.vars, dstVar{headerOf(v.Array()), name, v.Dims(), v.IsCoordinate()})
	}
	return e, nil
}

// setStrings stores the strings that a plan adds to arrays of strings. The next sync makes them
// durable.
func (t *target) setStrings(p *appendPlan) error {
	for _, v := range p.vars {
		if v.conv.strings == nil {
			continue
		}
		a, err := t.array(v.name)
		if err != nil {
			return err
		}
		if err := a.SetAttr(stringsAttr, v.conv.strings); err != nil {
			return err
		}
	}
	return nil
}

// boundsOf returns the bounds of the dimension along which DST grows, or nil.
func (t *target) boundsOf(dim string) []int {
	r, err := t.dim(dim)
	if err != nil {
		return nil
	}
	return []int{r.Lo, r.Hi}
}

// extend grows a dimension and returns the new indices.
func (t *target) extend(dim string, by int, low bool) (nd.Range, error) {
	switch {
	case t.d != nil && low:
		return t.d.ExtendLow(dim, by)
	case t.d != nil:
		return t.d.Extend(dim, by)
	}
	d, err := headerOf(t.a).dim(dim)
	if err != nil {
		return nd.Range{}, err
	}
	grow := t.a.Extend
	if low {
		grow = t.a.ExtendLow
	}
	sec, err := grow(d, by)
	if err == nil {
		sec, err = sec.Resolve(t.a.Bounds().Bounds())
	}
	if err != nil {
		return nd.Range{}, err
	}
	return sec[d], nil
}

func (t *target) sync() error {
	if t.a != nil {
		return t.a.Sync()
	}
	return t.d.Sync()
}

// release commits, and closes the variables of a dataset. Their arrays must not be used any more.
func (t *target) release() error {
	if t.a != nil {
		return t.a.Sync()
	}
	return t.d.Release()
}

func (t *target) close() error {
	if t.a != nil {
		return t.a.Close()
	}
	return t.d.Close()
}

func (t *target) discard() {
	if t.a != nil {
		_ = t.a.Discard() // the caller needs the error before this one
		return
	}
	_ = t.d.Discard()
}

// describe describes the arrays of DST.
func (t *target) describe(dst string) (ImportReport, error) {
	if t.a != nil {
		return ImportReport{Name: t.a.Name(), Vars: []Array{newArray(t.a)}}, nil
	}
	made := ImportReport{Name: dst}
	for _, name := range t.d.Variables() {
		a, err := t.array(name)
		if err != nil {
			return made, err
		}
		made.Vars = append(made.Vars, newArray(a))
	}
	return made, nil
}

// isEmptyFolder reports whether a name denotes a folder without arrays and folders. Files that an
// interrupted creation has left behind do not count.
func isEmptyFolder(name string) bool {
	arrays, folders, err := drx.List(name)
	return err == nil && len(folders) == 0 && !slices.ContainsFunc(arrays, func(array string) bool {
		there, err := drx.Exists(filepath.Join(name, array))
		return there || err != nil
	})
}

// removeNew removes an array or a dataset that this process has made, with the folders of its
// groups.
func removeNew(name string) error {
	isArray, err := drx.Exists(name)
	if err != nil {
		return err
	}
	if isArray {
		return drx.Remove(name)
	}
	arrays, folders, err := drx.List(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, folder := range folders {
		err = errors.Join(err, removeNew(filepath.Join(name, folder)))
	}
	for _, array := range arrays {
		err = errors.Join(err, drx.Remove(filepath.Join(name, array)))
	}
	return errors.Join(err, os.Remove(name))
}
