package capi

import (
	"fmt"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats/transfer"
	"drx/nd"
)

// An array is an open array of the host.
type array struct {
	*drx.Array
	mode     Mode
	clip     bool                        // values of other types become the nearest of the array's
	round    func(elements []byte) error // before they are stored; nil if they are not rounded
	variable *variable                   // nil if the array belongs to no dataset
}

func newArray(a *drx.Array, mode Mode, s storing) (*array, error) {
	open := &array{Array: a, mode: mode, clip: s.clip}
	if s.round {
		return open, open.setRounding()
	}
	return open, nil
}

// setRounding makes calls that write elements round them as netCDF's attribute of the array says,
// if it has one.
func (a *array) setRounding() (err error) {
	r := meaning.RoundingOf(a.Attrs())
	if t := a.DType(); r.IsNone() || !t.IsFloat() && !t.IsComplex() {
		return nil
	}
	a.round, _, err = transfer.RoundingLike(r, a.Array, nil)
	return err
}

// applyRounding rounds little-endian elements in place, if those of the array are rounded.
func (a *array) applyRounding(elements []byte) error {
	if a.round == nil {
		return nil
	}
	return a.round(elements)
}

// A variable is the part of an array's handle that only variables of a dataset have.
type variable struct {
	*dataset.Variable
	of *openDataset
}

// arrays are the open arrays.
var arrays = table[*array]{kind: arrayKind}

// bounds returns the present bounds. For a variable it returns the bounds that readers of its
// dataset see.
func (a *array) bounds() nd.Section {
	if a.variable == nil {
		return a.Bounds()
	}
	a.variable.of.mu.Lock()
	defer a.variable.of.mu.Unlock()
	return a.variable.Bounds()
}

// checkOwn returns an error wrapping ErrInvalid if the array belongs to a dataset. The error names
// instead, the function to call in that case.
func (a *array) checkOwn(instead string) error {
	if a.variable == nil {
		return nil
	}
	return invalidf("%s belongs to a dataset: call %s", a.Name(), instead)
}

// Open opens an array and returns its handle. options is the JSON of drx.h.
func Open(name string, mode Mode, options string) (Handle, error) {
	var v versionOptions
	if err := parseOptions(options, &v); err != nil {
		return 0, err
	}
	o, err := v.local(mode)
	if err != nil {
		return 0, err
	}
	if v.Commit == nil {
		a, err := drx.Open(name, o)
		return addArray(a, mode, v.stores(), notFound(name, err))
	}
	if mode != ModeRead {
		return 0, invalidf("%s: an array as it was after a commit can only be opened for reading", name)
	}
	a, err := v.Commit.open(name, o)
	return addArray(a, mode, v.stores(), notFound(name, err))
}

// Create makes an array, opens it for writing and returns its handle.
func Create(name string, t dtype.DType, shape []int, options string) (Handle, error) {
	var c struct {
		createOptions
		roundingOptions
		Clip bool `json:"clip"`
	}
	if err := parseOptions(options, &c); err != nil {
		return 0, err
	}
	spec, err := c.spec(t, shape)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if spec.Options, err = c.openOptions.options(ModeWrite); err != nil {
		return 0, err
	}
	rounds, err := c.describe(&spec)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkFree(name); err != nil {
		return 0, err
	}
	a, err := drx.Create(name, spec)
	return addArray(a, ModeWrite, storing{c.Clip, rounds}, notFound(name, err))
}

// addArray returns a handle for an array that was just opened, unless there was an error.
func addArray(a *drx.Array, mode Mode, s storing, err error) (h Handle, _ error) {
	if err != nil {
		return 0, err
	}
	open, err := newArray(a, mode, s)
	if err == nil {
		h, err = arrays.add(open)
	}
	if err != nil {
		_ = a.Discard()
	}
	return h, err
}

// Close commits and closes an array.
func Close(h Handle) error { return closeArray(h, (*drx.Array).Close) }

// Discard closes an array without a commit.
func Discard(h Handle) error { return closeArray(h, (*drx.Array).Discard) }

// closeArray frees a handle and closes its array.
func closeArray(h Handle, closing func(*drx.Array) error) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close or drx_dataset_discard"); err != nil {
		return err
	}
	if a, err = arrays.remove(h); err != nil {
		return err
	}
	if a.mode == ModeRead {
		closing = (*drx.Array).Close
	}
	return closing(a.Array)
}

// Sync commits the changes of an array.
func Sync(h Handle) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_sync"); err != nil {
		return err
	}
	return a.Sync()
}
