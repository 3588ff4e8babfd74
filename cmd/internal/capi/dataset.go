package capi

import (
	"fmt"
	"io/fs"
	"sync"

	"drx"
	"drx/axial"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// An openDataset is an open dataset of the host. mu is held by every call, because a Dataset is
// used by one goroutine at a time.
type openDataset struct {
	mu        sync.Mutex
	d         *dataset.Dataset
	mode      Mode
	storing   storing           // of variables
	rounded   map[string]bool   // variables that were made with a rounding
	variables map[string]Handle // handles that the host has asked for
}

// Name returns the folder of the dataset.
func (o *openDataset) Name() string { return o.d.Folder() }

// datasets are the open datasets.
var datasets = table[*openDataset]{kind: datasetKind}

// with calls f with a dataset while it holds the dataset's lock.
func with(h Handle, f func(o *openDataset) error) error {
	o, err := datasets.get(h)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := datasets.get(h); err != nil { // closed while this call waited for the lock
		return err
	}
	return f(o)
}

// OpenDataset opens a dataset.
func OpenDataset(folder string, mode Mode, options string) (Handle, error) {
	var v localOptions
	if err := parseOptions(options, &v); err != nil {
		return 0, err
	}
	o, err := v.local(mode)
	if err != nil {
		return 0, err
	}
	d, err := dataset.Open(folder, o)
	return addDataset(d, mode, v.stores(), noDataset(folder, err))
}

// CreateDataset makes a dataset and opens it for writing.
func CreateDataset(folder, options string) (Handle, error) {
	var v localOptions
	if err := parseOptions(options, &v); err != nil {
		return 0, err
	}
	o, err := v.options(ModeWrite)
	if err != nil {
		return 0, err
	}
	if there, err := drx.Exists(folder); err == nil && there {
		return 0, errkind.Errorf(fs.ErrExist, "%s: there is an array of this name already: choose another name", folder)
	}
	d, err := dataset.Create(folder, o)
	return addDataset(d, ModeWrite, v.stores(), err)
}

// addDataset returns a handle for a dataset that was just opened, unless there was an error.
func addDataset(d *dataset.Dataset, mode Mode, s storing, err error) (Handle, error) {
	if err != nil {
		return 0, err
	}
	h, err := datasets.add(&openDataset{d: d, mode: mode, storing: s, rounded: map[string]bool{}, variables: map[string]Handle{}})
	if err != nil {
		_ = d.Discard()
	}
	return h, err
}

// CloseDataset commits and closes a dataset.
func CloseDataset(h Handle) error { return closeDataset(h, (*dataset.Dataset).Close) }

// DiscardDataset closes a dataset without a commit.
func DiscardDataset(h Handle) error { return closeDataset(h, (*dataset.Dataset).Discard) }

// closeDataset frees the handles of a dataset and of its variables, and closes it.
func closeDataset(h Handle, closing func(*dataset.Dataset) error) error {
	return with(h, func(o *openDataset) error {
		if _, err := datasets.remove(h); err != nil {
			return err
		}
		o.forgetVariables()
		return closing(o.d)
	})
}

// SyncDataset commits the changes of a dataset.
func SyncDataset(h Handle) error {
	return with(h, func(o *openDataset) error { return o.d.Sync() })
}

// RefreshDataset updates a dataset to the latest commits of other processes.
func RefreshDataset(h Handle) error {
	return with(h, func(o *openDataset) error {
		if err := o.d.Refresh(); err != nil {
			return err
		}
		o.forgetClosed()
		return nil
	})
}

// forgetClosed frees the handles of variables that do not exist any more, or whose arrays the
// dataset has closed.
func (o *openDataset) forgetClosed() {
	for name, v := range o.variables {
		now, err := o.d.Variable(name)
		if a, getErr := arrays.get(v); err == nil && getErr == nil && a.Array == now.Array() {
			continue
		}
		_, _ = arrays.remove(v)
		delete(o.variables, name)
	}
}

// DatasetInfo returns the description of a dataset as JSON.
func DatasetInfo(h Handle) (text string, err error) {
	err = with(h, func(o *openDataset) error {
		i, err := result.NewDataset(o.d, o.releaseSome)
		if err == nil {
			text, err = toJSON(i)
		}
		return err
	})
	return text, err
}

// releaseSome closes all variables after every 32, to bound the number of open files. It does
// nothing if the dataset is open for writing or the host has a handle of a variable.
func (o *openDataset) releaseSome(done int) error {
	if done%32 != 0 || o.mode != ModeRead || len(o.variables) > 0 {
		return nil
	}
	return o.d.Release()
}

// ReleaseDataset commits, and closes the arrays of all variables with their handles.
func ReleaseDataset(h Handle) error {
	return with(h, func(o *openDataset) error { return o.forgetAfter(o.d.Release()) })
}

// PrepareDataset makes all changes durable, but not visible, and closes the arrays of all variables
// with their handles.
func PrepareDataset(h Handle) error {
	return with(h, func(o *openDataset) error { return o.forgetAfter(o.d.Prepare()) })
}

// forgetAfter frees the handles of all variables after a call that closes their arrays; if it
// failed, of those that it has closed.
func (o *openDataset) forgetAfter(err error) error {
	if err == nil {
		o.forgetVariables()
	} else {
		o.forgetClosed()
	}
	return err
}

// RenameInDataset gives a variable or a dimension another name, and closes the arrays of all
// variables with their handles.
func RenameInDataset(h Handle, from, to string) error {
	return with(h, func(o *openDataset) error { return o.forgetAfter(o.d.Rename(from, to)) })
}

// forgetVariables frees the handles of all variables.
func (o *openDataset) forgetVariables() {
	for _, v := range o.variables {
		_, _ = arrays.remove(v)
	}
	clear(o.variables)
}

// Variable returns the handle of the array of a variable: the same one at every call.
func Variable(h Handle, name string) (v Handle, err error) {
	err = with(h, func(o *openDataset) error {
		found, err := o.d.Variable(name)
		if err == nil {
			v, err = o.handle(found)
		}
		return err
	})
	return v, err
}

// handle returns the handle of a variable.
func (o *openDataset) handle(v *dataset.Variable) (Handle, error) {
	if h, ok := o.variables[v.Name()]; ok {
		return h, nil
	}
	a, err := newArray(v.Array(), o.mode, storing{o.storing.clip, o.storing.round || o.rounded[v.Name()]})
	if err != nil {
		return 0, err
	}
	a.variable = &variable{v, o}
	h, err := arrays.add(a)
	if err == nil {
		o.variables[v.Name()] = h
	}
	return h, err
}

// CreateVariable makes a variable and returns its handle. A nil shape is the shape of its
// dimensions.
func CreateVariable(h Handle, name string, t dtype.DType, shape []int, options string) (v Handle, err error) {
	var c variableOptions
	if err := parseOptions(options, &c); err != nil {
		return 0, err
	}
	spec, err := c.spec(t, shape)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	rounds, err := c.describe(&spec)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	err = with(h, func(o *openDataset) error {
		create := o.d.CreateVariable
		if c.Pending {
			create = o.d.CreatePending
		}
		made, err := create(name, spec)
		if err == nil {
			o.rounded[made.Name()] = rounds
			v, err = o.handle(made)
		}
		return err
	})
	return v, err
}

// CreateGroup makes a group.
func CreateGroup(h Handle, group string) error {
	return with(h, func(o *openDataset) error { return o.d.CreateGroup(group) })
}

// ExtendDataset grows a dimension in all variables and returns the new indices.
func ExtendDataset(h Handle, dim string, by, side int) (r nd.Range, err error) {
	s, err := ToSide(side)
	if err != nil {
		return r, err
	}
	err = with(h, func(o *openDataset) error {
		if s == axial.Low {
			r, err = o.d.ExtendLow(dim, by)
		} else {
			r, err = o.d.Extend(dim, by)
		}
		return err
	})
	return r, err
}

// DatasetDim returns the bounds of a dimension.
func DatasetDim(h Handle, dim string) (r nd.Range, err error) {
	err = with(h, func(o *openDataset) error {
		d, err := o.d.Dim(dim)
		r = d.Bounds
		return err
	})
	return r, err
}

// withCoordinate calls f with the coordinate of a dimension, if [lo, hi) are indices of it.
func withCoordinate(h Handle, dim string, lo, hi int, f func(c *dataset.Coordinate)) error {
	return with(h, func(o *openDataset) error {
		d, err := o.d.Dim(dim)
		if err != nil {
			return err
		}
		if lo > hi || lo < d.Bounds.Lo || hi > d.Bounds.Hi {
			return errkind.Errorf(nd.ErrBounds, "%s: dimension %s: indices %d:%d, it has %d:%d", o.d.Folder(), dim, lo, hi, d.Bounds.Lo, d.Bounds.Hi)
		}
		c, err := o.d.Coordinate(dim)
		if err == nil {
			f(c)
		}
		return err
	})
}

// Coordinate stores the values of a coordinate for the indices [lo, hi). buffer returns the memory
// for n values; it is called after the indices were checked, so that n is no larger than the
// dimension.
func Coordinate(h Handle, dim string, lo, hi int, buffer func(n int) []float64) error {
	return withCoordinate(h, dim, lo, hi, func(c *dataset.Coordinate) {
		values := buffer(hi - lo)
		for i := range values {
			values[i] = c.Float64(lo + i)
		}
	})
}

// CoordinateText returns the values of a coordinate for the indices [lo, hi) as text: a JSON list.
func CoordinateText(h Handle, dim string, lo, hi int) (text string, err error) {
	var failed error
	err = withCoordinate(h, dim, lo, hi, func(c *dataset.Coordinate) {
		list := make([]string, hi-lo)
		for i := range list {
			list[i] = c.Text(lo + i)
		}
		text, failed = toJSON(list)
	})
	if err == nil {
		err = failed
	}
	return text, err
}

// DatasetAttrs returns the attributes of a group, or of the dataset, as a JSON object.
func DatasetAttrs(h Handle, group string) (text string, err error) {
	err = with(h, func(o *openDataset) error {
		attrs, err := o.d.Attrs(group)
		if err == nil {
			text, err = toJSON(attrs)
		}
		return err
	})
	return text, err
}

// SetDatasetAttr sets an attribute of a group, or of the dataset.
func SetDatasetAttr(h Handle, group, name, value string) error {
	raw, err := rawJSON(name, value)
	if err != nil {
		return err
	}
	return with(h, func(o *openDataset) error { return o.d.SetAttr(group, name, raw) })
}

// DeleteDatasetAttr removes an attribute of a group, or of the dataset.
func DeleteDatasetAttr(h Handle, group, name string) error {
	return with(h, func(o *openDataset) error { return o.d.DeleteAttr(group, name) })
}
